"""What every elementwise function should give, in NumPy's words, and how near is near enough."""

import numpy as np

from situ import tensor

FUNCTIONS = dict(tensor._functions._ELEMENTWISE)
UNARY = sorted(name for name, function in FUNCTIONS.items() if function.nin == 1)
BINARY = sorted(name for name, function in FUNCTIONS.items() if function.nin == 2)

NUMPY_NAMES = {
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atan2": "arctan2",
    "atanh": "arctanh",
    "bitwise_invert": "invert",
    "bitwise_left_shift": "left_shift",
    "bitwise_right_shift": "right_shift",
}


def _angle(x):
    # NumPy's is real arithmetic for real numbers; here they become complex ones first.
    return np.angle(x.astype(np.result_type(x, np.float16 if x.dtype.kind in "biu" else x.dtype, np.complex64)))


def _floor_divide(x, y):
    result = np.floor_divide(x, y)
    if result.dtype.kind != "f":
        return result
    # The Array API's rule for infinities: NumPy gives NaN for those above, and -1 below one of the other sign.
    infinite = np.isinf(x) | np.isinf(y)
    return np.where(infinite, np.floor(np.divide(x, y, dtype=result.dtype)), result)


def _floats(x):
    """As `divide` takes it: integers become float64."""
    return x.astype(np.float64) if x.dtype.kind in "biu" else x


def _pow(x, y):
    if np.result_type(x, y).kind not in "biu":
        return np.power(x, y)
    dtype = np.result_type(x, y, np.int8) if x.dtype.kind == y.dtype.kind == "b" else np.result_type(x, y)
    if dtype.kind == "f":  # int64 with uint64
        return np.power(x, y)
    x, y = np.broadcast_arrays(x.astype(dtype), y.astype(dtype))
    if dtype.kind == "u":
        return np.power(x, y)
    # NumPy refuses negative exponents; only 1 and -1 have integer reciprocals.
    units = np.where(x == 1, 1, np.where(x == -1, np.where(y % 2 == 0, 1, -1), 0)).astype(dtype)
    return np.where(y < 0, units, np.power(x, np.where(y < 0, 0, y)))


def _proj(x):
    x = x.astype(np.result_type(x, np.float16 if x.dtype.kind in "biu" else x.dtype, np.complex64))
    infinite = np.isinf(x)
    result = np.array(x)
    result.real[infinite] = np.inf
    result.imag[infinite] = np.copysign(0, x.imag[infinite])
    return result


def _round(x):
    if x.dtype.kind == "b":
        return x.astype(np.int8)
    return x.copy() if x.dtype.kind in "iu" else np.rint(x)


def _sign(x):
    return np.sign(x.astype(np.int8) if x.dtype.kind == "b" else x)


def _rsqrt(x):
    root = np.sqrt(x)
    if root.dtype.kind == "c":
        raise TypeError("rsqrt is not defined for complex numbers")
    # One rounding rather than two.
    return (1 / np.sqrt(x.astype(np.longdouble))).astype(root.dtype)


_OWN = {
    "angle": _angle,
    "floor_divide": _floor_divide,
    "imag": lambda x: np.array(np.imag(x)),
    "pow": _pow,
    "proj": _proj,
    "real": lambda x: np.array(np.real(x)),
    "reciprocal": lambda x: np.reciprocal(_floats(x)),
    "round": _round,
    "rsqrt": _rsqrt,
    "sign": _sign,
}


def numpy_function(name):
    """The NumPy function of the same meaning."""
    return _OWN.get(name) or getattr(np, NUMPY_NAMES.get(name, name))


def expected(name, *hosts):
    """NumPy's answer, or None where the function has no meaning for these dtypes."""
    try:
        result = np.asarray(numpy_function(name)(*hosts))
    except TypeError:
        return None
    if result.dtype.kind == "c" and name in _ROUNDED or name in _LOOSE:
        # NumPy's own functions of complex numbers lose digits; in extended precision enough are left.
        wide = np.clongdouble if result.dtype.kind == "c" else np.longdouble
        return np.asarray(numpy_function(name)(*(host.astype(wide) for host in hosts))).astype(result.dtype)
    return result


# Results that are rounded by whatever computes them, not by IEEE 754.
_ROUNDED = {
    "acos", "acosh", "angle", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "exp", "exp2", "expm1",
    "hypot", "log", "log10", "log1p", "log2", "logaddexp", "pow", "rsqrt", "sin", "sinh", "tan", "tanh",
}  # fmt: skip
_LOOSE = {"logaddexp"}
_EXACT_COMPLEX = {"add", "subtract", "negative", "positive", "conj", "real", "imag", "proj", "round"}
ULPS = 4


def rounds(name, inputs, result):
    """Whether results may differ from NumPy's in the last places."""
    if result.kind not in "fc":
        return False
    if any(dtype.kind == "c" for dtype in inputs):
        return name not in _EXACT_COMPLEX
    if name == "pow" and result.kind in "iu":
        return False
    return name in _ROUNDED


def moderate(name, *dtypes):
    """Whether NumPy's answer for extreme values depends on the machine."""
    complexes = any(np.dtype(dtype).kind == "c" for dtype in dtypes) or name == "angle"
    return complexes and name not in _EXACT_COMPLEX


def check(name, result, wanted, inputs=()):
    """Dtype, shape and values; signs of zeros and NaN included where the result is exact."""
    assert result.dtype == wanted.dtype
    assert result.shape == wanted.shape
    values = tensor.asnumpy(result)
    assert values.dtype == wanted.dtype and values.shape == wanted.shape
    if not rounds(name, [np.dtype(dtype) for dtype in inputs] or [wanted.dtype], wanted.dtype):
        np.testing.assert_array_equal(values, wanted, strict=True)
        if wanted.dtype.kind == "f" and name not in ("maximum", "minimum"):
            finite = ~np.isnan(wanted)
            np.testing.assert_array_equal(np.signbit(values)[finite], np.signbit(wanted)[finite])
        return
    if wanted.dtype.kind == "c":
        # Which parts of an infinite quotient are infinite and which NaN is not agreed upon.
        finite = np.isfinite(wanted)
        np.testing.assert_array_equal(np.isfinite(values), finite)
        size = np.maximum(np.abs(wanted[finite]), np.finfo(wanted.dtype).tiny)
        assert np.all(np.abs(values[finite] - wanted[finite]) <= 16 * np.finfo(wanted.dtype).eps * size)
        return
    finite = np.isfinite(wanted)
    np.testing.assert_array_equal(values[~finite], wanted[~finite])
    distance = np.abs(values[finite].astype("f8") - wanted[finite].astype("f8"))
    # Where the terms of logaddexp cancel, it is as good as its terms, which are then between 1/2 and 1.
    size = np.maximum(np.abs(wanted[finite]), 0.5 if name == "logaddexp" else 0)
    allowed = ULPS * np.spacing(size.astype(wanted.dtype))
    if wanted.dtype.kind == "f" and any(np.dtype(dtype).kind == "c" for dtype in inputs):
        allowed = 4 * allowed
    assert np.all(distance <= allowed)
    zero = finite & (wanted == 0)
    np.testing.assert_array_equal(np.signbit(values[zero]), np.signbit(wanted[zero]))
