"""Branches and loops that work-items take differently."""

import numpy as np

from situ.kernels import get_global_id, get_global_size

from . import case

N = 100


def ints(rng, low=-50, high=50, n=N, dtype=np.int32):
    return rng.integers(low, high, n).astype(dtype)


def floats(rng, n=N, dtype=np.float32):
    return rng.standard_normal(n).astype(dtype)


def clamped(x, out, low, high):
    out[:] = np.clip(x, low, high)


@case(N, lambda rng: (ints(rng), np.zeros(N, np.int32), -10, 20), clamped)
def clamp_by_branches(x, out, low, high):
    i = get_global_id(0)
    if x[i] < low:
        out[i] = low
    elif x[i] > high:
        out[i] = high
    else:
        out[i] = x[i]


@case(N, lambda rng: (ints(rng, 1, 1000, dtype=np.int64), np.zeros(N, np.int32)))
def collatz(x, steps):
    i = get_global_id(0)
    n = x[i]
    count = 0
    while n != 1:
        if n % 2 == 0:
            n //= 2
        else:
            n = 3 * n + 1
        count += 1
    steps[i] = count


def only_first(x, out, n):
    out[:n] = x[:n] + 1


@case(128, lambda rng: (ints(rng, n=128), np.zeros(128, np.int32), 77), only_first)
def return_early(x, out, n):
    i = get_global_id(0)
    if i >= n:
        return
    out[i] = x[i] + 1


def first_found(table, x, out):
    for i, value in enumerate(x):
        where = np.flatnonzero(table == value)
        out[i] = where[0] if where.size else -1


@case(
    N, lambda rng: (rng.permutation(200)[:60].astype(np.int32), ints(rng, 0, 200), np.zeros(N, np.int32)), first_found
)
def return_from_a_loop(table, x, out):
    i = get_global_id(0)
    for k in range(table.shape[0]):
        if table[k] == x[i]:
            out[i] = k
            return
    out[i] = -1


@case(N, lambda rng: (ints(rng, 2, 60), np.zeros(N, np.int32), np.zeros(N, np.int32)))
def break_and_continue(x, skipped, total):
    i = get_global_id(0)
    n = x[i]
    for a in range(n):
        if a % 3 == 1:
            skipped[i] += 1
            continue
        for b in range(a, n):
            if (a + b) % 7 == 0:
                continue
            if a * b > 4 * n:
                break
            total[i] += a ^ b
        if a > 20:
            break


@case(N, lambda rng: (ints(rng, 0, 1000), np.zeros(N, np.int32)))
def loop_until_break(x, out):
    i = get_global_id(0)
    value, digits = x[i], 0
    while True:
        digits += value % 10
        value //= 10
        if value == 0:
            break
    out[i] = digits


@case(N, lambda rng: (ints(rng, 0, 40), np.zeros(N, np.int64)))
def continue_in_while(x, out):
    i = get_global_id(0)
    k = 0
    total = 0
    while k < x[i]:
        k += 1
        if k & 1:
            continue
        total += k
    out[i] = total


def between(x, out, low, high):
    out[:] = 4 * ((low <= x) & (x < high)) + 2 * ((low < x) & (x < high) & (high != 3)) + (x == low)


@case(N, lambda rng: (ints(rng, -5, 6), np.zeros(N, np.int32), -2, 3), between)
def chained_comparisons(x, out, low, high):
    i = get_global_id(0)
    result = 0
    if low <= x[i] < high:
        result += 4
    if low < x[i] < high != 3:
        result += 2
    if low == x[i] == x[i]:
        result += 1
    out[i] = result


def rises(x, out):
    out[1:] = x[1:] > x[:-1]


@case(N, lambda rng: (ints(rng), np.zeros(N, np.int32)), rises)
def short_circuit_and(x, out):
    i = get_global_id(0)
    if i > 0 and x[i] > x[i - 1]:
        out[i] = 1


@case(N, lambda rng: (ints(rng), np.zeros(N, np.int32)))
def short_circuit_or(x, out):
    i = get_global_id(0)
    n = x.shape[0]
    if i == 0 or i == n - 1 or (x[i - 1] < x[i] and x[i] > x[i + 1]) or not x[i] > -40:
        out[i] = x[i]
    else:
        out[i] = -1000


def smoothed(x, out):
    out[:] = np.concatenate([[0], x[:-1]]) + x + np.concatenate([x[1:], [0]])


@case(N, lambda rng: (ints(rng), np.zeros(N, np.int32)), smoothed)
def ternaries_guard_loads(x, out):
    i = get_global_id(0)
    before = x[i - 1] if i > 0 else 0
    after = x[i + 1] if i + 1 < x.shape[0] else 0
    out[i] = before + x[i] + after


@case(
    N, lambda rng: (ints(rng), np.zeros(N, np.int32)), lambda x, out: np.copyto(out, np.sign(x) * (1 + (abs(x) > 10)))
)
def nested_ternaries(x, out):
    i = get_global_id(0)
    v = x[i]
    out[i] = 0 if v == 0 else (2 if v > 10 else 1) if v > 0 else (-2 if v < -10 else -1)


@case(N, lambda rng: (ints(rng, 0, 30), np.zeros((3, N), np.int64)))
def ranges_of_all_kinds(x, out):
    i = get_global_id(0)
    n = x[i]
    for k in range(n):
        out[0, i] += k
    for k in range(5, n):
        out[1, i] += k * k
    for k in range(n, -4, -3):
        out[2, i] = 2 * out[2, i] - k


