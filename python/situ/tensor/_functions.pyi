"""Written by tools/stubs.py from the docstrings."""

from collections.abc import Sequence
from typing import Any, Literal, SupportsIndex

import numpy

from situ._native import ElementwiseFunction, Queue, ndarray
from situ._typing import (
    ArrayLike,
    ArrayOperand,
    CudaExporter,
    DeviceLike,
    DLPackExporter,
    DTypeLike,
    HostArray,
    Number,
    ShapeLike,
)
from situ.tensor._results import TopKResult, UniqueAllResult, UniqueCountsResult, UniqueInverseResult

__all__ = [
    "abs",
    "acos",
    "acosh",
    "add",
    "all",
    "allclose",
    "angle",
    "any",
    "arange",
    "argmax",
    "argmin",
    "argsort",
    "asarray",
    "asin",
    "asinh",
    "asnumpy",
    "astype",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "can_cast",
    "cbrt",
    "ceil",
    "clip",
    "concat",
    "conj",
    "copy",
    "copysign",
    "cos",
    "cosh",
    "count_nonzero",
    "cumulative_logsumexp",
    "cumulative_prod",
    "cumulative_sum",
    "diff",
    "divide",
    "empty",
    "empty_like",
    "equal",
    "exp",
    "exp2",
    "expand_dims",
    "expm1",
    "extract",
    "eye",
    "flip",
    "floor",
    "floor_divide",
    "from_dlpack",
    "from_numpy",
    "full",
    "full_like",
    "greater",
    "greater_equal",
    "hypot",
    "imag",
    "isfinite",
    "isin",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "linspace",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logsumexp",
    "matmul",
    "matrix_transpose",
    "max",
    "maximum",
    "mean",
    "meshgrid",
    "min",
    "minimum",
    "moveaxis",
    "multiply",
    "negative",
    "nextafter",
    "nonzero",
    "not_equal",
    "ones",
    "ones_like",
    "permute_dims",
    "place",
    "positive",
    "pow",
    "prod",
    "proj",
    "put",
    "put_along_axis",
    "real",
    "reciprocal",
    "reduce_hypot",
    "remainder",
    "repeat",
    "reshape",
    "result_type",
    "roll",
    "round",
    "rsqrt",
    "searchsorted",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sort",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "subtract",
    "sum",
    "swapaxes",
    "take",
    "take_along_axis",
    "tan",
    "tanh",
    "tensordot",
    "tile",
    "top_k",
    "tril",
    "triu",
    "trunc",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "unstack",
    "var",
    "vecdot",
    "where",
    "zeros",
    "zeros_like",
]

_ELEMENTWISE: dict[str, ElementwiseFunction]
abs: ElementwiseFunction[Literal[1]]
acos: ElementwiseFunction[Literal[1]]
acosh: ElementwiseFunction[Literal[1]]
add: ElementwiseFunction[Literal[2]]

def all(
    x: ndarray, /, axis: SupportsIndex | tuple[SupportsIndex, ...] | None = None, keepdims: bool = False
) -> ndarray: ...
def allclose(
    a1: ndarray, a2: ndarray, atol: float = 1e-08, rtol: float = 1e-05, equal_nan: bool = False
) -> ndarray: ...

angle: ElementwiseFunction[Literal[1]]

def any(
    x: ndarray, /, axis: SupportsIndex | tuple[SupportsIndex, ...] | None = None, keepdims: bool = False
) -> ndarray: ...
def arange(
    start: Number,
    /,
    stop: Number | None = None,
    step: Number | None = None,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    usm_type: str | None = None,
    sycl_queue: Queue | None = None,
    queue: DeviceLike | None = None,
) -> ndarray: ...
def argmax(
    x: ndarray, /, *, axis: SupportsIndex | None = None, keepdims: bool = False, out: ndarray | None = None
) -> ndarray: ...
def argmin(
    x: ndarray, /, *, axis: SupportsIndex | None = None, keepdims: bool = False, out: ndarray | None = None
) -> ndarray: ...
def argsort(
    x: ndarray, /, axis: SupportsIndex = -1, descending: bool = False, stable: bool = True, kind: str | None = None
) -> ndarray: ...
def asarray(
    obj: ArrayLike,
    /,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    copy: bool | None = None,
    usm_type: str | None = None,
    sycl_queue: Queue | None = None,
    order: str = "K",
    queue: DeviceLike | None = None,
) -> ndarray: ...

