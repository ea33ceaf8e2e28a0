"""Views of any strides, indices, private arrays, tuples and device functions."""

import numpy as np

from situ.kernels import PrivateArray, device_func, get_global_id, private

from . import View, case
from .control import N, floats, ints

WEIGHTS = (0.25, 0.5, 0.25)


def grid(rng, *shape, dtype=np.float32):
    return rng.standard_normal(shape).astype(dtype)


def added(x, y, out):
    out[:] = x + y


@case(
    50,
    lambda rng: (
        View(ints(rng), lambda a: a[::2]),
        View(ints(rng), lambda a: a[::-2]),
        View(np.zeros(150, np.int32), lambda a: a[1:148:3][:50]),
    ),
    lambda x, y, out: out.__setitem__(slice(None), (x + y)[: out.size]),
)
def stepped_views(x, y, out):
    i = get_global_id(0)
    if i < out.shape[0]:
        out[i] = x[i] + y[i]


@case(
    (6, 8),
    lambda rng: (
        View(grid(rng, 8, 6), lambda a: a.T),
        View(np.asfortranarray(grid(rng, 6, 8)), lambda a: a[::-1]),
        View(np.zeros((12, 8), np.float32), lambda a: a[::2, ::-1]),
    ),
    added,
)
def transposed_views(x, y, out):
    i, j = get_global_id(0), get_global_id(1)
    out[i, j] = x[i, j] + y[i, j]


@case(
    (5, 7),
    lambda rng: (grid(rng, 7), grid(rng, 5, 1), np.zeros((5, 7), np.float32)),
    added,
)
def index_of_length_one(x, y, out):
    i, j = get_global_id(0), get_global_id(1)
    out[i, j] = x[j] + y[i, 0]


@case(
    9,
    lambda rng: (grid(rng, 9, 16, dtype=np.float64), np.zeros(9)),
    lambda x, out: np.copyto(out, x.max(1)),
)
def rows(x, out):
    i = get_global_id(0)
    row = x[i]
    best = row[0]
    for j in range(1, row.shape[0]):
        if row[j] > best:
            best = row[j]
    out[i] = best


@case(
    9,
    lambda rng: (ints(rng, n=9 * 16).reshape(9, 16), np.zeros((9, 16), np.int32)),
    lambda x, out: (np.copyto(out[:, 2:14], x[:, 14:2:-1]), np.copyto(out[:, 0], x[:, 3])),
)
def slices(x, out):
    i = get_global_id(0)
    source = x[i, 14:2:-1]
    target = out[i, 2:]
    for j in range(len(source)):
        target[j] = source[j]
    out[i, :1][0] = x[:, 3][i]


@case(
    1,
    lambda rng: (grid(rng, 3, 4, 5), np.zeros(8, np.int64)),
    lambda x, out: np.copyto(out, [3, 4, 5, 3, 60, 3, 2, 4]),
)
def shapes(x, out):
    out[0] = x.shape[0]
    out[1] = x.shape[1]
    out[2] = x.shape[-1]
    out[3] = x.ndim
    out[4] = x.size
    out[5] = len(x)
    out[6] = x[0].ndim
    out[7] = x[0].shape[0]


@case(
    3,
    lambda rng: (ints(rng), np.zeros((3, 3), np.int32)),
    lambda x, out: np.copyto(out, np.tile([x[-1], x[-100], 7], (3, 1))),
)
def constant_negative_indices(x, out):
    i = get_global_id(0)
    out[i, 0] = x[-1]
    out[i, -2] = x[-100]
    out[i, -1] = 7


def laplacian(x, out):
    padded = np.pad(x, 1)
    shifted = [np.roll(padded, step, axis)[1:-1, 1:-1, 1:-1] for axis in range(3) for step in (1, -1)]
    out[:] = sum(shifted) - 6 * x


@case((5, 6, 7), lambda rng: (ints(rng, n=210).reshape(5, 6, 7), np.zeros((5, 6, 7), np.int32)), laplacian)
def stencil_of_three_axes(x, out):
    i, j, k = get_global_id(0), get_global_id(1), get_global_id(2)
    total = -6 * x[i, j, k]
    if i > 0:
        total += x[i - 1, j, k]
    if i + 1 < x.shape[0]:
        total += x[i + 1, j, k]
    if j > 0:
        total += x[i, j - 1, k]
    if j + 1 < x.shape[1]:
        total += x[i, j + 1, k]
    if k > 0:
        total += x[i, j, k - 1]
    if k + 1 < x.shape[2]:
        total += x[i, j, k + 1]
    out[i, j, k] = total


@case(
    (7, 9),
    lambda rng: (grid(rng, 7, 9), np.zeros((9, 7), np.float32)),
    lambda x, out: np.copyto(out, x.T),
)
def transpose(x, out):
    i, j = get_global_id(0), get_global_id(1)
    out[j, i] = x[i, j]


@case(
    (9, 11),
    lambda rng: (grid(rng, 9, 13, dtype=np.float64), grid(rng, 13, 11, dtype=np.float64), np.zeros((9, 11))),
    lambda a, b, c: np.copyto(c, a @ b),
    tolerance=1e-14,
)
def matrix_product(a, b, c):
    i, j = get_global_id(0), get_global_id(1)
    total = 0.0
    for k in range(a.shape[1]):
        total += a[i, k] * b[k, j]
    c[i, j] = total


@case((12, 10), lambda rng: (grid(rng, 12, 10), grid(rng, 3, 3), np.zeros((12, 10), np.float32)))
def convolution(x, weights, out):
    i, j = get_global_id(0), get_global_id(1)
    total = np.float32(0)
    for a in range(3):
        for b in range(3):
            y, z = i + a - 1, j + b - 1
            if 0 <= y < x.shape[0] and 0 <= z < x.shape[1]:
                total += x[y, z] * weights[a, b]
    out[i, j] = total


