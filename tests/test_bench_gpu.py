"""The benchmark for GPUs, tried out on the processor with NumPy in the place of the other libraries."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

import situ
from situ._cli.terminal import Terminal
from situ.bench import gpu
from situ.bench.contest import Effort, Snippet
from situ.bench.gpu import elementwise, goals, libraries, others, report, startup
from situ.bench.gpu.work import Outcome, Work

BRIEF = Effort(rounds=2, batch=1e-4)


def outcome(title: str, own: float, nbytes: int | None = None, **peers: float) -> Outcome:
    times = {("situ", "new"): own} | {(name, ""): seconds for name, seconds in peers.items()}
    return Outcome(title, times, nbytes=nbytes)


@pytest.fixture
def pair() -> list[libraries.Library]:
    return [libraries.Situ(situ.Device("cpu")), libraries.NumPy()]


def test_everything_is_measured_and_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "_EFFORT", BRIEF)
    monkeypatch.setattr(startup, "_IMPORTS", 1)
    stream, data, text = io.StringIO(), tmp_path / "gpu.json", tmp_path / "gpu.md"
    found = gpu.run(Terminal(stream, width=120), device="cpu", smaller=16, json=str(data), markdown=str(text))
    titles = [work.title for group in gpu.groups(16) for work in group]
    assert [each.title for each in found] == titles and len(set(titles)) == len(titles)
    for each in found:
        # NumPy has no kernels, and those in CUDA C have no place to run here.
        is_kernel = each.title.startswith("kernel ") or "RawKernel" in "".join(each.errors)
        assert set(each.errors) <= ({"situ RawKernel"} if is_kernel else set())
        assert each.seconds("situ") > 0
        assert is_kernel or "pinned" in each.title or each.seconds("NumPy") > 0
    written = text.read_text(encoding="utf-8")
    content = json.loads(data.read_text())
    assert [each["work"] for each in content["outcomes"]] == titles
    assert [each["title"] for each in content["goals"]] == [goal.title for goal in goals.GOALS]
    for title in titles:
        assert f"| {title} |" in written and f"\n{title}: situ " in "\n" + stream.getvalue()
    # Times on another machine with smaller arrays say nothing.
    assert {each["passed"] for each in content["goals"] if "mask" in each["title"]} == {None}


def test_at_full_size_every_row_is_there() -> None:
    titles = {work.title for group in gpu.groups() for work in group}
    assert {others.to_device(size) for size in others.SIZES} < titles
    assert {others.take_title(2**27), others.take_title(2**28), others.MASK, others.PROGRAM, others.SUBMIT} < titles
    assert {startup.IMPORT, startup.COLD, startup.WARM, elementwise.COPY} < titles


def test_only_some(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "_EFFORT", BRIEF)
    terminal = Terminal(io.StringIO(), width=100)
    found = gpu.run(terminal, device="cpu", smaller=16, only="sqrt")
    assert [each.title for each in found] == ["sqrt float32", "sqrt float64"]
    with pytest.raises(ValueError, match="'nonsense'; there are: copy float32, "):
        gpu.run(terminal, device="cpu", smaller=16, only="nonsense")


def test_what_takes_too_long_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "_LIMIT", 0.0)
    stream = io.StringIO()
    (found,) = gpu.run(Terminal(stream, width=100), device="cpu", smaller=16, only="mask] ")
    assert found.times == {} and "left out" in stream.getvalue()


def test_a_library_that_fails_is_left_out_and_the_others_are_timed(pair: list[libraries.Library]) -> None:
    def ways(library: libraries.Library) -> Mapping[str, Snippet]:
        if library.name == "NumPy":
            raise KeyError("no such thing")
        return {"good": library.snippet("r = a", a=np.ones(3)), "bad": library.snippet("r = 1 / 0")}

    library = libraries.NumPy()
    library.name = "situ"
    found = Work("some work", ways).measure([library, pair[1]], BRIEF)
    assert set(found.times) == {("situ", "good")}
    assert found.errors == {"situ bad": "ZeroDivisionError: division by zero", "NumPy": "KeyError: 'no such thing'"}
    assert "[NumPy: KeyError: 'no such thing']" in report.one_line(found, ["situ", "NumPy"])


def test_a_different_result_is_not_timed(pair: list[libraries.Library]) -> None:
    def ways(library: libraries.Library) -> Mapping[str, Snippet]:
        a = library.operand("float64", 100)
        return {"": library.snippet("r = a + d", a=a, d=0.0 if library.name == "situ" else 1e-9)}

    found = Work("sum", ways).measure(pair, BRIEF)
    assert set(found.times) == {("situ", "")} and "differs" in found.errors["NumPy"]


def test_submitting_is_not_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    library, log = libraries.NumPy(), []
    monkeypatch.setattr(library, "wait", lambda *_: log.append("wait"))
    work = Work("call", lambda library: {"": library.snippet("log('call')", log=log.append)}, awaited=False)
    assert work._timed(library, work.ways(library)[""])(3) > 0
    assert log == ["call", "call", "call", "wait"]


class TestGoals:
    def verdicts(self, *outcomes: Outcome, full_size: bool = True) -> dict[str, bool | None]:
        return {judged.title: judged.passed for judged in goals.judge(outcomes, full_size=full_size)}

    @pytest.mark.parametrize(
        ("goal", "title", "kept", "missed"),
        [
            ("program sin(2x) * exp(-x*x)", others.PROGRAM, 0.72e-3, 0.73e-3),
            ("submitting a + b of 16", others.SUBMIT, 7.6e-6, 7.8e-6),
            ("submitting a + b of 16, aim", others.SUBMIT, 3.9e-6, 4.1e-6),
            ("x[mask], half true", others.MASK, 1.71e-3, 1.73e-3),
            ("first call, nothing cached", startup.COLD, 0.49, 0.51),
            ("first call, compiled before", startup.WARM, 0.019, 0.021),
            ("import situ", startup.IMPORT, 0.149, 0.151),
        ],
    )
    def test_those_about_a_time(self, goal: str, title: str, kept: float, missed: float) -> None:
        assert self.verdicts(outcome(title, kept))[goal] is True
        assert self.verdicts(outcome(title, missed))[goal] is False
        assert self.verdicts()[goal] is None

    def test_the_bandwidth(self) -> None:
        copy = outcome(elementwise.COPY, 1.0, 1000)
        for rate, passed in ((951, True), (949, False)):
            found = self.verdicts(copy, outcome("add float32", 1.0, 1000), outcome("sin float32", 1.0, rate))
            assert found["elementwise float32"] is passed and found["elementwise float64"] is None

    def test_the_peers(self) -> None:
        title = others.to_device(2**30)
        for theirs, passed in ((3.1, True), (2.9, False)):
            found = self.verdicts(outcome(title, 1.0, PyTorch=theirs, CuPy=1.1))
            assert found["host to device, 1 GiB of ordinary memory"] is passed
            assert found["rows where a peer is faster"] is True
        assert (
            self.verdicts(outcome("a", 1.0, CuPy=0.99), outcome("b", 1.0, JAX=2.0))["rows where a peer is faster"]
            is False
        )