asin: ElementwiseFunction[Literal[1]]
asinh: ElementwiseFunction[Literal[1]]

def asnumpy(usm_ary: ndarray, /) -> HostArray: ...
def astype(
    x: ndarray,
    dtype: DTypeLike,
    /,
    *,
    order: str = "K",
    casting: str = "unsafe",
    copy: bool = True,
    device: DeviceLike | None = None,
) -> ndarray: ...

atan: ElementwiseFunction[Literal[1]]
atan2: ElementwiseFunction[Literal[2]]
atanh: ElementwiseFunction[Literal[1]]
bitwise_and: ElementwiseFunction[Literal[2]]
bitwise_invert: ElementwiseFunction[Literal[1]]
bitwise_left_shift: ElementwiseFunction[Literal[2]]
bitwise_or: ElementwiseFunction[Literal[2]]
bitwise_right_shift: ElementwiseFunction[Literal[2]]
bitwise_xor: ElementwiseFunction[Literal[2]]

def broadcast_arrays(*arrays: ndarray) -> tuple[ndarray, ...]: ...
def broadcast_shapes(*shapes: SupportsIndex | Sequence[SupportsIndex]) -> tuple[int, ...]: ...
def broadcast_to(x: ndarray, /, shape: SupportsIndex | Sequence[SupportsIndex]) -> ndarray: ...
def can_cast(from_: DTypeLike | ndarray, to: DTypeLike, /, *, casting: str = "safe") -> bool: ...

cbrt: ElementwiseFunction[Literal[1]]
ceil: ElementwiseFunction[Literal[1]]

def clip(
    x: ndarray,
    /,
    min: ndarray | ArrayOperand | None = None,
    max: ndarray | ArrayOperand | None = None,
    out: ndarray | None = None,
    order: str = "K",
) -> ndarray: ...
def concat(arrays: Sequence[ndarray], /, *, axis: SupportsIndex | None = 0) -> ndarray: ...

conj: ElementwiseFunction[Literal[1]]

def copy(usm_ary: ndarray, /, *, order: str = "K") -> ndarray: ...

copysign: ElementwiseFunction[Literal[2]]
cos: ElementwiseFunction[Literal[1]]
cosh: ElementwiseFunction[Literal[1]]

def count_nonzero(
    x: ndarray,
    /,
    *,
    axis: SupportsIndex | tuple[SupportsIndex, ...] | None = None,
    keepdims: bool = False,
    out: ndarray | None = None,
) -> ndarray: ...
def cumulative_logsumexp(
    x: ndarray,
    /,
    *,
    axis: SupportsIndex | None = None,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
    out: ndarray | None = None,
) -> ndarray: ...
def cumulative_prod(
    x: ndarray,
    /,
    *,
    axis: SupportsIndex | None = None,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
    out: ndarray | None = None,
) -> ndarray: ...
def cumulative_sum(
    x: ndarray,
    /,
    *,
    axis: SupportsIndex | None = None,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
    out: ndarray | None = None,
) -> ndarray: ...
def diff(
    x: ndarray,
    /,
    *,
    axis: SupportsIndex = -1,
    n: SupportsIndex = 1,
    prepend: ndarray | Number | None = None,
    append: ndarray | Number | None = None,
) -> ndarray: ...

divide: ElementwiseFunction[Literal[2]]

def empty(
    shape: ShapeLike,
    *,
    dtype: DTypeLike | None = None,
    order: str = "C",
    device: DeviceLike | None = None,
    usm_type: str | None = None,
    sycl_queue: Queue | None = None,
    queue: DeviceLike | None = None,
) -> ndarray: ...
def empty_like(
    x: ndarray,
    /,
    *,
    dtype: DTypeLike | None = None,
    order: str = "K",
    device: DeviceLike | None = None,
    usm_type: str | None = None,
    sycl_queue: Queue | None = None,
    queue: DeviceLike | None = None,
) -> ndarray: ...

