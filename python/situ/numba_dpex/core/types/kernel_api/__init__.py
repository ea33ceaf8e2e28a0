"""The types of what a work-item knows of itself."""

from __future__ import annotations

from . import index_space_ids

__all__ = ["index_space_ids"]
