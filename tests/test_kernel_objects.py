"""What kernels are written with, outside of kernels: ranges, items, descriptors."""

import copy
import pickle

import numpy as np
import pytest

from situ import kernels as api
from situ.kernels import (
    AddressSpace,
    AtomicRef,
    Group,
    Item,
    LocalAccessor,
    MemoryOrder,
    MemoryScope,
    NdItem,
    NdRange,
    PrivateArray,
    Range,
    UnmatchedNumberOfRangeDimsError,
    UnsupportedGroupWorkItemSizeError,
)


def test_a_range_is_a_tuple_of_its_lengths():
    full = Range(4, 3, 2)
    assert full == (4, 3, 2) and isinstance(full, tuple)
    assert (full.ndim, full.size(), full.get(1)) == (3, 24, 3)
    assert (full.dim0, full.dim1, full.dim2) == (4, 3, 2)
    assert (Range(5).dim1, Range(5).dim2, Range(5, 2).dim2) == (-1, -1, -1)
    assert repr(full) == "Range(4, 3, 2)"
    assert type(Range(np.int32(7))[0]) is int


def test_an_axis_without_length_is_absent():
    assert Range(4, 0) == (4,) and Range(4, 3, 0) == (4, 3) and Range(4, None, None).ndim == 1
    with pytest.raises(ValueError, match="needs a second one"):
        Range(4, 0, 2)


@pytest.mark.parametrize("lengths", [(1.5,), ("4",), (4, 2.0), (4, 2, "x"), ([4],)])
def test_lengths_are_ints(lengths):
    with pytest.raises(TypeError, match=f"dim{len(lengths) - 1} of a Range must be an int"):
        Range(*lengths)


def test_lengths_are_not_negative():
    with pytest.raises(ValueError, match="dim1 .* cannot be -2"):
        Range(4, -2)


def test_groups_fill_their_range():
    space = NdRange(Range(8, 6), (4, 3))
    assert space.global_range == space.get_global_range() == (8, 6)
    assert space.local_range == space.get_local_range() == (4, 3) and isinstance(space.local_range, Range)
    assert space == NdRange((8, 6), [4, 3]) != NdRange((8, 6), (4, 6)) and space != "NdRange"
    assert hash(space) == hash(NdRange((8, 6), [4, 3]))
    with pytest.raises(UnmatchedNumberOfRangeDimsError, match="2 axes and its groups have 1"):
        NdRange((8, 6), (4,))
    for local in [(4, 4), (0, 3)]:
        with pytest.raises(UnsupportedGroupWorkItemSizeError, match="do not fill"):
            NdRange((8, 6), local)
    for wrong in ["8", 8.0, (8.0,), None]:
        with pytest.raises(TypeError):
            NdRange(wrong, (4,))
    with pytest.raises(ValueError, match="1 to 3 axes, not 4"):
        NdRange((1, 1, 1, 1), (1, 1, 1, 1))


@pytest.mark.parametrize("space", [Range(4), Range(4, 3), NdRange((8, 6), (4, 3))])
def test_ranges_can_be_copied_and_pickled(space):
    for other in (copy.deepcopy(space), pickle.loads(pickle.dumps(space))):
        assert other == space and type(other) is type(space) and repr(other) == repr(space)


def test_items_count_the_last_axis_first():
    item = Item(Range(4, 3, 2), (2, 1, 1))
    assert [item.get_id(axis) for axis in range(3)] == [2, 1, 1]
    assert item.get_linear_id() == np.ravel_multi_index((2, 1, 1), (4, 3, 2))
    assert (item.get_range(1), item.get_linear_range(), item.dimensions) == (3, 24, 3)


def test_items_of_groups_know_both():
    total, local, groups = Range(8, 6), Range(4, 3), Range(2, 2)
    group = Group(total, local, groups, (1, 0))
    item = NdItem(Item(total, (5, 2)), Item(local, (1, 2)), group)
    assert (item.get_global_id(0), item.get_local_id(0), item.get_group()) == (5, 1, group)
    assert (item.get_global_linear_id(), item.get_local_linear_id()) == (32, 5)
    assert (item.get_global_range(1), item.get_local_range(1)) == (6, 3)
    assert (item.get_global_linear_range(), item.get_local_linear_range(), item.dimensions) == (48, 12, 2)
    assert (group.get_group_id(0), group.get_group_linear_id()) == (1, 2)
    assert (group.get_group_range(1), group.get_group_linear_range()) == (2, 4)
    assert (group.get_local_range(0), group.get_local_linear_range(), group.dimensions) == (4, 12, 2)
    for dim in (-1, 2):
        with pytest.raises(ValueError, match="axes 0 to 1"):
            group.get_group_id(dim)


def test_enumerations_have_the_numbers_of_sycl():
    assert [order.value for order in MemoryOrder] == [0, 1, 2, 3, 4, 5] and MemoryOrder.SEQ_CST == 5
    assert [scope.name for scope in MemoryScope] == ["WORK_ITEM", "SUB_GROUP", "WORK_GROUP", "DEVICE", "SYSTEM"]
    assert [space.name for space in AddressSpace] == ["PRIVATE", "GLOBAL", "CONSTANT", "LOCAL", "GENERIC"]


def test_local_accessors_have_no_elements_outside_of_kernels():
    accessor = LocalAccessor((4, 2), np.float32)
    assert (accessor.shape, accessor.ndim, accessor.dtype) == ((4, 2), 2, np.float32)
    assert LocalAccessor(4, "int8").shape == (4,)
    with pytest.raises(NotImplementedError):
        accessor[0, 0]
    with pytest.raises(NotImplementedError):
        accessor[0, 0] = 1


@pytest.mark.parametrize(
    "shape, dtype",
    [
        (0, "f4"),
        (-1, "f4"),
        ((4, 0), "f4"),
        ("4", "f4"),
        (4.0, "f4"),
        ((1,) * 4, "f4"),
        ((), "f4"),
        (4, "U3"),
        (4, object),
    ],
)
def test_local_accessors_are_checked(shape, dtype):
    with pytest.raises(TypeError):
        LocalAccessor(shape, dtype)


@pytest.mark.parametrize(
    "call",
    [
        lambda: api.get_global_id(0),
        lambda: api.get_global_size(0),
        lambda: api.get_global_offset(0),
        lambda: api.get_local_id(0),
        lambda: api.get_num_groups(0),
        lambda: api.barrier(),
        lambda: api.mem_fence(),
        lambda: api.atomic_fence(MemoryOrder.ACQ_REL, MemoryScope.DEVICE),
        lambda: api.local.array(4, "f4"),
        lambda: api.private.array(4, "f4"),
        lambda: PrivateArray(4, "f4"),
        lambda: AtomicRef(np.zeros(4), 0),
        lambda: api.atomic.add(np.zeros(4), 0, 1),
        lambda: api.atomic.compare_exchange(np.zeros(4), 0, 1, 2),
        lambda: api.get_sub_group_id(),
        lambda: api.sub_group_reduce_add(1),
        lambda: api.shuffle(1, 0),
    ],
)
def test_outside_of_kernels_the_language_means_nothing(call):
    with pytest.raises(RuntimeError, match="part of the language of kernels"):
        call()
