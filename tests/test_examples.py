"""The sessions that guides show run as shown, and so do the programs in examples/."""

import doctest
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

import situ
from situ import tensor

ROOT = Path(__file__).parent.parent
GUIDES = [path for path in sorted((ROOT / "docs").glob("*.md")) if "```pycon\n" in path.read_text(encoding="utf-8")]
PROGRAMS = sorted((ROOT / "examples").glob("*/main.py"))
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.fixture(autouse=True)
def from_the_root(monkeypatch):
    """Paths in guides start at the repository, and what is imported is forgotten."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.name)
def test_sessions_in_guides(guide):
    # What is printed ends at an empty line, or with the block.
    text = guide.read_text(encoding="utf-8").replace("\n```", "\n\n```")
    test = doctest.DocTestParser().get_doctest(text, {}, guide.name, str(guide), 0)
    report = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append)
    assert test.examples and not report, "".join(report)


def run(program):
    sys.path.insert(0, str(program.parent))
    return runpy.run_path(str(program))["main"]()


def test_there_are_guides_and_programs():
    assert any(guide.name == "where-does-it-run.md" for guide in GUIDES)
    assert {path.parent.name for path in PROGRAMS} >= {"linear_models", "two_packages"}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.parent.name)
def test_programs_run(program, capsys):
    run(program)
    assert capsys.readouterr().out


def test_two_packages():
    signal, energy, queue = run(ROOT / "examples/two_packages/main.py")
    x = np.linspace(0, 1, 1000)
    window = 1 - np.abs(2 * np.arange(1000) / 999 - 1)
    expected = np.sum(np.square(np.sin(2 * x) * np.exp(-np.square(x)) * window))
    assert signal.sycl_queue == energy.sycl_queue == queue
    assert float(energy) == pytest.approx(expected, rel=1e-12)


def test_linear_models_under_every_control():
    fits, cpu, other = run(ROOT / "examples/linear_models/main.py")
    places = {"follows data": other, "both halves": cpu, "global queue": other}
    assert fits.keys() == places.keys()
    for name, fit in fits.items():
        assert fit.sycl_queue == places[name]
        np.testing.assert_allclose(tensor.asnumpy(fit), [3, 2, -1], atol=1e-3)
    assert situ.device_context and tensor.ones(1).sycl_queue == situ.get_device_cached_queue(situ.Device())


def test_a_fit_predicts_where_it_was_made():
    sys.path.insert(0, str(ROOT / "examples/linear_models"))
    import linear_models

    bound = linear_models.offload_to("null")
    model = bound.linear_regression()
    model.compute(np.asarray([[0.0, 1], [1, 3], [2, 5]]))
    predicted = model.predict(np.asarray([[3.0]]))
    assert predicted.sycl_queue == bound.get_queue() and float(predicted[0]) == pytest.approx(7)
