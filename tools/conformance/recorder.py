"""A plugin for pytest: deselects what is left out, and writes down what became of every test.

It runs in every worker process of pytest-xdist and in the one that starts them, which alone sees all reports.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import expectations
import pytest

RESULTS, DOCUMENT, SUITE, PACKAGE = (f"SITU_CONFORMANCE_{name}" for name in ("RESULTS", "DOCUMENT", "SUITE", "PACKAGE"))
"""The environment variables it is told by. The last names the folder that has `dpctl.tests`, if there is one."""

if os.environ.get(PACKAGE):
    import dpctl

    dpctl.__path__.append(os.environ[PACKAGE])

_outcomes: dict[str, str] = {}
_reasons: dict[str, str] = {}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Take out what the document says is left out."""
    lists = expectations.read(Path(os.environ[DOCUMENT])).get(os.environ[SUITE], expectations.Expectations())
    kept: list[Any] = []
    dropped: list[Any] = []
    for item in items:
        name = test_name(item.nodeid)
        (dropped if any(row.names_for(name) for row in lists.left_out) else kept).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=dropped)


def test_name(node: str) -> str:
    """The name of a test, which begins with its file: the folder of the whole suite is left away."""
    return node.partition("/")[2]


def pytest_runtest_logreport(report: Any) -> None:
    """Note the outcome of a test: what fails in any of its phases has failed."""
    name = test_name(report.nodeid)
    worst = {"failed": 2, "skipped": 1, "passed": 0}
    if worst[report.outcome] >= worst[_outcomes.get(name, "passed")]:
        _outcomes[name] = report.outcome
    if report.failed:
        _reasons[name] = _last_line(report)


def pytest_collectreport(report: Any) -> None:
    """Note files that could not be imported."""
    if report.failed:
        _outcomes[test_name(report.nodeid)] = "failed"
        _reasons[test_name(report.nodeid)] = _last_line(report)


def _last_line(report: Any) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash else str(report.longrepr).strip().rpartition("\n")[2]
    return text.partition("\n")[0][:200]


def pytest_sessionfinish(session: Any) -> None:
    """Write the outcomes, unless this is a worker."""
    if not hasattr(session.config, "workerinput"):
        Path(os.environ[RESULTS]).write_text(json.dumps({"outcomes": _outcomes, "reasons": _reasons}), "utf-8")
