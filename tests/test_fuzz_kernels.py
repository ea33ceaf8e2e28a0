"""The tool that compares random kernels."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parent.parent / "tools"
sys.path.append(str(TOOLS))


def fuzz(*arguments):
    command = [sys.executable, str(TOOLS / "fuzz_kernels.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def test_random_kernels_agree():
    done = fuzz("--programs", "60", "--seed", "1")
    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith("programs 1 to 60 on null, ") and done.stdout.endswith("0 failed\n")


def test_programs_follow_from_their_seed():
    from kernel_grammar import program

    assert program(7) == program(7) != program(8)
    assert len({program(seed).source for seed in range(50)}) == 50
    assert {len(program(seed).lengths) for seed in range(50)} == {1, 2, 3}
    assert {program(seed).groups is None for seed in range(50)} == {True, False}


def test_what_fails_is_made_small(monkeypatch, capsys):
    """A simulator that forgets one operator is found out."""
    import fuzz_kernels

    def forgetful(function, case):
        wrong = fuzz_kernels.function_of(case.source.replace(" ^ ", " | "))
        return right(wrong, case)

    right = fuzz_kernels.simulated
    monkeypatch.setattr(fuzz_kernels, "simulated", forgetful)
    monkeypatch.setattr(sys, "argv", ["fuzz_kernels.py", "--programs", "200", "--seed", "1", "--most-failures", "1"])
    with pytest.raises(SystemExit) as end:
        fuzz_kernels.main()
    shown = capsys.readouterr().out
    assert end.value.code == 1 and "the interpreter and simulator differ in argument" in shown
    seed = re.search(r"again: .*fuzz_kernels.py --programs 1 --seed (\d+)", shown)[1]
    found = shown[shown.index("import math") : shown.index("again:")]
    assert " ^ " in found and len(found) < len(fuzz_kernels.program(int(seed)).source)
