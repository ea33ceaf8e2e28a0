"""Prints what pyproject.toml asks for, one requirement a line: python tools/requirements.py build test dev.

`build` stands for what the build backend needs; any other name is one of the project's extras. The Makefile installs
the tools from here, so that pyproject.toml stays the only list.
"""

import sys
from pathlib import Path

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10 has no TOML reader of its own, but its pip brings one.
    from pip._vendor import tomli as tomllib


def requirements(names: list[str]) -> list[str]:
    """Requirements of the named groups, in order."""
    pyproject = tomllib.loads(Path(__file__).parent.with_name("pyproject.toml").read_text("utf-8"))
    groups = pyproject["project"]["optional-dependencies"] | {"build": pyproject["build-system"]["requires"]}
    unknown = [name for name in names if name not in groups]
    if unknown:
        sys.exit(f"no such extra: {', '.join(unknown)}; pyproject.toml has {', '.join(groups)}")
    return [requirement for name in names for requirement in groups[name]]


if __name__ == "__main__":
    print("\n".join(requirements(sys.argv[1:])))
