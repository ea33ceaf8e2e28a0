"""Kernels in plain Python."""

import math
import sys
import threading
from math import sqrt

import numpy as np
import pytest

import situ
from situ import tensor
from situ.kernels import (
    AtomicRef,
    LocalAccessor,
    NdRange,
    PrivateArray,
    Range,
    atomic,
    barrier,
    get_global_id,
    get_global_size,
    get_group_id,
    get_local_id,
    get_local_size,
    get_num_groups,
    get_num_sub_groups,
    get_sub_group_id,
    get_sub_group_local_id,
    get_sub_group_size,
    group_barrier,
    in_simulation,
    local,
    private,
    shuffle,
    shuffle_down,
    shuffle_up,
    shuffle_xor,
    sub_group_reduce_add,
    sub_group_reduce_max,
)
from situ.kernels._simulator import simulate

LAST = -1


def test_work_items_run_in_order():
    seen = []

    def note(x):
        assert in_simulation()
        seen.append((get_global_id(0), get_global_id(1), get_global_size(0), get_global_size(1)))

    simulate(note, (2, 3), np.zeros(1))
    assert seen == [(i, j, 2, 3) for i in range(2) for j in range(3)]
    assert not in_simulation()


def test_an_item_is_passed_to_kernels_that_want_one():
    def by_item(item, x):
        x[item.get_id(0), item.get_id(1)] = item.get_linear_id()

    def by_nd_item(item, x):
        group = item.get_group()
        assert group.leader == (item.get_local_linear_id() == 0)
        x[item.get_global_id(0), item.get_global_id(1)] = group.get_group_linear_id()

    x = np.zeros((4, 6), np.int32)
    simulate(by_item, Range(4, 6), x)
    np.testing.assert_array_equal(x, np.arange(24).reshape(4, 6))
    simulate(by_nd_item, NdRange((4, 6), (2, 3)), x)
    np.testing.assert_array_equal(x, np.kron([[0, 1], [2, 3]], np.ones((2, 3), int)))


def test_situ_arrays_are_written_through_views_that_overlap(here):
    def shift(x, y):
        i = get_global_id(0)
        y[i] += x[i]

    base = np.arange(10, dtype=np.int16)
    x = tensor.asarray(base, sycl_queue=here)
    simulate(shift, 9, x[:-1], x[1:])
    np.testing.assert_array_equal(tensor.asnumpy(x), np.cumsum(base))
    simulate(shift, 5, x[::2], x[::-2])
    simulate(shift, 0, x[:0], x[:0])


def test_read_only_arrays_stay_as_they_are():
    def write(x):
        x[get_global_id(0)] = 1

    x = np.zeros(3)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        simulate(write, 3, x)


def test_indices_that_are_negative_by_chance_are_out_of_bounds():
    def constant(x, out):
        out[0] = x[-1]
        out[-1] = x[LAST]
        out[1] = x[-2] + x[0]
        x[LAST - 1] += 10

    def computed(x, out):
        i = get_global_id(0)
        out[i] = x[i - 2]

    def assigned(x, out):
        i = get_global_id(0)
        out[0] = x[-1]; out[i - 1] = 3  # fmt: skip # noqa: E702

    def beyond(x, out):
        x[4] = 0

    x, out = np.arange(4), np.zeros(3, int)
    simulate(constant, 1, x, out)
    assert out.tolist() == [3, 2, 3] and x.tolist() == [0, 1, 12, 3]
    for kernel, shown in [(computed, "index -2 of axis 0"), (assigned, "index -1 of axis 0"), (beyond, "index 4")]:
        with pytest.raises(IndexError, match=shown):
            simulate(kernel, 4, x, out)


def test_values_have_the_dtypes_of_numpy():
    def check(x, y, out):
        i = get_global_id(0)
        assert type(x[i]) is np.float32 and type(x[i] * 2.5 + i) is np.float32
        assert type(x[i] * y[i]) is np.float32 and type(i / 3) is float
        assert type(y[i] + 1) is np.int16 and type(y[i] / y[i]) is np.float64
        out[i] = 300 + i
        out[i] = y[i] + y[i]

    out = np.zeros(2, np.int8)
    simulate(check, 2, np.ones(2, np.float32), np.full(2, 30000, np.int16), out)
    assert out.tolist() == [np.int16(-5536).astype(np.int8)] * 2


def test_math_computes_in_the_dtype_of_its_argument():
    def check(x, n, out):
        i = get_global_id(0)
        for value in (math.sin(x[i]), sqrt(x[i]), tensor.exp(x[i]), situ.tensor.hypot(x[i], 1.0), math.fabs(x[i])):
            assert type(value) is np.float32
        assert type(math.sqrt(2)) is float and type(math.sqrt(n[i])) is float
        assert math.isnan(math.sqrt(-1.0)) and math.floor(2.5) == 2 and type(math.floor(x[i])) is int
        assert math.pi == np.pi and tensor.pi == np.pi
        out[i] = math.cos(x[i])

    x = np.linspace(0, 1, 4, dtype=np.float32)
    out = np.zeros_like(x)
    simulate(check, 4, x, np.arange(4), out)
    np.testing.assert_array_equal(out, tensor.asnumpy(tensor.cos(tensor.asarray(x))))
    assert math.sqrt(4) == 2.0 and isinstance(sqrt(np.float32(4)), float)


