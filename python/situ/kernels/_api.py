"""Everything that kernels are written with, in one place. Compiled kernels know these objects by identity."""

from __future__ import annotations

from ._atomics import (
    AtomicRef,
    atomic,
)
from ._exceptions import (
    UnmatchedNumberOfRangeDimsError,
    UnsupportedGroupWorkItemSizeError,
)
from ._items import (
    Group,
    Item,
    NdItem,
)
from ._memory import (
    LocalAccessor,
    PrivateArray,
    local,
    private,
)
from ._orders import (
    AddressSpace,
    MemoryOrder,
    MemoryScope,
)
from ._positions import (
    CLK_GLOBAL_MEM_FENCE,
    CLK_LOCAL_MEM_FENCE,
    GLOBAL_MEM_FENCE,
    LOCAL_MEM_FENCE,
    atomic_fence,
    barrier,
    get_global_id,
    get_global_offset,
    get_global_size,
    get_group_id,
    get_local_id,
    get_local_size,
    get_num_groups,
    group_barrier,
    mem_fence,
)
from ._ranges import (
    NdRange,
    Range,
)
from ._sub_groups import (
    SUB_GROUP_SIZE,
    get_num_sub_groups,
    get_sub_group_id,
    get_sub_group_local_id,
    get_sub_group_size,
    shuffle,
    shuffle_down,
    shuffle_up,
    shuffle_xor,
    sub_group_reduce_add,
    sub_group_reduce_and,
    sub_group_reduce_max,
    sub_group_reduce_min,
    sub_group_reduce_mul,
    sub_group_reduce_or,
    sub_group_reduce_xor,
)
from ._work_item import (
    in_simulation,
)

__all__ = [
    "AddressSpace",
    "AtomicRef",
    "CLK_GLOBAL_MEM_FENCE",
    "CLK_LOCAL_MEM_FENCE",
    "GLOBAL_MEM_FENCE",
    "Group",
    "Item",
    "LOCAL_MEM_FENCE",
    "LocalAccessor",
    "MemoryOrder",
    "MemoryScope",
    "NdItem",
    "NdRange",
    "PrivateArray",
    "Range",
    "SUB_GROUP_SIZE",
    "UnmatchedNumberOfRangeDimsError",
    "UnsupportedGroupWorkItemSizeError",
    "atomic",
    "atomic_fence",
    "barrier",
    "get_global_id",
    "get_global_offset",
    "get_global_size",
    "get_group_id",
    "get_local_id",
    "get_local_size",
    "get_num_groups",
    "get_num_sub_groups",
    "get_sub_group_id",
    "get_sub_group_local_id",
    "get_sub_group_size",
    "group_barrier",
    "in_simulation",
    "local",
    "mem_fence",
    "private",
    "shuffle",
    "shuffle_down",
    "shuffle_up",
    "shuffle_xor",
    "sub_group_reduce_add",
    "sub_group_reduce_and",
    "sub_group_reduce_max",
    "sub_group_reduce_min",
    "sub_group_reduce_mul",
    "sub_group_reduce_or",
    "sub_group_reduce_xor",
]