equal: ElementwiseFunction[Literal[2]]
exp: ElementwiseFunction[Literal[1]]
exp2: ElementwiseFunction[Literal[1]]

def expand_dims(x: ndarray, /, axis: SupportsIndex | Sequence[SupportsIndex] = 0) -> ndarray: ...

expm1: ElementwiseFunction[Literal[1]]

def extract(condition: ndarray | ArrayLike, arr: ndarray) -> ndarray: ...
def eye(
    n_rows: SupportsIndex,
    n_cols: SupportsIndex | None = None,
    /,
    *,
    k: SupportsIndex = 0,
    dtype: DTypeLike | None = None,
    order: str = "C",
    device: DeviceLike | None = None,
    usm_type: str | None = None,
    sycl_queue: Queue | None = None,
    queue: DeviceLike | None = None,
) -> ndarray: ...
def flip(x: ndarray, /, *, axis: SupportsIndex | Sequence[SupportsIndex] | None = None) -> ndarray: ...

floor: ElementwiseFunction[Literal[1]]
floor_divide: ElementwiseFunction[Literal[2]]

def from_dlpack(
    x: DLPackExporter | CudaExporter, /, *, device: DeviceLike | tuple[int, int] | None = None, copy: bool | None = None
) -> ndarray: ...
def from_numpy(
    np_ary: ArrayLike,
    /,
    *,
    device: DeviceLike | None = None,
    usm_type: str | None = None,
    sycl_queue: Queue | None = None,
    queue: DeviceLike | None = None,
) -> ndarray: ...
def full(
    shape: ShapeLike,
    fill_value: ArrayLike,
    *,
    dtype: DTypeLike | None = None,
    order: str = "C",
    device: DeviceLike | None = None,
    usm_type: str | None = None,
    sycl_queue: Queue | None = None,
    queue: DeviceLike | None = None,
) -> ndarray: ...
def full_like(
    x: ndarray,
    /,
    fill_value: ArrayLike,
    *,
    dtype: DTypeLike | None = None,
    order: str = "K",
    device: DeviceLike | None = None,
    usm_type: str | None = None,
    sycl_queue: Queue | None = None,
    queue: DeviceLike | None = None,
) -> ndarray: ...

greater: ElementwiseFunction[Literal[2]]
greater_equal: ElementwiseFunction[Literal[2]]
hypot: ElementwiseFunction[Literal[2]]
imag: ElementwiseFunction[Literal[1]]
isfinite: ElementwiseFunction[Literal[1]]

def isin(x: ndarray | ArrayOperand, test_elements: ndarray | ArrayOperand, /, *, invert: bool = False) -> ndarray: ...

isinf: ElementwiseFunction[Literal[1]]
isnan: ElementwiseFunction[Literal[1]]
less: ElementwiseFunction[Literal[2]]
less_equal: ElementwiseFunction[Literal[2]]

def linspace(
    start: Number,
    stop: Number,
    /,
    num: SupportsIndex,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    endpoint: bool = True,
    sycl_queue: Queue | None = None,
    usm_type: str | None = None,
    queue: DeviceLike | None = None,
) -> ndarray: ...

log: ElementwiseFunction[Literal[1]]
log10: ElementwiseFunction[Literal[1]]
log1p: ElementwiseFunction[Literal[1]]
log2: ElementwiseFunction[Literal[1]]
logaddexp: ElementwiseFunction[Literal[2]]
logical_and: ElementwiseFunction[Literal[2]]
logical_not: ElementwiseFunction[Literal[1]]
logical_or: ElementwiseFunction[Literal[2]]
logical_xor: ElementwiseFunction[Literal[2]]

def logsumexp(
    x: ndarray,
    /,
    *,
    axis: SupportsIndex | tuple[SupportsIndex, ...] | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    out: ndarray | None = None,
) -> ndarray: ...
def matmul(
    x1: ndarray, x2: ndarray, out: ndarray | None = None, dtype: DTypeLike | None = None, order: str = "K"
) -> ndarray: ...
def matrix_transpose(x: ndarray, /) -> ndarray: ...
def max(
    x: ndarray,
    /,
    *,
    axis: SupportsIndex | tuple[SupportsIndex, ...] | None = None,
    keepdims: bool = False,
    out: ndarray | None = None,
) -> ndarray: ...

