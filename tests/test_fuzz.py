"""The tool that runs property tests for as long as one likes."""

import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).parent.parent / "tools/fuzz.py"

PROPERTIES = """
from hypothesis import given, strategies as st

@given(st.integers())
def test_any(n):
    assert n == n

@given(st.integers(0, 3))
def test_small(n):
    assert n < 3
"""


def fuzz(*arguments):
    return subprocess.run(
        [sys.executable, TOOL, "--jobs", "0", "--seed", "1", *arguments], capture_output=True, text=True
    )


def test_failures_are_told_with_the_command_that_runs_them_again(tmp_path):
    (tmp_path / "test_it.py").write_text(PROPERTIES)
    done = fuzz(str(tmp_path / "test_it.py"))
    assert done.returncode == 1 and "1 failed; to run them again" in done.stdout
    assert "--hypothesis-seed=1" in done.stdout and "test_it.py::test_small" in done.stdout


def test_a_round_without_failures_is_a_success(tmp_path):
    (tmp_path / "test_it.py").write_text(PROPERTIES.replace("n < 3", "n < 4"))
    assert fuzz(str(tmp_path / "test_it.py")).returncode == 0


def test_a_round_that_ran_nothing_is_none(tmp_path):
    (tmp_path / "test_it.py").write_text("import nothing")
    for what in ("test_it.py", "no_such_file.py"):
        done = fuzz(str(tmp_path / what))
        assert done.returncode == 1 and "no test ran to its end" in done.stderr
