"""Arrays that a traced function has in hands, and the functions that it calls with them."""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy

from .. import tensor
from .._native import ElementwiseFunction, ndarray
from .._offload import _special_arguments
from .numbers import TracedNumber, current, fixed, is_number
from .trace import Elementwise, Maker, Node, Reduction, Trace, broadcast, leaves, lengths_of, mapped, measure, refuse

_VALUES = "an array's values are on its device, and unknown while the function is traced"


@functools.cache
def _reducing() -> dict[Any, inspect.Signature]:
    """Return the functions that are reductions of one row of situ's table, with their signatures."""
    found = {}
    for name in tensor.__dict__["__all__"]:
        function = getattr(tensor, name)
        if inspect.isroutine(function) and not isinstance(function, ElementwiseFunction):
            signature = inspect.signature(function)
            # A variance has a correction and is made of more than one.
            if {"axis", "keepdims"} <= set(signature.parameters) and "correction" not in signature.parameters:
                found[function] = signature
    return found


class Tracer:
    """Runs functions of arrays and writes down what they do."""

    def __init__(self) -> None:
        self.trace = Trace()
        self.functions: dict[Any, Any] = {}
        """Functions of the user, as they are traced."""

    def given(self, array: ndarray) -> TracedArray:
        """Return an array that was not made here."""
        return TracedArray(self, Node(array, lengths_of(array)))

    def function(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function of situ's that is traced when it is called."""

        @functools.wraps(function)
        def traced(*args: Any, **options: Any) -> Any:
            return self.call(function, args, options)

        return traced

    def call(self, function: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Call a function of situ's."""
        written, _ = _special_arguments(function, True)
        if options.get("out") is not None or any(
            written >> n & 1 and arg is not None for n, arg in enumerate(args[:32])
        ):
            refuse(f"{function.__name__} writes to an array", "use what functions return")
        if not options and isinstance(function, ElementwiseFunction):
            made = self.elementwise(function, function.__name__, args)
        elif not options and function is tensor.where and isinstance(args[0] if args else None, TracedArray):
            made = self.elementwise(function, "where", args)
        elif not options and function is tensor.astype and len(args) == 2 and isinstance(args[0], TracedArray):
            made = self.elementwise(lambda x: tensor.astype(x, args[1]), "astype", args[:1], args[1])
        elif function in _reducing() and args and isinstance(args[0], TracedArray):
            made = self.reduction(function, args, options)
        else:
            made = None
        return self.ordinary(function, args, options) if made is None else made

    def elementwise(
        self, function: Callable[..., Any], op: str, args: tuple[Any, ...], dtype: Any = None
    ) -> TracedArray | None:
        """Apply an elementwise function; None if an operand is neither an array nor a number."""
        near = next((arg for arg in args if isinstance(arg, TracedArray)), None)
        if near is None:
            return None
        operands = tuple(self._operand(arg, near) for arg in args)
        if not all(isinstance(each, Node) or is_number(each) for each in operands):
            return None
        array = function(*(each.array if isinstance(each, Node) else current(each) for each in operands))
        maker = Elementwise(function, operands, op=op, dtype=dtype)
        shape = broadcast([each.shape for each in operands if isinstance(each, Node)])
        return self._made(maker, array, shape)

    def _operand(self, value: Any, near: TracedArray) -> Any:
        if isinstance(value, TracedArray):
            return value._node
        if isinstance(value, (numpy.ndarray, numpy.generic)):
            place = near._array
            value = tensor.asarray(value, sycl_queue=place.sycl_queue, usm_type=place.usm_type)
        return self.given(value)._node if isinstance(value, ndarray) else value

    def reduction(self, function: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]) -> TracedArray:
        """Reduce an array."""
        bound = _reducing()[function].bind(*args, **options).arguments
        axis, keepdims = fixed(bound.get("axis")), bool(fixed(bound.get("keepdims", False)))
        axis = tuple(map(operator.index, axis)) if isinstance(axis, tuple) else axis
        node: Node = args[0]._node
        how = (axis, keepdims, bound.get("dtype"))
        named = {"axis": axis, "keepdims": keepdims} | ({} if how[2] is None else {"dtype": how[2]})
        array = function(node.array, **named)
        rank = len(node.shape)
        axes = range(rank) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        reduced = {n % rank for n in axes}
        kept = [(1 if n in reduced else length) for n, length in enumerate(node.shape) if keepdims or n not in reduced]
        return self._made(Reduction(function, (node,), named, op=function.__name__, how=how), array, tuple(kept))

    def ordinary(self, function: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Call a function as it is: the same call is made each time the trace runs."""

        def noted(leaf: Any) -> Any:
            return leaf._node if isinstance(leaf, TracedArray) else leaf

        def now(leaf: Any) -> Any:
            return leaf._array if isinstance(leaf, TracedArray) else current(leaf)

        result = function(*mapped(args, now), **mapped(options, now))
        maker = Maker(function, mapped(args, noted), mapped(options, noted))
        if not any(isinstance(leaf, ndarray) for leaf in leaves(result)):
            self._refuse_host_data(function, args, options, result)
            return result
        self.trace.makers.append(maker)

        def owned(leaf: Any) -> Any:
            if not isinstance(leaf, ndarray):
                return leaf
            maker.results.append(Node(leaf, lengths_of(leaf), maker))
            return TracedArray(self, maker.results[-1])

        return mapped(result, owned)

    def _refuse_host_data(
        self, function: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any], result: Any
    ) -> None:
        """Let nothing through that came out of an array."""
        given = list(map(fixed, leaves((args, options))))
        if not any(isinstance(leaf, TracedArray) for leaf in given):
            return
        if result is None:
            refuse(f"{function.__name__} returns nothing, so it changes something", "do it outside")
        if any(isinstance(leaf, (numpy.ndarray, numpy.generic, str, float, complex)) for leaf in leaves(result)):
            refuse(f"{function.__name__} copies to the host", "return the array and do it outside")

    def _made(self, maker: Maker, array: ndarray, shape: tuple[Any, ...]) -> TracedArray:
        self.trace.makers.append(maker)
        maker.results.append(Node(array, shape, maker))
        return TracedArray(self, maker.results[-1])


class TracedArray:
    """An array of which only dtype, number of axes and kind of memory are known."""

    __slots__ = ("_node", "_tracer")
    __array_ufunc__ = None
    """NumPy's arrays leave operators with it to it, and NumPy's functions refuse it."""

    def __init__(self, tracer: Tracer, node: Node) -> None:
        self._tracer = tracer
        self._node = node

    @property
    def _array(self) -> ndarray:
        array = self._node.array
        assert array is not None
        return array

    # Code that asks whether it has an array in hands is told so.
    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return ndarray

    def __array_namespace__(self, api_version: str | None = None) -> Any:
        from .rewriting import TracedModule

        return TracedModule(self._tracer, self._array.__array_namespace__(api_version))

    @property
    def __array_module__(self) -> Any:
        return self.__array_namespace__()

    @property
    def dtype(self) -> Any:
        """The dtype."""
        return self._node.dtype

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self._node.shape)

    @property
    def usm_type(self) -> str:
        """The kind of memory."""
        return self._node.usm_type

    def __getattr__(self, name: str) -> Any:
        if name in ("shape", "size", "nbytes", "strides", "flags", "itemsize"):
            measure(self._tracer.trace, self._node)
            return getattr(self._array, name)
        if name in ("device", "queue", "sycl_queue", "sycl_device", "sycl_context"):
            self._tracer.trace.reads_places = True
            return getattr(self._array, name)
        if name in ("T", "mT", "real", "imag"):
            return self._tracer.ordinary(operator.attrgetter(name), (self,), {})
        if name in ("reshape", "copy", "to", "to_device", "copy_to", "asarray"):
            return lambda *args, **options: self._tracer.ordinary(getattr(ndarray, name), (self, *args), options)
        if name in ("item", "tolist", "usm_data", "make_available"):
            refuse(f"{name} asks for an array's memory: {_VALUES}", "do it outside")
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def astype(self, dtype: Any, /, **options: Any) -> Any:
        """Return the array in another dtype."""
        return self._tracer.call(tensor.astype, (self, dtype), options)

    def __getitem__(self, key: Any) -> Any:
        return self._tracer.ordinary(operator.getitem, (self, key), {})

    def __len__(self) -> int:
        measure(self._tracer.trace, self._node)
        return len(self._array)

    def __iter__(self) -> Iterator[Any]:
        return (self[n] for n in range(len(self)))

    def __pow__(self, other: Any) -> Any:
        exponent = fixed(other)
        if type(exponent) is float and exponent == 0.5 and self.dtype.kind == "f":
            return self._tracer.elementwise(tensor.sqrt, "sqrt", (self,))
        return _applied(self, tensor.pow, (self, exponent))

    def __rpow__(self, other: Any) -> Any:
        return _applied(self, tensor.pow, (other, self))

    def __matmul__(self, other: Any) -> Any:
        return self._tracer.ordinary(operator.matmul, (self, other), {})

    def __rmatmul__(self, other: Any) -> Any:
        return self._tracer.ordinary(operator.matmul, (other, self), {})

    def __setitem__(self, key: Any, value: Any) -> None:
        refuse("an assignment changes an array", "use situ.tensor.where, concat or stack to make a new one")

    def __bool__(self) -> bool:
        refuse(f"a branch depends on an array: {_VALUES}", "choose elements with situ.tensor.where(condition, x, y)")

    def __array__(self, *_: Any, **__: Any) -> Any:
        refuse(f"NumPy asks for an array: {_VALUES}", "use the function of situ.tensor")

    def __contains__(self, value: object) -> bool:
        refuse(f"`in` depends on an array: {_VALUES}", "use situ.tensor.any(x == value)")

    __hash__ = None  # type: ignore[assignment]


def _applied(array: TracedArray, function: ElementwiseFunction, args: tuple[Any, ...]) -> Any:
    made = array._tracer.elementwise(function, function.__name__, args)
    return NotImplemented if made is None else made


def _number(kind: Callable[..., Any]) -> Callable[..., Any]:
    def refused(self: TracedArray, *_: Any) -> Any:
        refuse(f"{kind.__name__}() asks for a number: {_VALUES}", "keep it as an array")

    return refused


def _changed(name: str) -> Callable[..., Any]:
    def refused(self: TracedArray, other: Any) -> Any:
        refuse(f"`{name}=` changes an array", f"write x = x {name} y")

    return refused


def _operator(function: Any, is_reflected: bool = False) -> Callable[..., Any]:
    if is_reflected:
        return lambda self, other: _applied(self, function, (other, self))
    return lambda self, *others: _applied(self, function, (self, *others))


_BINARY: dict[str, tuple[str, Any]] = {
    "add": ("+", tensor.add),
    "sub": ("-", tensor.subtract),
    "mul": ("*", tensor.multiply),
    "truediv": ("/", tensor.divide),
    "floordiv": ("//", tensor.floor_divide),
    "mod": ("%", tensor.remainder),
    "lshift": ("<<", tensor.bitwise_left_shift),
    "rshift": (">>", tensor.bitwise_right_shift),
    "and": ("&", tensor.bitwise_and),
    "or": ("|", tensor.bitwise_or),
    "xor": ("^", tensor.bitwise_xor),
}
for _name, (_sign, _function) in _BINARY.items():
    setattr(TracedArray, f"__{_name}__", _operator(_function))
    setattr(TracedArray, f"__r{_name}__", _operator(_function, is_reflected=True))
    setattr(TracedArray, f"__i{_name}__", _changed(_sign))
for _name, _sign in (("ipow", "**"), ("imatmul", "@")):
    setattr(TracedArray, f"__{_name}__", _changed(_sign))
_OTHERS: dict[str, Any] = {
    "lt": tensor.less,
    "le": tensor.less_equal,
    "gt": tensor.greater,
    "ge": tensor.greater_equal,
    "eq": tensor.equal,
    "ne": tensor.not_equal,
    "neg": tensor.negative,
    "pos": tensor.positive,
    "abs": tensor.abs,
    "invert": tensor.bitwise_invert,
}
for _name, _other in _OTHERS.items():
    setattr(TracedArray, f"__{_name}__", _operator(_other))
for _kind in (int, float, complex, operator.index, round, format):
    setattr(TracedArray, f"__{_kind.__name__}__", _number(_kind))

__all__ = ["TracedArray", "TracedNumber", "Tracer"]
