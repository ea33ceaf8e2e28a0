"""A new elementwise function costs at most two files and ten lines, tests and the mathematics itself excepted.

Counted on the functions that exist: every line that names one, with its attributes, its documentation and its body. The
same meaning in C, which devices compile, counts as lines; its files are one per kind of number.
"""

import re
from pathlib import Path

import pytest
from reference import FUNCTIONS

ROOT = Path(__file__).parent.parent
FILES, LINES = 2, 10

pytestmark = pytest.mark.skipif(not (ROOT / "crates").is_dir(), reason="the sources are not here")

# What computes a function is not what it costs to have one more.
MATHEMATICS = ("scalar/math/", "scalar/complex/", "library/math_", "library/complex_")

# These are not one function among many: operators, what others are made of, and what every kind of number answers in
# its own way.
BUILDING_BLOCKS = set(
    """
    abs add bitwise_and bitwise_invert bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor cos divide equal
    exp2 floor floor_divide greater greater_equal imag isfinite isinf isnan less less_equal logical_or maximum minimum
    multiply negative not_equal pow real reciprocal remainder round sign signbit sin sqrt square subtract tan
    """.split()
)


def sources():
    for pattern in ("crates/*/src/**/*.rs", "python/situ/**/*.py"):
        for path in ROOT.glob(pattern):
            name = path.relative_to(ROOT).as_posix()
            if "/tests" not in name and "/bench/" not in name and not any(each in name for each in MATHEMATICS):
                yield name, path.read_text(encoding="utf-8").split("#[cfg(test)]")[0].splitlines()


def extent(lines, at):
    """The lines of the item that a line begins: its documentation and attributes above, its body below."""
    first = last = at
    while first and lines[first - 1].strip().startswith(("///", "#[")):
        first -= 1
    depth = lines[at].count("{") - lines[at].count("}")
    while depth > 0 and last + 1 < len(lines):
        last += 1
        depth += lines[last].count("{") - lines[last].count("}")
    return range(first, last + 1)


def lines_in_c(row):
    """How many functions of the device library a row names, for all kinds of numbers together."""
    names = "|".join(set(re.findall(r"(\w+)\(", row.split('"')[1])) - {"truth", "mul"})
    defined = re.compile(rf"(?:INLINE|OUTLINE) \w+ (?:{names})_\w+\(")
    library = (ROOT / "crates/situ-codegen/src/library").glob("*.c")
    own = [path for path in library if not any(each in path.as_posix() for each in MATHEMATICS)]
    return sum(bool(names and defined.match(line)) for path in own for line in path.read_text().splitlines())


def cost(name):
    row = next(line for line in (ROOT / "crates/situ-ir/src/ops.rs").read_text().splitlines() if f", {name}, (" in line)
    variant = re.match(r"\s*\[(\w+),", row)[1]
    methods = set(re.findall(r"[abc]\.(\w+)\(", row.split('"')[0]))
    words = "|".join({name} | {method for method in methods if method not in ("truth", "mul")})
    # Where it is defined or listed, not where it is called.
    word = re.compile(rf"\bfn ({words})\b|^\s*({words});|, ({words}),|\"({words})\"|\[{variant},|\bOp::{variant}\b")
    found = {}
    for path, lines in sources():
        named = {n for at, line in enumerate(lines) if word.search(line) for n in extent(lines, at)}
        if named:
            found[path] = len(named)
    return found, lines_in_c(row)


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - BUILDING_BLOCKS))
def test_budget(name):
    found, in_c = cost(name)
    assert len(found) <= FILES, found
    assert sum(found.values()) + in_c <= LINES, (found, in_c)


def test_the_library_is_counted():
    row = '[Ceil, ceil, (a), Real, by_width, same, a.ceil(), "ceil(a)", ""]'
    assert lines_in_c(row) == 3
