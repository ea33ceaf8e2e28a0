"""What is said about Python that kernels do not have."""

from __future__ import annotations

import ast
import math

#: By syntax, what it is called and what to write instead.
UNSUPPORTED: dict[type[ast.AST], str] = {
    ast.List: "lists are not supported in kernels; use a tuple, or private.array(shape, dtype) if elements change",
    ast.Dict: "dictionaries are not supported in kernels; use names of their own, or arrays",
    ast.Set: "sets are not supported in kernels; use a tuple",
    ast.ListComp: "comprehensions are not supported in kernels; write a for loop over range()",
    ast.SetComp: "comprehensions are not supported in kernels; write a for loop over range()",
    ast.DictComp: "comprehensions are not supported in kernels; write a for loop over range()",
    ast.GeneratorExp: "generators are not supported in kernels; write a for loop over range()",
    ast.Lambda: "lambdas are not supported in kernels; write a function under @situ.kernels.device_func",
    ast.Await: "await is not supported in kernels",
    ast.Yield: "generators are not supported in kernels; store results in an array",
    ast.YieldFrom: "generators are not supported in kernels; store results in an array",
    ast.JoinedStr: "strings are not supported in kernels",
    ast.Starred: "unpacking with * is not supported in kernels; name each element",
    ast.FunctionDef: "functions inside of kernels are not supported; write one under @situ.kernels.device_func outside",
    ast.AsyncFunctionDef: "functions inside of kernels are not supported",
    ast.ClassDef: "classes inside of kernels are not supported",
    ast.Try: "try is not supported in kernels: nothing raises there; check with if",
    ast.Raise: "raise is not supported in kernels; write a flag into an array, and look at it after the launch",
    ast.Assert: "assert is not supported in kernels; use if, and @kernel(debug=True) for checks of indices",
    ast.With: "with is not supported in kernels",
    ast.AsyncWith: "with is not supported in kernels",
    ast.AsyncFor: "async for is not supported in kernels; write for",
    ast.Import: "imports are not supported in kernels; import outside of the function",
    ast.ImportFrom: "imports are not supported in kernels; import outside of the function",
    ast.Global: "kernels cannot assign to global names; write into an array that is an argument",
    ast.Nonlocal: "kernels cannot assign to names of functions around; write into an array that is an argument",
    ast.Delete: "del is not supported in kernels",
    ast.Match: "match is not supported in kernels; write if and elif",
    ast.MatMult: "@ is not supported in kernels; write the loops",
}

#: By function, what to write instead of calling it.
INSTEAD_OF: dict[object, str] = {
    print: "write what is to be seen into an array, or run the kernel by its simulate(), where print works",
    enumerate: "loop over range(len(x)), and take x[i] inside",
    zip: "loop over range(len(x)), and take x[i] and y[i] inside",
    reversed: "loop over range(n - 1, -1, -1)",
    sorted: "sort the array before the launch, with situ.tensor.sort",
    list: "use a tuple, or private.array(shape, dtype) if elements change",
    any: "write a for loop over range(), or join what is to hold with or",
    all: "write a for loop over range(), or join what is to hold with and",
    isinstance: "compare x.dtype and x.ndim, which are known when the kernel is compiled",
    math.erf: "there is no such function on devices yet",
    math.erfc: "there is no such function on devices yet",
    math.gamma: "there is no such function on devices yet",
    math.lgamma: "there is no such function on devices yet",
}


def unsupported(node: ast.AST) -> str:
    """Return what to say about a node that kernels do not have."""
    return UNSUPPORTED.get(type(node), f"{type(node).__name__} is not supported in kernels")
