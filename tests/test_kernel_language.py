"""Statements, names and functions in kernels: each construct compiled and in plain Python."""

import numpy as np
import pytest
from kernel_runs import run

from situ import kernels, tensor
from situ.kernels import (
    device_func,
    get_global_id,
    kernel,
)

# Statements.


def test_variables_widen():
    def f(x, out):
        i = get_global_id(0)
        total = 0
        for j in range(4):
            total += x[i] * j
        flag = 1
        if i > 2:
            flag = 0.5
        out[i] = total + flag

    for dtype in ("f4", "f8", "i4"):
        x = np.arange(6).astype(dtype)
        np.testing.assert_array_equal(run(f, x, np.zeros(6))[1], x * 6 + np.where(np.arange(6) > 2, 0.5, 1))


def test_a_weak_accumulator_takes_the_arrays_dtype():
    @kernel
    def f(x, out):
        total = 0.0
        for j in range(len(x)):
            total += x[j]
        out[0] = total.dtype.itemsize

    for dtype, size in (("f4", 4), ("f8", 8), ("i4", 8)):
        out = tensor.zeros(1, dtype="i8")
        f[1](tensor.ones(3, dtype=dtype), out)
        assert int(out[0]) == size


def test_loops():
    def f(out):
        i = get_global_id(0)
        n = 0
        for j in range(10, -i, -3):
            if j % 2:
                continue
            if j < -4:
                break
            n += j
        else_ = 0
        while True:
            else_ += 1
            if else_ > i:
                break
        k = 0
        while k < 3 and n > k:
            k += 1
        for _ in range(0):
            n = 1000
        out[i] = n * 100 + else_ * 10 + k

    run(f, np.zeros(12, dtype="i8"))


def test_the_counter_stays_after_the_loop():
    def f(out):
        i = get_global_id(0)
        j = -1
        for j in range(i):
            j += 0
        out[i] = j

    assert run(f, np.zeros(4, dtype="i8"))[0].tolist() == [-1, 0, 1, 2]


def test_changing_the_counter_does_not_change_the_loop():
    def f(out):
        i = get_global_id(0)
        n = 0
        for j in range(i):
            j = j * 10
            n += j
        out[i] = n

    run(f, np.zeros(5, dtype="i8"))


def test_loops_over_arrays_and_tuples():
    def f(x, out):
        i = get_global_id(0)
        for v in x[i]:
            out[i] += v
        for factor in (1, 2.5, i):
            out[i] += factor

    x = np.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(run(f, x, np.zeros(3), space=3, simulate=False)[1], x.sum(1) + 3.5 + np.arange(3))


def test_what_the_last_iteration_assigned():
    def f(x, out):
        i = get_global_id(0)
        for j in range(5):
            if j > 0:
                out[i] = previous - 1  # noqa: F821
            previous = x[i] * j  # noqa: F841

    x = np.arange(4.0)
    np.testing.assert_array_equal(run(f, x, np.zeros(4))[1], x * 3 - 1)


def test_branches():
    def f(x, out):
        i = get_global_id(0)
        if x[i] < 2:
            y = 1
        elif x[i] < 4:
            y = 2
            if i == 2:
                y = 7
        elif x[i] == 5:
            return
        else:
            y = 3
        out[i] = y

    assert run(f, np.arange(8), np.zeros(8, dtype="i8"))[1].tolist() == [1, 1, 7, 2, 3, 0, 3, 3]


def test_early_returns():
    def f(out):
        i = get_global_id(0)
        if i >= len(out):
            return
        for j in range(10):
            for k in range(10):
                if j * k == i:
                    out[i] = j * 100 + k
                    return
        out[i] = -1

    run(f, np.zeros(30, dtype="i8"), space=32)


def test_ternaries_evaluate_one_side():
    def f(x, out):
        i = get_global_id(0)
        out[i] = x[i + 1] if i + 1 < len(x) else -1
        out[i] += 1 if i > 2 else 2.5

    x = np.arange(5.0)
    assert run(f, x, np.zeros(5))[1].tolist() == [3.5, 4.5, 5.5, 5, 0]


def test_and_or_evaluate_what_matters():
    def f(x, out):
        i = get_global_id(0)
        if i + 1 < len(x) and x[i + 1] > 2:
            out[i] += 1
        if i + 1 >= len(x) or x[i + 1] < 2:
            out[i] += 10
        if i == 0 or 4 // i > 1:
            out[i] += 100
        out[i] += 1000 * (x[i] and 3) + 10000 * (x[i] or 4)

    run(f, np.arange(5), np.zeros(5, dtype="i8"))


