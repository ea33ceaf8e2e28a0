"""What one more function costs, counted on every function that there is.

An elementwise function is a row of the op table. If its meaning needs a new method, that is a few lines in Rust and in
C for each kind of number that it works differently for, in one more file. A reduction is a row, and a function composed
of others is one Rust function and one row. The mathematics itself, which computes a sine, is not counted, and neither
are tests.
"""

import re
from functools import cache
from pathlib import Path

import pytest
from reference import FUNCTIONS

from situ import tensor

ROOT = Path(__file__).parent.parent
OPS = "crates/situ-ir/src/ops.rs"
REDUCTIONS = "crates/situ-ir/src/statistic.rs"
FILES = 2
LINES = 20

pytestmark = pytest.mark.skipif(not (ROOT / "crates").is_dir(), reason="the sources are not here")

# What computes a function is not what it costs to have one more.
MATHEMATICS = ("scalar/math/", "scalar/complex/", "library/math_", "library/complex_")

# What makes kernels quick: how indices move on, and what can be one step. An op that is not known there is only slower.
SHORT_CUTS = ("situ-cpu/src/launch/", "situ-codegen/src/launch/")

# Whose mathematics are among the methods.
LONGER = {"floor_divide": 53, "pow": 66, "remainder": 52}

# Lines outside its row that ask whether an op is this one. Each is a fact that the table has no place for; there are
# none for an op that is not here, and the numbers only ever go down.
ASKED_ELSEWHERE = {
    "add": 2, "cos": 1, "equal": 1, "floor_divide": 3, "greater": 3, "greater_equal": 3, "imag": 1, "isfinite": 1,
    "isinf": 1, "isnan": 1, "less": 3, "less_equal": 3, "maximum": 3, "minimum": 3, "multiply": 1, "not_equal": 3,
    "positive": 1, "pow": 6, "real": 1, "remainder": 3, "sin": 1,
}  # fmt: skip


@cache
def sources():
    """The lines of every source file without its tests and comments, by name."""
    found = {}
    for pattern in ("crates/*/src/**/*.rs", "python/situ/**/*.py"):
        for path in ROOT.glob(pattern):
            name = path.relative_to(ROOT).as_posix()
            if not any(part in name for part in ("/tests", "/bench/", "situ-conformance/", *MATHEMATICS, *SHORT_CUTS)):
                text = path.read_text(encoding="utf-8").split("#[cfg(test)]")[0]
                found[name] = text.splitlines()
    return found


@cache
def rows(table):
    """The rows of a table, by name."""
    lines = (ROOT / table).read_text(encoding="utf-8").splitlines()
    return {found[1]: line for line in lines if (found := re.match(r"            \[\w+, (\w+), .*\]$", line))}


def methods(row):
    """The methods that a row's meaning calls."""
    return set(re.findall(r"[abc]\.(\w+)\(", row.split('"')[0]))


def own_methods(name):
    """The methods that only this op's meaning calls: others would be there without it."""
    others = {method for other, row in rows(OPS).items() if other != name for method in methods(row)}
    return methods(rows(OPS)[name]) - others


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


def lines_in_rust(name):
    """How many lines the methods of an op have, by file."""
    words = "|".join(own_methods(name))
    defined = re.compile(rf"\bfn ({words})\b|^\s*({words});")
    found = {}
    for path, lines in sources().items():
        if words and path.startswith("crates/situ-ir/src/scalar/"):
            own = {n for at, line in enumerate(lines) if defined.search(line) for n in extent(lines, at)}
            if own:
                found[path] = len(own)
    return found


def lines_in_c(name):
    """How many functions of the device library an op names that no other does, for all kinds of numbers together."""
    called = {other: set(re.findall(r"(\w+)\(", row.split('"')[1])) for other, row in rows(OPS).items()}
    words = "|".join(called[name] - set().union(*(called[other] for other in called if other != name)))
    defined = re.compile(rf"(?:INLINE|OUTLINE) \w+ (?:{words})_\w+\(")
    library = (ROOT / "crates/situ-codegen/src/library").glob("*.c")
    own = [path for path in library if not any(each in path.as_posix() for each in MATHEMATICS)]
    return sum(bool(words and defined.match(line)) for path in own for line in path.read_text().splitlines())


def asked_elsewhere(variant):
    """The places where an op is told from others: compared, in a pattern, or by its number."""
    op = rf"\bOp::{variant}\b"
    asked = re.compile(rf"[=!]= {op}|{op} as usize|matches!\(.*{op}|{op}.*=>|\| {op}|{op} \|")
    return [
        f"{path}:{at + 1}"
        for path, lines in sources().items()
        for at, line in enumerate(lines)
        if f"Op::{variant}" in line and asked.search(line) and not line.strip().startswith("//")
    ]


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_an_elementwise_function(name):
    row = rows(OPS)[name]
    variant = re.match(r"\s*\[(\w+),", row)[1]
    in_rust, in_c = lines_in_rust(name), lines_in_c(name)
    assert 1 + len(in_rust) <= FILES, in_rust
    assert 1 + sum(in_rust.values()) + in_c <= LONGER.get(name, LINES), (in_rust, in_c)
    asked = asked_elsewhere(variant)
    assert len(asked) <= ASKED_ELSEWHERE.get(name, 0), asked


@pytest.mark.parametrize("name", sorted(rows(REDUCTIONS)))
def test_a_reduction_is_a_row(name):
    variant = re.match(r"\s*\[(\w+),", rows(REDUCTIONS)[name])[1]
    # A function that is composed of scans or reductions may say of which.
    word = re.compile(rf"^(?!\s*//)(?!.*\b(?:accumulate|reduce|reduce_program)\().*\bStatistic::{variant}\b")
    assert [path for path, lines in sources().items() for line in lines if variant in line and word.search(line)] == []
    assert name in tensor._functions.__all__


COMPOSED = sorted(set(tensor._functions.__all__) - set(rows(OPS)) - set(rows(REDUCTIONS)))


@pytest.mark.parametrize("name", COMPOSED)
def test_a_composed_function_is_a_function_and_a_row(name):
    bindings = {path: lines for path, lines in sources().items() if path.startswith("crates/situ-python/src/")}
    registered = re.compile(rf"wrap_pyfunction!\({name}_?,")
    found = [path for path, lines in bindings.items() for line in lines if name in line and registered.search(line)]
    assert len(found) == 1
    listed = re.compile(rf"""^\s*["']?{name}["']?,$|import .*\b{name}\b(?! as _)""")
    namespace = sources()["python/situ/tensor/__init__.py"]
    assert [line for line in namespace if listed.search(line)] == []


def test_the_library_is_counted():
    assert lines_in_c("ceil") == 3
    assert lines_in_rust("ceil") == {"crates/situ-ir/src/scalar/real.rs": 2}
