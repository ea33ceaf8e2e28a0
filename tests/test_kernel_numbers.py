"""Numbers in kernels: each construct compiled and in plain Python."""

import cmath
import math

import numpy as np
import pytest
from kernel_runs import DTYPES, FLOATS, INTEGERS, run

from situ import tensor
from situ.kernels import (
    get_global_id,
    kernel,
)

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
