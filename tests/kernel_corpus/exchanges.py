"""Atomics and sub-groups."""

import numpy as np

from situ.kernels import (
    AtomicRef,
    MemoryOrder,
    MemoryScope,
    NdRange,
    atomic,
    atomic_fence,
    barrier,
    get_global_id,
    get_local_id,
    get_local_size,
    get_num_sub_groups,
    get_sub_group_id,
    get_sub_group_local_id,
    get_sub_group_size,
    local,
    shuffle,
    shuffle_down,
    shuffle_up,
    shuffle_xor,
    sub_group_reduce_add,
    sub_group_reduce_and,
    sub_group_reduce_max,
    sub_group_reduce_min,
    sub_group_reduce_or,
    sub_group_reduce_xor,
)

from . import case
from .control import N, ints
from .memory import grid


def counted(x, counts):
    counts += np.bincount(x, minlength=counts.size).astype(counts.dtype)


@case(1000, lambda rng: (ints(rng, 0, 10, n=1000), np.zeros(10, np.int32)), counted)
def histogram(x, counts):
    atomic.add(counts, x[get_global_id(0)], 1)


@case(NdRange(512, 64), lambda rng: (ints(rng, 0, 10, n=512), np.zeros(10, np.int64)), counted)
def histogram_in_groups(x, counts):
    i, k = get_global_id(0), get_local_id(0)
    own = local.array(10, np.int32)
    if k < 10:
        own[k] = 0
    barrier()
    atomic.add(own, x[i], 1)
    barrier()
    if k < 10:
        AtomicRef(counts, k).fetch_add(own[k])


def extremes(x, out):
    out[0], out[1], out[2] = x.min(), x.max(), x.sum()


@case(N, lambda rng: (ints(rng), np.array([99, -99, 0], np.int32)), extremes)
def atomics_of_int32(x, out):
    i = get_global_id(0)
    atomic.min(out, 0, x[i])
    atomic.max(out, 1, x[i])
    atomic.sub(out, 2, -x[i])


@case(N, lambda rng: (ints(rng, dtype=np.int64), np.array([99, -99, 0], np.int64)), extremes)
def atomics_of_int64(x, out):
    i = get_global_id(0)
    atomic.min(out, 0, x[i])
    atomic.max(out, 1, x[i])
    atomic.add(out, 2, x[i])


@case(N, lambda rng: (ints(rng).astype(np.float32), np.array([99, -99, 0], np.float32)), extremes)
def atomics_of_float32(x, out):
    i = get_global_id(0)
    atomic.min(out, 0, x[i])
    atomic.max(out, 1, x[i])
    atomic.add(out, 2, x[i])


@case(N, lambda rng: (ints(rng).astype(np.float64), np.array([99, -99, 0], np.float64)), extremes)
def atomics_of_float64(x, out):
    i = get_global_id(0)
    atomic.min(out, 0, x[i])
    atomic.max(out, 1, x[i])
    atomic.add(out, 2, x[i])


def combined(x, out):
    out[0] = np.bitwise_and.reduce(x)
    out[1] = np.bitwise_or.reduce(x)
    out[2] = np.bitwise_xor.reduce(x)


@case(
    N,
    lambda rng: (
        rng.integers(0, 2**32, N, np.uint32) | np.uint32(0x10000),
        np.array([0xFFFFFFFF, 0, 0], np.uint32),
    ),
    combined,
)
def atomics_of_bits(x, out):
    i = get_global_id(0)
    atomic.and_(out, 0, x[i])
    atomic.or_(out, 1, x[i])
    atomic.xor(out, 2, x[i])


@case(N, lambda rng: (ints(rng, dtype=np.uint8, low=0), np.zeros((2, 2), np.uint8), np.zeros((1, 3), np.int16)))
def atomics_of_small_ints(x, out, wide):
    i = get_global_id(0)
    atomic.add(out, (i % 2, 1), x[i])
    atomic.max(out, (i % 2, 0), x[i])
    atomic.add(wide, (0, i % 3), x[i])


@case(
    N,
    lambda rng: (np.zeros(N, np.int32), np.arange(N, dtype=np.int32)),
    lambda x, old: (x.__iadd__(7), old.__iadd__(5)),
)
def exchange_of_own_elements(x, old):
    i = get_global_id(0)
    was = atomic.exchange(x, i, 7)
    old[i] += was + 5
    atomic.compare_exchange(x, i, 3, 100)
    atomic.compare_exchange(x, i, 7, 7)


@case(N, lambda rng: (grid(rng, N), np.zeros(1, np.float32)), lambda x, out: np.copyto(out, max(0, x.max())))
def compare_and_exchange_until_done(x, out):
    i = get_global_id(0)
    seen = out[0]
    while x[i] > seen:
        was = atomic.compare_exchange(out, 0, seen, x[i])
        if was == seen:
            break
        seen = was


