"""Arrays in kernels: each construct compiled and in plain Python."""

import numpy as np
import pytest
from kernel_runs import run

from situ import kernels, tensor
from situ.kernels import (
    NdRange,
    Range,
    atomic,
    get_global_id,
    get_global_size,
    get_group_id,
    get_local_id,
    get_num_groups,
    kernel,
    local,
    private,
)

# Arrays.

LAYOUTS = {
    "C": lambda x: x,
    "F": lambda x: x.T,
    "negative": lambda x: x[::-1, ::-1],
    "strided": lambda x: x[::2, 1::2],
    "broadcast": lambda x: tensor.broadcast_to(x[0], x.shape) if isinstance(x, tensor.ndarray) else x[:1] + 0 * x,
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout):
    @kernel
    def f(x, out):
        i, j = get_global_id(0), get_global_id(1)
        out[i, j] = x[i, j] * 10 + x[-1, j]

    base = np.arange(24.0).reshape(6, 4)
    host = LAYOUTS[layout](base)
    out = tensor.zeros(host.shape)
    f(LAYOUTS[layout](tensor.asarray(base)), out)
    np.testing.assert_array_equal(tensor.asnumpy(out), host * 10 + host[-1])


def test_views():
    def f(x, out):
        i = get_global_id(0)
        row = x[i]
        part = x[i, 1:-1:2]
        back = x[::-1, i % 4]
        plane = x[1:, ...].T
        out[i, 0] = row[2] + row.shape[0]
        out[i, 1] = part[0] + part[1] * 100 + len(part) * 1000
        out[i, 2] = back[0] + len(back)
        out[i, 3] = plane[2, 0] + plane.shape[0] * 10 + plane.shape[1]
        out[i, 4] = x.size + x.ndim * 100 + x[i : i + 2].shape[0] * 10000
        out[i, 5] = x[-2:, -1][1] + x[:, 5:].size
        out[i, 6] = x[1:4][1:][0, 1]
        out[i, 7] = x[i, ::-2][0]

    x = np.arange(36.0).reshape(6, 6)
    run(f, x, np.zeros((6, 8)), space=6)


@pytest.mark.parametrize("bounds", [(a, b, c) for a in (None, 0, 2, -3, 9, -9) for b in (None, 3, -1, 9, -9) for c in
                                    (None, 2, -1, -3)])  # fmt: skip
def test_slices(bounds):
    start, stop, step = bounds

    def f(x, out):
        part = x[start:stop:step]
        out[0] = len(part)
        for j in range(len(part)):
            out[j + 1] = part[j]

    x = np.arange(6)
    _, out = run(f, x, np.full(8, -1), space=1, simulate=False)
    wanted = x[start:stop:step]
    assert out[0] == len(wanted) and out[1 : 1 + len(wanted)].tolist() == wanted.tolist()


def test_zero_dimensional_arrays():
    def f(x, out):
        out[get_global_id(0)] = x[()] + x

    out = tensor.zeros(2)
    kernel(f)[2](tensor.asarray(3.0), out)
    assert tensor.asnumpy(out).tolist() == [6, 6]


def test_stores_convert_as_numpy_does():
    def f(x, out):
        i = get_global_id(0)
        out[i] = x[i]

    for target in ("i1", "u1", "i4", "f2", "f4", "bool", "c8"):
        x = np.array([0, 1, 300, 2.75])
        with np.errstate(all="ignore"):
            (_, out) = run(f, x, np.zeros(4, dtype=target), simulate=False)
        assert out[1] == 1 and out.dtype == target


def test_private_arrays_begin_with_zeros():
    def f(out):
        i = get_global_id(0)
        for k in range(3):
            held = private.array((2, 3), "f4")
            held[1, i % 3] += k + 1
            out[i] += held[1, i % 3] + held[0, 0]

    np.testing.assert_array_equal(run(f, np.zeros(4))[0], [6] * 4)


def test_groups():
    def f(x, out):
        held = local.array(4, np.int64)
        i, j = get_global_id(0), get_local_id(0)
        held[j] = x[i]
        kernels.barrier()
        out[i] = held[3 - j] + 100 * get_group_id(0) + 1000 * get_num_groups(0) + 10000 * get_global_size(0)

    run(f, np.arange(8), np.zeros(8, dtype="i8"), space=NdRange(8, 4))


def test_local_accessors():
    def f(item, x, out, held):
        i, j = item.get_global_id(0), item.get_local_id(0)
        held[j] = x[i] * 2
        kernels.group_barrier(item.get_group())
        out[i] = held[len(held) - 1 - j]

    accessor = kernels.LocalAccessor(4, "f4")
    _, out, _ = run(f, np.arange(8.0), np.zeros(8), accessor, space=NdRange((8,), (4,)))
    assert out.tolist() == [6, 4, 2, 0, 14, 12, 10, 8]


