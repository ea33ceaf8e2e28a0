"""Users' kernels, in Python and in CUDA C, next to the same in CUDA C under CuPy."""

# Closures and annotations of kernels are looked at when they are compiled.
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import Any

import numpy

from situ import kernels
from situ.kernels import atomic, barrier, get_global_id, get_global_size, get_group_id, get_local_id, local

from ..contest import Snippet
from .libraries import Cupy, Library, Situ
from .work import Work

LAUNCH = "launching a kernel of three arrays: submitting"
TILE = 16
_BINS = 256
_LIMIT = 1000

_MANDELBROT = """
extern "C" __global__ void f(const float *xs, const float *ys, int *counts, int rows, int columns) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= rows || j >= columns) return;
    float re = xs[j], im = ys[i], x = 0, y = 0;
    int n = 0;
    while (n < 1000 && x * x + y * y <= 4) {
        float next = x * x - y * y + re;
        y = 2 * x * y + im;
        x = next;
        n++;
    }
    counts[i * columns + j] = n;
}
"""

_NBODY = """
extern "C" __global__ void f(const float *x, const float *y, const float *z, float *pull, int size) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size) return;
    float here_x = x[i], here_y = y[i], here_z = z[i], sum_x = 0, sum_y = 0, sum_z = 0;
    for (int j = 0; j < size; j++) {
        float dx = x[j] - here_x, dy = y[j] - here_y, dz = z[j] - here_z;
        float inverse = 1 / sqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
        float strength = inverse * inverse * inverse;
        sum_x += dx * strength;
        sum_y += dy * strength;
        sum_z += dz * strength;
    }
    pull[i] = sum_x + sum_y + sum_z;
}
"""

_MATMUL = """
extern "C" __global__ void f(const float *a, const float *b, float *out, int side) {
    __shared__ float tile_a[16][16], tile_b[16][16];
    int l = threadIdx.y, m = threadIdx.x, i = blockIdx.y * 16 + l, j = blockIdx.x * 16 + m;
    float total = 0;
    for (int at = 0; at < side; at += 16) {
        tile_a[l][m] = a[i * side + at + m];
        tile_b[l][m] = b[(at + l) * side + j];
        __syncthreads();
        for (int k = 0; k < 16; k++) total += tile_a[l][k] * tile_b[k][m];
        __syncthreads();
    }
    out[i * side + j] = total;
}
"""

_HISTOGRAM = """
extern "C" __global__ void f(const int *data, int *bins, int size) {
    __shared__ int held[256];
    held[threadIdx.x] = 0;
    __syncthreads();
    int first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
    for (int i = first; i < size; i += step) atomicAdd(&held[data[i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], held[threadIdx.x]);
}
"""

_EMPTY = 'extern "C" __global__ void f(const float *a, const float *b, float *c, int size) {}'


@kernels.kernel
def _mandelbrot(xs: Any, ys: Any, counts: Any) -> None:
    i, j = get_global_id(0), get_global_id(1)
    re, im = xs[j], ys[i]
    x, y, n = re * 0, im * 0, 0
    while n < _LIMIT and x * x + y * y <= 4:
        x, y = x * x - y * y + re, 2 * x * y + im
        n += 1
    counts[i, j] = n


@kernels.kernel
def _nbody(x: Any, y: Any, z: Any, pull: Any) -> None:
    i = get_global_id(0)
    here_x, here_y, here_z = x[i], y[i], z[i]
    sum_x, sum_y, sum_z = 0.0, 0.0, 0.0
    for j in range(x.shape[0]):
        dx, dy, dz = x[j] - here_x, y[j] - here_y, z[j] - here_z
        inverse = 1 / sqrt(dx * dx + dy * dy + dz * dz + 0.01)
        strength = inverse * inverse * inverse
        sum_x += dx * strength
        sum_y += dy * strength
        sum_z += dz * strength
    pull[i] = sum_x + sum_y + sum_z


@kernels.kernel
def _matmul(a: Any, b: Any, out: Any) -> None:
    tile_a, tile_b = local.array((TILE, TILE), numpy.float32), local.array((TILE, TILE), numpy.float32)
    row, column = get_local_id(0), get_local_id(1)
    i, j = get_group_id(0) * TILE + row, get_group_id(1) * TILE + column
    total = 0.0
    for at in range(0, a.shape[1], TILE):
        tile_a[row, column] = a[i, at + column]
        tile_b[row, column] = b[at + row, j]
        barrier()
        for k in range(TILE):
            total += tile_a[row, k] * tile_b[k, column]
        barrier()
    out[i, j] = total


@kernels.kernel
def _histogram(data: Any, bins: Any) -> None:
    held = local.array(_BINS, numpy.int32)
    mine = get_local_id(0)
    held[mine] = 0
    barrier()
    for i in range(get_global_id(0), data.shape[0], get_global_size(0)):
        atomic.add(held, data[i], 1)
    barrier()
    atomic.add(bins, mine, held[mine])


