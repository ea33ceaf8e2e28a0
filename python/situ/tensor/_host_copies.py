"""Whether NumPy may copy arrays to the host without being told to for each of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["allow_host_copies"]

_allowed: ContextVar[bool] = ContextVar("situ_host_copies_allowed", default=False)

host_copies_allowed = _allowed.get
"""Return whether `__array__` makes a copy; what it asks, so it is the variable's own method."""


@contextmanager
def allow_host_copies() -> Iterator[None]:
    """Let NumPy take situ's arrays inside a ``with`` block, by copying them to the host.

    Outside, ``numpy.asarray(x)`` raises, so that no array leaves its device unnoticed; there `situ.tensor.asnumpy` is
    the way. The permission is for this thread, and in an asynchronous program for this task.

    >>> import numpy
    >>> from situ import tensor
    >>> with tensor.allow_host_copies():
    ...     numpy.median(tensor.arange(5)).item()
    2.0
    """
    token = _allowed.set(True)
    try:
        yield
    finally:
        _allowed.reset(token)
