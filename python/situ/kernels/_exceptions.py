"""What goes wrong with ranges, by the names that numba-dpex has for it."""

from __future__ import annotations

__all__ = ["UnmatchedNumberOfRangeDimsError", "UnsupportedGroupWorkItemSizeError"]


class UnmatchedNumberOfRangeDimsError(ValueError):
    """A range and its groups have different numbers of axes."""


class UnsupportedGroupWorkItemSizeError(ValueError):
    """A range is not filled by groups of that size."""
