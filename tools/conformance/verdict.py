"""What the results of a suite come to, held against what was expected."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from expectations import Expectations


@dataclass(frozen=True)
class Verdict:
    """The results per file, and everything that was not expected."""

    files: dict[str, Counter[str]]
    failures: list[str]
    passes: list[str]
    stale: list[str]

    @property
    def is_good(self) -> bool:
        """Whether everything was as expected."""
        return not (self.failures or self.passes or self.stale)

    @property
    def total(self) -> Counter[str]:
        """The sum over all files."""
        return sum(self.files.values(), Counter())


def judge(outcomes: dict[str, str], expected: Expectations, is_whole: bool) -> Verdict:
    """Compare outcomes with what was expected; names that mean no test are told only of the whole suite."""
    files: dict[str, Counter[str]] = {}
    failures, passes, used = [], [], set()
    for test, outcome in sorted(outcomes.items()):
        files.setdefault(test.partition("::")[0], Counter())[outcome] += 1
        names = [name for row in expected.fails for name in row.names_for(test)]
        used.update(names)
        if outcome == "failed" and not names:
            failures.append(test)
        elif outcome == "passed" and names:
            passes.append(test)
    listed = [name for row in expected.fails for name in row.names]
    return Verdict(files, failures, passes, [name for name in listed if is_whole and name not in used])


def table(verdict: Verdict) -> str:
    """Return the results as a table, a line for each file."""
    columns = ("passed", "failed", "skipped")
    width = max(map(len, [*verdict.files, "file"]))
    lines = [f"{'file':{width}} " + " ".join(f"{column:>8}" for column in columns)]
    for file, counts in [*sorted(verdict.files.items()), ("total", verdict.total)]:
        lines.append(f"{file:{width}} " + " ".join(f"{counts[column]:8}" for column in columns))
    return "\n".join(lines)
