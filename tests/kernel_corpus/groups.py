"""Work-groups: local memory, barriers, and where a work-item is."""

import numpy as np

from situ.kernels import (
    CLK_LOCAL_MEM_FENCE,
    LocalAccessor,
    MemoryScope,
    NdRange,
    barrier,
    get_global_id,
    get_group_id,
    get_local_id,
    get_local_size,
    get_num_groups,
    group_barrier,
    local,
    mem_fence,
)

from . import case
from .control import ints
from .memory import grid

GROUP = 16
TILE = 4


@case(
    NdRange(64, GROUP),
    lambda rng: (ints(rng, n=64), np.zeros(64, np.int32)),
    lambda x, out: np.copyto(out, x.reshape(-1, GROUP)[:, ::-1].ravel()),
)
def reverse_in_groups(x, out):
    i, k = get_global_id(0), get_local_id(0)
    held = local.array(GROUP, np.int32)
    held[k] = x[i]
    barrier(CLK_LOCAL_MEM_FENCE)
    out[i] = held[get_local_size(0) - 1 - k]


@case(
    NdRange((8, 12), (TILE, TILE)),
    lambda rng: (ints(rng, n=64).reshape(8, 8), ints(rng, n=96).reshape(8, 12), np.zeros((8, 12), np.int32)),
    lambda a, b, c: np.copyto(c, a @ b),
)
def tiled_product(a, b, c):
    i, j = get_global_id(0), get_global_id(1)
    y, x = get_local_id(0), get_local_id(1)
    left = local.array((TILE, TILE), np.int32)
    right = local.array((TILE, TILE), np.int32)
    total = 0
    for t in range(a.shape[1] // TILE):
        left[y, x] = a[i, t * TILE + x]
        right[y, x] = b[t * TILE + y, j]
        barrier()
        for k in range(TILE):
            total += left[y, k] * right[k, x]
        barrier()
    c[i, j] = total


@case(
    NdRange((8, 12), (4, 4)),
    lambda rng: (
        ints(rng, n=64).reshape(8, 8),
        ints(rng, n=96).reshape(8, 12),
        np.zeros((8, 12), np.int32),
        LocalAccessor((4, 4), np.int32),
        LocalAccessor((4, 4), np.int32),
    ),
    lambda a, b, c, left, right: np.copyto(c, a @ b),
)
def tiled_product_by_item(item, a, b, c, left, right):
    i, j = item.get_global_id(0), item.get_global_id(1)
    y, x = item.get_local_id(0), item.get_local_id(1)
    n = item.get_local_range(0)
    group = item.get_group()
    total = 0
    for t in range(a.shape[1] // n):
        left[y, x] = a[i, t * n + x]
        right[y, x] = b[t * n + y, j]
        group_barrier(group, MemoryScope.WORK_GROUP)
        for k in range(n):
            total += left[y, k] * right[k, x]
        group_barrier(group)
    c[i, j] = total


@case(
    NdRange(96, 32),
    lambda rng: (ints(rng, n=96), np.zeros(3, np.int64)),
    lambda x, out: np.copyto(out, x.reshape(3, 32).sum(1)),
)
def tree_of_sums(x, out):
    k = get_local_id(0)
    held = local.array(32, np.int64)
    held[k] = x[get_global_id(0)]
    step = get_local_size(0) // 2
    while step > 0:
        barrier()
        if k < step:
            held[k] += held[k + step]
        step //= 2
    if k == 0:
        out[get_group_id(0)] = held[0]


@case(
    NdRange(48, 12),
    lambda rng: (ints(rng, n=48), np.zeros(48, np.int32), LocalAccessor(12, np.int32)),
    lambda x, out, held: np.copyto(out, np.cumsum(x.reshape(4, 12), 1).ravel()),
)
def scan_in_groups(x, out, held):
    i, k, n = get_global_id(0), get_local_id(0), get_local_size(0)
    held[k] = x[i]
    step = 1
    while step < n:
        barrier()
        before = held[k - step] if k >= step else 0
        barrier()
        held[k] += before
        step *= 2
    out[i] = held[k]


@case(NdRange(64, 16), lambda rng: (grid(rng, 64, dtype=np.float64), np.zeros(64)))
def stencil_with_halo(x, out):
    i, k, n = get_global_id(0), get_local_id(0), get_local_size(0)
    held = local.array(18, np.float64)
    held[k + 1] = x[i]
    if k == 0:
        held[0] = x[i - 1] if i > 0 else 0.0
    if k == n - 1:
        held[n + 1] = x[i + 1] if i + 1 < x.shape[0] else 0.0
    barrier()
    out[i] = held[k] - 2 * held[k + 1] + held[k + 2]


@case(
    NdRange(64, 32),
    lambda rng: (grid(rng, 64),),
    lambda x: np.copyto(x, np.sort(x.reshape(2, 32), 1).ravel()),
)
def bitonic_sort(x):
    k = get_local_id(0)
    held = local.array(32, np.float32)
    held[k] = x[get_global_id(0)]
    size = 2
    while size <= 32:
        step = size // 2
        while step > 0:
            barrier()
            other = k ^ step
            if other > k:
                rising = (k & size) == 0
                if (held[k] > held[other]) == rising:
                    held[k], held[other] = held[other], held[k]
            step //= 2
        size *= 2
    barrier()
    x[get_global_id(0)] = held[k]


@case(
    NdRange((4, 6), (2, 3)),
    lambda rng: (np.zeros((4, 6, 4), np.int32),),
)
def places_in_two_axes(out):
    i, j = get_global_id(0), get_global_id(1)
    out[i, j, 0] = 10 * get_local_id(0) + get_local_id(1)
    out[i, j, 1] = 10 * get_group_id(0) + get_group_id(1)
    out[i, j, 2] = 10 * get_num_groups(0) + get_num_groups(1)
    out[i, j, 3] = 10 * get_local_size(0) + get_local_size(1)


@case(
    NdRange((4, 6, 2), (2, 3, 1)),
    lambda rng: (np.zeros((48, 6), np.int32),),
)
def places_by_item(item, out):
    i = item.get_global_linear_id()
    group = item.get_group()
    out[i, 0] = item.get_local_linear_id()
    out[i, 1] = group.get_group_linear_id()
    out[i, 2] = item.get_global_linear_range() + item.get_local_linear_range()
    out[i, 3] = group.get_group_linear_range() * 100 + group.get_local_linear_range()
    out[i, 4] = 100 * item.get_global_range(1) + 10 * item.get_local_range(1) + group.get_group_range(1)
    out[i, 5] = 100 * item.get_local_id(2) + 10 * group.get_group_id(0) + group.get_local_range(0)


@case(
    NdRange((8, 8), (4, 4)),
    lambda rng: (grid(rng, 8, 8), np.zeros((8, 8), np.float32), LocalAccessor((4, 4), np.float32)),
    lambda x, out, tile: np.copyto(out, x.T),
)
def transpose_by_tiles(x, out, tile):
    y, z = get_local_id(0), get_local_id(1)
    tile[y, z] = x[get_global_id(0), get_global_id(1)]
    barrier()
    n = get_local_size(0)
    out[get_group_id(1) * n + y, get_group_id(0) * n + z] = tile[z, y]


@case(NdRange(32, 8), lambda rng: (ints(rng, n=32), 5))
def barriers_in_a_loop(x, rounds):
    i, k, n = get_global_id(0), get_local_id(0), get_local_size(0)
    held = local.array(8, np.int32)
    for r in range(rounds):
        held[k] = x[i]
        barrier()
        x[i] = held[(k + 1) % n] + r
        barrier()


@case(NdRange(24, 8), lambda rng: (ints(rng, 0, 5, n=24), np.zeros(24, np.int32)))
def break_together(x, out):
    i, k = get_global_id(0), get_local_id(0)
    best = local.array(1, np.int32)
    value = x[i]
    for _ in range(10):
        if k == 0:
            best[0] = 0
        barrier()
        if value > 0:
            best[0] = 1
        barrier()
        if best[0] == 0:
            break
        value -= 1
        out[i] += 1
        barrier()


@case(NdRange(32, 16), lambda rng: (ints(rng, n=32), np.zeros(32, np.int32)))
def several_local_arrays(x, out):
    i, k = get_global_id(0), get_local_id(0)
    flags = local.array(16, np.bool_)
    small = local.array((4, 4), np.int8)
    wide = local.array(16, np.float64)
    flags[k] = x[i] > 0
    small[k // 4, k % 4] = x[i]
    wide[k] = x[i] / 4
    mem_fence()
    barrier()
    other = 15 - k
    if flags[other]:
        out[i] = small[other // 4, other % 4]
    else:
        out[i] = wide[other] * 8


@case(NdRange(36, 12), lambda rng: (ints(rng, n=36), np.zeros(36, np.int32), 30))
def some_do_nothing(x, out, n):
    i, k = get_global_id(0), get_local_id(0)
    held = local.array(12, np.int32)
    is_inside = i < n
    if is_inside:
        held[k] = x[i]
    else:
        held[k] = 0
    barrier()
    if is_inside:
        total = 0
        for j in range(12):
            total += held[j]
        out[i] = total
