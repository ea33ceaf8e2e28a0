"""The guides: every block of Python in them runs, one after another, as a reader would try them."""

import re
import sys
import types
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
GUIDES = [path.name for path in sorted(DOCS.glob("*.md")) if "```python\n" in path.read_text()]


def blocks(text):
    """The Python blocks of a page, each with the number of its first line."""
    for match in re.finditer(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        yield text[: match.start(1)].count("\n"), match[1]


@pytest.mark.parametrize("name", GUIDES)
def test_every_block_runs(name, tmp_path, monkeypatch):
    module = types.ModuleType("guide")
    monkeypatch.setitem(sys.modules, "guide", module)
    for line, code in blocks((DOCS / name).read_text()):
        # In a file of its own, and at the same line as in the page: kernels are compiled from their source, and
        # tracebacks name the line.
        path = tmp_path / f"{name}-{line}.py"
        path.write_text("\n" * line + code)
        exec(compile(path.read_text(), str(path), "exec"), vars(module))


def test_there_are_guides():
    assert "kernels.md" in GUIDES
