"""Kinds of memory, and the pool they come from."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from .._cli.draw import print_bars, seconds, size
from .stage import Stage


def kinds(stage: Stage) -> None:
    """Show who may touch what."""
    stage.title("Three kinds of memory")
    stage.code(
        """
        shared = memory.MemoryUSMShared(16)
        numpy.asarray(shared)[:4] = [1, 2, 3, 4]
        device = tensor.ones(16, dtype="uint8", usm_type="device")
        both = device + tensor.asarray(shared, sycl_queue=device.sycl_queue)
        """
    )
    both = stage.names["both"]
    stage.result(f"both = {both!r}\n'device' with 'shared' makes {both.usm_type!r}")
    stage.say("Shared and host memory are open to NumPy without a copy; device memory belongs to the device.")


def _timed(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def pool(stage: Stage) -> None:
    """Allocate twice and compare."""
    n = 1_000_000 if stage.fast else 10_000_000
    stage.title("Memory is used again")
    memory, tensor = stage.names["memory"], stage.names["tensor"]
    stage.say("The system hands out fresh memory page by page, which costs more than the work done in it.")
    stage.code(f"def block(): return tensor.zeros({n:_})")
    block: Callable[[], Any] = stage.names["block"]
    queue = tensor.zeros(1).sycl_queue

    def done() -> None:
        block()
        queue.wait()

    memory.trim()
    rows = [(f"{name} {size(8 * n)}", took := _timed(done), seconds(took)) for name in ("first", "second")]
    print_bars(stage.terminal, rows)
    stage.code("kept = memory.pool_stats()['total']['cached_bytes']; freed = memory.trim()")
    stage.result(f"kept {size(stage.names['kept'])} for later; trim gave back {size(stage.names['freed'])}")
