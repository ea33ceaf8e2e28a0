"""The benchmark's arithmetic, and that it runs. No test depends on how long anything takes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from situ.bench import contest, goals, own
from situ.bench.contest import Case, Contest, Effort, Result, Snippet, compete


def result(case: str, peer: str, ratio: float, own_time: float = 1e-3) -> Result:
    return Result(case=case, peer=peer, situ=own_time, other=ratio * own_time, ratio=ratio, spread=0.0, rounds=3)


def test_a_snippet_runs_its_parts_in_order() -> None:
    log: list[str] = []
    names = {"log": log.append}
    Snippet("log('work')", names, finish="log('end')").compiled()(2)
    assert log == ["work", "work", "end"]
    log.clear()
    Snippet("log('work')", names, before="log('rest')").compiled()(2)
    assert log == ["rest", "work", "rest", "work"]


def test_only_the_statement_is_timed_after_a_before(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]

    def spend(seconds: float) -> None:
        now[0] += seconds

    monkeypatch.setattr(contest.time, "perf_counter", lambda: now[0])
    snippet = Snippet("spend(1)", {"spend": spend}, before="spend(100)")
    assert snippet.compiled()(3) == 3
    assert Snippet("spend(1)", {"spend": spend}, finish="spend(5)").compiled()(3) == 8


def test_contestants_take_turns() -> None:
    log: list[str] = []
    names = {"log": log.append}
    ours, *others = (Snippet(f"log({letter!r})", names) for letter in "abc")
    contestants = Contest(ours, dict(zip("xy", others, strict=True)))
    results = compete(Case("turns", lambda: contestants, repeats=2), Effort(rounds=3, batch=1.0))
    assert "".join(log) == "aabbcc" * 3
    assert [(r.case, r.peer, r.rounds) for r in results] == [("turns", "x", 3), ("turns", "y", 3)]


def test_the_ratio_is_the_median_of_the_rounds() -> None:
    found = contest._result("case", "peer", [1.0, 1.0, 2.0], [2.0, 4.0, 6.0])
    assert (found.situ, found.other, found.ratio) == (1.0, 4.0, 3.0)
    # The ratios are 2, 3 and 4, with quartiles 2.5 and 3.5.
    assert found.spread == pytest.approx(0.5 / 3)


def test_wrong_results_are_not_timed() -> None:
    nothing = Contest(Snippet("pass", {"x": 0}), {}, check=lambda: False)
    with pytest.raises(ValueError, match="computed different results"):
        compete(Case("wrong", lambda: nothing), Effort(rounds=1, batch=0.0))


@pytest.mark.parametrize(
    ("case", "peer", "kept", "missed"),
    [
        (own.TWO_QUEUES, "one of them", 1 / 0.64, 1 / 0.66),
        (own.SECOND_ALLOCATION, "the first", 1 / 0.09, 1 / 0.11),
        ("add float64 n=10^7", "NumPy", 2.6, 2.4),
        ("add float64 n=4", "NumPy", 1.1, 0.9),
    ],
)
def test_goals_are_judged_by_their_ratio(case: str, peer: str, kept: float, missed: float) -> None:
    for ratio, passed in ((kept, True), (missed, False)):
        verdicts = {j.goal.case: j.passed for j in goals.judge([result(case, peer, ratio)])}
        assert verdicts.pop(case) is passed
        assert set(verdicts.values()) == {None}


def test_the_fork_join_goal_is_judged_by_its_time() -> None:
    for seconds, passed in ((0.29e-6, True), (0.31e-6, False)):
        judged = goals.judge([result(own.FORK_JOIN, own.THREAD_POOL, 10.0, seconds)])
        assert [j.passed for j in judged if j.goal.case == own.FORK_JOIN] == [passed]


def test_a_quick_run_writes_everything(tmp_path: Path) -> None:
    data, text = tmp_path / "bench.json", tmp_path / "bench.md"
    command = [sys.executable, "-m", "situ", "bench", "--quick", "--json", str(data), "--markdown", str(text)]
    settings = os.environ | {"PYTHONIOENCODING": "utf-8", "COLUMNS": "100"}
    done = subprocess.run(command, capture_output=True, encoding="utf-8", env=settings, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    assert max(map(len, done.stdout.splitlines())) <= 120

    content = json.loads(data.read_text())
    assert {"processor", "device", "numpy", "situ", "python"} <= content["machine"].keys()
    results = {(r["case"], r["peer"]): r for r in content["results"]}
    for name in ("add", "subtract", "multiply", "divide", "sin", "exp", "square"):
        for size in ("10", "10^3", "10^5"):
            assert results[f"{name} float64 n={size}", "NumPy"]["ratio"] > 0
    assert ("add float64 n=10^7", "NumPy") in results
    assert (f"{own.SECOND_ALLOCATION}, touched", "the first") in results
    assert all(r["situ"] > 0 and r["other"] > 0 and r["rounds"] == 5 for r in results.values())

    assert [goal["title"] for goal in content["goals"]] == [goal.title for goal in goals.GOALS]
    written = text.read_text(encoding="utf-8")
    for (case, peer), _ in results.items():
        row = [line for line in written.splitlines() if line.startswith(f"| {case} |") and f"| {peer} |" in line]
        assert len(row) == 1
        assert case in done.stdout
    for goal in content["goals"]:
        assert goal["title"] in written and goal["measured"] in done.stdout