def test_chained_comparisons():
    def f(x, out):
        i = get_global_id(0)
        out[i] = 0 < x[i] <= 3 != 2 and 0 <= i < len(x) and i < x[i - 1 if i else 0] + 2 < 100

    run(f, np.arange(6), np.zeros(6, dtype="bool"))


def test_augmented_assignment():
    def f(x):
        i = get_global_id(0)
        x[i] += 3
        x[i] -= 1
        x[i] *= 5
        x[i] //= 2
        x[i] %= 7
        x[i] **= 2
        x[i] <<= 1
        x[i] |= 1
        x[i] &= 30
        x[i] ^= 4
        x[i] >>= 1
        y = x[i]
        y /= 2
        x[i] += y

    run(f, np.arange(12))


def test_tuples():
    def f(x, out):
        i = get_global_id(0)
        a, (b, c) = x[i], (i, 2)
        a, b = b, a
        pair = (a, b)
        for _ in range(3):
            pair = pair[1], pair[0] + 1
        out[i, 0], out[i, 1] = pair
        out[i, 2] = pair[-1] + len(pair) + (1, 2, 3)[c]
        out[i, 3] = (10, 20, 30)[i % 3]
        out[i, 4] = x.shape == (5,) and (1, i) != (1, 2)
        out[i, 5] = i in (1, 3)

    run(f, np.arange(5.0), np.zeros((5, 6)), space=5)


def test_walrus():
    def f(x, out):
        i = get_global_id(0)
        if (y := x[i] * 2) > 4:
            out[i] = y
        while (y := y - 1) > 0:
            out[i] += 1

    run(f, np.arange(6), np.zeros(6, dtype="i8"))


def test_what_is_known_prunes_branches():
    def f(x, out):
        i = get_global_id(0)
        if x.ndim == 1:
            out[i] = x[i]
        else:
            out[i] = x[i, 0]

    run(f, np.arange(4.0), np.zeros(4))
    run(f, np.arange(8.0).reshape(4, 2), np.zeros(4), space=4)


def test_names_before_their_first_assignment_are_zero():
    @kernel
    def f(out):
        i = get_global_id(0)
        if i > 1:
            y = 5
        out[i] = y

    out = tensor.ones(4)
    f(out)
    assert tensor.asnumpy(out).tolist() == [0, 0, 5, 5]


# What is outside.

SCALE = 3
FACTORS = (1.5, 2.5)


def test_constants_and_closures_are_frozen():
    offset = 10

    @kernel
    def f(out):
        i = get_global_id(0)
        out[i] = SCALE * i + offset + FACTORS[1]

    out = tensor.zeros(3)
    f(out)
    assert tensor.asnumpy(out).tolist() == [12.5, 15.5, 18.5]
    offset = 20
    f(out)
    assert tensor.asnumpy(out).tolist() == [12.5, 15.5, 18.5]


@device_func
def clamp(x, low=0, high=1):
    if x < low:
        return low
    if x > high:
        return high
    return x


@device_func
def first_above(row, limit):
    """A return out of two loops."""
    for start in range(0, len(row), 2):
        j = start
        while j < start + 2 and j < len(row):
            if row[j] > limit:
                return j, row[j]
            j += 1
    return -1, row[0]


@device_func
def swap(x, i, j):
    x[i], x[j] = x[j], x[i]


@device_func
def twice(x):
    return clamp(x, high=100) * 2


def test_device_functions():
    def f(x, out):
        i = get_global_id(0)
        out[i, 0] = clamp(x[i])
        out[i, 1] = clamp(i, 2, high=3)
        out[i, 2], out[i, 3] = first_above(x, i * 0.75)
        out[i, 4] = twice(x[i]) + twice(i)

    run(f, np.linspace(-1, 4, 7), np.zeros((7, 5)), space=7)


def test_device_functions_change_arrays():
    def f(x):
        i = get_global_id(0)
        swap(x[i], 0, 1)

    x = np.arange(6).reshape(3, 2)
    np.testing.assert_array_equal(run(f, x, space=3)[0], x[:, ::-1])


def test_device_functions_in_loops_begin_anew():
    @device_func
    def count(n):
        total = 0
        for j in range(n):
            if j == 3:
                return total * 10
            total += 1
        return total

    def f(out):
        i = get_global_id(0)
        for k in range(6):
            out[i] = out[i] * 100 + count(k)

    run(f, np.zeros(2, dtype="i8"))


# Comparisons.