maximum: ElementwiseFunction[Literal[2]]

def mean(
    x: ndarray, /, axis: SupportsIndex | tuple[SupportsIndex, ...] | None = None, keepdims: bool = False
) -> ndarray: ...
def meshgrid(*arrays: ndarray, indexing: str = "xy") -> tuple[ndarray, ...]: ...
def min(
    x: ndarray,
    /,
    *,
    axis: SupportsIndex | tuple[SupportsIndex, ...] | None = None,
    keepdims: bool = False,
    out: ndarray | None = None,
) -> ndarray: ...

minimum: ElementwiseFunction[Literal[2]]

def moveaxis(
    x: ndarray, source: SupportsIndex | Sequence[SupportsIndex], destination: SupportsIndex | Sequence[SupportsIndex], /
) -> ndarray: ...

multiply: ElementwiseFunction[Literal[2]]
negative: ElementwiseFunction[Literal[1]]
nextafter: ElementwiseFunction[Literal[2]]

def nonzero(arr: ndarray, /) -> tuple[ndarray, ...]: ...

not_equal: ElementwiseFunction[Literal[2]]

def ones(
    shape: ShapeLike,
    *,
    dtype: DTypeLike | None = None,
    order: str = "C",
    device: DeviceLike | None = None,
    usm_type: str | None = None,
    sycl_queue: Queue | None = None,
    queue: DeviceLike | None = None,
) -> ndarray: ...
def ones_like(
    x: ndarray,
    /,
    *,
    dtype: DTypeLike | None = None,
    order: str = "K",
    device: DeviceLike | None = None,
    usm_type: str | None = None,
    sycl_queue: Queue | None = None,
    queue: DeviceLike | None = None,
) -> ndarray: ...
def permute_dims(x: ndarray, /, axes: SupportsIndex | Sequence[SupportsIndex]) -> ndarray: ...
def place(arr: ndarray, mask: ndarray | ArrayLike, vals: ndarray | ArrayLike) -> None: ...

positive: ElementwiseFunction[Literal[1]]
pow: ElementwiseFunction[Literal[2]]

def prod(
    x: ndarray,
    /,
    *,
    axis: SupportsIndex | tuple[SupportsIndex, ...] | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    out: ndarray | None = None,
) -> ndarray: ...

proj: ElementwiseFunction[Literal[1]]

def put(
    x: ndarray,
    indices: ndarray | ArrayLike,
    vals: ndarray | ArrayLike,
    /,
    *,
    axis: SupportsIndex | None = None,
    mode: str = "raise",
) -> None: ...
def put_along_axis(
    x: ndarray,
    indices: ndarray | ArrayLike,
    vals: ndarray | ArrayLike,
    /,
    *,
    axis: SupportsIndex = -1,
    mode: str = "raise",
) -> None: ...

real: ElementwiseFunction[Literal[1]]
reciprocal: ElementwiseFunction[Literal[1]]

def reduce_hypot(
    x: ndarray,
    /,
    *,
    axis: SupportsIndex | tuple[SupportsIndex, ...] | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    out: ndarray | None = None,
) -> ndarray: ...

remainder: ElementwiseFunction[Literal[2]]

def repeat(
    x: ndarray, repeats: SupportsIndex | ndarray | ArrayLike, /, *, axis: SupportsIndex | None = None
) -> ndarray: ...
def reshape(
    x: ndarray, /, shape: SupportsIndex | Sequence[SupportsIndex], *, order: str = "C", copy: bool | None = None
) -> ndarray: ...
def result_type(*arrays_and_dtypes: DTypeLike | ndarray | HostArray | complex) -> numpy.dtype[Any]: ...
def roll(
    x: ndarray,
    /,
    shift: SupportsIndex | Sequence[SupportsIndex],
    *,
    axis: SupportsIndex | Sequence[SupportsIndex] | None = None,
) -> ndarray: ...

round: ElementwiseFunction[Literal[1]]
rsqrt: ElementwiseFunction[Literal[1]]

def searchsorted(
    x1: ndarray, x2: ndarray | ArrayOperand, /, *, side: str = "left", sorter: ndarray | None = None
) -> ndarray: ...

