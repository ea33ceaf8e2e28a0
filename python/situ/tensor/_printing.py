"""Arrays as text, as NumPy writes them.

An array with more elements than the threshold is abbreviated, and then only the elements that are shown leave the
device.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, cast

import numpy

from .._native import array_edges, ndarray
from ._functions import asnumpy

__all__ = ["get_print_options", "print_options", "set_print_options", "usm_ndarray_repr", "usm_ndarray_str"]

if TYPE_CHECKING:
    _FloatMode: TypeAlias = Literal["fixed", "unique", "maxprec", "maxprec_equal"]
    _Sign: TypeAlias = Literal["-", "+", " "]


class PrintOptions(TypedDict):
    """How arrays are written."""

    linewidth: int
    edgeitems: int
    threshold: int
    precision: int
    floatmode: _FloatMode
    suppress: bool
    nanstr: str
    infstr: str
    sign: _Sign


_DEFAULTS = PrintOptions(
    linewidth=75,
    edgeitems=3,
    threshold=1000,
    precision=8,
    floatmode="maxprec",
    suppress=False,
    nanstr="nan",
    infstr="inf",
    sign="-",
)
_CHOICES = MappingProxyType({"floatmode": ("fixed", "unique", "maxprec", "maxprec_equal"), "sign": ("-", "+", " ")})
# NumPy leaves it out for these: a literal with such elements has them anyway.
_DEFAULT_DTYPES = ("bool", "int64", "float64", "complex128")

# The smallest float64 has 1074 digits after the point.
_MOST_DIGITS = 1074

_options: ContextVar[PrintOptions] = ContextVar("situ_print_options", default=_DEFAULTS)


def _checked(name: str, value: Any) -> Any:
    """A value for an option, or an exception that names the option."""
    if name in _CHOICES:
        if value not in _CHOICES[name]:
            known = ", ".join(repr(choice) for choice in _CHOICES[name])
            raise ValueError(f"{name}: expected one of {known}, got {value!r}")
        return value
    if name in ("nanstr", "infstr"):
        if not isinstance(value, str):
            raise TypeError(f"{name}: expected a string, got {type(value).__name__}")
        return value
    if name == "suppress":
        return bool(value)
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: expected an integer, got {type(value).__name__}") from None
    if number < 0:
        raise ValueError(f"{name}: expected 0 or more, got {number}")
    # NumPy, which does the writing, takes no larger ones, and they would change nothing.
    return min(number, _MOST_DIGITS if name == "precision" else sys.maxsize)


def _combined(numpy_first: bool, given: dict[str, Any]) -> PrintOptions:
    """The options that are set, or NumPy's, with the given ones in their place."""
    options: dict[str, Any] = {**_options.get()}
    if numpy_first:
        theirs: dict[str, Any] = {**numpy.get_printoptions()}
        options.update((name, theirs[name]) for name in _DEFAULTS)
    options.update((name, _checked(name, value)) for name, value in given.items() if value is not None)
    return cast(PrintOptions, options)


def set_print_options(
    linewidth: int | None = None,
    edgeitems: int | None = None,
    threshold: int | None = None,
    precision: int | None = None,
    floatmode: _FloatMode | None = None,
    suppress: bool | None = None,
    nanstr: str | None = None,
    infstr: str | None = None,
    sign: _Sign | None = None,
    numpy: bool = False,
) -> None:
    """Say how arrays are written from now on, in this thread; what is None stays as it is.

    Lines have at most ``linewidth`` characters. An array of more than ``threshold`` elements is abbreviated to the
    first and last ``edgeitems`` along each axis. Floating-point numbers have up to ``precision`` digits after the
    point, according to ``floatmode``: 'fixed', 'unique', 'maxprec' or 'maxprec_equal'; with ``suppress`` they are never
    in scientific notation. ``nanstr`` and ``infstr`` stand for those values, and ``sign`` is '-', '+' or ' ' for what
    is before a positive number. With ``numpy=True`` NumPy's own options are taken first.

    >>> from situ import tensor
    >>> before = tensor.get_print_options()
    >>> tensor.set_print_options(precision=3)
    >>> tensor.asarray([1 / 3])
    ndarray([0.333])
    >>> tensor.set_print_options(**before)
    """
    given = {name: value for name, value in locals().items() if name != "numpy"}
    _options.set(_combined(numpy, given))


def get_print_options() -> PrintOptions:
    """How arrays are written, as a dictionary of its own.

    >>> from situ import tensor
    >>> tensor.get_print_options()["threshold"]
    1000
    """
    return _options.get().copy()


