"""A short tour of situ; every line of code it shows is the code it runs."""

from __future__ import annotations

from .._cli.terminal import Terminal
from . import basics, memory, primes, queues, speed
from .stage import Stage


def run(terminal: Terminal, *, fast: bool = False) -> None:
    """Show the tour, on smaller arrays where `fast`."""
    stage = Stage(terminal, fast=fast)
    for step in (
        basics.devices,
        basics.arrays,
        basics.placement,
        primes.sieve,
        queues.side_by_side,
        memory.kinds,
        memory.pool,
        speed.large,
        speed.small,
    ):
        step(stage)
        terminal.flush()
    stage.end()
