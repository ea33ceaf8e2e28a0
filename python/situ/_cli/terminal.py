"""Where the command line writes to, and what may be shown there."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TextIO

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}
_SHAPES = "─│┌┐└┘├┤┬┴┼█▓▏▎▍▌▋▊▉…·•µ×±≤≥→✓✗"
_PLAIN = str.maketrans(
    dict(zip("─│┌┐└┘├┤┬┴┼█▓▏▎▍▌▋▊▉·•µ×✓✗", "-|+++++++++#=----###-*ux+x", strict=True))
    | {"…": "..", "±": "+-", "≤": "<=", "≥": ">=", "→": "->"}
)


class Terminal:
    """A text stream with a width, and colours and box characters where it has them.

    >>> import io
    >>> plain = Terminal(io.TextIOWrapper(io.BytesIO(), encoding="ascii"), width=40)
    >>> plain.fitting("│ 3 µs"), plain.paint("text", "bold")
    ('| 3 us', 'text')
    """

    def __init__(self, stream: TextIO | None = None, *, width: int | None = None) -> None:
        self.stream = sys.stdout if stream is None else stream
        self.width = max(40, width or shutil.get_terminal_size((100, 24)).columns)
        self.interactive = self.stream.isatty() and os.environ.get("TERM") != "dumb"
        self.colour = self.interactive and not os.environ.get("NO_COLOR")
        try:
            _SHAPES.encode(self.stream.encoding or "ascii")
            self.unicode = True
        except (UnicodeEncodeError, LookupError):
            self.unicode = False

    def fitting(self, text: str) -> str:
        """The text in characters the stream can encode."""
        if self.unicode:
            return text
        return text.translate(_PLAIN).encode("ascii", "replace").decode("ascii")

    def paint(self, text: str, style: str = "") -> str:
        """The text in a style such as ``"bold green"``, where the terminal has colours."""
        if not self.colour or not style:
            return text
        codes = ";".join(_STYLES[word] for word in style.split())
        return f"\x1b[{codes}m{text}\x1b[0m"

    def print(self, text: str = "", style: str = "") -> None:
        """Write a line."""
        self.stream.write(self.paint(self.fitting(text), style) + "\n")

    def flush(self) -> None:
        """Bring everything written so far to the screen."""
        self.stream.flush()

    def heading(self, text: str) -> None:
        """Write a line that stands out, with a rule to the right edge."""
        rule = "─" * max(3, min(self.width, 100) - len(text) - 1)
        self.stream.write(f"{self.paint(self.fitting(text), 'bold cyan')} {self.paint(self.fitting(rule), 'dim')}\n")
