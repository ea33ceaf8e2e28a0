"""What docs/differences.md says about the tests of other projects: which are left out, which fail, and why.

The document is the list. Below a heading `### <suite>: left out` or `### <suite>: expected to fail` stands a table.
Each row names tests in its first cell, between backticks, and the reason in its second. A name is a file, a test
function or one test of it, `*` standing for anything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

_HEADING = re.compile(r"### (?P<suite>.+): (?P<kind>left out|expected to fail)")
_ROW = re.compile(r"\| (?P<names>`.+`) \| (?P<reason>.+) \|")


@dataclass(frozen=True)
class Row:
    """Tests that share a reason."""

    names: tuple[str, ...]
    reason: str

    def names_for(self, test: str) -> list[str]:
        """Return those of the names that mean a test."""
        return [name for name in self.names if _pattern(name).fullmatch(test)]


@dataclass(frozen=True)
class Expectations:
    """The two lists of a suite."""

    left_out: list[Row] = field(default_factory=list)
    fails: list[Row] = field(default_factory=list)


def _pattern(name: str) -> re.Pattern[str]:
    """The names of a file or a function also mean the tests in it."""
    return re.compile(re.escape(name).replace(r"\*", ".*") + r"(\[.*|::.*)?", re.DOTALL)


def read(document: Path) -> dict[str, Expectations]:
    """Return the lists of each suite that the document has a heading for."""
    suites: dict[str, Expectations] = {}
    rows: list[Row] | None = None
    for line in document.read_text("utf-8").splitlines():
        if line.startswith("#"):
            heading = _HEADING.fullmatch(line)
            rows = None
            if heading:
                suite = suites.setdefault(heading["suite"], Expectations())
                rows = suite.left_out if heading["kind"] == "left out" else suite.fails
        elif rows is not None and (row := _ROW.fullmatch(line)):
            rows.append(Row(tuple(re.findall(r"`([^`]+)`", row["names"])), row["reason"]))
    return suites
