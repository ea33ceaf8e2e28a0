"""Runs a program written for dpctl on situ: `python -m situ.dpctl script.py`, or `-m module`."""

from __future__ import annotations

import argparse
import os
import runpy
import sys

import situ.dpctl


def main() -> None:
    """Run a program with `import dpctl` meaning `situ.dpctl`, or list the platforms as dpctl does."""
    parser = argparse.ArgumentParser(prog="python -m situ.dpctl", description=__doc__, allow_abbrev=False)
    listing = parser.add_mutually_exclusive_group()
    for verbosity, (short, long, what) in enumerate(
        [
            ("-s", "--summary", "one line for each platform"),
            ("-l", "--long-list", "a block for each platform"),
            ("-f", "--full-list", "a block for each platform and device"),
        ]
    ):
        listing.add_argument(short, long, dest="verbosity", action="store_const", const=verbosity, help=what)
    listing.add_argument("-m", dest="is_module", action="store_true", help="run a module instead of a file")
    parser.add_argument("program", nargs="?", help="the file or module to run")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="what to pass on to it")
    options = parser.parse_args()

    if options.verbosity is not None:
        situ.dpctl.lsplatform(options.verbosity)
    elif options.program is None:
        parser.print_help()
    else:
        # Submodules follow: Python looks for them where the package is.
        sys.modules["dpctl"] = situ.dpctl
        sys.argv = [options.program, *options.arguments]
        if options.is_module:
            sys.path[0] = os.getcwd()
            runpy.run_module(options.program, run_name="__main__", alter_sys=True)
        else:
            sys.path[0] = os.path.dirname(os.path.abspath(options.program))
            runpy.run_path(options.program, run_name="__main__")


if __name__ == "__main__":
    main()