@case(
    N,
    lambda rng: (floats(rng, N, np.float64), np.zeros(N)),
    lambda x, out: np.copyto(out, np.cumsum(x)),
    tolerance=1e-13,
)
def triangular(x, out):
    i = get_global_id(0)
    total = 0.0
    for k in range(i + 1):
        total += x[k]
    out[i] = total


@case(
    (24, 32),
    lambda rng: (np.zeros((24, 32), np.int32), np.float32(-2.0), np.float32(-1.25), np.float32(2.5 / 24), 60),
    is_chaotic=True,
)
def mandelbrot(out, left, low, step, limit):
    y, x = get_global_id(0), get_global_id(1)
    c_re = left + x * step
    c_im = low + y * step
    re, im = c_re, c_im
    n = 0
    while n < limit and re * re + im * im < 4:
        re, im = re * re - im * im + c_re, 2 * re * im + c_im
        n += 1
    out[y, x] = n


@case(
    N,
    lambda rng: (ints(rng, 1, 5000), ints(rng, 1, 5000), np.zeros(N, np.int32)),
    lambda a, b, out: np.gcd(a, b, out=out),
)
def euclid(a, b, out):
    i = get_global_id(0)
    m, n = a[i], b[i]
    while n:
        m, n = n, m % n
    out[i] = m


@case(
    N,
    lambda rng: (np.sort(floats(rng, 64)), floats(rng), np.zeros(N, np.int64)),
    lambda table, x, out: np.copyto(out, np.searchsorted(table, x)),
)
def binary_search(table, x, out):
    i = get_global_id(0)
    low, high = 0, len(table)
    while low < high:
        middle = (low + high) // 2
        if table[middle] < x[i]:
            low = middle + 1
        else:
            high = middle
    out[i] = low


@case(N, lambda rng: (rng.random(N) * 100 + 0.01, np.zeros(N), np.zeros(N, np.int32)))
def newton(x, root, rounds):
    i = get_global_id(0)
    guess = x[i]
    for k in range(50):
        better = 0.5 * (guess + x[i] / guess)
        if abs(better - guess) < 1e-9:
            break
        guess = better
        rounds[i] = k
    root[i] = guess


def primes(out):
    out[:] = [n > 1 and all(n % k for k in range(2, n)) for n in range(out.size)]


@case(120, lambda rng: (np.zeros(120, bool),), primes)
def is_prime(out):
    n = get_global_id(0)
    prime = n > 1
    k = 2
    while k * k <= n and prime:
        if n % k == 0:
            prime = False
        k += 1
    out[n] = prime


@case(N, lambda rng: (ints(rng), ints(rng), np.zeros(N, bool)), lambda a, b, out: np.copyto(out, (a <= 0) & (b <= 0)))
def negation(a, b, out):
    i = get_global_id(0)
    out[i] = not (a[i] > 0 or b[i] > 0)


@case(N, lambda rng: (ints(rng, 1, 60), np.zeros(N, np.int32)))
def augmented_assignments(x, out):
    i = get_global_id(0)
    v = x[i]
    v += 7
    v *= 3
    v -= i
    v //= 2
    v %= 1000
    v <<= 3
    v >>= 1
    v |= 64
    v &= 0xFFF
    v ^= 0x2A
    out[i] = v
    out[i] += 5
    out[i] *= x[i]


@case(N, lambda rng: (ints(rng, 0, 3), np.zeros(N, np.int32)), lambda x, out: np.copyto(out, np.where(x > 0, x - 1, 7)))
def loops_that_may_not_run(x, out):
    i = get_global_id(0)
    last = 7
    for k in range(x[i]):
        last = k
    out[i] = last


@case(N, lambda rng: (ints(rng, 0, 64), np.zeros(N, np.int32)))
def deep_branches(x, out):
    i = get_global_id(0)
    v = x[i]
    r = 0
    if v & 1:
        if v & 2:
            if v & 4:
                r = 7
            else:
                r = 3
            r += 10
        elif v & 8:
            r = 9
            if v & 16:
                return
    else:
        if not v & 32:
            r = 100
        else:
            pass
    out[i] = r


def doubled(x, out):
    out[:] = 2 * x


@case(16, lambda rng: (ints(rng), np.zeros(N, np.int32)), doubled)
def stride_by_the_range(x, out):
    for i in range(get_global_id(0), x.shape[0], get_global_size(0)):
        out[i] = 2 * x[i]


@case(N, lambda rng: (ints(rng, 0, 12), np.zeros(N, np.int64)))
def loops_in_loops_in_loops(x, out):
    i = get_global_id(0)
    total = 0
    for a in range(x[i]):
        for b in range(a):
            c = b
            while c > 0:
                total += a * b - c
                c -= 2
                if total > 500:
                    break
            else_count = 0
            for _ in range(3):
                else_count += 1
            total += else_count
    out[i] = total


@case(N, lambda rng: (ints(rng, -3, 4), floats(rng), np.zeros(N, np.float32)))
def returns_everywhere(which, x, out):
    i = get_global_id(0)
    if which[i] < 0:
        out[i] = -x[i]
        return
    while which[i] < 2:
        if x[i] > 0:
            out[i] = x[i] * 2
            return
        out[i] = x[i] / 2
        break
    if which[i] == 3:
        return
    out[i] += 1


@case(N, lambda rng: (ints(rng, 0, 100), np.zeros(N, np.int32)))
def variables_set_in_branches(x, out):
    i = get_global_id(0)
    if x[i] > 50:
        scale = 3
        offset = 1
    else:
        scale = 2
        offset = x[i]
    out[i] = x[i] * scale + offset
