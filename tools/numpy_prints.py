"""Write how NumPy prints arrays, for the test of Rust's printing: crates/situ-tensor/tests/numpy_prints.txt.

A case is a line with the dtype, the shape and the bits of the elements (or `ramp` for 0, 1, 2, ...), then `str` and
`repr`, each with a line of its length in lines before it.
"""

from pathlib import Path

import numpy as np

TARGET = Path(__file__).parent.parent / "crates/situ-tensor/tests/numpy_prints.txt"
LINE = 75
UNSIGNED = {"f8": "u8", "f4": "u4", "f2": "u2", "c16": "u8", "c8": "u4"}
ODD = [0.0, -0.0, 1.0, np.nan, np.inf, -np.inf, 0.1, 1e10, 1e-5, 123456.789, 5e-324, 1e300, 99999999.0, 0.0001, 1001.0]
rng = np.random.default_rng(20)


def reals(count, kind):
    """Numbers of one kind: usual, of every size, whole, eighths, odd, not finite, rounded, few."""
    choices = [
        rng.standard_normal(count),
        rng.standard_normal(count) * 10.0 ** rng.integers(-12, 12, count),
        rng.integers(-1000, 1000, count).astype(float),
        rng.integers(-1000, 1000, count) / 8,
        rng.choice(ODD, count),
        rng.choice([np.nan, np.inf, -np.inf], count),
        np.round(rng.standard_normal(count) * 100, kind),
        rng.choice([0.5, 1.5, 2.25, 1 / 3], count),
    ]
    return choices[kind % len(choices)]


def elements(dtype, count, kind):
    """An array of a dtype."""
    with np.errstate(all="ignore"):
        if dtype.startswith("c"):
            return (reals(count, kind) + 1j * reals(count, kind // 2)).astype(dtype)
        if dtype.startswith("f"):
            return reals(count, kind).astype(dtype)
    least = 0 if dtype[0] in "ub" else -(10**kind)
    return rng.integers(least, 10 ** (kind + 1), count).astype(dtype)


def described(x):
    """What situ's `repr` is: NumPy's elements, with the shape and the dtype where the elements do not show them."""
    text = "ndarray(" + np.array2string(x, separator=", ", prefix="ndarray(", suffix=")")
    extras = [f"shape={x.shape}"] if x.size > 1000 or (x.size == 0 and x.shape != (0,)) else []
    if x.size == 0 or x.dtype.name not in ("bool", "int64", "float64", "complex128"):
        extras.append(f"dtype={x.dtype.name}")
    for extra in extras:
        room = LINE - (len(text) + 1 - text.rfind("\n") - 1)
        text += "," + (" " + extra if len(extra) + 2 <= room else "\n" + " " * 8 + extra)
    return text + ")"


def case(dtype, shape, x, ramp=False):
    """One case."""
    host = x.reshape(shape)
    bits = np.ascontiguousarray(x).view(UNSIGNED.get(dtype, dtype.replace("i", "u").replace("b1", "u1"))).tolist()
    head = " ".join([dtype, ",".join(map(str, shape)) or "-", *(["ramp"] if ramp else map(str, bits))])
    texts = [str(host), described(host)]
    return "\n".join([head, *(f"{text.count(chr(10)) + 1}\n{text}" for text in texts)])


def main():
    """Write every case."""
    cases = []
    for dtype in ("f8", "f4", "f2", "c16", "c8", "i8", "i2", "u1", "b1"):
        for kind, shape in enumerate([(), (3,), (14,), (2, 3), (2, 1, 4), (), (7,), (2, 9)]):
            cases.append(case(dtype, shape, elements(dtype, int(np.prod(shape)), kind)))
    cases += [case("f4", shape, np.empty(0, "f4")) for shape in [(0,), (0, 3), (2, 0)]]
    for dtype, shape in [("i8", (1001,)), ("f8", (1001,)), ("f8", (40, 30)), ("f4", (7, 8, 20)), ("i8", (2, 600))]:
        cases.append(case(dtype, shape, np.arange(int(np.prod(shape)), dtype=dtype), ramp=True))
    TARGET.write_text("\n".join(cases) + "\n")


main()
