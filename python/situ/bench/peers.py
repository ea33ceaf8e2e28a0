"""Other libraries that take part where they are installed.

Each writes a function in its own way. One that does not have it, refuses the operands, or returns another dtype than
NumPy does not take part in that comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy

from .contest import Snippet
from .functions import Function

_NUMEXPR = {
    **{name: f"{name}(a)" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "expm1", "log", "log10")},
    **{name: f"{name}(a)" for name in ("log1p", "sqrt", "abs", "ceil", "floor")},
    **{name: f"arc{name[1:]}(a)" for name in ("acos", "asin", "atan", "acosh", "asinh", "atanh")},
    "atan2": "arctan2(a, b)",
    "where": "where(a, b, c)",
    "square": "a * a",
    "negative": "-a",
    "reciprocal": "1 / a",
    "rsqrt": "1 / sqrt(a)",
    "real": "real(a)",
    "imag": "imag(a)",
    "conj": "conj(a)",
    **{
        name: f"a {symbol} b"
        for name, symbol in {
            "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "pow": "**", "remainder": "%",
            "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^", "bitwise_left_shift": "<<",
            "bitwise_right_shift": ">>", "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=",
            "equal": "==", "not_equal": "!=",
        }.items()
    },
}  # fmt: skip
_TORCH_NAMES = {
    "bitwise_invert": "bitwise_not",
    "conj": "conj_physical",
    "equal": "eq",
    "not_equal": "ne",
}


def _snippet(expression: str, function: Callable[..., Any], operands: Sequence[Any], **others: Any) -> Snippet:
    """Calls `f`, in an expression, on the operands."""
    names = dict(zip("abc", operands, strict=False))
    return Snippet("r = " + expression.format(f"f({', '.join(names)})"), names | {"f": function} | others)


def _numexpr(row: Function, operands: Sequence[Any]) -> Snippet:
    arrays = dict(zip("abc", operands, strict=False))
    evaluate = import_module("numexpr").evaluate
    return Snippet("r = f(text, arrays)", {"f": evaluate, "text": _NUMEXPR[row.name], "arrays": arrays})


def _torch(row: Function, operands: Sequence[Any]) -> Snippet:
    torch = import_module("torch")
    function = getattr(torch, _TORCH_NAMES.get(row.name, row.name))
    return _snippet("{}", function, [torch.from_numpy(operand) for operand in operands])


def _numpy_function(row: Function, module: Any) -> Callable[..., Any]:
    name, _, arguments = row.theirs.partition("(")
    if not name.isidentifier() or arguments not in ("a)", "a, b)", "a, b, c)"):
        raise AttributeError(name)
    found: Callable[..., Any] = getattr(module, name)
    return found


def _jax(row: Function, operands: Sequence[Any]) -> Snippet:
    jax = import_module("jax")
    jax.config.update("jax_enable_x64", True)
    compiled = jax.jit(_numpy_function(row, jax.numpy))
    return _snippet("{}.block_until_ready()", compiled, [jax.numpy.asarray(operand) for operand in operands])


def _numba(row: Function, operands: Sequence[Any]) -> Snippet:
    numba = import_module("numba")
    function = _numpy_function(row, numpy)
    names = "abc"[: len(operands)]
    made: dict[str, Any] = {}
    exec(f"def elementwise({', '.join(names)}):\n    return f({', '.join(names)})\n", {"f": function}, made)
    return _snippet("{}", numba.njit(parallel=True)(made["elementwise"]), operands)


def _dpctl(row: Function, operands: Sequence[Any]) -> Snippet:
    tensor = import_module("dpctl.tensor")
    arrays = [tensor.asarray(operand) for operand in operands]
    return _snippet("{}; wait()", getattr(tensor, row.name), arrays, wait=arrays[0].sycl_queue.wait)


_PEERS: dict[str, tuple[str, Callable[[Function, Sequence[Any]], Snippet]]] = {
    "numexpr": ("numexpr", _numexpr),
    "PyTorch": ("torch", _torch),
    "JAX": ("jax", _jax),
    "Numba": ("numba", _numba),
    "dpctl": ("dpctl", _dpctl),
}
NAMES = tuple(_PEERS)
DISTRIBUTIONS = tuple(module for module, _ in _PEERS.values())


def _result_dtype(snippet: Snippet) -> str:
    names = dict(snippet.names)
    exec(snippet.statement, names)
    return str(names["r"].dtype).removeprefix("torch.")


def _taking_part(row: Function, operands: Sequence[Any], dtype: str) -> Iterator[tuple[str, Snippet]]:
    for name, (module, make) in _PEERS.items():
        if find_spec(module) is None:
            continue
        try:
            snippet = make(row, operands)
            if _result_dtype(snippet) == dtype:
                yield name, snippet
        except Exception:  # Each library refuses in its own way, and a refusal is no news here.
            continue


def contestants(row: Function, operands: Sequence[Any], dtype: Any) -> dict[str, Snippet]:
    """The installed peers that have the function for these NumPy operands, with a result of this dtype."""
    return dict(_taking_part(row, operands, str(dtype)))
