"""The kernels of the benchmark as situ has them."""

from __future__ import annotations

import math
from typing import Any

from situ import Queue
from situ.kernels import atomic, device_func, get_global_id, kernel

_LIMIT = 1000
_RATE, _VOLATILITY = 0.02, 0.30


def mandelbrot_function(xs: Any, ys: Any, counts: Any) -> None:
    """How many steps a point of the plane takes to leave: a kernel that is not compiled yet."""
    i, j = get_global_id(0), get_global_id(1)
    re, im = xs[j], ys[i]
    x, y, n = re * 0, im * 0, 0
    while n < _LIMIT and x * x + y * y <= 4:
        x, y = x * x - y * y + re, 2 * x * y + im
        n += 1
    counts[i, j] = n


_mandelbrot = kernel(mandelbrot_function)


def mandelbrot(queue: Queue, xs: Any, ys: Any, counts: Any) -> None:
    """How many steps each point of the plane takes to leave."""
    _mandelbrot[counts.shape](xs, ys, counts)
    queue.wait()


@device_func
def _normal(d: Any) -> Any:
    k = 1 / (1 + 0.2316419 * abs(d))
    poly = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.39894228040143267794 * math.exp(-0.5 * d * d) * poly
    return 1 - tail if d > 0 else tail


@kernel
def _black_scholes(price: Any, strike: Any, years: Any, call: Any, put: Any) -> None:
    i = get_global_id(0)
    s, x, t = price[i], strike[i], years[i]
    root = math.sqrt(t)
    d1 = (math.log(s / x) + (_RATE + 0.5 * _VOLATILITY * _VOLATILITY) * t) / (_VOLATILITY * root)
    d2 = d1 - _VOLATILITY * root
    c1, c2 = _normal(d1), _normal(d2)
    discounted = x * math.exp(-_RATE * t)
    call[i] = s * c1 - discounted * c2
    put[i] = discounted * (1 - c2) - s * (1 - c1)


def black_scholes(queue: Queue, price: Any, strike: Any, years: Any, call: Any, put: Any) -> None:
    """Prices of options."""
    _black_scholes[price.shape](price, strike, years, call, put)
    queue.wait()


@kernel
def _matmul(a: Any, b: Any, out: Any) -> None:
    i, j = get_global_id(0), get_global_id(1)
    total = 0.0
    for k in range(a.shape[1]):
        total += a[i, k] * b[k, j]
    out[i, j] = total


def matmul(queue: Queue, a: Any, b: Any, out: Any) -> None:
    """A product of matrices, by the definition."""
    _matmul[out.shape](a, b, out)
    queue.wait()


@kernel
def _nbody(x: Any, y: Any, z: Any, mass: Any, ax: Any, ay: Any, az: Any) -> None:
    i = get_global_id(0)
    here_x, here_y, here_z = x[i], y[i], z[i]
    sum_x, sum_y, sum_z = 0.0, 0.0, 0.0
    for j in range(x.shape[0]):
        dx, dy, dz = x[j] - here_x, y[j] - here_y, z[j] - here_z
        inverse = 1 / math.sqrt(dx * dx + dy * dy + dz * dz + 0.01)
        strength = mass[j] * inverse * inverse * inverse
        sum_x += dx * strength
        sum_y += dy * strength
        sum_z += dz * strength
    ax[i], ay[i], az[i] = sum_x, sum_y, sum_z


def nbody(queue: Queue, x: Any, y: Any, z: Any, mass: Any, ax: Any, ay: Any, az: Any) -> None:
    """The pull of every body on every other."""
    _nbody[x.shape](x, y, z, mass, ax, ay, az)
    queue.wait()


@kernel
def _stencil(x: Any, out: Any) -> None:
    i = get_global_id(0)
    if 0 < i < x.shape[0] - 1:
        out[i] = (x[i - 1] + x[i] + x[i + 1]) / 3


def stencil(queue: Queue, x: Any, out: Any) -> None:
    """Means of three neighbours."""
    _stencil[x.shape](x, out)
    queue.wait()


@kernel
def _histogram(data: Any, bins: Any) -> None:
    atomic.add(bins, data[get_global_id(0)], 1)


def histogram(queue: Queue, data: Any, bins: Any) -> None:
    """How often each number occurs."""
    bins[...] = 0
    _histogram[data.shape](data, bins)
    queue.wait()
