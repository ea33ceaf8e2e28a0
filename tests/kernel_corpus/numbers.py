"""Dtypes, operators and functions."""

import cmath
import math

import numpy as np

from situ import tensor
from situ.kernels import get_global_id

from . import case
from .control import N, floats, ints

MULTIPLIER = np.uint64(6364136223846793005)
INCREMENT = np.uint64(1442695040888963407)
HALF = 0.5


def any_bits(rng, dtype, n=N):
    return np.frombuffer(rng.bytes(n * np.dtype(dtype).itemsize), dtype).copy()


def squares_and_sums(x, y, out):
    with np.errstate(all="ignore"):
        out[0], out[1] = x * y, x + y


@case(N, lambda rng: (any_bits(rng, np.int8), any_bits(rng, np.int8), np.zeros((2, N), np.int8)), squares_and_sums)
def int8_wraps(x, y, out):
    i = get_global_id(0)
    out[0, i] = x[i] * y[i]
    out[1, i] = x[i] + y[i]


@case(
    N,
    lambda rng: (any_bits(rng, np.uint8), np.zeros(N, np.uint8), np.zeros(N, np.uint16)),
    lambda x, small, wide: (np.copyto(small, x - np.uint8(200)), np.copyto(wide, x.astype(np.uint16) * 3)),
)
def uint8_wraps(x, small, wide):
    i = get_global_id(0)
    small[i] = x[i] - 200
    wide[i] = np.uint16(x[i]) * 3


@case(N, lambda rng: (any_bits(rng, np.int64), any_bits(rng, np.int64), np.zeros((2, N), np.int64)), squares_and_sums)
def int64_wraps(x, y, out):
    i = get_global_id(0)
    out[0, i] = x[i] * y[i]
    out[1, i] = x[i] + y[i]


@case(
    N,
    lambda rng: (any_bits(rng, np.uint64), np.zeros(N, np.uint64)),
    lambda x, out: np.copyto(out, (x * MULTIPLIER + INCREMENT) >> np.uint64(33)),
)
def linear_congruence(x, out):
    i = get_global_id(0)
    out[i] = (x[i] * MULTIPLIER + INCREMENT) >> 33


def quotients(a, b, out):
    out[0], out[1], out[2] = a // b, a % b, a // b * b + a % b


NOT_ZERO = np.array([*range(-9, 0), *range(1, 10)])


@case(N, lambda rng: (ints(rng), rng.choice(NOT_ZERO, N).astype(np.int32), np.zeros((3, N), np.int32)), quotients)
def floor_division_of_ints(a, b, out):
    i = get_global_id(0)
    out[0, i] = a[i] // b[i]
    out[1, i] = a[i] % b[i]
    out[2, i] = a[i] // b[i] * b[i] + a[i] % b[i]


@case(40, lambda rng: (np.zeros((4, 40), np.int64),))
def floor_division_of_ids(out):
    i = get_global_id(0)
    out[0, i] = (i - 20) // 3
    out[1, i] = (i - 20) % 3
    out[2, i] = (i - 20) // -7
    out[3, i] = (20 - i) % -7


@case(
    N,
    lambda rng: (floats(rng), rng.choice([-2.5, -1.0, 0.75, 2.0], N).astype(np.float32), np.zeros((3, N), np.float32)),
    quotients,
    tolerance=1e-6,
)
def floor_division_of_floats(a, b, out):
    i = get_global_id(0)
    out[0, i] = a[i] // b[i]
    out[1, i] = a[i] % b[i]
    out[2, i] = a[i] // b[i] * b[i] + a[i] % b[i]


def xorshifted(x, out):
    y = x ^ (x << np.uint32(13))
    y = y ^ (y >> np.uint32(17))
    out[:] = y ^ (y << np.uint32(5))


@case(N, lambda rng: (any_bits(rng, np.uint32), np.zeros(N, np.uint32)), xorshifted)
def xorshift(x, out):
    i = get_global_id(0)
    y = x[i]
    y ^= y << 13
    y ^= y >> 17
    y ^= y << 5
    out[i] = y