def moved(x, where, gathered, scattered):
    gathered[:] = x[where]
    scattered[where] = x


@case(
    N, lambda rng: (ints(rng), rng.permutation(N).astype(np.int32), np.zeros(N, np.int32), np.zeros(N, np.int32)), moved
)
def gather_and_scatter(x, where, gathered, scattered):
    i = get_global_id(0)
    gathered[i] = x[where[i]]
    scattered[where[i]] = x[i]


@case(
    20,
    lambda rng: (ints(rng, n=160).reshape(20, 8), np.zeros((20, 8), np.int32)),
    lambda x, out: np.copyto(out, np.sort(x, 1)),
)
def sort_in_private(x, out):
    i = get_global_id(0)
    held = private.array(8, np.int32)
    for k in range(8):
        held[k] = x[i, k]
    for a in range(7):
        for b in range(7 - a):
            if held[b] > held[b + 1]:
                held[b], held[b + 1] = held[b + 1], held[b]
    for k in range(8):
        out[i, k] = held[k]


@case(20, lambda rng: (ints(rng, 0, 6, n=20 * 30).reshape(20, 30), np.zeros((20, 6), np.int8)))
def count_in_private(x, out):
    i = get_global_id(0)
    counts = PrivateArray((2, 3), np.int8, fill_zeros=True)
    for k in range(x.shape[1]):
        counts[x[i, k] // 3, x[i, k] % 3] += 1
    for a in range(2):
        for b in range(3):
            out[i, 3 * a + b] = counts[a, b]


@case(N, lambda rng: (ints(rng), ints(rng), np.zeros((3, N), np.int64)))
def tuples(x, y, out):
    i = get_global_id(0)
    a, b = x[i], y[i]
    if a > b:
        a, b = b, a
    pair = (b - a, a)
    first, (second, third) = pair[0], (pair[1], len(pair))
    out[0, i] = first
    out[1, i] = second
    out[2, i] = third


@device_func
def squared(x):
    return x * x


@device_func
def distance(a, b):
    return squared(a[0] - b[0]) + squared(a[1] - b[1])


@case(
    (12, 15), lambda rng: (ints(rng, n=24).reshape(12, 2), ints(rng, n=30).reshape(15, 2), np.zeros((12, 15), np.int32))
)
def device_functions(p, q, out):
    i, j = get_global_id(0), get_global_id(1)
    out[i, j] = distance(p[i], (q[j, 0], q[j, 1]))


@device_func
def smallest_factor(n):
    if n < 2:
        return 0
    for k in range(2, n):
        if n % k == 0:
            return k
        if k * k > n:
            break
    return n


def factors(out):
    out[:] = [next((k for k in range(2, n + 1) if n % k == 0), 0) for n in range(out.size)]


@case(90, lambda rng: (np.zeros(90, np.int32),), factors)
def device_function_with_early_returns(out):
    n = get_global_id(0)
    out[n] = smallest_factor(n)


@device_func
def rotated(x, y, quarter):
    while quarter > 0:
        x, y = -y, x
        quarter -= 1
    return x, y


@case(N, lambda rng: (ints(rng), ints(rng), ints(rng, 0, 5), np.zeros((2, N), np.int32)))
def device_function_of_tuples(x, y, turns, out):
    i = get_global_id(0)
    a, b = rotated(x[i], y[i], turns[i])
    out[0, i] = a
    out[1, i] = b


@device_func
def put(array, i, value=5):
    array[i] = value


@case(N, lambda rng: (np.zeros(N, np.int32), np.zeros(N, np.float32)))
def device_functions_write(a, b):
    i = get_global_id(0)
    put(a, i)
    put(b, i, i * 0.5)


@case(
    N - 2,
    lambda rng: (floats(rng), np.zeros(N, np.float32)),
    lambda x, out: np.copyto(
        out[1:-1], x[:-2] * np.float32(0.25) + x[1:-1] * np.float32(0.5) + x[2:] * np.float32(0.25)
    ),
)
def tuple_of_constants(x, out):
    i = get_global_id(0) + 1
    out[i] = x[i - 1] * WEIGHTS[0] + x[i] * WEIGHTS[1] + x[i + 1] * WEIGHTS[-1]


def make_closure(scale, shift):
    @case(N, lambda rng: (floats(rng), np.zeros(N, np.float32)), lambda x, out: np.copyto(out, x * scale + shift))
    def closures(x, out):
        i = get_global_id(0)
        out[i] = x[i] * scale + shift


make_closure(np.float32(3), 2)


def shared_by_both(x, same):
    x[:50] = x[50:] + 1


SHARED = "the same array twice"


@case(50, lambda rng: (ints(rng), SHARED), shared_by_both)
def one_array_twice(x, same):
    i = get_global_id(0)
    x[i] = same[i + 50] + 1


@case(
    (3, 4, 5),
    lambda rng: (np.zeros((3, 4, 5), np.int32),),
    lambda out: np.copyto(out, np.arange(60).reshape(3, 4, 5)),
)
def item_of_three_axes(item, out):
    i, j, k = item.get_id(0), item.get_id(1), item.get_id(2)
    out[i, j, k] = item.get_linear_id() + item.get_linear_range() - 60 + item.get_range(2) - 5


@case(N, lambda rng: (ints(rng, 0, 4), floats(rng, 4), np.zeros(N, np.float32)))
def small_table_in_private(which, table, out):
    i = get_global_id(0)
    held = private.array(4, np.float32)
    for k in range(4):
        held[k] = table[3 - k]
    held[which[i]] += 1
    out[i] = held[0] + held[1] * 2 + held[2] * 4 + held[3] * 8