@contextmanager
def print_options(
    linewidth: int | None = None,
    edgeitems: int | None = None,
    threshold: int | None = None,
    precision: int | None = None,
    floatmode: _FloatMode | None = None,
    suppress: bool | None = None,
    nanstr: str | None = None,
    infstr: str | None = None,
    sign: _Sign | None = None,
    numpy: bool = False,
) -> Iterator[PrintOptions]:
    """Write arrays differently inside a ``with`` block; the arguments are those of `set_print_options`.

    >>> from situ import tensor
    >>> with tensor.print_options(threshold=5, edgeitems=2):
    ...     print(tensor.arange(100))
    [ 0  1 ... 98 99]
    """
    given = {name: value for name, value in locals().items() if name != "numpy"}
    token = _options.set(_combined(numpy, given))
    try:
        yield get_print_options()
    finally:
        _options.reset(token)


def _abbreviated(x: ndarray, edgeitems: int) -> Any:
    """A NumPy array that is written just like ``x`` where both are abbreviated, with little more than what is shown.

    An axis from which elements are left out is one longer than what is shown of it, so that NumPy leaves out the same.
    """
    host = array_edges(x, min(edgeitems, x.size))
    for axis, (full, kept) in enumerate(zip(x.shape, host.shape, strict=True)):
        if kept < full and edgeitems > 0:
            host = numpy.insert(host, edgeitems, 0, axis=axis)
    return host


def _written(x: ndarray, options: PrintOptions, separator: str, prefix: str, suffix: str) -> str:
    x = x[...]  # another thread may give the array itself another shape meanwhile
    if x.size > options["threshold"]:
        host = _abbreviated(x, options["edgeitems"])
        options = {**options, "threshold": 0}
    else:
        host = asnumpy(x)
    with numpy.printoptions(**options):
        return numpy.array2string(host, separator=separator, prefix=prefix, suffix=suffix)


def _must_be_array(function: str, x: object) -> None:
    if not isinstance(x, ndarray):
        raise TypeError(f"{function}: expected an array of situ, got {type(x).__name__}")


def _must_be_text(**given: object) -> None:
    for name, value in given.items():
        if not isinstance(value, str):
            raise TypeError(f"{name}: expected a string, got {type(value).__name__}")


def usm_ndarray_str(
    x: ndarray,
    line_width: int | None = None,
    edge_items: int | None = None,
    threshold: int | None = None,
    precision: int | None = None,
    floatmode: _FloatMode | None = None,
    suppress: bool | None = None,
    sign: _Sign | None = None,
    numpy: bool = False,
    separator: str = " ",
    prefix: str = "",
    suffix: str = "",
) -> str:
    """The elements of an array as text; the options are those of `set_print_options`.

    The only element of an array without dimensions has all its digits, as in NumPy, unless an argument says how to
    write it. ``separator`` is put between elements. ``prefix`` and ``suffix`` are not written: lines are indented and
    broken so as to leave room for them.

    >>> from situ import tensor
    >>> tensor.usm_ndarray_str(tensor.arange(3), separator="; ")
    '[0; 1; 2]'
    """
    _must_be_array("usm_ndarray_str", x)
    _must_be_text(separator=separator, prefix=prefix, suffix=suffix)
    given = {
        "linewidth": line_width,
        "edgeitems": edge_items,
        "threshold": threshold,
        "precision": precision,
        "floatmode": floatmode,
        "suppress": suppress,
        "sign": sign,
    }
    is_plain = all(value is None for value in given.values()) and not numpy
    if x.ndim == 0 and is_plain and (separator, prefix, suffix) == (" ", "", ""):
        return str(asnumpy(x)[()])
    return _written(x, _combined(numpy, given), separator, prefix, suffix)


def usm_ndarray_repr(
    x: ndarray,
    line_width: int | None = None,
    precision: int | None = None,
    suppress: bool | None = None,
    prefix: str = "ndarray",
) -> str:
    """An array as text that says it is one: with its dtype where that is not a usual one, and its shape where the
    elements do not show it.

    >>> from situ import tensor
    >>> tensor.usm_ndarray_repr(tensor.asarray([1.5, 2], dtype="f4"))
    'ndarray([1.5, 2. ], dtype=float32)'
    """
    _must_be_array("usm_ndarray_repr", x)
    _must_be_text(prefix=prefix)
    options = _combined(False, {"linewidth": line_width, "precision": precision, "suppress": suppress})
    opening = prefix + "("
    text = opening + _written(x, options, ", ", opening, ")")
    extras = []
    if x.size > options["threshold"] or (x.size == 0 and x.shape != (0,)):
        extras.append(f"shape={x.shape}")
    if x.size == 0 or x.dtype.name not in _DEFAULT_DTYPES:
        extras.append(f"dtype={x.dtype.name}")
    if not extras:
        return text + ")"
    text, rest = text + ",", ", ".join(extras) + ")"
    length = len(text) - text.rfind("\n") - 1
    return text + (" " if length + len(rest) + 1 <= options["linewidth"] else "\n" + " " * len(opening)) + rest
