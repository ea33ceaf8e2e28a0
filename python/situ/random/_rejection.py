"""Distributions that are drawn by rejection: kernels, in which every element has a stream of its own.

Element `i` takes the block of that number after the stream's first; each further attempt lies 2**96 blocks on, where
nothing else is drawn. So an element's number of attempts is nobody else's business. Without contraction, bits are the
same on every device.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..kernels import device_func, get_global_id, kernel

#: Attempts before an element takes what it has: so many are never needed, unless a parameter is not finite.
ATTEMPTS = 200
LOWER = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
FIRST_FACTOR = np.uint64(0xD2511F53)
SECOND_FACTOR = np.uint64(0xCD9E8D57)
FIRST_STEP = np.uint64(0x9E3779B9)
SECOND_STEP = np.uint64(0xBB67AE85)
DIGITS = np.uint64(12)
STEP = 2.0**-52
#: Means, and numbers of trials, from which on logarithms of factorials have too few digits to be subtracted.
LARGE = 2.0**30
#: log(sqrt(2 pi))
ROOT = 0.5 * math.log(2 * math.pi)


@device_func
def block(key: Any, lower: Any, upper: Any, i: Any, attempt: Any) -> Any:
    """Two random integers for an attempt at element i: a block of Philox4x32-10, as `situ_ir::random` has it."""
    number = lower + np.uint64(i)
    high = upper + (np.uint64(attempt) << HALF) + (np.uint64(1) if number < lower else np.uint64(0))
    a, b = number & LOWER, number >> HALF
    c, d = high & LOWER, high >> HALF
    first, second = key & LOWER, key >> HALF
    for _ in range(10):
        left, right = a * FIRST_FACTOR, c * SECOND_FACTOR
        a, b = (right >> HALF) ^ b ^ first, right & LOWER
        c, d = (left >> HALF) ^ d ^ second, left & LOWER
        first, second = (first + FIRST_STEP) & LOWER, (second + SECOND_STEP) & LOWER
    return b << HALF | a, d << HALF | c


@device_func
def words(key: Any, lower: Any, upper: Any, i: Any, attempt: Any) -> Any:
    """Two numbers in (0, 1) for an attempt at element i."""
    x, y = block(key, lower, upper, i, attempt)
    return (np.float64(x >> DIGITS) + 0.5) * STEP, (np.float64(y >> DIGITS) + 0.5) * STEP


@kernel(contract=False)
def integers(out: Any, low: Any, high: Any, key: Any, lower: Any, upper: Any) -> None:
    """Integers between two: what a random one leaves, unless it is one of the few that would make some more likely."""
    i = get_global_id(0)
    span = np.uint64(high[i] - low[i])
    # A span of all integers is 0, and has no surplus.
    surplus = (np.uint64(0) - span) % span if span != np.uint64(0) else span
    drawn = surplus
    for attempt in range(ATTEMPTS):
        drawn, _ = block(key, lower, upper, i, attempt)
        if drawn >= surplus:
            break
    out[i] = low[i] + np.int64(drawn % span if span != np.uint64(0) else drawn)


@device_func
def log_gamma_variate(shape: Any, key: Any, lower: Any, upper: Any, i: Any) -> Any:
    """The logarithm of a gamma number of scale 1, by the method of Marsaglia and Tsang (2000).

    A shape below 1 is that of a number with one more, times a power of a uniform one.
    """
    raised = shape + 1.0 if shape < 1.0 else shape
    d = raised - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    result = math.log(d)
    u, v = words(key, lower, upper, i, 0)
    boost = math.log(u) / shape if shape < 1.0 else 0.0
    for attempt in range(1, ATTEMPTS, 2):
        u, v = words(key, lower, upper, i, attempt)
        x = math.sqrt(-2.0 * math.log(u)) * math.cos(2.0 * math.pi * v)
        root = 1.0 + c * x
        if root > 0.0:
            cube = root * root * root
            u, v = words(key, lower, upper, i, attempt + 1)
            if math.log(u) < 0.5 * x * x + d - d * cube + d * math.log(cube):
                result = math.log(d) + math.log(cube)
                break
    return result + boost


@kernel(contract=False)
def gamma(out: Any, shape: Any, scale: Any, key: Any, lower: Any, upper: Any) -> None:
    """Gamma numbers."""
    i = get_global_id(0)
    if shape[i] == 0.0:
        out[i] = 0.0
    else:
        out[i] = math.exp(log_gamma_variate(shape[i], key, lower, upper, i)) * scale[i]


@kernel(contract=False)
def beta(out: Any, a: Any, b: Any, key: Any, lower: Any, upper: Any) -> None:
    """Beta numbers: the share of one of two gamma numbers. By logarithms, since both may be too small for a number."""
    i = get_global_id(0)
    x = log_gamma_variate(a[i], key, lower, upper, 2 * i)
    y = log_gamma_variate(b[i], key, lower, upper, 2 * i + 1)
    if x == -math.inf and y == -math.inf:
        # Whichever is the greater one leaves nothing for the other.
        u, v = words(key, lower, upper, 2 * i, 0)
        w, v = words(key, lower, upper, 2 * i + 1, 0)
        out[i] = 1.0 if math.log(u) * b[i] > math.log(w) * a[i] else 0.0
    else:
        # Of what is small, not of what is nearly 1, which would lose it.
        small = math.exp(-abs(x - y))
        out[i] = (small if x < y else 1.0) / (1.0 + small)


@device_func
def log_factorial(k: Any) -> Any:
    """The logarithm of a factorial, by Stirling's series from 10 on."""
    x, product = k + 1.0, 1.0
    while x < 10.0:
        product *= x
        x += 1.0
    inverse = 1.0 / x
    square = inverse * inverse
    series = (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0))) * inverse
    return (x - 0.5) * math.log(x) - x + ROOT + series - math.log(product)


