"""Two halves of a processor at work at the same time."""

from __future__ import annotations

from collections.abc import Sequence

from .._cli.draw import lane, seconds
from .stage import Stage

Span = tuple[int, int]


def overlap(one: Sequence[Span], two: Sequence[Span]) -> int:
    """How long both were at work at once.

    >>> overlap([(0, 10)], [(4, 6), (8, 20)])
    4
    """
    return sum(max(0, min(a[1], b[1]) - max(a[0], b[0])) for a in one for b in two)


def side_by_side(stage: Stage) -> None:
    """Give two sub-devices work from one thread and draw when each was busy."""
    stage.title("Two queues, one thread, work at the same time")
    device = stage.names["situ"].Device()
    if device.max_compute_units < 2 or device.partition_max_sub_devices < 2:
        stage.say(f"{device.filter_string} has a single compute unit, so there is nothing to split: skipped.")
        return
    n = 200_000 if stage.fast else 3_000_000
    stage.code(
        f"""
        device = situ.Device()
        halves = device.create_sub_devices(partition=device.max_compute_units // 2)[:2]
        queues = [situ.Queue(half, property="enable_profiling") for half in halves]
        arrays = [tensor.full({n:_}, 0.5, sycl_queue=queue) for queue in queues]
        edges = [[queue.submit_barrier()] for queue in queues]
        for _ in range(4):
            for i, queue in enumerate(queues):
                arrays[i] = tensor.sin(arrays[i])
                edges[i].append(queue.submit_barrier())
        for queue in queues:
            queue.wait()
        """
    )
    spans = [
        [(a.profiling_info_end, b.profiling_info_start) for a, b in zip(events, events[1:], strict=False)]
        for events in stage.names["edges"]
    ]
    _draw(stage, spans)


def _draw(stage: Stage, lanes: Sequence[Sequence[Span]]) -> None:
    begin = min(start for spans in lanes for start, _ in spans)
    length = max(1, max(end for spans in lanes for _, end in spans) - begin)
    width = min(60, stage.terminal.width - 24)
    for number, spans in enumerate(lanes):
        relative = [((start - begin) / length, (end - begin) / length) for start, end in spans]
        busy = sum(end - start for start, end in spans)
        stage.result(f"queue {number}  {lane(relative, width)}  {seconds(busy * 1e-9)}", "blue" if number else "green")
    both = overlap(lanes[0], lanes[1])
    shorter = max(1, min(sum(end - start for start, end in spans) for spans in lanes))
    stage.say(
        f"Each block is one call, timed by the queue itself. Both were busy for {seconds(both * 1e-9)}, "
        f"{100 * both / shorter:.0f} % of the shorter one's time."
    )
