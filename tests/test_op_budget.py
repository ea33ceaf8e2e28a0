"""A new elementwise function costs at most two files and ten lines, tests and the mathematics itself excepted.

Counted on the functions that exist: every line that names one, with its attributes, its documentation and its body.
"""

import re
from pathlib import Path

import pytest
from reference import FUNCTIONS

ROOT = Path(__file__).parent.parent
FILES, LINES = 2, 10

pytestmark = pytest.mark.skipif(not (ROOT / "crates").is_dir(), reason="the sources are not here")

# What computes a function is not what it costs to have one more.
MATHEMATICS = ("scalar/math/", "scalar/complex/")

# These are not one function among many: operators, what others are made of, and what every kind of number answers in
# its own way.
BUILDING_BLOCKS = set(
    """
    abs add bitwise_and bitwise_invert bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor cos divide equal
    floor floor_divide greater greater_equal imag isfinite isinf isnan less less_equal logical_or maximum minimum
    multiply negative not_equal pow real remainder round sign signbit sin sqrt square subtract tan
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
    return found


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - BUILDING_BLOCKS))
def test_budget(name):
    found = cost(name)
    assert len(found) <= FILES, found
    assert sum(found.values()) <= LINES, found
