"""The matrix: every elementwise function in every dtype, layout and size, against NumPy."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy

import situ
from situ import tensor

from . import peers
from .contest import Case, Cell, Contest, Snippet
from .functions import Function, functions
from .operands import LAYOUTS, arranged

SIZES = (10, 10**3, 10**5, 10**7)
SAMPLE = ("add", "divide", "less", "sqrt", "exp", "sin", "where", "to float32")
"""The functions of a run that is not the whole matrix."""

_INTO = ("add", "subtract", "multiply", "divide", "sqrt", "exp", "sin")
_INLINE = 10**4
"""Up to this size situ computes before the call returns, and one wait at the end of a batch is enough."""
_ONCE = 10**7
"""From this size on a round runs a statement once, without trying first how long it takes."""
_COMPARED = 10**5
"""How many elements of a result are compared with NumPy's."""


def ours(expression: str, n: int, names: dict[str, Any]) -> Snippet:
    """An expression of situ's, timed until its result is there."""
    wait = situ.get_device_cached_queue("cpu").wait
    statement = f"r = {expression}" + ("" if n <= _INLINE else "; wait()")
    return Snippet(statement, names | {"wait": wait}, finish="wait()")


def _called(expression: str, module: Any) -> dict[str, Any]:
    """The module's functions and constants that the expression names."""
    words = re.findall(r"(?<![\w.\"])[a-z]\w+", expression)
    return {word: getattr(module, word) for word in words if hasattr(module, word)}


def _value(expression: str, names: dict[str, Any]) -> Any:
    return eval(expression, dict(names))  # The expressions are this package's own.


def _spread(array: Any) -> Any:
    """Elements from everywhere in an array, few enough to look at."""
    step = -(-array.size // _COMPARED)
    return array if step == 1 else array[..., ::step]


def agree(found: Any, wanted: Any) -> bool:
    """Whether an array of situ has the dtype, the shape and, to a few units in the last place, the values it should."""
    if found.dtype != wanted.dtype or found.shape != wanted.shape:
        return False
    wanted, found = _spread(wanted), tensor.asnumpy(_spread(found))
    if wanted.dtype.kind in "biu":
        return bool(numpy.array_equal(found, wanted))
    relative, absolute = (1e-5, 1e-6) if wanted.real.itemsize < 8 else (1e-12, 1e-14)
    return bool(numpy.allclose(found, wanted, rtol=relative, atol=absolute, equal_nan=True))


def _contest(cell: Cell, row: Function) -> Contest:
    host, mine = arranged(cell.layout, row.intervals(cell.dtype), cell.dtype, cell.n)
    their_names = dict(zip("abc", host, strict=False)) | _called(row.theirs, numpy)
    our_names = dict(zip("abc", mine, strict=False)) | _called(row.ours, tensor)
    our_text, their_text = row.ours, row.theirs
    wanted = _value(their_text, their_names)
    found = _value(our_text, our_names)
    if cell.layout == "out=":
        our_text, their_text = (text.replace(")", ", out=z)") for text in (our_text, their_text))
        our_names["z"], their_names["z"] = found, wanted
    others = {"NumPy": Snippet(f"r = {their_text}", their_names)}
    if cell.layout == "contiguous" and cell.n > _INLINE:
        others |= peers.contestants(row, host, wanted.dtype)
    agreed = agree(found, wanted)
    return Contest(ours(our_text, cell.n, our_names), others, check=lambda: agreed)


def _layouts(row: Function, n: int) -> Iterator[str]:
    for layout in LAYOUTS:
        if layout in ("row", "scalar") and len(row.operands) == 1:
            continue
        if layout == "out=" and row.name not in _INTO:
            continue
        if layout == "transposed" and n < 10**3:
            continue
        yield layout


def cases(
    names: Sequence[str] | None = None, dtypes: Sequence[str] | None = None, sizes: Sequence[int] = SIZES
) -> Iterator[Case]:
    """The cells of the matrix: all of them, or those of some functions, dtypes and sizes.

    >>> [case.name for case in cases(["exp"], ["float64"], [10])]
    ['exp float64 contiguous n=10', 'exp float64 out= n=10', 'exp float64 strided n=10']
    """
    rows = functions()
    for name in rows if names is None else names:
        row = rows[name]
        for dtype in row.dtypes if dtypes is None else [dtype for dtype in row.dtypes if dtype in dtypes]:
            for layout in LAYOUTS:
                for n in sizes:
                    if layout in _layouts(row, n):
                        cell = Cell(name, dtype, layout, n)
                        repeats = 1 if n >= _ONCE else None
                        yield Case(cell.name, partial(_contest, cell, row), repeats, cell)