@kernels.kernel
def _empty(a: Any, b: Any, c: Any) -> None:
    pass


@dataclass(frozen=True)
class _Pair:
    """A kernel in both languages, over the same arrays."""

    text: str
    ours: kernels.Kernel
    space: Any
    grid: tuple[int, ...]
    block: tuple[int, ...]
    arrays: Callable[[], Mapping[str, Any]]
    """On the host; the last one is called r, and is what is computed."""
    sizes: tuple[int, ...]
    before: str = ""
    """What is done before each launch."""

    def ways(self, key: str, library: Library) -> Mapping[str, Snippet]:
        """How a library does it."""
        if not isinstance(library, (Situ, Cupy)):
            return {}
        given = library.keep(key, lambda: {name: library.array(array) for name, array in self.arrays().items()})
        names = ", ".join(given)
        sizes = ", ".join(f"size_{n}" for n in range(len(self.sizes)))
        numbers = {f"size_{n}": numpy.int32(size) for n, size in enumerate(self.sizes)}
        raw = f"{self.before}f(grid, block, ({names}, {sizes}))"
        shape = {"grid": self.grid, "block": self.block}
        if isinstance(library, Cupy):
            text = library.module.RawKernel(self.text, "f")
            return {"RawKernel": library.snippet(raw, f=text, **given, **numbers, **shape)}
        text = kernels.RawKernel(self.text, "f")
        return {
            "kernel": library.snippet(f"{self.before}f[space]({names})", f=self.ours, space=self.space, **given),
            "RawKernel": library.snippet(raw, f=text, **given, **numbers, **shape),
        }


def _plane(side: int) -> Mapping[str, Any]:
    return {
        "xs": numpy.linspace(-2.0, 0.6, side, dtype="float32"),
        "ys": numpy.linspace(-1.3, 1.3, side, dtype="float32"),
        "r": numpy.zeros((side, side), "int32"),
    }


def _drawn(names: tuple[str, ...], shape: tuple[int, ...]) -> Mapping[str, Any]:
    generator = numpy.random.default_rng(1)
    arrays = {name: generator.uniform(-1.0, 1.0, shape).astype("float32") for name in names}
    return arrays | {"r": numpy.zeros(shape, "float32")}


def _counted(n: int) -> Mapping[str, Any]:
    return {"data": numpy.random.default_rng(2).integers(0, _BINS, n, dtype="int32"), "r": numpy.zeros(_BINS, "int32")}


def _pairs(n: int) -> dict[str, _Pair]:
    side = max(TILE, 2 ** (n.bit_length() // 2 - 2))
    plane, bodies = side * 2, side * 16
    blocks = ((plane + 31) // 32, (plane + 7) // 8)
    tiled = kernels.NdRange((side, side), (TILE, TILE))
    groups = 1024
    flat = kernels.NdRange(groups * _BINS, _BINS)
    return {
        f"kernel mandelbrot float32, {plane} by {plane}": _Pair(
            _MANDELBROT, _mandelbrot, (plane, plane), blocks, (32, 8), partial(_plane, plane), (plane, plane)
        ),
        f"kernel n-body float32, {bodies}": _Pair(
            _NBODY,
            _nbody,
            bodies,
            ((bodies + 255) // 256,),
            (256,),
            partial(_drawn, ("x", "y", "z"), (bodies,)),
            (bodies,),
        ),
        f"kernel tiled matmul float32, {side} by {side}": _Pair(
            _MATMUL,
            _matmul,
            tiled,
            (side // TILE,) * 2,
            (TILE, TILE),
            partial(_drawn, ("a", "b"), (side, side)),
            (side,),
        ),
        f"kernel histogram int32, {n}": _Pair(
            _HISTOGRAM, _histogram, flat, (groups,), (_BINS,), partial(_counted, n), (n,), "r[...] = 0; "
        ),
    }


def launching() -> _Pair:
    """What a launch costs before the device has done anything."""
    arrays = partial(_drawn, ("a", "b"), (256,))
    return _Pair(_EMPTY, _empty, 256, (1,), (256,), arrays, (256,))


def works(n: int) -> Iterator[Work]:
    """The comparisons, with up to so many elements."""
    for title, pair in _pairs(n).items():
        # Sums of numbers of both signs may differ by more than numbers that are not added up.
        yield Work(title, partial(pair.ways, title), comparable="int32" in title or "mandelbrot" in title)
    yield Work(LAUNCH, partial(launching().ways, LAUNCH), repeats=10_000, awaited=False)


def titles(n: int) -> list[str]:
    """What the rows of kernels are called that are compared with CUDA C.

    >>> titles(2**26)[1]
    'kernel n-body float32, 32768'
    """
    return list(_pairs(n))
