"""The kernels of the benchmark as Numba has them: loops in parallel."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy


def kernels(threads: int) -> dict[str, Callable[..., None]]:
    """The kernels by name, over NumPy arrays in place, on so many threads; each is compiled when it is first called."""
    import numba
    from numba import njit, prange

    numba.set_num_threads(threads)
    limit = 1000
    one, half, rate, volatility = (numpy.float32(number) for number in (1, 0.5, 0.02, 0.30))

    @njit(parallel=True)
    def mandelbrot(xs: Any, ys: Any, counts: Any) -> None:
        for i in prange(counts.shape[0]):
            for j in range(counts.shape[1]):
                re, im = xs[j], ys[i]
                x, y = re * 0, im * 0
                n = 0
                while n < limit and x * x + y * y <= 4:
                    x, y = x * x - y * y + re, 2 * x * y + im
                    n += 1
                counts[i, j] = n

    factors = [numpy.float32(number) for number in (1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.319381530)]
    a, b, c, d, e = factors
    slope, density = numpy.float32(0.2316419), numpy.float32(0.3989422804)

    @njit
    def normal(at: Any) -> Any:
        k = one / (one + slope * abs(at))
        poly = k * (e + k * (d + k * (c + k * (b + k * a))))
        tail = density * math.exp(-half * at * at) * poly
        return one - tail if at > 0 else tail

    @njit(parallel=True)
    def black_scholes(price: Any, strike: Any, years: Any, call: Any, put: Any) -> None:
        for i in prange(price.shape[0]):
            s, x, t = price[i], strike[i], years[i]
            root = math.sqrt(t)
            d1 = (math.log(s / x) + (rate + half * volatility * volatility) * t) / (volatility * root)
            d2 = d1 - volatility * root
            c1, c2 = normal(d1), normal(d2)
            discounted = x * math.exp(-rate * t)
            call[i] = s * c1 - discounted * c2
            put[i] = discounted * (one - c2) - s * (one - c1)

    zero, tiny = numpy.float32(0), numpy.float32(0.01)

    @njit(parallel=True)
    def matmul(a: Any, b: Any, out: Any) -> None:
        for i in prange(out.shape[0]):
            for j in range(out.shape[1]):
                total = zero
                for k in range(a.shape[1]):
                    total += a[i, k] * b[k, j]
                out[i, j] = total

    @njit(parallel=True)
    def nbody(x: Any, y: Any, z: Any, mass: Any, ax: Any, ay: Any, az: Any) -> None:
        for i in prange(x.shape[0]):
            sum_x, sum_y, sum_z = zero, zero, zero
            for j in range(x.shape[0]):
                dx, dy, dz = x[j] - x[i], y[j] - y[i], z[j] - z[i]
                inverse = one / math.sqrt(dx * dx + dy * dy + dz * dz + tiny)
                strength = mass[j] * inverse * inverse * inverse
                sum_x += dx * strength
                sum_y += dy * strength
                sum_z += dz * strength
            ax[i], ay[i], az[i] = sum_x, sum_y, sum_z

    third = numpy.float32(3)

    @njit(parallel=True)
    def stencil(x: Any, out: Any) -> None:
        for i in prange(1, x.shape[0] - 1):
            out[i] = (x[i - 1] + x[i] + x[i + 1]) / third

    # Loops in parallel have no atomics, so that there is no histogram.
    found = (mandelbrot, black_scholes, matmul, nbody, stencil)
    return {each.__name__: each for each in found}
