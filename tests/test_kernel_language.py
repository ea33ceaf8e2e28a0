"""The language of kernels: each construct compiled and in plain Python."""

import cmath
import math

import numpy as np
import pytest

from situ import kernels, tensor
from situ.kernels import (
    NdRange,
    Range,
    atomic,
    device_func,
    get_global_id,
    get_global_size,
    get_group_id,
    get_local_id,
    get_num_groups,
    kernel,
    local,
    private,
)

DTYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
FLOATS = ["f2", "f4", "f8"]
INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]


def run(function, *args, space=None, simulate=True, tolerance=0.0):
    """Run a kernel compiled; with debug and by the simulator it must do the same. The arrays as they are then."""
    space = args[0].shape if space is None else space
    results = []
    for options in ({"contract": False}, {"debug": True, "contract": False}):
        arrays = [tensor.asarray(arg, copy=True) if isinstance(arg, np.ndarray) else arg for arg in args]
        kernel(**options)(function)[space](*arrays)
        results.append([tensor.asnumpy(each) if isinstance(each, tensor.ndarray) else each for each in arrays])
    if simulate:
        arrays = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]
        kernel(function).simulate(space, *arrays)
        results.append(arrays)
    for other in results[1:]:
        for one, two in zip(results[0], other, strict=True):
            if tolerance:
                np.testing.assert_allclose(one, two, rtol=tolerance)
            else:
                np.testing.assert_array_equal(one, two)
    return results[0]


# Numbers.


@pytest.mark.parametrize("dtype", DTYPES)
def test_weak_numbers_take_the_dtype_beside_them(dtype):
    def f(x, out):
        i = get_global_id(0)
        out[i] = 3 * x[i] + 1 - i

    x = np.arange(8).astype(dtype)
    (_, out) = run(f, x, np.zeros_like(x))
    np.testing.assert_array_equal(out, 3 * x + 1 - np.arange(8).astype(dtype))


