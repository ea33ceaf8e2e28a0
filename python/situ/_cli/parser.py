"""The commands and options, and what each of them calls."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

import situ

from ..memory import USMAllocationError
from .terminal import Terminal

_ERRORS = (
    situ.DeviceCreationError,
    situ.SubDeviceCreationError,
    situ.ContextCreationError,
    situ.QueueCreationError,
    situ.DeviceError,
    situ.ExecutionPlacementError,
    USMAllocationError,
    OSError,
    ValueError,
)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="situ", description="N-dimensional arrays that compute where their data lives. Lists the devices."
    )
    parser.add_argument("--version", action="version", version=f"situ {situ.__version__}")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("-s", "--summary", dest="verbosity", action="store_const", const=0, help="one line per platform")
    how.add_argument("-l", "--long-list", dest="verbosity", action="store_const", const=1, help="platforms in detail")
    how.add_argument(
        "-f", "--full-list", dest="verbosity", action="store_const", const=2, help="platforms and devices in detail"
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    info = commands.add_parser("info", help="everything about one device")
    info.add_argument("device", nargs="?", metavar="DEVICE", help='a selector such as "native:cpu:0"')
    demo = commands.add_parser("demo", help="a short tour")
    demo.add_argument("--fast", action="store_true", help="smaller arrays")
    bench = commands.add_parser("bench", help="compare with NumPy on this machine")
    bench.add_argument("--json", metavar="FILE", help="also write machine facts and all numbers as JSON")
    bench.add_argument("--markdown", metavar="FILE", help="also write the tables as Markdown")
    extent = bench.add_mutually_exclusive_group()
    extent.add_argument(
        "--quick", dest="extent", action="store_const", const="quick", help="fewer cases and rounds: half a minute"
    )
    extent.add_argument(
        "--matrix",
        dest="extent",
        action="store_const",
        const="matrix",
        help="every elementwise function in every dtype, layout and size: ten minutes",
    )
    extent.add_argument(
        "--gpu",
        dest="extent",
        action="store_const",
        const="gpu",
        help="compare with PyTorch, CuPy and JAX on a GPU instead: four minutes",
    )
    bench.add_argument("--only", metavar="NAME", help="only the cases whose name contains this")
    # To try the comparison with GPU libraries out on a device that is none, with 2^n times fewer elements.
    bench.add_argument("--device", metavar="DEVICE", help=argparse.SUPPRESS)
    bench.add_argument("--smaller", metavar="N", type=int, help=argparse.SUPPRESS)
    return parser


def _execute(options: argparse.Namespace, terminal: Terminal) -> None:
    # Each command is imported when it is called: the list of devices should not wait for the benchmark.
    if options.command == "demo":
        from .. import demo

        demo.run(terminal, fast=options.fast)
    elif options.command == "bench":
        files = {"only": options.only, "json": options.json, "markdown": options.markdown}
        if options.extent == "gpu":
            from ..bench import gpu

            gpu.run(terminal, device=options.device, smaller=options.smaller, **files)
        else:
            from .. import bench

            bench.run(terminal, extent=options.extent or "usual", **files)
    else:
        from . import listing

        if options.command == "info":
            listing.print_device(terminal, options.device)
        elif options.verbosity is None:
            listing.print_devices(terminal)
            listing.print_missing(terminal)
        else:
            situ.lsplatform(options.verbosity)
            if options.verbosity == 2:
                listing.print_missing(terminal)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code: 0, 1 for an error of situ, 2 for a wrong option, 130 when interrupted."""
    options = _parser().parse_args(arguments)
    terminal = Terminal()
    try:
        _execute(options, terminal)
        terminal.flush()
    except BrokenPipeError:
        # The reader has seen enough; leave nothing for Python to flush into the closed pipe at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        return 130
    except _ERRORS as error:
        terminal.flush()
        print(f"situ: {type(error).__name__}: {' '.join(str(error).split())}", file=sys.stderr)
        return 1
    return 0