def test_closures_and_device_functions_mean_the_same():
    scale = 3

    class Device:
        """As a decorator leaves it."""

        def __init__(self, py_func):
            self.py_func = py_func

    @Device
    def scaled(value):
        return math.sqrt(value) * scale

    def kernel(x):
        i = get_global_id(0)
        x[i] = scaled(x[i])
        assert type(scaled(x[i])) is np.float32

    x = np.array([4, 9], np.float32)
    simulate(kernel, 2, x)
    assert x.tolist() == [6, 9]


def test_barriers_and_local_memory():
    def turn(x):
        i, n = get_local_id(0), get_local_size(0)
        held = local.array(4, x.dtype)
        held[i] = x[get_global_id(0)]
        barrier()
        x[get_global_id(0)] = held[n - 1 - i] + 10 * get_group_id(0) + 100 * get_num_groups(0)

    x = np.arange(8)
    simulate(turn, NdRange(8, 4), x)
    assert x.tolist() == [203, 202, 201, 200, 217, 216, 215, 214]


def test_barriers_in_loops_and_local_accessors():
    def scan(item, x, held):
        i, n = item.get_local_id(0), item.get_local_range(0)
        held[i] = x[item.get_global_id(0)]
        step = 1
        while step < n:
            group_barrier(item.get_group())
            before = held[i - step] if i >= step else 0
            group_barrier(item.get_group())
            held[i] += before
            step *= 2
        x[item.get_global_id(0)] = held[i]

    x = np.arange(24)
    simulate(scan, NdRange(24, 12), x, LocalAccessor(12, np.int64))
    np.testing.assert_array_equal(x.reshape(2, 12), np.cumsum(np.arange(24).reshape(2, 12), 1))


def test_every_place_has_a_local_array_of_its_own():
    def own(x):
        i = get_local_id(0)
        for round in range(2):
            first = local.array(2, np.int64)
            second = local.array((2,), np.int64)
            first[i] = i + round
            second[i] = 10 * i
            barrier()
            x[get_global_id(0)] += first[1 - i] + second[1 - i]
            barrier()

    x = np.zeros(2, np.int64)
    simulate(own, NdRange(2, 2), x)
    assert x.tolist() == [1 + 10 + 2 + 10, 0 + 1]


def test_private_arrays_are_zero_and_nobody_elses():
    def own(x):
        i = get_global_id(0)
        a, b = PrivateArray(3, np.int32), private.array((2, 2), np.float32)
        a[i % 3] += 5
        b[1, i % 2] = 2.5
        x[i] = a[0] + a[1] + a[2] + b[1, 0] + b[1, 1] + b[0, 0]
        assert a.shape == (3,) and b.ndim == 2 and type(b[0, 0]) is np.float32

    x = np.zeros(4)
    simulate(own, 4, x)
    assert x.tolist() == [7.5] * 4


def test_atomics_return_what_was():
    def change(x, small, seen):
        i = get_global_id(0)
        seen[i] = atomic.add(x, 0, 2)
        atomic.sub(x, 1, i)
        atomic.min(x, 2, -i)
        atomic.max(x, 3, i)
        atomic.and_(x, 4, ~(1 << i))
        atomic.or_(x, 5, 1 << i)
        atomic.xor(x, 6, 3)
        atomic.exchange(x, 7, i)
        atomic.compare_exchange(x, 8, i, i + 1)
        atomic.add(small, (0, 1), 100)

    x, small, seen = np.zeros(9, np.int64), np.zeros((1, 2), np.int8), np.zeros(4, int)
    x[4] = 255
    simulate(change, 4, x, small, seen)
    assert x.tolist() == [8, -6, -3, 3, 240, 15, 0, 3, 4]
    assert seen.tolist() == [0, 2, 4, 6] and small.tolist() == [[0, np.int64(400).astype(np.int8)]]


def test_atomic_references():
    def change(x, expected, out):
        one = AtomicRef(x, 0)
        assert one.fetch_add(2) == 1 and one.fetch_sub(1) == 3 and one.fetch_max(7) == 2 and one.fetch_min(5) == 7
        assert one.fetch_or(2) == 5 and one.fetch_and(6) == 7 and one.fetch_xor(1) == 6 and one.exchange(9) == 7
        assert one.load() == one.ref == 9
        one.store(4)
        out[0] = one.compare_exchange(expected, 8)
        out[1] = one.compare_exchange(expected, 8, expected_idx=0)

    x, expected, out = np.ones(1, np.int32), np.array([3], np.int32), np.zeros(2, bool)
    simulate(change, 1, x, expected, out)
    assert (x.tolist(), expected.tolist(), out.tolist()) == ([8], [4], [False, True])


