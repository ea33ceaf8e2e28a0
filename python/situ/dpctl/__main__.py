"""Runs a program written for dpctl on situ: `python -m situ.dpctl script.py`, `-m module` or `-c code`."""

from __future__ import annotations

import argparse
import os
import runpy
import sys

import situ.dpctl
from situ.dpctl import _alias

LISTINGS = [
    ("-s", "--summary", "one line for each platform"),
    ("-l", "--long-list", "a block for each platform"),
    ("-f", "--full-list", "a block for each platform and device"),
]


def main() -> None:
    """Run a program with `import dpctl` meaning `situ.dpctl`, or list the platforms as dpctl does."""
    parser = argparse.ArgumentParser(prog="python -m situ.dpctl", description=__doc__, allow_abbrev=False)
    what = parser.add_mutually_exclusive_group()
    for verbosity, (short, long, shown) in enumerate(LISTINGS):
        what.add_argument(short, long, dest="verbosity", action="store_const", const=verbosity, help=shown)
    what.add_argument("-m", dest="form", action="store_const", const="module", help="run a module instead of a file")
    what.add_argument("-c", dest="form", action="store_const", const="code", help="run the code that follows")
    parser.add_argument("program", nargs="?", help="the file, module or code to run")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="what to pass on to it")
    options = parser.parse_args()

    if options.verbosity is not None:
        situ.dpctl.lsplatform(options.verbosity)
    elif options.program is None:
        parser.print_help()
    else:
        run(options.form or "file", options.program, options.arguments)


def run(form: str, program: str, arguments: list[str]) -> None:
    """Run a file, a module or code as Python itself would, in a world where dpctl is situ's."""
    sys.modules["dpctl"] = situ.dpctl
    _alias.install()
    alias = os.path.dirname(os.path.abspath(_alias.__file__))
    # For processes that the program starts: they get its environment, or its path.
    sys.path.insert(1, alias)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [alias, os.environ.get("PYTHONPATH")]))
    sys.argv = ["-c" if form == "code" else program, *arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(program)) if form == "file" else os.getcwd()
    if form == "file":
        runpy.run_path(program, run_name="__main__")
    elif form == "module":
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    else:
        exec(compile(program, "<string>", "exec"), {"__name__": "__main__", "__builtins__": __builtins__})


if __name__ == "__main__":
    main()