@device_func
def stirling_remainder(k: Any) -> Any:
    """What `k log(k) - k` leaves of the logarithm of a factorial."""
    rest = 0.0
    if k < 10.0:
        rest = log_factorial(k) + (k - k * math.log(k) if k > 0.0 else 0.0)
    else:
        inverse = 1.0 / k
        square = inverse * inverse
        series = (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0))) * inverse
        rest = ROOT + 0.5 * math.log(k) + series
    return rest


@device_func
def deviance(apart: Any, mean: Any) -> Any:
    """`k log(k / mean) - (k - mean)` of a number `k` that lies so far from a mean, of which it keeps the digits."""
    share = apart / mean
    return mean * ((1.0 + share) * math.log1p(share) - share if share > -1.0 else 1.0)


@kernel(contract=False)
def poisson(out: Any, mean: Any, key: Any, lower: Any, upper: Any) -> None:
    """Poisson numbers: by inversion where the mean is small, else by Hormann's transformed rejection (PTRS, 1993)."""
    i = get_global_id(0)
    m = mean[i]
    k = 0.0
    if m < 10.0:
        rest, v = words(key, lower, upper, i, 0)
        share = math.exp(-m)
        while rest > share and k < 200.0:
            rest -= share
            k += 1.0
            share *= m / k
    else:
        b = 0.931 + 2.53 * math.sqrt(m)
        a = -0.059 + 0.02483 * b
        inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
        bound = 0.9277 - 3.6224 / (b - 2.0)
        k = math.floor(m)
        for attempt in range(ATTEMPTS):
            u, v = words(key, lower, upper, i, attempt)
            u -= 0.5
            us = 0.5 - abs(u)
            candidate = np.floor((2.0 * a / us + b) * u + m + 0.43)
            if us >= 0.07 and v <= bound:
                k = candidate
                break
            if candidate >= 0.0 and (us >= 0.013 or v <= us):
                left = math.log(v) + math.log(inverse_alpha) - math.log(a / (us * us) + b)
                # The terms of the first are as large as the mean, and their differences lose as many digits.
                right = 0.0
                if m < LARGE:
                    right = candidate * math.log(m) - m - log_factorial(candidate)
                else:
                    right = -deviance(candidate - m, m) - stirling_remainder(candidate)
                if left <= right:
                    k = candidate
                    break
    out[i] = k


@device_func
def log_likelihood(k: Any, n: Any, p: Any) -> Any:
    """The logarithm of how likely so many successes are, less what they have in common."""
    apart = k - n * p
    return -deviance(apart, n * p) - deviance(-apart, n * (1.0 - p)) - stirling_remainder(k) - stirling_remainder(n - k)


@kernel(contract=False)
def binomial(out: Any, trials: Any, chance: Any, key: Any, lower: Any, upper: Any) -> None:
    """Binomial numbers: by inversion where few successes are expected, else by Hormann's rejection (BTRS, 1993)."""
    i = get_global_id(0)
    n = trials[i]
    p = min(chance[i], 1.0 - chance[i])
    k = 0.0
    if n * p < 10.0:
        rest, v = words(key, lower, upper, i, 0)
        share = math.exp(n * math.log1p(-p))
        ratio = p / (1.0 - p)
        while rest > share and k < n and k < 200.0:
            rest -= share
            k += 1.0
            share *= ratio * (n - k + 1.0) / k
    else:
        spread = math.sqrt(n * p * (1.0 - p))
        b = 1.15 + 2.53 * spread
        a = -0.0873 + 0.0248 * b + 0.01 * p
        centre = n * p + 0.5
        bound = 0.92 - 4.2 / b
        alpha = (2.83 + 5.1 / b) * spread
        log_odds = math.log(p / (1.0 - p))
        mode = np.floor((n + 1.0) * p)
        height = 0.0
        if n < LARGE:
            height = log_factorial(mode) + log_factorial(n - mode)
        else:
            height = log_likelihood(mode, n, p)
        k = mode
        for attempt in range(ATTEMPTS):
            u, v = words(key, lower, upper, i, attempt)
            u -= 0.5
            us = 0.5 - abs(u)
            candidate = np.floor((2.0 * a / us + b) * u + centre)
            if us >= 0.07 and v <= bound:
                k = candidate
                break
            if candidate >= 0.0 and candidate <= n:
                left = math.log(v * alpha / (a / (us * us) + b))
                right = 0.0
                if n < LARGE:
                    right = height - log_factorial(candidate) - log_factorial(n - candidate)
                    right += (candidate - mode) * log_odds
                else:
                    right = log_likelihood(candidate, n, p) - height
                if left <= right:
                    k = candidate
                    break
    out[i] = n - k if chance[i] > 0.5 else k