def test_chains_of_comparisons_with_elements_inside():
    def f(x, out):
        i = get_global_id(0)
        out[i, 0] = -2 < x[i] < x[i + 1] < x[i + 2]
        out[i, 1] = 0 <= x[i] <= abs(x[i + 1]) <= x[i + 2] != x[i + 1] < 9
        if x[i] < x[i + 1] < x[i + 2] < x[i + 1] + 3:
            out[i, 2] = 1

    x = np.array([0, 1, 2, 5, 4, 3, 8, 9, -5.0])
    _, out = run(f, x, np.zeros((7, 3)), space=7)
    a, b, c = x[:-2], x[1:-1], x[2:]
    np.testing.assert_array_equal(out[:, 0], (a > -2) & (a < b) & (b < c))
    np.testing.assert_array_equal(out[:, 2], (a < b) & (b < c) & (c < b + 3))


def test_chains_of_comparisons_end_where_they_fail():
    @kernel(debug=True)
    def f(x, out):
        i = get_global_id(0)
        out[i] = len(x) < i + 1 < x[i + 7] < x[i + 8]

    out = tensor.ones(4)
    f[4](tensor.ones(4), out)
    assert tensor.asnumpy(out).tolist() == [0, 0, 0, 0]


# Types of variables, and ways through device functions.


def of_text(tmp_path, text):
    """Return the function f of a text."""
    path = tmp_path / "text.py"
    path.write_text("from situ.kernels import *\n" + text, encoding="utf-8")
    names = {}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)
    return names["f"]


@pytest.mark.parametrize("backwards", [False, True])
def test_types_of_variables_spread_far(tmp_path, backwards):
    steps = [f"        v{n + 1} = v{n}" for n in range(150)]
    lines = ["def f(x):", "    i = get_global_id(0)"]
    lines += [f"    v{n} = 0" for n in range(151)]
    lines += ["    if i >= 0:", "        v0 = 0.5", "    for _ in range(151):"]
    lines += [*(reversed(steps) if backwards else steps), "    x[i] = v150"]
    (x,) = run(of_text(tmp_path, "\n".join(lines)), np.zeros(2))
    assert x.tolist() == [0.5, 0.5]


def test_types_spread_in_one_pass(tmp_path, monkeypatch):
    passes = []
    whole = kernels._compile._kernel._Compiler._pass_through
    monkeypatch.setattr(
        kernels._compile._kernel._Compiler, "_pass_through", lambda self: passes.append(1) or whole(self)
    )
    lines = ["def f(x):", "    v0 = 0", "    if x[0] > 0:", "        v0 = 0.5"]
    for n in range(50):
        lines += [f"    v{n + 1} = 0", "    if x[0] > 0:", f"        v{n + 1} = v{n}"]
    f = kernel(of_text(tmp_path, "\n".join([*lines, "    x[0] = v50"])))
    x = tensor.ones(1)
    f(x)
    assert float(x[0]) == 0.5 and len(passes) == 2


def test_loops_without_end_return_from_inside():
    @device_func
    def root(n):
        r = 0
        while True:
            if r * r >= n:
                return r
            r += 1

    @device_func
    def nested(n):
        for i in range(5):
            while 1:
                n += 1
                if n % 3 == 0:
                    break
                if n > 20:
                    return n * 100 + i
        if n > 9:
            while True:
                n -= 1
                for k in range(n):
                    if k > 7:
                        break
                    if k * k == n:
                        return n
        return -n

    def f(x, out):
        i = get_global_id(0)
        out[i, 0] = root(x[i])
        out[i, 1] = nested(x[i])
        while True:
            if out[i, 0] > 3:
                return
            out[i, 0] += 5

    x = np.arange(30)
    run(f, x, np.zeros((30, 2), "i8"), space=30)


def test_many_elifs(tmp_path):
    lines = ["def f(x):", "    i = get_global_id(0)", "    if x[i] == 0:", "        y = 1"]
    for n in range(1, 400):
        lines += [f"    elif x[i] == {n}:", f"        y = {n} * 3"]
    (x,) = run(of_text(tmp_path, "\n".join([*lines, "    else:", "        return", "    x[i] = y"])), np.arange(402))
    assert x.tolist() == [1, *range(3, 1200, 3), 400, 401]


def test_elifs_that_are_known():
    def f(x, out):
        i = get_global_id(0)
        if x.ndim == 2:
            y = 1
        elif x[i] > 3:
            y = 2
        elif x.ndim == 3:
            y = 3
        elif x[i] > 2:
            y = 2.5
        elif x.ndim == 1:
            y = 4
        else:
            y = 5
        out[i] = y

    assert run(f, np.arange(6), np.zeros(6))[1].tolist() == [4, 4, 4, 2.5, 2, 2]
