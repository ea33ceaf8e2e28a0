"""Write the type stubs of the functions that are written in Rust, from their docstrings: `make format` runs this.

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

FOLDER = Path(__file__).parent.parent / "python/situ/tensor"
HEAD = '"""Written by tools/stubs.py from the docstrings."""\n'
#: What is imported from where, as far as a stub uses it.
IMPORTS = {
    "collections.abc": ["Sequence"],
    "typing": ["Any", "Literal", "SupportsIndex"],
    "numpy": [],
    "situ._native": ["ElementwiseFunction", "Queue", "ndarray"],
    "situ._typing": sorted(_typing.__all__, key=str.lower),
    "situ.tensor._results": _results.__all__,
}


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


def imports(text):
    """The imports of a stub."""
    for module, names in IMPORTS.items():
        used = [name for name in names if re.search(rf"\b{name}\b", text)]
        if used:
            yield f"from {module} import {', '.join(used)}"
        elif not names and re.search(rf"\b{module}\.", text):
            yield f"import {module}"


#: The stubs, each with the native module it is of and what the public one has beside, by where that comes from.
STUBS = {
    "_functions.pyi": (_native.tensor, {}),
    "fft.pyi": (_native.fft, {}),
    "linalg.pyi": (
        _native.linalg,
        {
            "numpy.linalg": ["LinAlgError"],
            "situ.tensor._functions": ["matmul", "matrix_transpose", "tensordot", "vecdot"],
        },
    ),
}


def stub_of(module, beside):
    """The stub of a module."""
    functions = {name: each for name, each in sorted(vars(module).items()) if not name.startswith("_")}
    body = "\n".join(stub(name, each) for name, each in functions.items())
    if "ElementwiseFunction" in body:
        body = f"_ELEMENTWISE: dict[str, ElementwiseFunction]\n{body}"
    others = [f"from {place} import {each} as {each}" for place, names in beside.items() for each in names]
    names = sorted([*functions, *(name for names in beside.values() for name in names)])
    listed = "\n".join(f'    "{name}",' for name in names)
    return "\n".join([HEAD, *imports(body), *others, f"\n__all__ = [\n{listed}\n]\n\n{body}\n"])


def meaning(text):
    """What a stub says, in whatever order its imports are."""
    for statement in (tree := ast.parse(text)).body:
        if isinstance(statement, ast.ImportFrom):
            statement.names.sort(key=lambda each: each.name)
    return sorted(map(ast.dump, tree.body))


def main():
    """Write the stubs, or compare them with what would be written."""
    for name, (module, beside) in STUBS.items():
        path, text = FOLDER / name, stub_of(module, beside)
        if "--check" not in sys.argv:
            path.write_text(text)
        elif not path.exists() or meaning(path.read_text()) != meaning(text):
            sys.exit(f"{name} is not what the docstrings say; `make format` writes it")


main()