@case(
    N,
    lambda rng: (any_bits(rng, np.uint32), np.zeros(N, np.int8)),
    lambda x, out: np.copyto(out, [int(v).bit_count() for v in x], casting="unsafe"),
)
def count_bits(x, out):
    i = get_global_id(0)
    rest = x[i]
    n = 0
    while rest != 0:
        rest &= rest - 1
        n += 1
    out[i] = n


@case(N, lambda rng: (any_bits(rng, np.int16), np.zeros((4, N), np.int16)))
def bits(x, out):
    i = get_global_id(0)
    v = x[i]
    out[0, i] = ~v
    out[1, i] = -v
    out[2, i] = (v & 0x0F0F) | (v ^ 0x1234)
    out[3, i] = (v >> 3) ^ (v << 2)


@case(
    N,
    lambda rng: (ints(rng), floats(rng), ints(rng, -9, 9, dtype=np.int16), np.zeros((3, N))),
    lambda a, b, c, out: np.copyto(out, [a * b, b * c, a * c + 0.25]),
)
def mixed_dtypes(a, b, c, out):
    i = get_global_id(0)
    out[0, i] = a[i] * b[i]
    out[1, i] = b[i] * c[i]
    out[2, i] = a[i] * c[i] + 0.25


@case(
    N,
    lambda rng: (any_bits(rng, np.uint8), any_bits(rng, np.int8), np.zeros((2, N), np.int32)),
    lambda a, b, out: np.copyto(out, [a + b, a > b]),
)
def signed_and_unsigned(a, b, out):
    i = get_global_id(0)
    out[0, i] = a[i] + b[i]
    out[1, i] = 1 if a[i] > b[i] else 0


@case(
    N,
    lambda rng: (ints(rng), rng.choice(NOT_ZERO, N).astype(np.int8), np.zeros((2, N))),
    lambda a, b, out: np.copyto(out, [a / b, np.arange(N) / 7]),
)
def true_division(a, b, out):
    i = get_global_id(0)
    out[0, i] = a[i] / b[i]
    out[1, i] = i / 7


def complexes(rng, dtype, n=N):
    return (rng.standard_normal(n) + 1j * rng.standard_normal(n)).astype(dtype)


@case(
    N,
    lambda rng: (complexes(rng, np.complex128), complexes(rng, np.complex128), np.zeros((3, N), np.complex128)),
    lambda a, b, out: np.copyto(out, [a * b, a + b.real, a.conj() - 2j * b]),
    tolerance=1e-14,
)
def complex_numbers(a, b, out):
    i = get_global_id(0)
    out[0, i] = a[i] * b[i]
    out[1, i] = a[i] + b[i].real
    out[2, i] = a[i].conjugate() - 2j * b[i]


@case(N, lambda rng: (complexes(rng, np.complex64), np.zeros(N, np.int32), -0.4 + 0.6j), is_chaotic=True)
def julia(z, out, c):
    i = get_global_id(0)
    v = z[i]
    for k in range(40):
        if v.real * v.real + v.imag * v.imag > 4:
            break
        v = v * v + c
        out[i] = k + 1


@case(
    N,
    lambda rng: (rng.random(N) < 0.5, rng.random(N) < 0.5, np.zeros((5, N), bool)),
    lambda a, b, out: np.copyto(out, [a & b, a | b, a ^ b, ~a, a & ~b]),
)
def bools(a, b, out):
    i = get_global_id(0)
    out[0, i] = a[i] & b[i]
    out[1, i] = a[i] | b[i]
    out[2, i] = a[i] ^ b[i]
    out[3, i] = not a[i]
    out[4, i] = a[i] and not b[i]


@case(
    N,
    lambda rng: (rng.random(N) < 0.5, ints(rng), np.zeros(N, np.int32)),
    lambda a, x, out: np.copyto(out, a * x + a + 2 * (x > 3)),
)
def bools_as_numbers(a, x, out):
    i = get_global_id(0)
    out[i] = a[i] * x[i] + a[i] + 2 * (x[i] > 3)