sign: ElementwiseFunction[Literal[1]]
signbit: ElementwiseFunction[Literal[1]]
sin: ElementwiseFunction[Literal[1]]
sinh: ElementwiseFunction[Literal[1]]

def sort(
    x: ndarray, /, *, axis: SupportsIndex = -1, descending: bool = False, stable: bool = True, kind: str | None = None
) -> ndarray: ...

sqrt: ElementwiseFunction[Literal[1]]
square: ElementwiseFunction[Literal[1]]

def squeeze(x: ndarray, /, axis: SupportsIndex | Sequence[SupportsIndex] | None = None) -> ndarray: ...
def stack(arrays: Sequence[ndarray], /, *, axis: SupportsIndex = 0) -> ndarray: ...
def std(
    x: ndarray,
    /,
    axis: SupportsIndex | tuple[SupportsIndex, ...] | None = None,
    correction: float = 0.0,
    keepdims: bool = False,
) -> ndarray: ...

subtract: ElementwiseFunction[Literal[2]]

def sum(
    x: ndarray,
    /,
    *,
    axis: SupportsIndex | tuple[SupportsIndex, ...] | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    out: ndarray | None = None,
) -> ndarray: ...
def swapaxes(x: ndarray, axis1: SupportsIndex, axis2: SupportsIndex) -> ndarray: ...
def take(
    x: ndarray,
    indices: ndarray | ArrayLike,
    /,
    *,
    axis: SupportsIndex | None = None,
    out: ndarray | None = None,
    mode: str = "raise",
) -> ndarray: ...
def take_along_axis(
    x: ndarray, indices: ndarray | ArrayLike, /, *, axis: SupportsIndex = -1, mode: str = "raise"
) -> ndarray: ...

tan: ElementwiseFunction[Literal[1]]
tanh: ElementwiseFunction[Literal[1]]

def tensordot(
    x1: ndarray, x2: ndarray, axes: SupportsIndex | tuple[Sequence[SupportsIndex], Sequence[SupportsIndex]] = 2
) -> ndarray: ...
def tile(x: ndarray, repetitions: SupportsIndex | Sequence[SupportsIndex], /) -> ndarray: ...
def top_k(
    x: ndarray, k: SupportsIndex, /, *, axis: SupportsIndex | None = None, mode: str = "largest"
) -> TopKResult: ...
def tril(x: ndarray, /, *, k: SupportsIndex = 0) -> ndarray: ...
def triu(x: ndarray, /, *, k: SupportsIndex = 0) -> ndarray: ...

trunc: ElementwiseFunction[Literal[1]]

def unique_all(x: ndarray, /) -> UniqueAllResult: ...
def unique_counts(x: ndarray, /) -> UniqueCountsResult: ...
def unique_inverse(x: ndarray, /) -> UniqueInverseResult: ...
def unique_values(x: ndarray, /) -> ndarray: ...
def unstack(x: ndarray, /, *, axis: SupportsIndex = 0) -> tuple[ndarray, ...]: ...
def var(
    x: ndarray,
    /,
    axis: SupportsIndex | tuple[SupportsIndex, ...] | None = None,
    correction: float = 0.0,
    keepdims: bool = False,
) -> ndarray: ...
def vecdot(x1: ndarray, x2: ndarray, axis: SupportsIndex = -1) -> ndarray: ...
def where(
    condition: ndarray,
    x1: ndarray | ArrayOperand,
    x2: ndarray | ArrayOperand,
    /,
    *,
    order: str = "K",
    out: ndarray | None = None,
) -> ndarray: ...
def zeros(
    shape: ShapeLike,
    *,
    dtype: DTypeLike | None = None,
    order: str = "C",
    device: DeviceLike | None = None,
    usm_type: str | None = None,
    sycl_queue: Queue | None = None,
    queue: DeviceLike | None = None,
) -> ndarray: ...
def zeros_like(
    x: ndarray,
    /,
    *,
    dtype: DTypeLike | None = None,
    order: str = "K",
    device: DeviceLike | None = None,
    usm_type: str | None = None,
    sycl_queue: Queue | None = None,
    queue: DeviceLike | None = None,
) -> ndarray: ...
