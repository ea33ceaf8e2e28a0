"""Comparisons of situ with itself: queues side by side, memory used again, work handed over."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy

import situ
from situ import memory, tensor

from .. import _native
from .contest import Case, Contest, Reported, Snippet

LARGE = 10**7
TWO_QUEUES = "two sub-device queues, sin"
SECOND_ALLOCATION = "second allocation of 80 MB"
FORK_JOIN = "empty fork-join"
THREAD_POOL = "thread pool"


def _work(queue: situ.Queue, pieces: int, n: int) -> list[tuple[Any, Any]]:
    def filled() -> Any:
        return tensor.full(n, 0.5, dtype="float64", sycl_queue=queue)

    return [(filled(), filled()) for _ in range(pieces)]


def _two_queues(function: str, n: int) -> Contest:
    device = situ.Device("cpu")
    halves = device.create_sub_devices(partition=device.max_compute_units // 2)[:2]
    queues = [situ.Queue(half) for half in halves]
    statement = "for x, y in work:\n    f(x, out=y)\nfor queue in queues:\n    queue.wait()"
    f = getattr(tensor, function)
    pieces = 8
    shared = [pair for couple in zip(*(_work(q, pieces // 2, n) for q in queues), strict=True) for pair in couple]
    both = Snippet(statement, {"f": f, "work": shared, "queues": queues})
    alone = Snippet(statement, {"f": f, "work": _work(queues[0], pieces, n), "queues": queues[:1]})
    return Contest(both, {"one of them": alone})


def _allocation(touched: bool) -> Contest:
    def block() -> Any:
        return tensor.empty(LARGE, dtype="float64")

    names = {"block": block, "trim": memory.trim}
    touch = "; x.usm_data.memset(1)" if touched else ""
    first = Snippet(f"x = block(){touch}", names, before="x = None; trim()")
    second = Snippet(f"x = block(){touch}", names, before=f"x = block(){touch}; x = None")
    fresh = Snippet(
        "x = empty(n)" + ("; x.fill(1)" if touched else ""), {"empty": numpy.empty, "n": LARGE}, before="x = None"
    )
    return Contest(second, {"the first": first, "NumPy": fresh})


def _submission() -> Contest:
    a = numpy.full(LARGE, 1.5)
    x, z = tensor.asarray(a), tensor.asarray(a)
    wait = x.sycl_queue.wait
    names = {"x": x, "z": z, "wait": wait}
    submit = Snippet("z += x", names, before="wait()", finish="wait()")
    whole = Snippet("z += x; wait()", names, before="wait()")
    numpys = Snippet("z += x", {"x": a, "z": a.copy()}, before="pass")
    return Contest(submit, {"with the wait": whole, "NumPy": numpys})


def _fork_join(which: int) -> Contest:
    def measure() -> float:
        measured = _native.measure_fork_join()
        return measured[which] if measured else 0.0

    pool = ThreadPoolExecutor(1)
    return Contest(Reported(measure), {THREAD_POOL: Snippet("submit(int).result()", {"submit": pool.submit})})


def cases() -> Iterator[Case]:
    """The comparisons this machine and build can make."""
    cpu = situ.Device("cpu")
    if cpu.max_compute_units >= 2 and cpu.partition_max_sub_devices >= 2:
        yield Case(TWO_QUEUES, partial(_two_queues, "sin", 10**6), repeats=1)
        yield Case("two sub-device queues, square", partial(_two_queues, "square", 4 * 10**6), repeats=1)
    yield Case(SECOND_ALLOCATION, partial(_allocation, False), repeats=1)
    yield Case(f"{SECOND_ALLOCATION}, touched", partial(_allocation, True), repeats=1)
    yield Case("submission of z += x n=10^7", _submission, repeats=1)
    if cpu.max_compute_units >= 2:
        yield Case(FORK_JOIN, partial(_fork_join, 0), repeats=1)
        yield Case("fork-join of all cores", partial(_fork_join, 1), repeats=1)
