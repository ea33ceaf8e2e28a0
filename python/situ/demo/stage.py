"""What the steps of the tour are performed on."""

from __future__ import annotations

from textwrap import dedent, fill
from typing import Any

import numpy

import situ
from situ import memory, tensor

from .._cli.terminal import Terminal


class Stage:
    """Shows code, runs it, and says what came out."""

    def __init__(self, terminal: Terminal, *, fast: bool) -> None:
        self.terminal = terminal
        self.fast = fast
        self.names: dict[str, Any] = {"situ": situ, "tensor": tensor, "memory": memory, "numpy": numpy}
        self._steps = 0

    def title(self, text: str) -> None:
        """Begin a step."""
        self._steps += 1
        self.terminal.print()
        self.terminal.heading(f"{self._steps}. {text}")

    def say(self, text: str) -> None:
        """Write a paragraph."""
        width = min(self.terminal.width, 100)
        self.terminal.print(fill(" ".join(text.split()), width, break_on_hyphens=False))

    def result(self, text: str, style: str = "green") -> None:
        """Write what a step has produced, line by line."""
        for line in text.splitlines():
            self.terminal.print(f"  {line}", style)

    def code(self, source: str) -> None:
        """Show a few lines of code and run them; their names stay for the steps after."""
        source = dedent(source).strip()
        for line in source.splitlines():
            self.terminal.print(f"  >>> {line}" if not line.startswith(" ") else f"  ... {line}", "yellow")
        self.terminal.flush()
        exec(source, self.names)

    def end(self) -> None:
        """Say where to go from here."""
        self.terminal.print()
        self.say("That was the tour. `situ bench` compares with NumPy in full; `situ info` tells all about a device.")