@pytest.mark.parametrize("dtype", ["i4", "u4", "f4", "i8", "u8", "f8", "i1", "f2", "c8"])
def test_atomics(dtype):
    def f(x, out):
        atomic.add(out, 0, x[get_global_id(0)])

    x = np.arange(16).astype(dtype)
    _, out = run(f, x, np.zeros(1, dtype=dtype), space=16)
    assert out[0] == 120


def test_items_know_where_they_are():
    def f(item, out):
        at = item.get_linear_id()
        out[at] = item.get_id(0) * 100 + item.get_id(1) * 10 + item.get_range(1) + item.get_linear_range()

    run(f, np.zeros(12, dtype="i8"), space=Range(3, 4))


def test_ids_are_weak():
    @kernel
    def f(x, out):
        i = get_global_id(0)
        out[0] = (x[i] * i).dtype.itemsize
        out[1] = (x[i] * len(x)).dtype.itemsize

    out = tensor.zeros(2, dtype="i8")
    f[1](tensor.ones(3, dtype="f4"), out)
    assert tensor.asnumpy(out).tolist() == [4, 4]


def test_numbers_as_arguments():
    @kernel
    def f(x, a, b, out):
        out[0] = (x[0] * a).dtype.itemsize
        out[1] = (x[0] * b).dtype.itemsize

    out = tensor.zeros(2, dtype="i8")
    f[1](tensor.ones(1, dtype="f4"), 2.5, np.float64(2.5), out)
    assert tensor.asnumpy(out).tolist() == [4, 8]
    assert f.signatures == [("float32[1]", "float", "float64", "int64[1]")]


def test_parts_are_assigned_to():
    def f(x, out):
        i = get_global_id(0)
        out[i, ::2] = i
        out[i, 1:4:2] = x[i, :2]

    x = np.arange(12.0).reshape(3, 4)
    _, out = run(f, x, np.zeros((3, 5)), space=3)
    assert out[1].tolist() == [1, 4, 1, 5, 1]


@pytest.mark.parametrize("dtype", ["i4", "u8", "f4", "f8"])
def test_compare_exchange(dtype):
    def f(x, out):
        i = get_global_id(0)
        expected = private.array(1, x.dtype)
        expected[0] = -0.0 if i == 1 else 3
        out[i] = kernels.AtomicRef(x, i).compare_exchange(expected, 7)
        out[i] += 10 * expected[0]

    x = np.array([3, 0, 4, 3], dtype=dtype)
    after, out = run(f, x, np.zeros(4))
    # A zero with another sign is another element.
    is_float = dtype[0] == "f"
    assert after.tolist() == [7, 0 if is_float else 7, 4, 7] and out.tolist() == [31, 0 if is_float else 1, 40, 31]


def test_atomic_references():
    def f(x, out):
        i = get_global_id(0)
        ref = kernels.AtomicRef(x, (0, i % 2))
        out[i] = ref.fetch_add(1) + ref.load() * 0
        ref.fetch_max(2)
        kernels.AtomicRef(x, (1, i)).store(5)
        out[i] += kernels.AtomicRef(x, (1, i)).exchange(6)

    after, out = run(f, np.zeros((2, 4), dtype="i8"), np.zeros(4, dtype="i8"), space=4, simulate=False)
    # Both add one, and both take 2 if that is more, in any order.
    assert after[1].tolist() == [6] * 4 and set(after[0, :2]) <= {2, 3} and (out >= 5).all()


# Slices.


def test_slices_count_from_the_end_as_in_python():
    def f(x, ends, out):
        i = get_global_id(0)
        a, b = ends[i, 0], ends[i, 1]
        parts = x[a:], x[:b], x[a:b], x[a:b:2], x[a:b:-1], x[a::-2], x[:b:-3]
        for place, part in (
            (0, parts[0]),
            (1, parts[1]),
            (2, parts[2]),
            (3, parts[3]),
            (4, parts[4]),
            (5, parts[5]),
            (6, parts[6]),
        ):
            total = 0
            for j in range(len(part)):
                total = 10 * total + part[j]
            out[i, place] = total

    x = np.arange(1, 6)
    ends = np.array([(a, b) for a in range(-8, 9) for b in range(-8, 9)])
    out = run(f, x, ends, np.zeros((len(ends), 7), "i8"), space=len(ends))[2]
    for (a, b), found in zip(ends.tolist(), out.tolist(), strict=True):
        slices = [
            slice(a, None),
            slice(b),
            slice(a, b),
            slice(a, b, 2),
            slice(a, b, -1),
            slice(a, None, -2),
            slice(None, b, -3),
        ]
        assert found == [int("".join(map(str, x[part].tolist())) or 0) for part in slices], (a, b)
