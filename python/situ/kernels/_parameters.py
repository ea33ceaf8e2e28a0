"""The parameters of a kernel: which arguments a launch gives them, and whether the first is the work-item."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from types import FunctionType
from typing import Any

from .._native import KernelCompileError
from ._items import Item, NdItem

__all__ = ["Parameters"]

#: What only work-items have.
_OF_ITEMS = frozenset(name for each in (Item, NdItem) for name in vars(each) if not name.startswith("_"))


class Parameters:
    """The parameters of a kernel."""

    def __init__(self, function: FunctionType, node: ast.FunctionDef | None) -> None:
        """Take a function, and its text where there is one: that tells whether the first parameter is an item."""
        self._kernel = f"kernel {function.__name__}"
        signature = inspect.signature(function, follow_wrapped=False)
        parameters = list(signature.parameters.values())
        for each in parameters:
            if each.kind not in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD):
                raise KernelCompileError(
                    f"{self._kernel}: parameter {each.name} is not positional; kernels have plain parameters: no "
                    "*args, no **kwargs, nothing after a *"
                )
        self._all = signature
        self._after_item = signature.replace(parameters=parameters[1:])
        self._first = parameters[0].name if parameters else ""
        self._has_defaults = any(each.default is not each.empty for each in parameters)
        self._has_item = _is_item(node, self._first) if node else None

    def bind(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[bool, list[str], tuple[Any, ...]]:
        """Return whether the first parameter is the item, and the names and the arguments of the others.

        Parameters that are not given have their default values.
        """
        given, wanted = len(args) + len(named), len(self._all.parameters)
        if given > wanted:
            raise TypeError(f"{self._kernel} has {wanted} parameters and was given {given} arguments")
        if self._has_item is not None:
            return self._bound(self._has_item, args, named)
        if given < wanted and self._has_defaults:
            raise TypeError(
                f"{self._kernel}: neither its use nor the number of arguments tells whether {self._first} "
                "is the work-item; give every argument, or leave out the default values of the parameters"
            )
        return self._bound(given == wanted - 1 and self._first not in named, args, named)

    def _bound(
        self, has_item: bool, args: tuple[Any, ...], named: Mapping[str, Any]
    ) -> tuple[bool, list[str], tuple[Any, ...]]:
        signature = self._after_item if has_item else self._all
        try:
            bound = signature.bind(*args, **named)
        except TypeError as error:
            raise TypeError(f"{self._kernel}: {error}") from None
        bound.apply_defaults()
        return has_item, list(bound.arguments), tuple(bound.arguments.values())


def _is_item(function: ast.FunctionDef, name: str) -> bool | None:
    """Tell whether a parameter is a work-item by how it is used; None where it is not used, or only passed on."""
    passed_on, attributes = 0, []
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and _is_name(node.value, name):
            attributes.append(node.attr)
        elif isinstance(node, ast.Call):
            passed_on += sum(_is_name(each, name) for each in (*node.args, *(word.value for word in node.keywords)))
        elif isinstance(node, ast.Assign):
            passed_on += _is_name(node.value, name)
    uses = sum(_is_name(node, name) for node in ast.walk(function))
    if uses > passed_on + len(attributes) or not _OF_ITEMS.issuperset(attributes):
        return False
    return True if attributes else None


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
