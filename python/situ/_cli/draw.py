"""Bars, timelines, progress, and numbers with units."""

from __future__ import annotations

from collections.abc import Sequence

from .terminal import Terminal

_EIGHTHS = " ▏▎▍▌▋▊▉"


def bar(fraction: float, width: int) -> str:
    """A horizontal bar, to an eighth of a character.

    >>> bar(0.5, 4), bar(0.3, 4), bar(0.0, 4)
    ('██  ', '█▏  ', '▏   ')
    """
    eighths = max(1, min(8 * width, int(fraction * 8 * width)))
    text = "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
    return text.ljust(width)


def lane(spans: Sequence[tuple[float, float]], width: int) -> str:
    """Spans of time between 0 and 1 as one line, neighbours in two shades.

    >>> lane([(0.0, 0.5), (0.5, 0.75)], 8)
    '████▓▓  '
    """
    cells = [" "] * width
    for i, (start, end) in enumerate(spans):
        first = min(width - 1, int(start * width + 0.5))
        last = min(width, max(first + 1, int(end * width + 0.5)))
        cells[first:last] = "█▓"[i % 2] * (last - first)
    return "".join(cells)


def print_bars(terminal: Terminal, rows: Sequence[tuple[str, float, str]], style: str = "blue") -> None:
    """Write labelled bars: a label, a value, and what to say behind the bar; the largest fills the width."""
    label = max(len(name) for name, _, _ in rows)
    behind = max(len(terminal.fitting(text)) for _, _, text in rows)
    width = max(10, min(50, terminal.width - label - behind - 6))
    top = max(value for _, value, _ in rows)
    for name, value, text in rows:
        drawn = terminal.paint(terminal.fitting(bar(value / top if top else 0.0, width)), style)
        terminal.stream.write(f"  {terminal.fitting(name.ljust(label))}  {drawn}  {terminal.fitting(text)}\n")


class Progress:
    """A progress bar on a terminal; nothing anywhere else."""

    def __init__(self, terminal: Terminal, total: int) -> None:
        self._terminal = terminal
        self._total = max(1, total)
        self._done = 0

    def step(self, doing: str) -> None:
        """One more thing begins."""
        terminal = self._terminal
        if terminal.interactive:
            text = f"{bar(self._done / self._total, 24)} {self._done:>3}/{self._total}  {doing}"
            terminal.stream.write("\r" + terminal.fitting(text)[: terminal.width - 1].ljust(terminal.width - 1))
            terminal.flush()
        self._done += 1

    def close(self) -> None:
        """Clear the line."""
        if self._terminal.interactive:
            self._terminal.stream.write("\r" + " " * (self._terminal.width - 1) + "\r")
            self._terminal.flush()


def seconds(value: float) -> str:
    """A duration with three digits and a unit.

    >>> seconds(0.00001234), seconds(9.2e-8), seconds(2.5)
    ('12.3 µs', '92.0 ns', '2.50 s')
    """
    for limit, factor, unit in ((1e-6, 1e9, "ns"), (1e-3, 1e6, "µs"), (1.0, 1e3, "ms")):
        if value < limit:
            return f"{three_digits(value * factor)} {unit}"
    return f"{three_digits(value)} s"


def three_digits(value: float) -> str:
    """A number with three significant digits, without an exponent.

    >>> three_digits(0.0123), three_digits(4.5678), three_digits(123.4)
    ('0.012', '4.57', '123')
    """
    if value >= 99.95:
        return f"{value:.0f}"
    if value >= 9.995:
        return f"{value:.1f}"
    return f"{value:.2f}" if value >= 0.995 else f"{value:.3f}"


def size(nbytes: int) -> str:
    """A number of bytes with a unit.

    >>> size(25 * 2**30), size(1536), size(80)
    ('25.0 GiB', '1.5 KiB', '80 B')
    """
    value = float(nbytes)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024:
            return f"{nbytes} B" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} TiB"
