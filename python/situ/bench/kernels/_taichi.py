"""The kernels of the benchmark as Taichi has them."""

# Annotations are what Taichi compiles by, so that they are not put off here.
from collections.abc import Callable
from typing import Any


def kernels(threads: int) -> dict[str, Callable[..., None]]:
    """The kernels by name, over NumPy arrays in place, on so many threads; each is compiled when it is first called."""
    import taichi as ti

    ti.init(arch=ti.cpu, cpu_max_num_threads=threads, log_level=ti.ERROR, offline_cache=False, fast_math=False)
    array = ti.types.ndarray()
    limit, rate, volatility = 1000, 0.02, 0.30

    @ti.kernel
    def mandelbrot(xs: array, ys: array, counts: array):
        for i, j in ti.ndrange(counts.shape[0], counts.shape[1]):
            re, im = xs[j], ys[i]
            x, y = re * 0, im * 0
            n = 0
            while n < limit and x * x + y * y <= 4:
                x, y = x * x - y * y + re, 2 * x * y + im
                n += 1
            counts[i, j] = n

    @ti.func
    def normal(at):
        k = 1 / (1 + 0.2316419 * ti.abs(at))
        poly = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
        tail = 0.3989422804 * ti.exp(-0.5 * at * at) * poly
        if at > 0:
            tail = 1 - tail
        return tail

    @ti.kernel
    def black_scholes(price: array, strike: array, years: array, call: array, put: array):
        for i in range(price.shape[0]):
            s, x, t = price[i], strike[i], years[i]
            root = ti.sqrt(t)
            d1 = (ti.log(s / x) + (rate + 0.5 * volatility * volatility) * t) / (volatility * root)
            d2 = d1 - volatility * root
            c1, c2 = normal(d1), normal(d2)
            discounted = x * ti.exp(-rate * t)
            call[i] = s * c1 - discounted * c2
            put[i] = discounted * (1 - c2) - s * (1 - c1)

    @ti.kernel
    def matmul(a: array, b: array, out: array):
        for i, j in ti.ndrange(out.shape[0], out.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            out[i, j] = total

    @ti.kernel
    def nbody(x: array, y: array, z: array, mass: array, ax: array, ay: array, az: array):
        for i in range(x.shape[0]):
            sum_x, sum_y, sum_z = 0.0, 0.0, 0.0
            for j in range(x.shape[0]):
                dx, dy, dz = x[j] - x[i], y[j] - y[i], z[j] - z[i]
                inverse = 1 / ti.sqrt(dx * dx + dy * dy + dz * dz + 0.01)
                strength = mass[j] * inverse * inverse * inverse
                sum_x += dx * strength
                sum_y += dy * strength
                sum_z += dz * strength
            ax[i], ay[i], az[i] = sum_x, sum_y, sum_z

    @ti.kernel
    def stencil(x: array, out: array):
        for i in range(1, x.shape[0] - 1):
            out[i] = (x[i - 1] + x[i] + x[i + 1]) / 3

    @ti.kernel
    def count(data: array, bins: array):
        for i in range(data.shape[0]):
            bins[data[i]] += 1

    def histogram(data: Any, bins: Any) -> None:
        bins[:] = 0
        count(data, bins)

    found = (mandelbrot, black_scholes, matmul, nbody, stencil, histogram)
    return {each.__name__: each for each in found}
