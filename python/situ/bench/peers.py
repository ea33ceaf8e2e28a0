"""Other libraries that take part where they are installed."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from .contest import Snippet


def _numexpr(expression: str, names: dict[str, Any]) -> Snippet:
    numexpr = import_module("numexpr")
    return Snippet("c = evaluate(text, arrays)", {"evaluate": numexpr.evaluate, "text": expression, "arrays": names})


def _torch(expression: str, arrays: dict[str, Any]) -> Snippet:
    torch = import_module("torch")
    return Snippet(f"c = {expression}", {"torch": torch} | {name: torch.from_numpy(a) for name, a in arrays.items()})


def binary(symbol: str, a: Any, b: Any) -> dict[str, Snippet]:
    """The installed peers' ways to write ``a + b`` and the like."""
    arrays, expression = {"a": a, "b": b}, f"a {symbol} b"
    found: dict[str, Snippet] = {}
    if find_spec("numexpr"):
        found["numexpr"] = _numexpr(expression, arrays)
    if find_spec("torch"):
        found["PyTorch"] = _torch(expression, arrays)
    return found


def unary(name: str, a: Any) -> dict[str, Snippet]:
    """The installed peers' ways to write ``sin(a)`` and the like."""
    found: dict[str, Snippet] = {}
    if find_spec("numexpr"):
        found["numexpr"] = _numexpr("a * a" if name == "square" else f"{name}(a)", {"a": a})
    if find_spec("torch"):
        found["PyTorch"] = _torch(f"torch.{name}(a)", {"a": a})
    return found
