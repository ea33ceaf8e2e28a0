"""The enumerations that atomics and fences take."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["AddressSpace", "MemoryOrder", "MemoryScope"]


class MemoryOrder(IntEnum):
    """What an atomic operation tells others about the memory around it."""

    RELAXED = 0
    ACQUIRE = 1
    CONSUME_UNSUPPORTED = 2
    RELEASE = 3
    ACQ_REL = 4
    SEQ_CST = 5


class MemoryScope(IntEnum):
    """Who is to see an atomic operation as one."""

    WORK_ITEM = 0
    SUB_GROUP = 1
    WORK_GROUP = 2
    DEVICE = 3
    SYSTEM = 4


class AddressSpace(IntEnum):
    """Whose memory an address is in."""

    PRIVATE = 0
    GLOBAL = 1
    CONSTANT = 2
    LOCAL = 3
    GENERIC = 4
