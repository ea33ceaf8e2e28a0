"""tools/conformance: what it reads from the document, and what it makes of results."""

import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TOOL = ROOT / "tools/conformance"

pytestmark = pytest.mark.skipif(not TOOL.is_dir(), reason="the tools are not here")

TABLE = """
# Something else

| `no/test.py` | not below a heading that counts |

### a suite: left out

| tests | why |
|---|---|
| `test_a.py`, `test_b.py::test_*_inside` | How it is made. |

### a suite: expected to fail

| tests | why |
|---|---|
| `test_c.py::test_one[f4]`, `test_c.py::test_two` | Better so. |

## The end

| `test_d.py` | not a row of the suite |
"""


@pytest.fixture(scope="module")
def tool():
    """The modules of the tool by name."""
    sys.path.insert(0, str(TOOL))
    try:
        yield importlib.import_module
    finally:
        sys.path.remove(str(TOOL))


@pytest.fixture
def suite(tool, tmp_path):
    (tmp_path / "list.md").write_text(TABLE)
    return tool("expectations").read(tmp_path / "list.md")["a suite"]


def test_the_document_is_read(suite):
    assert [row.names for row in suite.left_out] == [("test_a.py", "test_b.py::test_*_inside")]
    assert [(row.names, row.reason) for row in suite.fails] == [
        (("test_c.py::test_one[f4]", "test_c.py::test_two"), "Better so.")
    ]


@pytest.mark.parametrize(
    ("name", "meant", "others"),
    [
        ("test_a.py", ["test_a.py::test_x", "test_a.py::test_x[1]"], ["test_aa.py::test_x", "test_a.pyc::test_x"]),
        (
            "a.py::test_x",
            ["a.py::test_x", "a.py::test_x[1-2]"],
            ["a.py::test_xx", "a.py::test_x_y[1]", "b/a.py::test_x"],
        ),
        ("a.py::test_x[1]", ["a.py::test_x[1]"], ["a.py::test_x", "a.py::test_x[12]"]),
        ("*::test_*_x", ["b/a.py::test_1_x", "a.py::test_1_2_x[3]"], ["a.py::test_x"]),
        ("a.py::test_x[fft-*]", ["a.py::test_x[fft-1]"], ["a.py::test_x[fft]", "a.py::test_x[linalg-1]"]),
    ],
)
def test_names_mean_files_functions_and_tests(tool, name, meant, others):
    row = tool("expectations").Row((name,), "why")
    assert all(row.names_for(test) == [name] for test in meant)
    assert not any(row.names_for(test) for test in others)


def test_whatever_is_not_expected_is_told(tool, suite):
    judge = tool("verdict").judge
    outcomes = {
        "test_c.py::test_one[f4]": "failed",
        "test_c.py::test_two": "skipped",
        "test_c.py::test_one[f8]": "passed",
    }
    good = judge(outcomes, suite, is_whole=True)
    assert good.is_good and good.files == {"test_c.py": {"failed": 1, "skipped": 1, "passed": 1}}
    bad = judge(outcomes | {"test_c.py::test_one[f8]": "failed"}, suite, is_whole=True)
    assert bad.failures == ["test_c.py::test_one[f8]"] and not bad.is_good
    bad = judge(outcomes | {"test_c.py::test_one[f4]": "passed"}, suite, is_whole=True)
    assert bad.passes == ["test_c.py::test_one[f4]"] and not bad.is_good
    del outcomes["test_c.py::test_two"]
    bad = judge(outcomes, suite, is_whole=True)
    assert bad.stale == ["test_c.py::test_two"] and not bad.is_good
    assert judge(outcomes, suite, is_whole=False).is_good
    table = tool("verdict").table(bad).splitlines()
    assert table[0].split() == ["file", "passed", "failed", "skipped"] and table[-1].split() == ["total", "1", "1", "0"]


SUITE = """
import dpctl, pytest

@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_one(dtype):
    assert dtype == "f8"

def test_two():
    assert dpctl.__name__ != "situ.dpctl"

@pytest.fixture
def broken():
    raise ValueError("broken")

def test_three(broken):
    pass
"""


@pytest.mark.parametrize("more", ["", "import nothing"])
def test_a_suite_is_run(tool, tmp_path, monkeypatch, capfd, more):
    """Failures, errors in fixtures and files that cannot be imported, all through worker processes."""
    (tmp_path / "list.md").write_text(TABLE)
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "test_a.py").write_text("def test_x(): assert False")
    (tests / "test_b.py").write_text("def test_its_inside(): assert False\n" + more)
    (tests / "test_c.py").write_text(SUITE)
    main = importlib.util.spec_from_file_location("conformance_main", TOOL / "__main__.py")
    module = importlib.util.module_from_spec(main)
    main.loader.exec_module(module)
    monkeypatch.setattr(module, "DOCUMENT", tmp_path / "list.md")
    assert not module.run("a suite", ["-n1", f"--rootdir={tmp_path}", str(tests)], tmp_path, {}, [])
    told = capfd.readouterr().out
    assert told.count("failed unexpectedly") == 1 and "test_c.py::test_three" in told
    assert ("test_b.py" in told) == bool(more)
    assert ("No module named 'nothing'" in told) == bool(more)
    assert "test_c.py::test_one" not in told and "test_c.py::test_two" not in told


def test_the_lists_of_the_document_name_something(tool):
    lists = tool("expectations").read(ROOT / "docs/differences.md")
    assert {"dpctl 0.21.1", "array-api-tests"} == set(lists)
    rows = [row for suite in lists.values() for row in (*suite.left_out, *suite.fails)]
    assert rows and all(row.names and row.reason.endswith(".") for row in rows)
    names = [name for row in rows for name in row.names]
    assert len(names) == len(set(names))
