"""Arrays of an OpenCL device against dpctl's, on the same driver, where dpctl is installed.

Both run the same functions by the same names; the clock stops when the queue is empty.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy

import situ
from situ import tensor

from .contest import Case, Contest, Snippet, power

PEER = "dpctl"
SIZES = (10**3, 10**5, 10**7)
WANTED = 5.0
"""How many times faster than dpctl situ is meant to be, as a geometric mean."""

Arrays = Mapping[str, Any]


@dataclass(frozen=True)
class Work:
    """What is computed, with a namespace of array functions and its arrays."""

    name: str
    run: Callable[[Any, Arrays], Any]

    def case(self, n: int) -> str:
        """The name of the comparison.

        >>> WORKS[0].case(1000)
        'opencl add float64 n=10^3'
        """
        return f"opencl {self.name} n={power(n)}"


WORKS = (
    Work("add float64", lambda xp, x: xp.add(x["a"], x["b"])),
    Work("sin float64", lambda xp, x: xp.sin(x["a"])),
    Work("sqrt float32", lambda xp, x: xp.sqrt(x["f"])),
    Work("less float64", lambda xp, x: xp.less(x["a"], x["b"])),
    Work("sum float64", lambda xp, x: xp.sum(x["a"])),
    Work("sum float64, rows of 100", lambda xp, x: xp.sum(x["rows"], axis=1)),
    Work("sum float64, 100 rows", lambda xp, x: xp.sum(x["columns"], axis=0)),
    Work("max float32", lambda xp, x: xp.max(x["f"])),
    Work("argmax float64", lambda xp, x: xp.argmax(x["a"])),
    Work("cumulative_sum float64", lambda xp, x: xp.cumulative_sum(x["a"])),
    Work("take float64", lambda xp, x: xp.take(x["a"], x["indices"])),
    Work("x[mask] float64, half true", lambda xp, x: x["a"][x["mask"]]),
    Work("nonzero, half true", lambda xp, x: xp.nonzero(x["mask"])[0]),
    Work("sort float64", lambda xp, x: xp.sort(x["a"])),
    Work("sort int32", lambda xp, x: xp.sort(x["integers"])),
    Work("argsort float64", lambda xp, x: xp.argsort(x["a"])),
)


def cases(works: tuple[Work, ...] = WORKS, sizes: tuple[int, ...] = SIZES) -> Iterator[Case]:
    """The comparisons, where dpctl and situ have an OpenCL device in common.

    >>> all(case.name.startswith("opencl ") for case in cases())
    True
    """
    if _device() is not None:
        for n in sizes:
            yield from (Case(work.case(n), partial(_prepare, work, n)) for work in works)


@lru_cache
def _device() -> tuple[situ.Device, Any] | None:
    """Return a device that both have, as situ's and as dpctl's."""
    # Without OpenCL there is no need to load dpctl, and under `python -m situ.dpctl` it is situ itself.
    ours = {device.name: device for device in situ.get_devices("opencl")}
    if not ours or find_spec("dpctl") is None or import_module("dpctl").__name__ != "dpctl":
        return None
    shared = (device for device in import_module("dpctl").get_devices("opencl") if device.name in ours)
    return next(((ours[device.name], device) for device in shared), None)


@lru_cache(maxsize=1)
def _drawn(n: int) -> Mapping[str, Any]:
    generator = numpy.random.default_rng(1)
    a, b = generator.random(n), generator.random(n)
    return {
        "a": a,
        "b": b,
        "f": a.astype("float32"),
        "rows": a.reshape(-1, 100),
        "columns": a.reshape(100, -1),
        "indices": generator.integers(0, n, n),
        "mask": a < 0.5,
        "integers": generator.integers(-(2**31), 2**31, n).astype("int32"),
    }


def _prepare(work: Work, n: int) -> Contest:
    found = _device()
    assert found is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        theirs = import_module("dpctl.tensor")
    libraries = {
        "situ": (tensor, situ.Queue(found[0])),
        PEER: (theirs, import_module("dpctl").SyclQueue(found[1])),
    }
    snippets, results = {}, []
    for name, (namespace, queue) in libraries.items():
        arrays = {key: namespace.asarray(array, sycl_queue=queue) for key, array in _drawn(n).items()}
        results.append(namespace.asnumpy(work.run(namespace, arrays)))
        given = {"f": work.run, "xp": namespace, "arrays": arrays, "queue": queue}
        snippets[name] = Snippet("f(xp, arrays)\nqueue.wait()", given)
    ours, other = results
    agree = numpy.allclose(ours, other, rtol=1e-5 if ours.dtype == "float32" else 1e-9)
    return Contest(snippets["situ"], {PEER: snippets[PEER]}, lambda: agree)
