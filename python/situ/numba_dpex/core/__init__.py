"""The parts of numba-dpex's core that programs name: exceptions and types."""

from __future__ import annotations

from . import exceptions, types

__all__ = ["exceptions", "types"]
