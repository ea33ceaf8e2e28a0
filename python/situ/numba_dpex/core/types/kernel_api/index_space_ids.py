"""The types of items and groups."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["GroupType", "ItemType", "NdItemType"]


@dataclass(frozen=True)
class ItemType:
    """The type of an `Item`."""

    ndim: int


@dataclass(frozen=True)
class NdItemType:
    """The type of an `NdItem`."""

    ndim: int


@dataclass(frozen=True)
class GroupType:
    """The type of a `Group`."""

    ndim: int