def test_results_have_the_dtypes_of_numpy():
    seen = {}

    @kernel
    def f(x, y, out):
        a, b = x[0], y[0]
        out[0] = (a + b).dtype.itemsize
        out[1] = (a / b).dtype.itemsize
        out[2] = (a + 1.5).dtype.itemsize
        out[3] = (a // 2).dtype.itemsize
        out[4] = (a * 2j).dtype.itemsize

    for one in DTYPES:
        for two in DTYPES:
            out = tensor.zeros(5, dtype="i8")
            a, b = np.ones((), one)[()], np.ones((), two)[()]
            if "c" in one:
                continue
            f[1](tensor.ones(1, dtype=one), tensor.ones(1, dtype=two), out)
            expected = [(a + b).dtype, (a / b).dtype, (a + 1.5).dtype, (a // 2).dtype, (a * 2j).dtype]
            seen[one, two] = (tensor.asnumpy(out).tolist(), [each.itemsize for each in expected])
    assert all(got == wanted for got, wanted in seen.values()), seen


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_floor_division_and_modulo_are_pythons(dtype):
    def f(x, y, q, r):
        i = get_global_id(0)
        q[i], r[i] = x[i] // y[i], x[i] % y[i]

    signed = dtype[0] != "u"
    x = np.array([7, -7, 7, -7, 6, 0] if signed else [7, 8, 9, 10, 6, 0]).astype(dtype)
    y = np.array([3, 3, -3, -3, 3, 5] if signed else [3, 3, 2, 4, 3, 5]).astype(dtype)
    _, _, q, r = run(f, x, y, np.zeros_like(x), np.zeros_like(x))
    np.testing.assert_array_equal(q, x // y)
    np.testing.assert_array_equal(r, x % y)


def test_integers_divide_as_floats():
    def f(out):
        i = get_global_id(0)
        out[i] = i / 2 + 1 / 4

    np.testing.assert_array_equal(run(f, np.zeros(5))[0], np.arange(5) / 2 + 0.25)


def test_powers():
    def f(x, out):
        i = get_global_id(0)
        out[i, 0] = x[i] ** 2
        out[i, 1] = x[i] ** 0.5
        out[i, 2] = x[i] ** -1
        out[i, 3] = i**2
        out[i, 4] = 2**i
        out[i, 5] = (i + 1) ** -1
        out[i, 6] = pow(x[i], 3)

    x = np.arange(1, 6, dtype="f8")
    _, out = run(f, x, np.zeros((5, 7)), space=5, tolerance=1e-15)
    i = np.arange(5)
    wanted = np.stack([x**2, x**0.5, 1 / x, i**2, 2.0**i, 1 / (i + 1), x**3], 1)
    np.testing.assert_allclose(out, wanted, rtol=1e-15)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_bits(dtype):
    def f(x, out):
        i = get_global_id(0)
        out[i] = ((x[i] << 2) | 1) ^ (x[i] & 6) ^ (x[i] >> 1) ^ ~x[i]

    x = np.arange(10).astype(dtype)
    _, out = run(f, x, np.zeros_like(x))
    np.testing.assert_array_equal(out, ((x << 2) | 1) ^ (x & 6) ^ (x >> 1) ^ ~x)


def test_bools():
    def f(x, out):
        i = get_global_id(0)
        a, b = x[i] > 2, x[i] < 5
        out[i, 0] = a and b
        out[i, 1] = a or b
        out[i, 2] = not a
        out[i, 3] = a & b | (a ^ b)
        out[i, 4] = a == b
        out[i, 5] = bool(x[i])
        out[i, 6] = True + (i > 1)
        out[i, 7] = -(i > 1)

    x = np.arange(8)
    run(f, x, np.zeros((8, 8), dtype="i8"), space=8)


def test_complex_numbers():
    def f(z, out):
        i = get_global_id(0)
        w = z[i] * (1 + 2j) - z[i].conjugate() / 2j
        out[i, 0] = w.real
        out[i, 1] = w.imag
        out[i, 2] = abs(w)
        out[i, 3] = complex(i, 2).imag
        out[i, 4] = cmath.sqrt(-4 + 0 * w).imag

    z = np.arange(4) + 1j
    _, out = run(f, z, np.zeros((4, 5)), space=4, simulate=False, tolerance=1e-14)
    w = z * (1 + 2j) - z.conjugate() / 2j
    np.testing.assert_allclose(out, np.stack([w.real, w.imag, abs(w), [2] * 4, [2] * 4], 1), rtol=1e-14)


def test_mixed_signs_compare_exactly():
    @kernel
    def f(s, u, out):
        out[0], out[1], out[2], out[3] = s[0] < u[0], s[0] == u[0], u[0] > s[0], u[0] != s[0]

    out = tensor.zeros(4, dtype="bool")
    f[1](tensor.asarray([-1], dtype="i8"), tensor.asarray([2**64 - 1], dtype="u8"), out)
    assert tensor.asnumpy(out).tolist() == [True, False, True, True]
    f[1](tensor.asarray([2**62], dtype="i8"), tensor.asarray([2**62 + 1], dtype="u8"), out)
    assert tensor.asnumpy(out).tolist() == [True, False, True, True]


def test_numbers_beyond_a_dtype_compare_as_they_are():
    @kernel
    def f(x, out):
        out[0], out[1], out[2] = x[0] < 300, x[0] == -1, 256 > x[0]

    out = tensor.zeros(3, dtype="bool")
    f[1](tensor.asarray([200], dtype="u1"), out)
    assert tensor.asnumpy(out).tolist() == [True, False, True]


# Conversions and builtins.


def test_builtins():
    def f(x, out):
        i = get_global_id(0)
        v = x[i]
        out[i, 0] = abs(v)
        out[i, 1] = min(v, 1.0, 2)
        out[i, 2] = max((v, 0.5))
        out[i, 3] = int(v)
        out[i, 4] = float(i)
        out[i, 5] = round(v)
        out[i, 6] = len(x) + len(out) + len((1, 2))
        out[i, 7], out[i, 8] = divmod(i, 3)
        out[i, 9] = sum((1, v, 2))
        out[i, 10] = int(i == 3) + bool(v)

    x = np.linspace(-2.5, 2.5, 9)
    run(f, x, np.zeros((9, 11)), space=9)


def test_conversions_to_a_dtype():
    def f(x, out):
        i = get_global_id(0)
        out[i, 0] = np.int8(x[i])
        out[i, 1] = x.dtype.type(3.7) + np.float32(0.1)
        out[i, 2] = np.float32(1) / 3

    x = np.arange(3, dtype="f8")
    _, out = run(f, x, np.zeros((3, 3)), space=3)
    assert out[0, 2] == np.float32(1) / np.float32(3)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize(
    "name",
    [
        name
        for name in dir(math)
        if isinstance(getattr(tensor, name, 0), tensor.ElementwiseFunction) and name != "remainder"
    ],
)
def test_math_is_the_op_table(name, dtype):
    function = getattr(math, name)
    if name in ("atan2", "copysign", "hypot", "pow", "nextafter"):

        def f(x, out):
            out[get_global_id(0)] = function(x[get_global_id(0)], 0.5)
    else:

        def f(x, out):
            out[get_global_id(0)] = function(x[get_global_id(0)])

    x = np.array([1.25, 1.5, 2.75] if name == "acosh" else [0.125, 0.5, 0.75], dtype=dtype)
    result = run(f, x, np.zeros(3, dtype=dtype), simulate=name not in ("ceil", "floor", "trunc"))[1]
    of_arrays = getattr(tensor, name)
    args = (tensor.asarray(x), 0.5)[: of_arrays.nin]
    np.testing.assert_array_equal(result, tensor.asnumpy(of_arrays(*args)))


def test_other_functions_of_math():
    def f(x, out):
        i = get_global_id(0)
        out[i, 0] = math.fmod(x[i], 0.7)
        out[i, 1] = math.fabs(x[i])
        out[i, 2] = math.degrees(x[i])
        out[i, 3] = math.radians(x[i])
        out[i, 4] = math.log(x[i] * x[i] + 1, 2)
        out[i, 5] = math.floor(x[i])
        out[i, 6] = math.ceil(x[i]) // 2
        out[i, 7] = math.pi + math.sqrt(4)

    x = np.linspace(-3, 3, 7)
    _, out = run(f, x, np.zeros((7, 8)), space=7, simulate=False)
    wanted = [
        [math.fmod(v, 0.7), abs(v), math.degrees(v), math.radians(v), math.log(v * v + 1, 2), math.floor(v),
         math.ceil(v) // 2, math.pi + 2]
        for v in x
    ]  # fmt: skip
    np.testing.assert_allclose(out, wanted, rtol=1e-14)


def test_every_op_by_its_name_in_tensor():
    for name, function in vars(tensor).items():
        if not isinstance(function, tensor.ElementwiseFunction):
            continue
        for dtype in ("f8", "i4", "c16"):
            host = np.array([0.5, 0.25, 0.75]) if dtype == "f8" else np.array([1, 2, 3], dtype=dtype)
            args = (tensor.asarray(host),) * function.nin
            try:
                wanted = function(*args)
            except (TypeError, ValueError):
                continue
            if function.nin == 1:

                def f(x, out):
                    i = get_global_id(0)
                    out[i] = function(x[i])  # noqa: B023
            else:

                def f(x, out):
                    i = get_global_id(0)
                    out[i] = function(x[i], x[i])  # noqa: B023

            out = tensor.zeros(3, dtype=wanted.dtype)
            kernel(contract=False)(f)[3](args[0], out)
            np.testing.assert_array_equal(tensor.asnumpy(out), tensor.asnumpy(wanted), err_msg=f"{name} {dtype}")


def test_numpys_functions():
    def f(x, out):
        i = get_global_id(0)
        out[i] = np.sqrt(x[i]) + np.maximum(x[i], 2) + np.absolute(-x[i])

    x = np.arange(4.0)
    np.testing.assert_array_equal(run(f, x, np.zeros(4))[1], np.sqrt(x) + np.maximum(x, 2) + x)


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


# Numbers of other dtypes in functions of math.


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS])
def test_functions_of_math_take_integers_for_floats(dtype):
    def f(x, y, out):
        i = get_global_id(0)
        out[i, 0] = math.exp(x[i])
        out[i, 1] = math.sqrt(x[i])
        out[i, 2] = math.sin(x[i]) / 3
        out[i, 3] = math.hypot(x[i], y[i])
        out[i, 4] = math.atan2(x[i], y[i])
        out[i, 5] = math.isfinite(x[i])
        out[i, 6] = math.exp(x[i] * np.float32(0.1))

    x = np.array([0, 1, 12, 100, 3]).astype(dtype)
    out = run(f, x, x[::-1].copy(), np.zeros((5, 7)), space=5, tolerance=1e-15)[2]
    wide = x.astype("f8")
    np.testing.assert_allclose(out[:, 0], np.exp(wide), rtol=1e-15)
    np.testing.assert_allclose(out[:, 2], np.sin(wide) / 3, rtol=1e-15)
    np.testing.assert_allclose(out[:, 3], np.hypot(wide, wide[::-1]), rtol=1e-15)


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS])
def test_integers_are_their_own_floors(dtype):
    def f(x, out):
        i = get_global_id(0)
        out[i, 0] = math.floor(x[i])
        out[i, 1] = math.ceil(x[i]) / 2
        out[i, 2] = math.trunc(x[i]) + 1
        if x.dtype.kind != "b":
            out[i, 3] = round(x[i]) / 4

    low, high = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max - 1)
    x = np.array([low, high, 1], dtype)
    _, out = run(f, x, np.zeros((3, 4)), space=3)
    wide = x.astype("f8")
    wanted = [wide, wide / 2, wide + 1, wide / 4 * (dtype != "bool")]
    np.testing.assert_array_equal(out, np.stack(wanted, 1))


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


