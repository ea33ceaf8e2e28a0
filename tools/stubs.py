"""Write the type stub of the functions that are written in Rust, from their docstrings: `make format` runs this.

A docstring lists the parameters and what is returned, each with its type (crates/situ-python/src/doc.rs). With
`--check` nothing is written, and a stub that is not up to date is an error.
"""

import ast
import inspect
import re
import sys
from pathlib import Path

from situ import _native, _typing
from situ.tensor import _results

STUB = Path(__file__).parent.parent / "python/situ/tensor/_functions.pyi"
HEAD = '''"""Written by tools/stubs.py from the docstrings."""

from collections.abc import Sequence
from typing import Any, Literal, SupportsIndex

import numpy

from situ._native import ElementwiseFunction, Queue, ndarray
from situ._typing import {names}
from situ.tensor._results import {results}
'''


def section(function, title):
    """The lines of a docstring below a title, each with those that continue it."""
    found = re.search(rf"^{title}:\n((?:    .+\n?)+)", inspect.getdoc(function), re.MULTILINE)
    return re.sub(r"\n {8,}", " ", found[1]).strip("\n").split("\n") if found else []


def described(line):
    """A parameter's name and type."""
    found = re.fullmatch(r"    (\w+) \((.+?)\): .+", line)
    if not found:
        sys.exit(f"a parameter is described as 'name (type): text', not as {line!r}")
    return found[1], found[2]


def stub(name, function):
    """The stub of one function."""
    if isinstance(function, _native.ElementwiseFunction):
        return f"{name}: ElementwiseFunction[Literal[{function.nin}]]"
    types = dict(map(described, section(function, "Parameters")))
    signature = inspect.signature(function)
    if list(types) != list(signature.parameters):
        sys.exit(f"{name}: the parameters are {list(signature.parameters)}, but {list(types)} are described")
    # Types are quoted for inspect and bare in a stub.
    parameters = [each.replace(annotation=Bare(types[each.name])) for each in signature.parameters.values()]
    returns = section(function, "Returns")
    result = returns[0].strip().partition(": ")[0] if returns else "None"
    return f"def {name}{signature.replace(parameters=parameters)} -> {result}: ..."


class Bare(str):
    """A type that is written as it is."""

    __repr__ = str.__str__


def main():
    """Write the stub, or compare it with what would be written."""
    functions = {name: each for name, each in sorted(vars(_native.tensor).items()) if not name.startswith("_")}
    body = "\n".join(stub(name, each) for name, each in functions.items())
    names, results = (
        ", ".join(name for name in sorted(module.__all__, key=str.lower) if re.search(rf"\b{name}\b", body))
        for module in (_typing, _results)
    )
    listed = "\n".join(f'    "{name}",' for name in functions)
    text = (
        HEAD.format(names=names, results=results)
        + f"\n__all__ = [\n{listed}\n]\n\n_ELEMENTWISE: dict[str, ElementwiseFunction]\n{body}\n"
    )
    if "--check" not in sys.argv:
        STUB.write_text(text)
    elif ast.dump(ast.parse(STUB.read_text())) != ast.dump(ast.parse(text)):
        sys.exit(f"{STUB.name} is not what the docstrings say; `make format` writes it")


main()
