"""Arrays as kernels see them: arguments, a work-group's and a work-item's own."""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from types import CodeType, FrameType, SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ._work_item import current, with_group

__all__ = ["KernelArray", "LocalAccessor", "PrivateArray", "local", "private"]

MAX_LOCAL_AXES = 3

#: What an index expression may be made of to be known before the kernel runs, names aside.
_CONSTANT_PARTS = (ast.Constant, ast.UnaryOp, ast.BinOp, ast.unaryop, ast.operator, ast.expr_context)


@lru_cache(maxsize=64)
def _subscripts(filename: str) -> list[ast.Subscript]:
    """Return every subscript in a file."""
    try:
        tree = ast.parse("".join(linecache.getlines(filename)))
    except SyntaxError:
        return []
    return [node for node in ast.walk(tree) if isinstance(node, ast.Subscript)]


def _is_constant(part: ast.expr, code: CodeType) -> bool:
    """Tell whether an index is the same for every work-item because of what it is made of."""
    own = {*code.co_varnames, *code.co_cellvars}
    return all(
        node.id not in own if isinstance(node, ast.Name) else isinstance(node, _CONSTANT_PARTS)
        for node in ast.walk(part)
    )


def _written_as_constant(frame: FrameType, axis: int) -> bool:
    """Tell whether the index of an axis in the subscript that a frame evaluates is a constant in the source."""
    code = frame.f_code
    place: tuple[int | None, ...] | None = None
    if sys.version_info >= (3, 11):
        place = next(islice(code.co_positions(), frame.f_lasti // 2, None), None)
    for node in _subscripts(code.co_filename):
        if place is None:
            # Before Python 3.11 only the line is known.
            is_it = node.lineno <= frame.f_lineno <= (node.end_lineno or node.lineno)
        else:
            is_it = (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset) == place
        if is_it:
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            if axis < len(parts) and _is_constant(parts[axis], code):
                return True
    return False


class KernelArray:
    """An array inside of a kernel that is simulated.

    Elements are NumPy scalars, so that results have the dtypes of NumPy and of compiled kernels. An index that the
    source has as a negative number counts from the end; one that turns out to be negative is out of bounds, as it is
    on a device.
    """

    __slots__ = ("_elements",)

    def __init__(self, elements: np.ndarray[Any, Any]) -> None:
        self._elements = elements

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each axis."""
        return tuple(self._elements.shape)

    @property
    def ndim(self) -> int:
        """How many axes there are."""
        return self._elements.ndim

    @property
    def size(self) -> int:
        """How many elements there are."""
        return self._elements.size

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of its elements."""
        dtype: np.dtype[Any] = self._elements.dtype
        return dtype

    @property
    def itemsize(self) -> int:
        """The bytes of an element."""
        return self._elements.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        """From an element to the next along each axis, in elements."""
        return tuple(step // self._elements.itemsize for step in self._elements.strides)

    @property
    def T(self) -> KernelArray:
        """The same elements with the axes in the opposite order."""
        return KernelArray(self._elements.T)

    def __len__(self) -> int:
        return len(self._elements)

    def __getitem__(self, index: Any) -> Any:
        found = self._elements[self.checked(index, sys._getframe(1))]
        return KernelArray(found) if isinstance(found, np.ndarray) else found

    def __setitem__(self, index: Any, value: Any) -> None:
        self.put(self.checked(index, sys._getframe(1)), value)

    def __repr__(self) -> str:
        return repr(self._elements)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.asarray(self._elements, dtype)

    def checked(self, index: Any, frame: FrameType | None = None) -> Any:
        """Return an index, or raise if it was computed and is negative."""
        for axis, part in enumerate(index if isinstance(index, tuple) else (index,)):
            if not isinstance(part, (int, np.integer)) or part >= 0:
                continue
            if frame is None or not _written_as_constant(frame, axis):
                raise IndexError(
                    f"index {part} of axis {axis} is outside of an array of shape {self.shape}: only constant "
                    "indices count from the end"
                )
        return index

    def put(self, index: Any, value: Any) -> None:
        """Set elements, converted as a compiled kernel converts them: integers keep their low bits."""
        if isinstance(value, KernelArray):
            value = value._elements
        elif type(value) is int and self.dtype.kind in "iu":
            value = _wrapped(value, self.dtype)
        elif isinstance(value, (float, np.generic)):
            value = np.asarray(value).astype(self.dtype)[()]
        self._elements[index] = value


def _wrapped(value: int, dtype: np.dtype[Any]) -> Any:
    """Return the low bits of an integer as one of a dtype."""
    bits = 8 * dtype.itemsize
    return np.array(value & ((1 << bits) - 1), f"u{dtype.itemsize}").astype(dtype)[()]


def _shape(shape: int | Sequence[int]) -> tuple[int, ...]:
    return tuple(shape) if isinstance(shape, Sequence) else (shape,)


class LocalAccessor:
    """An array of each work-group's own, as an argument of a kernel over an `NdRange`.

    It has no elements outside of the kernel, and no particular ones when the kernel starts.

    >>> LocalAccessor((16, 16), "float32")
    LocalAccessor((16, 16), float32)
    """

    __slots__ = ("_dtype", "_shape")

    def __init__(self, shape: int | Sequence[int], dtype: DTypeLike) -> None:
        lengths = shape if isinstance(shape, (tuple, list)) else (shape,)
        if not 1 <= len(lengths) <= MAX_LOCAL_AXES:
            raise TypeError(f"a LocalAccessor has 1 to {MAX_LOCAL_AXES} axes, not {len(lengths)}")
        if not all(isinstance(length, (int, np.integer)) and length > 0 for length in lengths):
            raise TypeError(f"the shape of a LocalAccessor is made of positive ints, not {shape!r}")
        self._shape = tuple(int(length) for length in lengths)
        self._dtype = np.dtype(dtype)
        if self._dtype.kind not in "biufc":
            raise TypeError(
                f"a LocalAccessor cannot hold elements of dtype {self._dtype}: it takes the dtypes of arrays"
            )

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each axis."""
        return self._shape

    @property
    def ndim(self) -> int:
        """How many axes there are."""
        return len(self._shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of its elements."""
        return self._dtype

    def __getitem__(self, index: Any) -> Any:
        # The exception that numba-dpex raises; a program may expect it.
        raise NotImplementedError("a LocalAccessor has elements inside of a kernel only")

    def __setitem__(self, index: Any, value: Any) -> None:
        raise NotImplementedError("a LocalAccessor has elements inside of a kernel only")

    def __repr__(self) -> str:
        return f"LocalAccessor({self._shape}, {self._dtype})"


class PrivateArray(KernelArray):
    """An array of each work-item's own, made inside of a kernel.

    It is zero at first: `fill_zeros`, which numba-dpex has, changes nothing.
    """

    __slots__ = ()

    def __init__(self, shape: int | Sequence[int], dtype: DTypeLike, fill_zeros: bool = False) -> None:
        current("PrivateArray")
        super().__init__(np.zeros(_shape(shape), dtype))


def undefined(shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Return an array with elements that stand out where a kernel reads what it has not written."""
    if dtype.kind in "fc":
        return np.full(shape, np.nan, dtype)
    return np.full(shape, True if dtype.kind == "b" else np.iinfo(dtype).max, dtype)


def local_array(shape: int | Sequence[int], dtype: DTypeLike) -> KernelArray:
    """Make an array that the work-items of a group share, with no particular elements at first.

    The shape is a constant.
    """
    item, _, group = with_group("local.array")
    # The same for every work-item, and another one for every place that calls a device function.
    site: list[tuple[CodeType, int]] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame is not item.caller:
        site.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back
    return KernelArray(group.local_array(tuple(site), _shape(shape), np.dtype(dtype)))


def private_array(shape: int | Sequence[int], dtype: DTypeLike) -> PrivateArray:
    """Make an array of the work-item's own, zero at first. The shape is a constant."""
    return PrivateArray(shape, dtype)


#: `local.array(shape, dtype)` makes an array that the work-items of a group share.
local = SimpleNamespace(array=local_array)
#: `private.array(shape, dtype)` makes an array of the work-item's own.
private = SimpleNamespace(array=private_array)
