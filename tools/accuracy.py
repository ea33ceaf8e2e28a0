"""Measure how far results are from the exact ones, in units in the last place: `make accuracy` writes docs/accuracy.md.

The exact values are mpmath's. An error of one ulp is the distance between the two neighbouring numbers around the
exact value. Points come from every binade a function has a finite value in, from where it is usually called, and from
where it is hard: next to zeros, poles, multiples of pi/2, the edges of overflow and underflow, among the subnormals.

Ten thousand points miss the worst one. So where NumPy has a wider dtype to tell roughly how far a result is off, many
more are tried, and then the neighbourhood of the worst of those, time and again; mpmath judges the last ones. What
longer searches have found is among the hard points.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mpmath
import numpy as np

import situ
from situ import tensor

PAGE = Path(__file__).parent.parent / "docs/accuracy.md"
DTYPES = ("float16", "float32", "float64")
PROMISED = {"float16": 1.0, "float32": 2.0, "float64": 1.0}
"""The largest error, in ulp, of a function that is not in `ROUNDED`."""
ROUNDED = ("reciprocal", "sqrt")
"""Functions whose results are the exact ones, rounded once: half an ulp."""

mp = mpmath.mp.clone()
mp.prec = 256

Points = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Function:
    """A function: its exact value, the interval it is usually called in, and points where it is hard."""

    exact: Callable[..., Any]
    usual: tuple[float, float]
    hard: tuple[float, ...] = ()
    turns: bool = False
    """Whether it has zeros or poles at multiples of pi/2."""
    terms: bool = False
    """Whether it is a sum whose terms can cancel: then the unit is that of the greatest argument or result."""


def _logaddexp(x: Any, y: Any) -> Any:
    high, low = (x, y) if x > y else (y, x)
    return high + mp.log1p(mp.exp(low - high))


UNARY = {
    "acos": Function(mp.acos, (-1, 1), (-1, 0, 0.5, 1)),
    "acosh": Function(mp.acosh, (1, 100), (1, 1.1265961, 2)),
    "asin": Function(mp.asin, (-1, 1), (-1, -0.5, 0.5, 1)),
    "asinh": Function(mp.asinh, (-100, 100), (-1, 1)),
    "atan": Function(mp.atan, (-10, 10), (-1, 1, 1.0109375251973884)),
    "atanh": Function(mp.atanh, (-1, 1), (-1, -0.5, 0.5, 1)),
    "cbrt": Function(lambda x: mp.sign(x) * mp.cbrt(abs(x)), (-100, 100), (-8, -1, 1, 8)),
    "cos": Function(mp.cos, (-10, 10), turns=True),
    "cosh": Function(mp.cosh, (-10, 10), (11.78, 89.4, 710.4)),
    "exp": Function(mp.exp, (-10, 10), (-745.1, -708.4, -103.97, -87.33, -17.3, 11.09, 88.72, 709.78)),
    "exp2": Function(lambda x: mp.power(2, x), (-10, 10), (-1075, -1022, -150, -126, -25, -14, 16, 128, 1024)),
    "expm1": Function(mp.expm1, (-10, 10), (-37.4, -17.3, -0.7, 0.7, 11.09, 88.72, 709.78)),
    "log": Function(mp.log, (0, 10), (1,)),
    "log10": Function(mp.log10, (0, 10), (1, 1.320284746461707, 10, 1000)),
    "log1p": Function(mp.log1p, (-1, 10), (-1, 1)),
    "log2": Function(lambda x: mp.log(x) / mp.ln2, (0, 10), (1, 1.3493929586155022, 1.3503822354657646, 2, 1024)),
    "reciprocal": Function(lambda x: 1 / x, (-10, 10), (-1, 1)),
    "rsqrt": Function(lambda x: 1 / mp.sqrt(x), (0, 10), (1, 4)),
    "sin": Function(mp.sin, (-10, 10), turns=True),
    "sinh": Function(mp.sinh, (-10, 10), (11.78, 89.4, 710.4)),
    "sqrt": Function(mp.sqrt, (0, 10), (1, 4)),
    "tan": Function(mp.tan, (-10, 10), (15939.656, 58919.785, 90455.09), turns=True),
    "tanh": Function(mp.tanh, (-4, 4), (-19.06, -9.01, 0.17647624, 9.01, 19.06)),
}
BINARY = {
    "atan2": Function(lambda x, y: mp.atan2(x, y), (-10, 10), (-1, 1)),
    "hypot": Function(mp.hypot, (-10, 10), (1,)),
    "logaddexp": Function(_logaddexp, (-10, 10), (0,), terms=True),
    "pow": Function(mp.power, (0, 10), (1,)),
}
FUNCTIONS = {**UNARY, **BINARY}


ROUGH: dict[str, Callable[..., Points]] = {
    "acos": np.arccos, "acosh": np.arccosh, "asin": np.arcsin, "asinh": np.arcsinh, "atan": np.arctan,
    "atanh": np.arctanh, "atan2": np.arctan2, "pow": np.power, "rsqrt": lambda x: 1 / np.sqrt(x),
}  # fmt: skip
"""What NumPy calls the functions that it has under another name, or not at all."""
WIDER: dict[str, Any] = {"float32": np.float64, "float64": np.longdouble}
"""Dtypes that tell roughly how far results are off."""


@dataclass(frozen=True)
class Measured:
    """The error of one function in one dtype, in ulp, over so many points; the greatest is at `where`."""

    function: str
    dtype: str
    promised: float
    greatest: float
    mean: float
    where: tuple[float, ...]
    points: int


def promised(function: str, dtype: str) -> float:
    """The largest error, in ulp, that situ promises."""
    return 0.5 if function in ROUNDED else PROMISED[dtype]


def _of_binades(dtype: str, count: int, generator: np.random.Generator) -> Points:
    """Numbers of either sign from all binades in turn, those of the subnormals among them."""
    info = np.finfo(dtype)
    binades = np.arange(info.minexp - info.nmant, info.maxexp)
    exponents = np.resize(generator.permutation(binades), count)
    # A product would be rounded into the next binade now and then, and beyond the last one.
    values = np.ldexp(generator.uniform(1, 2, count).astype(np.longdouble), exponents).astype(dtype)
    signs = generator.choice([-1, 1], count)
    return np.where(np.isfinite(values), values, info.max).astype(dtype) * signs.astype(dtype)


def _beside(values: Sequence[float] | Points, dtype: str, steps: int = 3) -> Points:
    """The numbers nearest these values, and their next neighbours on both sides."""
    found = [np.asarray(values, np.float64).astype(dtype)]
    for towards in (-np.inf, np.inf):
        near = found[0]
        for _ in range(steps):
            near = np.nextafter(near, np.asarray(towards, dtype))
            found.append(near)
    return np.concatenate(found)


def _turning_points(dtype: str, count: int, generator: np.random.Generator) -> Points:
    """Multiples of pi/2, small and large."""
    small = np.arange(-count // 4, count // 4)
    large = 2.0 ** generator.uniform(8, min(1000, np.finfo(dtype).maxexp - 2), count // 2)
    multiples = [int(k) for k in small] + [int(k) for k in large]
    return np.asarray([float(k * mp.pi / 2) for k in multiples])


def unary_points(name: str, dtype: str, count: int, generator: np.random.Generator) -> Points:
    """Points for a function of one argument, some outside of its domain."""
    function, info = FUNCTIONS[name], np.finfo(dtype)
    if dtype == "float16" and count >= 10_000:
        return np.arange(2**16, dtype=np.uint16).view(np.float16)
    edges = [0.0, float(info.tiny), float(info.smallest_subnormal), float(info.max), float(info.eps)]
    parts = [
        _of_binades(dtype, count // 2, generator),
        generator.uniform(*function.usual, count // 2).astype(dtype),
        _beside([*edges, *(-edge for edge in edges), *function.hard], dtype),
    ]
    if function.turns:
        parts.append(_beside(_turning_points(dtype, count // 10, generator), dtype, steps=1))
    return np.concatenate(parts)


def binary_points(name: str, dtype: str, count: int, generator: np.random.Generator) -> tuple[Points, Points]:
    """Pairs of points for a function of two arguments: far apart, close together, and where their effects cancel."""
    function, info = FUNCTIONS[name], np.finfo(dtype)
    third = count // 3
    x = _of_binades(dtype, third, generator)
    usual = (generator.uniform(*function.usual, third).astype(dtype) for _ in range(2))
    if name == "pow":
        # Exponents for which the power covers the whole range; half of the bases are near 1, where that is hardest.
        bases = np.concatenate([x, 1 + generator.normal(0, 0.01, third)])
        bases = abs(bases).astype(dtype)
        logarithms = np.log2(bases.astype(np.longdouble))
        targets = generator.uniform(info.minexp - info.nmant - 1, info.maxexp, 2 * third)
        with np.errstate(all="ignore"):
            exponents = (targets / logarithms).astype(dtype)
        whole = generator.integers(-20, 20, third).astype(dtype)
        signed = generator.uniform(-10, 10, third).astype(dtype)
        first, second = zip(usual, (bases, exponents), (signed, whole), strict=True)
    elif name == "logaddexp":
        # The result of the last pair is near 0.
        share = generator.uniform(0, 1, third)
        cancelling = np.log(share).astype(dtype), np.log1p(-share).astype(dtype)
        near = generator.uniform(-700, 700, third).astype(dtype)
        first, second = zip(usual, cancelling, (near, near + generator.normal(0, 5, third).astype(dtype)), strict=True)
    else:
        ratio = np.exp2(generator.uniform(-8, 8, third)).astype(dtype)
        with np.errstate(all="ignore"):
            first, second = zip(usual, (x, x * ratio), (x, _of_binades(dtype, third, generator)), strict=True)
    return np.concatenate(first), np.concatenate(second)


def _rough_errors(name: str, points: tuple[Points, ...], dtype: str) -> Points:
    """How far results are off, in ulp, as far as long doubles can tell; -1 where they cannot."""
    info = np.finfo(dtype)
    found = tensor.asnumpy(getattr(tensor, name)(*(tensor.asarray(p) for p in points)))
    with np.errstate(all="ignore"):
        exact = ROUGH.get(name, getattr(np, name, None))(*(p.astype(WIDER[dtype]) for p in points))
        exponents = np.maximum(np.frexp(exact)[1] - 1, info.minexp)
        errors = abs(found - exact) / np.ldexp(exact.dtype.type(1), exponents - info.nmant)
    usable = np.isfinite(errors) & np.isfinite(found) & (abs(exact) < info.max)
    return np.where(usable, errors, -1).astype(np.float64)


def suspects(name: str, dtype: str, count: int, generator: np.random.Generator) -> tuple[Points, ...]:
    """The points with the greatest errors that could be found by trying this many, and as many near the worst."""
    function = FUNCTIONS[name]
    # Where terms cancel, what counts is another unit; and nearly every float16 is a point anyway.
    if count == 0 or function.terms or dtype not in WIDER or np.finfo(WIDER[dtype]).nmant < np.finfo(dtype).nmant + 8:
        return tuple(np.empty(0, dtype) for _ in range(1 if name in UNARY else 2))
    kept, rounds = 50, 10
    draw = unary_points if name in UNARY else binary_points
    drawn = draw(name, dtype, count, generator)
    points = drawn if isinstance(drawn, tuple) else (drawn,)
    for turn in range(rounds + 1):
        points = tuple(p[np.logical_and.reduce([np.isfinite(q) for q in points])] for p in points)
        worst = np.argsort(_rough_errors(name, points, dtype))[-10 * kept :]
        different = np.unique(np.stack([p[worst] for p in points]), axis=1)
        worst = np.argsort(_rough_errors(name, tuple(different), dtype))[-kept:]
        best = tuple(p[worst] for p in different)
        if turn == rounds:
            break
        # Errors are those of the method, which change slowly, and of rounding, which seem to be random: many points are
        # drawn where the former are great.
        spread = 2.0 ** -(1 + turn)
        each = count // rounds // kept
        with np.errstate(all="ignore"):
            near = (np.repeat(p, each) * (1 + spread * generator.uniform(-1, 1, kept * each)) for p in best)
            points = tuple(np.concatenate([p, d.astype(dtype)]) for p, d in zip(best, near, strict=True))
    return tuple(p[-10:] for p in best)


def _error(found: float, exact: Any, info: Any, unit: Any = 0) -> float:
    """The distance of a result from the exact one, in ulp; what is beyond the largest number rounds to infinity.

    An ulp is the distance of the numbers around the exact value, or around `unit` where that is greater.
    """
    size = max(abs(exact), abs(unit))
    if size == 0:
        return 0.0 if found == 0 else np.inf
    if np.isnan(found):
        return np.inf
    exponent = max(int(mp.frexp(size)[1]) - 1, int(info.minexp))
    infinity = mp.ldexp(1, int(info.maxexp))
    ulp = mp.ldexp(1, min(exponent, int(info.maxexp) - 1) - int(info.nmant))
    nearest = mp.mpf(found) if np.isfinite(found) else mp.sign(found) * infinity
    # An exact value at or beyond the infinity of rounding is no error of the result that is infinite.
    if not np.isfinite(found) and mp.sign(found) == mp.sign(exact) and abs(exact) >= infinity:
        return 0.0
    return float(abs(nearest - exact) / ulp)


def _exact(function: Function, arguments: tuple[Any, ...]) -> Any:
    """The exact value, or None where there is none that is real and finite."""
    try:
        value = function.exact(*(mp.mpf(argument) for argument in arguments))
    except (ValueError, ZeroDivisionError, OverflowError):
        return None
    return value if isinstance(value, mp.mpf) and mp.isfinite(value) else None


def measure(name: str, dtype: str, count: int, seed: int = 0, search: int = 0) -> Measured:
    """The error of a function in a dtype over about so many points, and over the worst that a search finds.

    The mean is that of the points alone.
    """
    generator = np.random.default_rng([seed, *map(ord, name + dtype)])
    function, info = FUNCTIONS[name], np.finfo(dtype)
    if name in UNARY:
        points = (unary_points(name, dtype, count, generator),)
    else:
        points = binary_points(name, dtype, count, generator)
    points = tuple(p[np.logical_and.reduce([np.isfinite(q) for q in points])] for p in points)
    drawn = len(points[0])
    points = tuple(np.concatenate(pair) for pair in zip(points, suspects(name, dtype, search, generator), strict=True))
    found = tensor.asnumpy(getattr(tensor, name)(*(tensor.asarray(p) for p in points)))
    total, greatest, where, used = 0.0, -1.0, (np.nan,), 0
    for n, (*arguments, result) in enumerate(zip(*(p.tolist() for p in points), found.tolist(), strict=True)):
        exact = _exact(function, tuple(arguments))
        if exact is None:
            continue
        error = _error(result, exact, info, max(arguments) if function.terms else 0)
        if n < drawn:
            used += 1
            total += error
        if error > greatest:
            greatest, where = error, tuple(arguments)
    return Measured(name, dtype, promised(name, dtype), greatest, total / used, where, used)


def line(m: Measured) -> str:
    """The row of a measurement."""
    where = ", ".join(repr(value) for value in m.where)
    greatest = f"{m.greatest:.3f}" if m.greatest <= m.promised else f"**{m.greatest:.3g}**"
    return f"| {m.function} | {m.dtype} | {m.promised:g} | {greatest} | {m.mean:.3f} | {where} | {m.points} |"


def rows(text: str) -> dict[tuple[str, ...], str]:
    """The rows of a page, by function and dtype."""
    lines = [line for line in text.splitlines() if line.startswith("| ") and line.split()[3] in DTYPES]
    return {tuple(line.split()[1:4:2]): line for line in lines}


def page(lines_of_functions: Sequence[str]) -> str:
    """The page of the documentation."""
    instructions = os.environ.get("SITU_CPU_ISA", "the processor's widest")
    points = sum(int(line.split()[-2]) for line in lines_of_functions)
    lines = [
        "# Accuracy",
        "",
        "How far the results of the native device are from the exact ones, in units in the last place (ulp): the",
        "distance between the two neighbouring numbers around the exact value. `make accuracy` measures against mpmath",
        "and writes this page; `tests/test_accuracy.py` keeps the promises with fewer points. Missed promises",
        "are in bold. For `logaddexp`, whose two terms can cancel, the unit is that of the greater argument where that",
        "is larger than the result's. Other devices give the same bits.",
        "",
        "Points come from every binade in which a function has a finite value, subnormals included, from where it is",
        "usually called, and from where it is hard: next to zeros and poles, small and large multiples of",
        "pi/2, the edges of overflow and underflow, arguments whose effects cancel, and the worst of every float32 for",
        "acosh and tanh. In float16, every number is a point of the functions of one argument. In float32 and float64",
        "the greatest error is also looked for among millions of points, judged by a wider dtype first, and then near",
        "the worst of them; `logaddexp` aside. It may still be a little greater where nobody has looked.",
        "",
        f"Measured with situ {situ.__version__} over {points} points; vector instructions: {instructions}.",
        "",
        "| function | dtype | promised | greatest | mean | greatest at | points |",
        "| --- | --- | --: | --: | --: | --- | --: |",
        *lines_of_functions,
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Measure, write the page and say which promises were missed."""
    parser = argparse.ArgumentParser(description="Measure the accuracy of the functions against mpmath.")
    parser.add_argument("--points", type=int, default=10_000, help="points for each function and dtype")
    parser.add_argument("--search", type=int, default=2_000_000, help="points among which the worst are looked for")
    parser.add_argument("--only", nargs="+", choices=sorted(FUNCTIONS), metavar="NAME", help="only these functions")
    parser.add_argument("--output", type=Path, default=PAGE, help="where to write the page; - writes it nowhere")
    options = parser.parse_args()
    measured = []
    for name in options.only or sorted(FUNCTIONS):
        for dtype in DTYPES:
            measured.append(measure(name, dtype, options.points, search=options.search))
            print(line(measured[-1]), flush=True)
    if str(options.output) != "-":
        kept = rows(options.output.read_text(encoding="utf-8")) if options.only and options.output.exists() else {}
        kept |= {(m.function, m.dtype): line(m) for m in measured}
        options.output.write_text(page([kept[key] for key in sorted(kept)]), encoding="utf-8")
    missed = [f"{m.function} {m.dtype}" for m in measured if m.greatest > m.promised]
    print(f"missed: {', '.join(missed)}" if missed else "every promise kept")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
