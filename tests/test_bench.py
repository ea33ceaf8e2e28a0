"""The benchmark's arithmetic, and that it runs. No test depends on how long anything takes."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import situ
from situ import tensor
from situ._cli.terminal import Terminal
from situ.bench import (
    cases,
    contest,
    expressions,
    functions,
    goals,
    look_again,
    matrix,
    operands,
    own,
    scaling,
    summary,
)
from situ.bench.contest import Case, Cell, Contest, Different, Effort, Result, Snippet, compete


@pytest.fixture(autouse=True)
def on_the_processor() -> Iterator[None]:
    with situ.device_context("cpu"):
        yield


def result(case: str, peer: str, ratio: float, own_time: float = 1e-3, cell: Cell | None = None) -> Result:
    other = ratio * own_time
    return Result(case=case, peer=peer, situ=own_time, other=other, ratio=ratio, spread=0.0, rounds=3, cell=cell)


def whole_matrix(ratio: float) -> list[Result]:
    return [result(case.name, "NumPy", ratio, cell=case.cell) for case in matrix.cases()]


def verdicts(results: list[Result], different: list[str] | None = None) -> dict[str, bool | None]:
    return {judged.goal.title: judged.passed for judged in goals.judge(results, different or [])}


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


def test_close_cells_are_measured_again() -> None:
    counted = {"close": 0, "far": 0}

    def prepared(name: str) -> Contest:
        counted[name] += 1
        nothing = Snippet("pass", {})
        return Contest(nothing, {"NumPy": nothing})

    cell = Cell("add", "int32", "row", 10)
    by_name = {name: Case(name, lambda name=name: prepared(name), repeats=1, cell=cell) for name in counted}
    ahead, level = {"situ": [1.0], "NumPy": [3.0]}, {"situ": [1.0], "NumPy": [1.05]}
    measured = [(by_name["far"], ahead), (by_name["close"], level), (Case("no cell", lambda: prepared("far")), level)]
    terminal = Terminal(io.StringIO())
    look_again(terminal, measured, Effort(rounds=4, batch=1.0))
    assert counted == {"close": 1, "far": 0}
    assert [len(times["NumPy"]) for _, times in measured[:2]] == [1, 5]
    assert [r.rounds for case, times in measured[:2] for r in contest.results(case, times)] == [1, 5]


def test_a_budget_leaves_rounds_out_but_never_all(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]

    def spend() -> None:
        now[0] += 1.0

    monkeypatch.setattr(contest.time, "perf_counter", lambda: now[0])
    snippet = Snippet("spend()", {"spend": spend})
    case = Case("slow", lambda: Contest(snippet, {"other": snippet}), repeats=1)
    for budget, rounds in ((0.5, 3), (9.0, 5), (None, 20)):
        assert [r.rounds for r in compete(case, Effort(rounds=20, batch=1.0, budget=budget))] == [rounds]


def test_the_ratio_is_the_median_of_the_rounds() -> None:
    found = contest._result("case", "peer", [1.0, 1.0, 2.0], [2.0, 4.0, 6.0])
    assert (found.situ, found.other, found.ratio) == (1.0, 4.0, 3.0)
    # The ratios are 2, 3 and 4, with quartiles 2.5 and 3.5.
    assert found.spread == pytest.approx(0.5 / 3)


def test_wrong_results_are_not_timed() -> None:
    nothing = Contest(Snippet("pass", {"x": 0}), {}, check=lambda: False)
    with pytest.raises(Different, match="computed different results"):
        compete(Case("wrong", lambda: nothing), Effort(rounds=1, batch=0.0))


class TestTheMatrix:
    def test_it_has_every_function(self) -> None:
        names = set(tensor._functions._ELEMENTWISE)
        assert names | {"clip", "where"} < set(functions.functions())
        found = {case.cell.function for case in matrix.cases() if case.cell}
        assert found == set(functions.functions())

    def test_it_has_every_layout_and_size(self) -> None:
        found = [case.cell for case in matrix.cases(["add", "sin"]) if case.cell]
        assert len({cell.name for cell in found}) == len(found)
        add = {(cell.layout, cell.n) for cell in found if cell.function == "add" and cell.dtype == "float32"}
        sin = {(cell.layout, cell.n) for cell in found if cell.function == "sin" and cell.dtype == "int32"}
        small = {("transposed", 10)}
        assert add == {(layout, n) for layout in operands.LAYOUTS for n in matrix.SIZES} - small
        assert sin == {pair for pair in add if pair[0] not in ("row", "scalar")}

    @pytest.mark.parametrize("name", functions.functions())
    def test_every_cell_computes_what_numpy_does(self, name: str) -> None:
        # This also finds inputs outside a function's domain: NumPy would warn, and warnings are errors.
        for case in matrix.cases([name], sizes=[10, 1000]):
            contestants = case.prepare()
            assert contestants.check(), case.name
            for contestant in (contestants.situ, *contestants.peers.values()):
                assert contestant.compiled()(2) > 0

    def test_operands_have_their_layouts(self) -> None:
        interval = functions.Interval(0, 1)
        for layout in operands.LAYOUTS:
            host, ours = operands.arranged(layout, (interval, interval), "float64", 1000)
            for theirs, mine in zip(host, ours, strict=True):
                if layout == "scalar" and theirs is host[1]:
                    assert theirs == mine == 0.5
                    continue
                np.testing.assert_array_equal(tensor.asnumpy(mine), theirs)
                assert mine.strides == tuple(step // 8 for step in theirs.strides)
            last = ours[-1]
            if layout == "strided":
                assert last.strides == (2,)
            elif layout == "transposed":
                assert (last.shape, last.strides) == ((25, 40), (1, 25)) and ours[0].strides == (40, 1)
            elif layout == "row":
                assert (ours[0].shape, last.shape) == ((25, 40), (40,))

    def test_results_that_differ_are_noticed(self) -> None:
        x = tensor.arange(10, dtype="float64")
        wanted = np.arange(10.0)
        assert matrix.agree(x, wanted)
        assert not matrix.agree(x, wanted.astype("float32"))
        assert not matrix.agree(x, wanted.reshape(2, 5))
        assert not matrix.agree(x, wanted * (1 + 1e-9))

    def test_its_summary(self) -> None:
        found = whole_matrix(2.0)
        worse = [result(r.case, r.peer, 0.5, cell=r.cell) if r.cell.layout == "row" else r for r in found if r.cell]
        cells = summary.cells([*worse, result("own", "NumPy", 100.0), result("x", "numexpr", 9.0, cell=found[0].cell)])
        groups = {group.title: group for group in summary.groups(cells)}
        assert groups["row"].mean == pytest.approx(0.5) and groups["strided"].mean == pytest.approx(2)
        assert groups["row"].below == groups["row"].number == groups["all cells"].below == len(summary.below(cells))
        assert groups["all cells"].number == len(found)
        rows = groups["row"].number
        assert groups["all cells"].mean == pytest.approx(2 ** (1 - 2 * rows / len(found)))


class TestGoals:
    @pytest.mark.parametrize(
        ("title", "case", "peer", "kept", "missed"),
        [
            ("two sub-device queues, against one of them", own.TWO_QUEUES, "one of them", 1 / 0.64, 1 / 0.66),
            ("second 80 MB allocation, against the first", own.SECOND_ALLOCATION, "the first", 1 / 0.09, 1 / 0.11),
            ("a + b, 10^7 float64, new result", expressions.ADD.format("10^7"), "NumPy", 2.6, 2.4),
            ("a + b of 4 elements", expressions.ADD.format(4), "NumPy", 1.1, 0.9),
            ("sin, 10^7 float64", "sin float64 contiguous n=10^7", "NumPy", 12.1, 11.9),
            ("b[2:, 2:] += a, 8192² float64", expressions.INNER, "NumPy", 1.6, 1.4),
            ("four-step program, 10^7 float64", expressions.FOUR_STEPS, "NumPy", 8.1, 7.9),
            ("a + b of 4: among 10^5 arrays, against 10", scaling.COMPANY, scaling.FEW, 1 / 1.09, 1 / 1.11),
        ],
    )
    def test_those_about_a_ratio(self, title: str, case: str, peer: str, kept: float, missed: float) -> None:
        for ratio, passed in ((kept, True), (missed, False)):
            found = verdicts([result(case, peer, ratio)])
            assert found.pop(title) is passed
            assert set(found.values()) == {None}

    def test_the_fork_join(self) -> None:
        for seconds, passed in ((0.29e-6, True), (0.31e-6, False)):
            found = verdicts([result(own.FORK_JOIN, own.THREAD_POOL, 10.0, seconds)])
            assert found["empty fork-join, team awake"] is passed

    def test_the_time_per_element(self) -> None:
        case = scaling.PER_ELEMENT.format("sin")
        for ratios, passed in (((1.0, 1.2, 1.4), True), ((1.0, 1.2, 1.6), False), ((0.8, 1.0, 1.3), False)):
            found = verdicts([result(case, f"n={i}", ratio, 1e-9) for i, ratio in enumerate(ratios)])
            assert found["sin: time per element, 10^5 to 10^8"] is passed
            assert found["add: time per element, 10^5 to 10^8"] is None

    def test_those_about_the_whole_matrix(self) -> None:
        mean, everywhere = "geometric mean of the matrix", "no cell of the matrix below NumPy"
        for ratio, passed in ((3.1, (True, True)), (2.9, (False, True)), (0.9, (False, False))):
            found = verdicts(whole_matrix(ratio))
            assert (found[mean], found[everywhere]) == passed
        assert verdicts(whole_matrix(3.1), ["sin float64 row n=10"])[everywhere] is False
        assert verdicts(whole_matrix(3.1)[:-50])[mean] is None


def test_company_is_alive_while_it_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    live = situ.memory.pool_stats()["total"]["in_use_blocks"]
    seen: list[int] = []
    look = Snippet("look()", {"look": lambda: seen.append(situ.memory.pool_stats()["total"]["in_use_blocks"])})
    scaling.InCompany(look, 500).compiled()(1)
    assert min(seen) >= live + 500
    assert situ.memory.pool_stats()["total"]["in_use_blocks"] < live + 500


def test_a_time_per_element_is_one() -> None:
    calls: list[int] = []
    small = scaling.PerElement(Snippet("add(1)", {"add": calls.append}), 10**5)
    assert 0 < small.compiled()(1) < 1e-6
    assert len(calls) == 100


def test_cases_are_chosen_by_name() -> None:
    assert [case.name for case in cases.chosen(cases.QUICK, "n=4")] == ["a + b float64 n=4"]
    quick, usual, everything = (len(cases.chosen(extent, None)) for extent in ("quick", "usual", "matrix"))
    assert quick < usual < 1500 < 3000 < everything
    with pytest.raises(ValueError, match="no case's name contains 'nonsense'; there are: .*where"):
        cases.chosen(cases.USUAL, "nonsense")


def test_a_quick_run_writes_everything(tmp_path: Path) -> None:
    data, text = tmp_path / "bench.json", tmp_path / "bench.md"
    command = [sys.executable, "-m", "situ", "bench", "--quick", "--json", str(data), "--markdown", str(text)]
    settings = os.environ | {"PYTHONIOENCODING": "utf-8", "COLUMNS": "100"}
    done = subprocess.run(command, capture_output=True, encoding="utf-8", env=settings, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    assert max(map(len, done.stdout.splitlines())) <= 120

    content = json.loads(data.read_text())
    assert {"processor", "device", "numpy", "situ", "python"} <= content["machine"].keys()
    assert content["different"] == []
    results = {(r["case"], r["peer"]): r for r in content["results"]}
    for name in matrix.SAMPLE:
        for layout in ("contiguous", "strided"):
            for size in ("10", "10^3", "10^5"):
                assert results[f"{name} float64 {layout} n={size}", "NumPy"]["ratio"] > 0
    assert (f"{own.SECOND_ALLOCATION}, touched", "the first") in results
    assert all(r["situ"] > 0 and r["other"] > 0 and r["rounds"] == 5 for r in results.values())
    cells = [r for (_, peer), r in results.items() if r["cell"] is not None and peer == "NumPy"]
    assert {r["cell"]["family"] for r in cells} == {"elementwise", "manipulation", "products", "reductions", "sorting"}
    cells = [r for r in cells if r["cell"]["family"] == "elementwise"]
    assert content["summary"][0]["number"] == len(cells)

    assert [goal["title"] for goal in content["goals"]] == [goal.title for goal in goals.GOALS]
    written = text.read_text(encoding="utf-8")
    for (case, peer), found in results.items():
        if found["cell"] is None:
            assert sum(line.startswith(f"| {case} |") and f"| {peer} |" in line for line in written.splitlines()) == 1
            assert case[:20] in done.stdout
        elif peer == "NumPy":
            cell = found["cell"]
            row = f"| {cell['function']} | {cell['dtype']} | {cell['layout']} |"
            assert sum(line.startswith(row) for line in written.splitlines()) == 1
    for goal in content["goals"]:
        assert goal["title"] in written and goal["measured"] in done.stdout