def test_sub_groups_exchange_values():
    def exchange(x, out):
        i, place = get_global_id(0), get_sub_group_local_id()
        out[i, 0] = sub_group_reduce_add(x[i])
        out[i, 1] = sub_group_reduce_max(x[i])
        out[i, 2] = shuffle(x[i], 3)
        out[i, 3] = shuffle_xor(x[i], 1)
        out[i, 4] = shuffle_up(x[i], 2)
        out[i, 5] = shuffle_down(x[i], 2)
        out[i, 6] = place
        out[i, 7] = 1000 * get_sub_group_id() + 100 * get_num_sub_groups() + get_sub_group_size()

    x = np.arange(40, dtype=np.int64) ** 2
    out = np.zeros((40, 8), np.int64)
    simulate(exchange, NdRange(40, 40), x, out)
    for part in (slice(0, 32), slice(32, 40)):
        values, got = x[part], out[part]
        n = len(values)
        place = np.arange(n)
        assert (
            (got[:, 0] == values.sum()).all() and (got[:, 1] == values.max()).all() and (got[:, 2] == values[3]).all()
        )
        np.testing.assert_array_equal(got[:, 3], values[place ^ 1])
        np.testing.assert_array_equal(got[:, 4], values[np.where(place < 2, place, place - 2)])
        np.testing.assert_array_equal(got[:, 5], values[np.where(place + 2 < n, place + 2, place)])
        np.testing.assert_array_equal(got[:, 6], place)
        assert (got[:, 7] == 1000 * (part.start // 32) + 200 + n).all()


def test_barriers_that_some_do_not_reach_are_errors():
    def ended(x):
        if get_local_id(0) != 1:
            barrier()

    def elsewhere(x):
        if get_local_id(0) == 1:
            barrier()
        else:
            barrier()

    def part(x):
        if get_local_id(0) < 2:
            sub_group_reduce_add(1)
        else:
            barrier()

    before = threading.active_count()
    for kernel, shown in [
        (
            ended,
            r"work-item \(0,\) waits at barrier \(test_simulator.py:\d+\), but work-item \(1,\) .* has ended",
        ),
        (elsewhere, r"work-item \(1,\) of its group waits at barrier"),
        (part, r"waits at sub_group_reduce_add .*, but work-item \(2,\) of its sub-group waits at barrier"),
    ]:
        with pytest.raises(RuntimeError, match=shown):
            simulate(kernel, NdRange(4, 4), np.zeros(1))
    assert threading.active_count() == before


def test_an_error_ends_the_launch_and_names_the_work_item():
    ended = []

    def fail(x):
        i = get_global_id(0)
        barrier()
        if i == 6:
            x[i + 100] = 1
        barrier()
        ended.append(i)

    before = threading.active_count()
    with pytest.raises(IndexError) as caught:
        simulate(fail, NdRange(8, 4), np.zeros(8))
    shown = [*getattr(caught.value, "__notes__", []), *caught.value.args]
    assert any("in work-item (6,) of kernel fail" in text for text in shown)
    assert sorted(ended) == [0, 1, 2, 3]
    # The one that failed may still be on its way out.
    for thread in threading.enumerate():
        if thread is not threading.current_thread():
            thread.join(1)
    assert threading.active_count() <= before


@pytest.mark.parametrize("space", [Range(2), NdRange(2, 2)])
def test_a_debugger_follows_every_line(space):
    def kernel(x):
        i = get_global_id(0)
        x[i] = i
        if isinstance(space, NdRange):
            barrier()
        x[i] += 1

    seen = []

    def trace(frame, event, arg):
        if frame.f_code is kernel.__code__:
            if event == "line":
                seen.append((frame.f_locals.get("i"), frame.f_lineno - kernel.__code__.co_firstlineno))
            return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        simulate(kernel, space, np.zeros(2))
    finally:
        sys.settrace(before)
    lines = [1, 2, 3, 5] if isinstance(space, Range) else [1, 2, 3, 4, 5]
    for item in (0, 1):
        # The first line is the one that says which work-item this is.
        assert [line for i, line in seen if i == item] == lines[1:]
    assert [line for i, line in seen if i is None] == [1, 1]


def test_groups_are_needed_by_what_belongs_to_them():
    for kernel in (
        lambda x: barrier(),
        lambda x: get_local_id(0),
        lambda x: local.array(3, "f4"),
        lambda x: shuffle(1, 1),
    ):
        with pytest.raises(RuntimeError, match="needs work-groups: launch the kernel over an NdRange"):
            simulate(kernel, 4, np.zeros(1))
    with pytest.raises(TypeError, match="launch the kernel over an NdRange"):
        simulate(lambda x: None, 4, LocalAccessor(3, "f4"))


def test_launches_are_checked():
    for kernel, space, args in [
        (lambda x, y: None, 4, ()),
        (lambda x: None, 4, (1, 2)),
        (3, 4, ()),
        (lambda *x: None, 4, ()),
    ]:
        with pytest.raises(ValueError):
            simulate(kernel, space, *args)
    with pytest.raises(TypeError, match="the range of a kernel must be"):
        simulate(lambda x: None, "4", 1)


def test_local_memory_starts_undefined():
    def read(out):
        held = local.array(1, np.float32)
        out[0] = held[0]

    out = np.zeros(1)
    simulate(read, NdRange(1, 1), out)
    assert np.isnan(out[0])