@case(
    N,
    lambda rng: (ints(rng, -9, 10), rng.random(N) + 0.5, np.zeros(N, np.int32), np.zeros((2, N))),
    lambda n, x, whole, out: (np.copyto(whole, n**3 - n**2), np.copyto(out, [x**2, x**0.5])),
    tolerance=1e-14,
)
def powers(n, x, whole, out):
    i = get_global_id(0)
    whole[i] = n[i] ** 3 - n[i] ** 2
    out[0, i] = x[i] ** 2
    out[1, i] = x[i] ** 0.5


@case(
    N,
    lambda rng: (floats(rng, N, np.float16), floats(rng, N, np.float16), np.zeros((3, N), np.float16)),
    lambda a, b, out: np.copyto(out, [a + b, a * b, a - 1.5]),
)
def float16s(a, b, out):
    i = get_global_id(0)
    out[0, i] = a[i] + b[i]
    out[1, i] = a[i] * b[i]
    out[2, i] = a[i] - 1.5


@case(
    N,
    lambda rng: (floats(rng), np.zeros(N, np.float32)),
    lambda x, out: np.copyto(out, ((np.float32(0.3) * x - np.float32(1.1)) * x + np.float32(0.7)) * x),
)
def weak_literals(x, out):
    i = get_global_id(0)
    out[i] = ((0.3 * x[i] - 1.1) * x[i] + 0.7) * x[i]


@case(N, lambda rng: (floats(rng, N, np.float64), np.zeros(N)))
def horner(x, out):
    i = get_global_id(0)
    total = 0.0
    for k in range(12):
        total = total * x[i] + 1.0 / (k + 1)
    out[i] = total


def by_numpy(x, out):
    wide = x.astype(np.float64)
    out[:] = np.sin(wide) + np.exp(-wide * wide) + np.log(np.abs(wide) + 1) + np.sqrt(np.abs(wide)) + np.tanh(wide)


@case(N, lambda rng: (floats(rng, N, np.float64), np.zeros(N)), by_numpy, tolerance=1e-14)
def functions_of_math(x, out):
    i = get_global_id(0)
    v = x[i]
    out[i] = math.sin(v) + math.exp(-v * v) + math.log(math.fabs(v) + 1) + math.sqrt(abs(v)) + math.tanh(v)


@case(N, lambda rng: (floats(rng), np.zeros(N, np.float32)), by_numpy, tolerance=2e-6)
def functions_of_arrays(x, out):
    i = get_global_id(0)
    v = x[i]
    out[i] = (
        tensor.sin(v) + tensor.exp(-v * v) + tensor.log(tensor.abs(v) + 1) + tensor.sqrt(tensor.abs(v)) + tensor.tanh(v)
    )


@case(
    N,
    lambda rng: (floats(rng), complexes(rng, np.complex64), np.zeros((2, N), np.complex64), np.zeros(N, np.float32)),
    lambda x, z, out, real: (
        np.copyto(out, [np.exp(z * np.complex64(1j)), np.sqrt(x.astype(np.complex64))]),
        np.copyto(real, np.sqrt(np.absolute(x)) + np.hypot(x, np.float32(2))),
    ),
    tolerance=2e-6,
)
def functions_of_cmath_and_numpy(x, z, out, real):
    i = get_global_id(0)
    out[0, i] = cmath.exp(1j * z[i])
    out[1, i] = cmath.sqrt(x[i])
    real[i] = np.sqrt(np.absolute(x[i])) + np.hypot(x[i], 2)


@case(
    N,
    lambda rng: (floats(rng), floats(rng), np.zeros((3, N), np.float32)),
    lambda x, y, out: np.copyto(out, [np.hypot(x, y), np.arctan2(x, y), np.copysign(x, y)]),
    tolerance=1e-6,
)
def functions_of_two(x, y, out):
    i = get_global_id(0)
    out[0, i] = math.hypot(x[i], y[i])
    out[1, i] = math.atan2(x[i], y[i])
    out[2, i] = math.copysign(x[i], y[i])