@case(
    N, lambda rng: (ints(rng), np.zeros(3, np.int32)), lambda x, out: np.copyto(out, [x.sum(), x.max(), (x > 0).sum()])
)
def atomic_references(item, x, out):
    i = item.get_id(0)
    total = AtomicRef(out, 0, memory_order=MemoryOrder.RELAXED, memory_scope=MemoryScope.DEVICE)
    total.fetch_add(x[i])
    AtomicRef(out, 1).fetch_max(x[i])
    atomic_fence(MemoryOrder.ACQ_REL, MemoryScope.DEVICE)
    if x[i] > 0:
        AtomicRef(out, index=2).fetch_add(1)


def selected(x, count, where):
    count[0] = (x > 0).sum()
    where[:] = 0
    where[: count[0]] = 1


@case(N, lambda rng: (ints(rng), np.zeros(1, np.int32), np.zeros(N, np.int32)), selected)
def slots_from_a_counter(x, count, where):
    i = get_global_id(0)
    if x[i] > 0:
        where[atomic.add(count, 0, 1)] = 1


def over_sub_groups(x, out):
    for start, stop in ((0, 32), (32, 64), (64, 72), (72, 104), (104, 136), (136, 144)):
        part = x[start:stop]
        out[0, start:stop] = part.sum()
        out[1, start:stop] = part.min()
        out[2, start:stop] = part.max()
        out[3, start:stop] = np.bitwise_and.reduce(part)
        out[4, start:stop] = np.bitwise_or.reduce(part)
        out[5, start:stop] = np.bitwise_xor.reduce(part)


@case(NdRange(144, 72), lambda rng: (ints(rng, n=144), np.zeros((6, 144), np.int32)), over_sub_groups)
def reductions_of_sub_groups(x, out):
    i = get_global_id(0)
    out[0, i] = sub_group_reduce_add(x[i])
    out[1, i] = sub_group_reduce_min(x[i])
    out[2, i] = sub_group_reduce_max(x[i])
    out[3, i] = sub_group_reduce_and(x[i])
    out[4, i] = sub_group_reduce_or(x[i])
    out[5, i] = sub_group_reduce_xor(x[i])


@case(NdRange(64, 64), lambda rng: (grid(rng, 64), np.zeros(64, np.float32)))
def sub_group_sums_of_floats(x, out):
    i = get_global_id(0)
    out[i] = sub_group_reduce_add(x[i] * 3) + get_sub_group_local_id()


@case(NdRange(80, 40), lambda rng: (np.zeros((4, 80), np.int32),))
def places_in_sub_groups(out):
    i = get_global_id(0)
    out[0, i] = get_sub_group_id()
    out[1, i] = get_sub_group_local_id()
    out[2, i] = get_sub_group_size()
    out[3, i] = get_num_sub_groups()


@case(NdRange(80, 40), lambda rng: (ints(rng, n=80), np.zeros((5, 80), np.int32)))
def shuffles(x, out):
    i = get_global_id(0)
    out[0, i] = shuffle(x[i], 5)
    out[1, i] = shuffle_xor(x[i], 3)
    out[2, i] = shuffle_up(x[i], 1)
    out[3, i] = shuffle_down(x[i], 7)
    out[4, i] = shuffle(x[i], (get_sub_group_local_id() * 5) % get_sub_group_size())


@case(NdRange(64, 64), lambda rng: (grid(rng, 64, dtype=np.float64), np.zeros(64)))
def butterfly(x, out):
    i = get_global_id(0)
    total = x[i]
    mask = 16
    while mask > 0:
        total += shuffle_xor(total, mask)
        mask //= 2
    out[i] = total


@case(
    NdRange(64, 32),
    lambda rng: (ints(rng, n=64), np.zeros(64, np.int32)),
    lambda x, out: np.copyto(out, np.cumsum(x.reshape(2, 32), 1).ravel()),
)
def scan_by_shuffles(x, out):
    i, place = get_global_id(0), get_sub_group_local_id()
    total = x[i]
    for k in range(5):
        before = shuffle_up(total, 1 << k)
        if place >= 1 << k:
            total += before
    out[i] = total


@case(
    NdRange((6, 64), (2, 64)),
    lambda rng: (ints(rng, n=6 * 64).reshape(6, 64), np.zeros((6, 64), np.int32)),
    lambda x, out: np.copyto(out, np.repeat(x.reshape(6, 2, 32).sum(2), 32, 1)),
)
def sub_groups_of_two_axes(x, out):
    i, j = get_global_id(0), get_global_id(1)
    out[i, j] = sub_group_reduce_add(x[i, j])


@case(
    NdRange(256, 128),
    lambda rng: (ints(rng, n=256), np.zeros(2, np.int64)),
    lambda x, out: np.copyto(out, x.reshape(2, 128).sum(1)),
)
def reduction_of_groups(x, out):
    i, k = get_global_id(0), get_local_id(0)
    partial = local.array(4, np.int64)
    total = sub_group_reduce_add(x[i])
    if get_sub_group_local_id() == 0:
        partial[get_sub_group_id()] = total
    barrier()
    if k == 0:
        all_of = 0
        for s in range(get_num_sub_groups()):
            all_of += partial[s]
        out[i // get_local_size(0)] = all_of
