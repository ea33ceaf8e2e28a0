"""Ordinary code with arrays, which `mypy --strict` must accept: it is checked, not run."""

import numpy

import situ
from situ import tensor
from situ.tensor import asarray, full, ndarray, sin


def places() -> tensor.Device:
    queue = situ.Queue("cpu")
    x = tensor.zeros((2, 3), dtype=tensor.float32, sycl_queue=queue, usm_type="shared")
    y = tensor.full(3, 1.5, device=queue.sycl_device)
    return x.to_device(y.device).device


def arithmetic(x: ndarray, y: ndarray) -> ndarray:
    z = x + y - 1 * x / 2 // 3
    z = x**2 + 2**x + x % 2 + 5 % x + abs(x) - (-x) + (+x)
    z = (x & y) | (x ^ 1) | ~x
    z = (x << 1) >> 1
    z = 1 << x
    z += x
    z -= 1
    z *= 2.5
    z /= y
    z //= 2
    z %= 3
    z **= 2
    z &= 1
    z |= x
    z ^= x
    z <<= 1
    z >>= 1
    return z + numpy.float32(1) + numpy.ones(3)


def comparisons(x: ndarray) -> ndarray:
    inside = (x > 0) & (x <= 1)
    return inside | (x == 3) | (x != 4) | (2 < x) | (x >= 1) | (x < 2)


def functions(x: ndarray) -> ndarray:
    out = tensor.empty_like(x)
    sin(x, out=out)
    tensor.sin(x, order="C")
    tensor.add(x, 1)
    tensor.add(2.5, x, out=out)
    tensor.add(x, numpy.ones(3))
    clipped = tensor.clip(x, 0, 1)
    chosen = tensor.where(x > 0, x, 0.0)
    return tensor.concat([clipped, chosen, full(3, 1), asarray([1, 2])], axis=0)


def elements(x: ndarray) -> float:
    x[0] = 1
    x[1:, ..., None] = x[:-1]
    x[x > 0] = 0
    rows = [row.shape for row in x]
    first = x[0, 1]
    return float(first) + int(first) + complex(first).real + len(rows) + bool(first)


def facts(x: ndarray) -> tuple[tuple[int, ...], str, int, str]:
    host = tensor.asnumpy(x)
    assert host.shape == x.shape
    return x.shape, x.dtype.name, tensor.add.nin, tensor.add.__name__