@case(
    N,
    lambda rng: (5 * floats(rng), np.zeros((3, N), np.int32)),
    lambda x, out: np.copyto(out, [np.floor(x), np.ceil(x), np.trunc(x)], casting="unsafe"),
)
def rounding(x, out):
    i = get_global_id(0)
    out[0, i] = math.floor(x[i])
    out[1, i] = math.ceil(x[i])
    out[2, i] = math.trunc(x[i])


SPECIAL = np.array([0.0, -0.0, 1.5, -1.5, np.inf, -np.inf, np.nan, 1e-45], np.float32)


@case(
    8,
    lambda rng: (SPECIAL.copy(), np.zeros((6, 8), bool)),
    lambda x, out: np.copyto(out, [np.isnan(x), np.isinf(x), np.isfinite(x), x != x, x < 0, ~(x >= 0)]),
)
def special_floats(x, out):
    i = get_global_id(0)
    v = x[i]
    out[0, i] = math.isnan(v)
    out[1, i] = math.isinf(v)
    out[2, i] = math.isfinite(v)
    out[3, i] = v != v
    out[4, i] = v < 0
    out[5, i] = not v >= 0


@case(N, lambda rng: (10 * floats(rng), ints(rng), np.zeros((4, N)), np.zeros((2, N), np.int64)))
def conversions(x, n, real, whole):
    i = get_global_id(0)
    real[0, i] = float(n[i]) / 3
    real[1, i] = np.float32(n[i]) / np.float32(3)
    real[2, i] = x.dtype.type(n[i]) * x[i]
    real[3, i] = np.float64(x[i]) * np.float64(x[i])
    whole[0, i] = int(x[i])
    whole[1, i] = np.int8(n[i])


@case(
    N,
    lambda rng: (floats(rng), floats(rng), ints(rng), np.zeros((3, N), np.float32), np.zeros(N, np.int32)),
    lambda a, b, n, out, sizes: (
        np.copyto(out, [np.minimum(a, b), np.maximum(np.maximum(a, b), np.float32(0.5)), abs(a - b)]),
        np.copyto(sizes, np.minimum(abs(n), 30)),
    ),
)
def builtins(a, b, n, out, sizes):
    i = get_global_id(0)
    out[0, i] = min(a[i], b[i])
    out[1, i] = max(a[i], b[i], HALF)
    out[2, i] = abs(a[i] - b[i])
    sizes[i] = min(abs(n[i]), 30)


@case(
    N,
    lambda rng: (floats(rng), np.zeros((4, N)), 3, 0.1, True, np.float32(0.1), 2 - 1j, np.zeros(N, np.complex64)),
)
def scalars_of_all_kinds(x, out, n, weak, flag, strong, z, turned):
    i = get_global_id(0)
    out[0, i] = x[i] * n
    out[1, i] = x[i] * weak
    out[2, i] = x[i] * strong if flag else 0
    out[3, i] = weak * n
    turned[i] = z * x[i]


@case(N, lambda rng: (any_bits(rng, np.int64), any_bits(rng, np.uint8), np.zeros((2, N), bool)))
def comparisons_across_dtypes(a, b, out):
    i = get_global_id(0)
    out[0, i] = a[i] < b[i]
    out[1, i] = b[i] >= i


@case(
    N,
    lambda rng: (floats(rng), np.zeros(N, np.float32)),
    lambda x, out: np.copyto(out, np.where(np.signbit(x), -x - 1, x + 1)),
)
def unary_signs(x, out):
    i = get_global_id(0)
    v = +x[i]
    out[i] = -v - 1 if v < 0 else v + 1


@case(N, lambda rng: (ints(rng, 0, 200, dtype=np.uint8), np.zeros(N, np.float32)))
def ints_that_become_floats(x, out):
    i = get_global_id(0)
    total = 0
    for _ in range(4):
        total = total + x[i] * 0.25
    out[i] = total


@case(
    1,
    lambda rng: (np.array(3.5), np.array(0.0)),
    lambda x, out: np.copyto(out, x * 2),
)
def arrays_without_axes(x, out):
    out[()] = x[()] * 2