# Functions of math and situ.tensor that are no op of the table.


@pytest.mark.parametrize("dtype", ["u1", "i4", "f4", "f8"])
def test_logarithms_have_bases(dtype):
    def f(x, y, out):
        i = get_global_id(0)
        out[i, 0] = math.log(x[i], 2)
        out[i, 1] = math.log(x[i], y[i])
        out[i, 2] = math.log(8, 2)
        out[i, 3] = math.log(x[i])

    x, y = np.arange(1, 6).astype(dtype), np.arange(2, 7).astype(dtype)
    out = run(f, x, y, np.zeros((5, 4)), space=5, tolerance=3e-7 if dtype == "f4" else 1e-15)[2]
    tolerance = 1e-6 if dtype == "f4" else 1e-14
    np.testing.assert_allclose(out[:, 0], np.log2(x.astype("f8")), rtol=tolerance)
    np.testing.assert_allclose(out[:, 1], np.log(x.astype("f8")) / np.log(y.astype("f8")), rtol=tolerance)


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
def test_hypotenuses_have_any_number_of_sides(dtype):
    def f(x, out):
        i = get_global_id(0)
        out[i, 0] = math.hypot(x[i])
        out[i, 1] = math.hypot(x[i], 2, x[i])
        out[i, 2] = math.hypot(x[i], x[i], x[i], 3.0)
        out[i, 3] = math.hypot(2, 3, 6)

    x = np.arange(-3, 4).astype(dtype)
    _, out = run(f, x, np.zeros((7, 4)), space=7, tolerance=3e-7 if dtype == "f4" else 1e-15)
    wide = x.astype("f8")
    wanted = np.stack([abs(wide), np.sqrt(2 * wide**2 + 4), np.sqrt(3 * wide**2 + 9), 0 * wide + 7], 1)
    np.testing.assert_allclose(out, wanted, rtol=1e-6 if dtype == "f4" else 1e-15)


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
def test_remainders_are_those_of_ieee(dtype):
    def f(x, y, out):
        i = get_global_id(0)
        out[i, 0] = math.remainder(x[i], y[i])
        out[i, 1] = math.remainder(x[i], 4)
        out[i, 2] = math.remainder(7, 4)
        out[i, 3] = math.fmod(x[i], 0.1)

    x = (np.arange(-40, 40) * (1 if dtype == "i4" else 0.75)).astype(dtype)
    y = np.where(np.arange(80) % 2, 4, -6).astype(dtype)
    out = run(f, x, y, np.zeros((80, 4)), space=80)[2]
    wanted = [math.remainder(*pair) for pair in zip(x.tolist(), y.tolist(), strict=True)]
    np.testing.assert_array_equal(out[:, 0], wanted)
    np.testing.assert_array_equal(out[:, 1], [math.remainder(each, 4) for each in x.tolist()])


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
def test_what_is_close(dtype):
    def f(x, y, out):
        i = get_global_id(0)
        out[i, 0] = math.isclose(x[i], y[i])
        out[i, 1] = math.isclose(x[i], y[i], rel_tol=0.2)
        out[i, 2] = math.isclose(x[i], y[i], abs_tol=1)
        out[i, 3] = math.isclose(1.0, 1.0 + 1e-12)
        out[i, 4] = math.isclose(x[i], 3.0, rel_tol=0.1, abs_tol=0.5)

    x = np.array([1, 2, 3, 10, 0, 0, 5], dtype)
    y = np.array([1, 3, 3, 11, 1, 0, -5], dtype)
    if dtype != "i4":
        special = np.array([np.inf, np.inf, np.nan, 1, -np.inf], dtype)
        x, y = np.append(x, special), np.append(y, special[::-1])
    out = run(f, x, y, np.zeros((len(x), 5)), space=len(x))[2]
    for a, b, found in zip(x.tolist(), y.tolist(), out.tolist(), strict=True):
        wanted = [math.isclose(a, b), math.isclose(a, b, rel_tol=0.2), math.isclose(a, b, abs_tol=1)]
        assert found == [*wanted, 1, math.isclose(a, 3.0, rel_tol=0.1, abs_tol=0.5)]


@pytest.mark.parametrize("dtype", ["u1", "i4", "f4", "f8"])
def test_where_and_clip(dtype):
    def f(x, y, out):
        i = get_global_id(0)
        out[i, 0] = tensor.where(x[i] > 2, x[i], y[i])
        out[i, 1] = tensor.where(x[i], 2, y[i])
        out[i, 2] = tensor.clip(x[i], 1, 3)
        out[i, 3] = tensor.clip(x[i], y[i], 4)
        out[i, 4] = tensor.clip(x[i], None, y[i])
        out[i, 5] = tensor.clip(x[i], min=2)
        out[i, 6] = tensor.clip(x[i], max=2)
        out[i, 7] = tensor.where(x[i] > 2, 1, 2) / 2

    x = np.arange(7).astype(dtype)
    y = x[::-1].copy()
    out = run(f, x, y, np.zeros((7, 8), "f8"), space=7)[2]
    wanted = [np.where(x > 2, x, y), np.where(x, 2, y), np.clip(x, 1, 3), np.clip(x, y, 4), np.minimum(x, y)]
    wanted += [np.maximum(x, 2), np.minimum(x, 2), np.where(x > 2, 0.5, 1)]
    np.testing.assert_array_equal(out, np.stack(wanted, 1))
