"""Kernels against Numba and Taichi, where those are installed: the same loops, each written as its library has it.

The peers use as many threads as situ does. What compiling takes is a case of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy

import situ
from situ import tensor

from ..contest import Case, Contest, Reported, Snippet

_PEERS = {"Numba": "numba", "Taichi": "taichi"}

Arrays = dict[str, Any]
"""The arrays of a kernel by their names, in the order of its parameters; the last ones are written."""


@dataclass(frozen=True)
class Work:
    """A kernel that every library has under the same name, over arrays that are made for it."""

    kernel: str
    dtype: str
    size: str
    make: Callable[[], Arrays]
    tolerance: float
    """How far apart results may be, relative to the greatest; counts may differ for as large a part of the elements."""
    wanted: float
    """How many times faster than the better peer situ is meant to be."""

    @property
    def case(self) -> str:
        """The name of the comparison."""
        return f"kernel {self.kernel} {self.dtype} {self.size}"


def _mandelbrot(dtype: str, side: int = 512) -> Arrays:
    return {
        "xs": numpy.linspace(-2.0, 0.6, side, dtype=dtype),
        "ys": numpy.linspace(-1.3, 1.3, side, dtype=dtype),
        "counts": numpy.zeros((side, side), "int32"),
    }


def _black_scholes(n: int = 10**7) -> Arrays:
    generator = numpy.random.default_rng(1)
    given = {"price": (5.0, 30.0), "strike": (1.0, 100.0), "years": (0.25, 10.0)}
    drawn = {name: generator.uniform(low, high, n).astype("float32") for name, (low, high) in given.items()}
    return drawn | {name: numpy.zeros(n, "float32") for name in ("call", "put")}


def _matmul(n: int = 384) -> Arrays:
    generator = numpy.random.default_rng(2)
    factors = {name: generator.standard_normal((n, n)).astype("float32") for name in ("a", "b")}
    return factors | {"out": numpy.zeros((n, n), "float32")}


def _nbody(n: int = 2048) -> Arrays:
    generator = numpy.random.default_rng(3)
    given = {name: generator.uniform(-1.0, 1.0, n).astype("float32") for name in ("x", "y", "z")}
    given["mass"] = generator.uniform(0.5, 1.0, n).astype("float32")
    return given | {name: numpy.zeros(n, "float32") for name in ("ax", "ay", "az")}


def _stencil(n: int = 10**7) -> Arrays:
    return {"x": numpy.linspace(0.0, 1.0, n, dtype="float32"), "out": numpy.zeros(n, "float32")}


def _histogram(n: int = 10**7) -> Arrays:
    data = numpy.random.default_rng(4).integers(0, 256, n, dtype="int32")
    return {"data": data, "bins": numpy.zeros(256, "int32")}


WORKS = (
    Work("mandelbrot", "float32", "512 x 512 x 1000", partial(_mandelbrot, "float32"), 0.01, 5),
    Work("mandelbrot", "float64", "512 x 512 x 1000", partial(_mandelbrot, "float64"), 0.01, 3),
    Work("black_scholes", "float32", "10^7", _black_scholes, 1e-4, 4),
    Work("matmul", "float32", "384 x 384", _matmul, 1e-4, 3),
    Work("nbody", "float32", "2048", _nbody, 1e-3, 1),
    Work("stencil", "float32", "10^7", _stencil, 1e-5, 1),
    Work("histogram", "int32", "10^7", _histogram, 0, 1),
)


FIRST = "kernel mandelbrot, from the decorator to the first result"
FIRST_WANTED = 50


def cases(works: tuple[Work, ...] = WORKS) -> Iterator[Case]:
    """The comparisons, where there is a library to compare with.

    >>> all(case.name.startswith("kernel ") for case in cases())
    True
    """
    peers = {name: module for name, module in _PEERS.items() if find_spec(module)}
    if peers:
        yield from (Case(work.case, partial(_prepare, work, peers)) for work in works)
    if "Numba" in peers:
        yield Case(FIRST, _prepare_first, repeats=1)


@lru_cache
def _theirs(module: str) -> Mapping[str, Callable[..., None]]:
    threads = situ.Device("cpu").max_compute_units
    found: Mapping[str, Callable[..., None]] = import_module(f"{__name__}._{module}").kernels(threads)
    return found


def _prepare(work: Work, peers: Mapping[str, str]) -> Contest:
    from . import ours

    given = work.make()
    arrays = {name: tensor.asarray(array, device="cpu") for name, array in given.items()}
    queue = next(iter(arrays.values())).sycl_queue
    launch = partial(getattr(ours, work.kernel), queue)
    launch(*arrays.values())
    snippets, results = {}, [{name: tensor.asnumpy(array) for name, array in arrays.items()}]
    for peer, module in peers.items():
        run = _theirs(module).get(work.kernel)
        if run is None:
            continue
        theirs = work.make()
        run(*theirs.values())
        results.append(dict(theirs))
        snippets[peer] = Snippet("f(*arrays)", {"f": run, "arrays": tuple(theirs.values())})
    return Contest(
        Snippet("f(*arrays)", {"f": launch, "arrays": tuple(arrays.values())}),
        snippets,
        lambda: all(_agree(work, results[0], other) for other in results[1:]),
    )


def _prepare_first() -> Contest:
    from . import ours

    given = _mandelbrot("float32", 16)
    arrays = [tensor.asarray(array, device="cpu") for array in given.values()]

    def first() -> float:
        begin = time.perf_counter()
        situ.kernel(ours.mandelbrot_function)[arrays[-1].shape](*arrays)
        arrays[-1].sycl_queue.wait()
        return time.perf_counter() - begin

    compiled = _theirs("numba")["mandelbrot"]
    again = import_module("numba").njit(parallel=True)

    def their_first() -> float:
        begin = time.perf_counter()
        again(compiled.py_func)(*given.values())  # type: ignore[attr-defined]
        return time.perf_counter() - begin

    return Contest(Reported(first), {"Numba": Reported(their_first)})


def _agree(work: Work, ours: Arrays, theirs: Arrays) -> bool:
    for name, array in ours.items():
        other = theirs[name]
        if numpy.issubdtype(array.dtype, numpy.integer):
            if numpy.mean(array != other) > work.tolerance:
                return False
        elif not numpy.allclose(array, other, rtol=0, atol=work.tolerance * float(numpy.abs(other).max())):
            return False
    return True
