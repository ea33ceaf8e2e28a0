"""Linear algebra against NumPy; in single precision, which NumPy computes in double, against SciPy if that is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy

import situ
from situ import tensor

from .contest import BLAS_SLEEPS, Case, Contest, Snippet

ORDERS = (32, 256, 1024)
BATCHES = ((1000, 4), (1000, 16))
WANTED: Mapping[str, float] = {
    "solve": 1.0,
    "inv": 1.0,
    "cholesky": 1.4,
    "qr": 1.4,
    "svd": 1.0,
    "svdvals": 0.65,
    "eigh": 1.0,
    "eigvalsh": 0.65,
    "eig": 1.0,
}
"""How many times its peer each function is to be, for one matrix."""
BATCHED = ("solve", "inv", "det", "cholesky", "qr", "svd", "eigh")
BATCHED_WANTED = 1.4
"""How many times NumPy they are to be for many small ones."""


@dataclass(frozen=True)
class Task:
    """A function of matrices of some order."""

    function: str
    dtype: str
    order: int
    count: int = 1

    @property
    def name(self) -> str:
        """What the comparison is called.

        >>> Task("inv", "float32", 256).name, Task("inv", "float64", 4, 1000).name
        ('linalg inv float32 256²', 'linalg inv float64 1000×4²')
        """
        times = "" if self.count == 1 else f"{self.count}×"
        return f"linalg {self.function} {self.dtype} {times}{self.order}²"

    @property
    def peer(self) -> str:
        """What it is compared with."""
        return "NumPy" if self.dtype == "float64" else "SciPy"

    @property
    def wanted(self) -> float:
        """How many times its peer it is to be."""
        return WANTED[self.function] if self.count == 1 else BATCHED_WANTED


TASKS = (
    *(Task(function, dtype, order) for function in WANTED for order in ORDERS for dtype in ("float64", "float32")),
    *(Task(function, "float64", order, count) for count, order in BATCHES for function in BATCHED),
)
SAMPLE = ("linalg solve float64 256²", "linalg inv float64 1000×4²")
"""The names of the tasks of a quick run."""

ECONOMIC: Mapping[str, Mapping[str, Any]] = {"svd": {"full_matrices": False}}
SCIPY: Mapping[str, Mapping[str, Any]] = {"cholesky": {"lower": True}, "qr": {"mode": "economic"}}
"""What SciPy is told so that it computes the same."""


@lru_cache(maxsize=2)
def _operands(task: Task) -> tuple[Any, ...]:
    rng = numpy.random.default_rng(13)
    shape = (task.order, task.order) if task.count == 1 else (task.count, task.order, task.order)
    x = rng.standard_normal(shape)
    if task.function in ("eigh", "eigvalsh"):
        x = x + numpy.swapaxes(x, -1, -2)
    elif task.function == "cholesky":
        x = x @ numpy.swapaxes(x, -1, -2) + task.order * numpy.eye(task.order)
    others = (numpy.ones((*shape[:-1], 1)),) if task.function == "solve" else ()
    return tuple(each.astype(task.dtype) for each in (x, *others))


def _values(result: Any) -> Any:
    """What of a result every correct one has in common."""
    if isinstance(result, tuple):
        # Singular values and eigenvalues, or the magnitudes of R's diagonal.
        kept = {"QRResult": 1, "SVDResult": 1}.get(type(result).__name__, 0)
        result = result[kept] if len(result) != 3 else result[1]
    return numpy.abs(tensor.asnumpy(result) if isinstance(result, tensor.ndarray) else result)


def _agree(task: Task, found: Any, wanted: Any) -> bool:
    """Whether a result is the peer's, but for rounding and for what is free."""
    if task.function == "qr":
        found, wanted = (numpy.triu(_values(each[1])) for each in (found, wanted))
    elif task.function == "eig":
        found, wanted = (numpy.sort(_values(each)) for each in (found, wanted))
    else:
        found, wanted = _values(found), _values(wanted)
    limit = 0.05 if task.dtype == "float32" else 1e-6
    return bool(found.shape == wanted.shape and numpy.abs(found - wanted).max() <= limit * numpy.abs(wanted).max())


def _contest(task: Task) -> Contest:
    host = _operands(task)
    arguments = ", ".join("abc"[: len(host)])
    statement = f"r = f({arguments}, **o)"
    options = dict(ECONOMIC.get(task.function, {}))
    ours = {"f": getattr(tensor.linalg, task.function), "o": options}
    ours |= {name: tensor.asarray(each) for name, each in zip("abc", host, strict=False)}
    theirs: dict[str, Any] = dict(zip("abc", host, strict=False))
    if task.peer == "NumPy":
        name = task.function
        theirs |= (
            {"f": getattr(numpy.linalg, name), "o": options}
            if hasattr(numpy.linalg, name)
            else {
                "f": numpy.linalg.svd,
                "o": {"compute_uv": False},
            }
        )
    elif find_spec("scipy") is not None:
        function = getattr(import_module("scipy.linalg"), task.function)
        theirs |= {"f": function, "o": options | dict(SCIPY.get(task.function, {})) | {"check_finite": False}}
    found = ours["f"](*(ours[name] for name in "abc"[: len(host)]), **options)
    agreed = _agree(task, found, theirs["f"](*host, **theirs["o"]))
    wait = situ.get_device_cached_queue("cpu").wait
    peers = {task.peer: Snippet(statement, theirs)}
    return Contest(
        Snippet(f"{statement}; wait()", ours | {"wait": wait}), peers, check=lambda: agreed, rest=BLAS_SLEEPS
    )


def cases(*, quick: bool = False) -> Iterator[Case]:
    """Every comparison, or those of a quick run.

    >>> [case.name for case in cases(quick=True)]
    ['linalg solve float64 256²', 'linalg inv float64 1000×4²']
    """
    for task in TASKS:
        if (not quick or task.name in SAMPLE) and (task.peer == "NumPy" or find_spec("scipy") is not None):
            yield Case(task.name, partial(_contest, task))


def forget() -> None:
    """Give the memory of the operands made so far back."""
    _operands.cache_clear()
