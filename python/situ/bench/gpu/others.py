"""Programs, small calls, indexing, and copies between host and device."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from importlib import import_module
from typing import Any

import numpy

from situ import tensor

from ... import _native
from ..._cli.draw import size
from ..contest import Snippet
from .libraries import Cupy, Jax, Library, Situ, Torch, random
from .work import Ways, Work

PROGRAM = "program sin(2x) * exp(-x*x) float64"
SUBMIT = "a + b of 16: submitting"
MASK = "x[mask] float32, half true"

_STEPS = [
    ("multiply", [1, 0]),
    ("sin", [2]),
    ("negative", [0]),
    ("multiply", [4, 0]),
    ("exp", [5]),
    ("multiply", [3, 6]),
]
_EXPRESSION = "sin(2 * x) * exp(-x * x)"


def _program(n: int, library: Library) -> Mapping[str, Snippet]:
    x = library.operand("float64", n)
    if isinstance(library, Situ):
        given = {"given": [x, library.array(numpy.array(2.0))], "steps": _STEPS, "outputs": [len(_STEPS) + 1]}
        fused = library.snippet("(r,) = evaluate(given, steps, outputs)", evaluate=_native.evaluate, **given)
        eager = {name: library.function(name) for name in ("sin", "exp")}
        return {"evaluate": fused, "eager": library.snippet(f"r = {_EXPRESSION}", x=x, **eager)}
    names = {name: library.function(name) for name in ("sin", "exp")}
    ways = {"eager": library.snippet(f"r = {_EXPRESSION}", x=x, **names)}
    # A function with a name, because kernels are called after it.
    made = dict(names)
    exec(f"def program(x):\n    return {_EXPRESSION}\n", made)
    function = made["program"]
    if isinstance(library, Jax):
        return {"jit": library.snippet("r = f(x)", x=x, f=library.jit(function))}
    if isinstance(library, Torch):
        ways["compile"] = library.snippet("r = f(x)", x=x, f=library.module.compile(function))
    if isinstance(library, Cupy):
        ways["fuse"] = library.snippet("r = f(x)", x=x, f=library.module.fuse()(function))
    return ways


def programs(n: int) -> Iterator[Work]:
    """Several functions in one pass."""
    yield Work(PROGRAM, partial(_program, n), nbytes=16 * n)


def _small(library: Library) -> Mapping[str, Snippet]:
    return {"": library.snippet("r = a + b", a=library.operand("float32", 16, 0), b=library.operand("float32", 16, 1))}


def small_calls() -> Iterator[Work]:
    """What a call costs before the device has done anything."""
    yield Work(SUBMIT, _small, repeats=10_000, awaited=False)


def take_title(n: int) -> str:
    """What the row of `x[indices]` is called.

    >>> take_title(2**27)
    'x[indices] float32 n=2^27'
    """
    return f"x[indices] float32 n=2^{n.bit_length() - 1}"


def _mask(n: int) -> Any:
    return random("float32", n) > 1.25


def _masked(statement: str, n: int, library: Library) -> Mapping[str, Snippet]:
    if isinstance(library, Jax):
        return {}
    names = {"x": library.operand("float32", n), "m": library.keep(f"mask {n}", lambda: library.array(_mask(n)))}
    if "nonzero" in statement:
        del names["x"]
        names["nonzero"] = library.function("nonzero")
        if isinstance(library, Torch):
            statement = "r = nonzero(m, as_tuple=True)"
    return {"": library.snippet(statement, **names)}


@lru_cache(maxsize=1)
def _drawn(n: int) -> Any:
    return numpy.random.default_rng(5).integers(0, n, n)


def _indexed(statement: str, n: int, library: Library) -> Mapping[str, Snippet]:
    if isinstance(library, Jax):
        return {}
    given = library.keep(f"indices {n}", lambda: library.array(_drawn(n)))
    if "=" in statement.partition("]")[2]:
        target = library.keep(f"scattered {n}", lambda: library.array(numpy.zeros(n, "float32")))
        return {"": library.snippet(statement, x=target, i=given, v=library.operand("float32", n))}
    x = library.operand("float32", n)
    ways = {"x[i]": library.snippet(statement, x=x, i=given)}
    return ways | {"take": library.snippet("r = take(x, i)", x=x, i=given, take=library.function("take"))}


def masks(n: int) -> Iterator[Work]:
    """Choosing by truth values."""
    yield Work(MASK, partial(_masked, "r = x[m]", n), nbytes=n * 7)
    yield Work("nonzero(mask), half true", partial(_masked, "r = nonzero(m)", n), nbytes=n * 5)


def indices(n: int) -> Iterator[Work]:
    """Random indices, as many as there are elements."""
    yield Work(take_title(n), partial(_indexed, "r = x[i]", n), nbytes=16 * n)
    # Several values go to one element, and which of them stays is not said.
    assigned = take_title(n).replace("]", "] = v", 1)
    yield Work(assigned, partial(_indexed, "x[i] = v", n), nbytes=16 * n, comparable=False)


SIZES = (2**30, 2**26, 2**12)


def to_device(nbytes: int) -> str:
    """What the row of a copy to the device is called.

    >>> to_device(2**26)
    'host to device, 64.0 MiB'
    """
    return f"host to device, {size(nbytes)}"


def _sent(n: int, library: Library) -> Mapping[str, Snippet]:
    host = random("float32", n)
    if isinstance(library, Situ):
        call = partial(tensor.asarray, sycl_queue=library.queue)
        return {"": library.snippet("r = asarray(h)", asarray=call, h=host)}
    if isinstance(library, Torch):
        there = library.place
        return {"": library.snippet("r = h.to(there)", h=library.module.from_numpy(host), there=there)}
    return {"": library.snippet("r = array(h)", array=library.array, h=host)}


def _fetched(n: int, library: Library) -> Mapping[str, Snippet]:
    x = library.operand("float32", n)
    if isinstance(library, Torch):
        return {"": library.snippet("r = x.cpu()", x=x)}
    if library.name == "NumPy":
        return {"": library.snippet("r = x.copy()", x=x)}
    if isinstance(library, Jax):
        return {}  # it keeps what it has copied, and would be timed once
    return {"": library.snippet("r = numpy(x)", numpy=library.numpy, x=x)}


def _pinned(n: int, back: bool, library: Library) -> Mapping[str, Snippet]:
    x = library.operand("float32", n)
    host = random("float32", n)
    if isinstance(library, Situ):
        pinned = tensor.asarray(host, sycl_queue=library.queue, usm_type="host")
        source, target = (x.usm_data, pinned.usm_data) if back else (pinned.usm_data, x.usm_data)
        copy = library.queue.memcpy_async
        moved = library.snippet(
            "r = a.to(q, usm_type=kind)",
            a=x if back else pinned,
            q=library.queue,
            kind="host" if back else "device",
        )
        return {
            "new": moved,
            "into": library.snippet("e = copy(target, source, n)", copy=copy, target=target, source=source, n=4 * n),
        }
    if isinstance(library, Torch):
        lent = library.module.from_numpy(host).pin_memory()
        source, target = (x, lent) if back else (lent, x)
        return {"into": library.snippet("target.copy_(source, non_blocking=True)", target=target, source=source)}
    if isinstance(library, Cupy):
        lent = import_module("cupyx").empty_pinned((n,), "float32")
        lent[:] = host
        statement = "x.get(out=lent)" if back else "x.set(lent)"
        return {"into": library.snippet(statement, x=x, lent=lent)}
    return {}


def transfers(nbytes: int) -> Iterator[Work]:
    """Copies between host and device, of ordinary host memory and of such as the device reaches itself."""
    n = nbytes // 4
    ways: dict[str, Ways] = {
        to_device(nbytes): partial(_sent, n),
        f"device to host, {size(nbytes)}": partial(_fetched, n),
        f"pinned to device, {size(nbytes)}": partial(_pinned, n, False),
        f"device to pinned, {size(nbytes)}": partial(_pinned, n, True),
    }
    for title, each in ways.items():
        yield Work(title, each, nbytes=nbytes, crosses=True, comparable=False)
