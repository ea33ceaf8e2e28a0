"""What the array tests draw from: dtypes, values, layouts, and places to compute."""

import os
import warnings

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import situ
from situ import tensor

DTYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip
KINDS = ("device", "shared", "host")
LAYOUTS = ("C", "F", "rolled", "stepped", "reversed", "broadcast")


BACKENDS = os.environ.get("SITU_TEST_BACKENDS", "native cuda").split()
"""Those that tests of arrays run on. OpenCL's compilers take many minutes, and have a target of their own."""


def places():
    """A queue on every device, and one on a part of every native device; with its name for test ids."""
    found = {}
    for device in situ.get_devices():
        backend = device.backend.name
        if backend not in BACKENDS:
            continue
        found[device.filter_string] = situ.get_device_cached_queue(device)
        if backend == "native" and device.partition_max_sub_devices > 1:
            found[f"{device.filter_string}-part"] = situ.Queue(device.create_sub_devices(partition=[1])[0])
    return found


def keeps_the_last(queue):
    """Whether the last of several values assigned to one element stays, as on the native CPU; elsewhere any does."""
    return queue.sycl_device.backend.name == "native"


def assigned_one_by_one(result, before, targets, values):
    """Asserts that each element has one of the values that were assigned to it, or none and is as before.

    Targets are positions in the array as NumPy counts them, one for each value.
    """
    result, before = result.reshape(-1), before.reshape(-1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # An assignment may leave imaginary parts behind.
        targets, values = np.ravel(targets), np.ravel(values).astype(before.dtype)
    untouched = np.ones(before.size, bool)
    untouched[targets] = False
    np.testing.assert_array_equal(result[untouched], before[untouched])
    possible = untouched.copy()
    possible[targets[result[targets] == values]] = True
    assert possible.all(), f"elements {np.flatnonzero(~possible)[:10]} have a value that was never assigned to them"


class View:
    """Part of an array's memory with a shape, strides and an offset of its own, as another library would hand it over.

    Without its owner's key, situ learns about the memory from the address alone.
    """

    def __init__(self, array, *, anonymous=False, **entries):
        interface = {**array.__sycl_usm_array_interface__, **entries}
        if anonymous:
            del interface["situ_memory"]
        self.__sycl_usm_array_interface__ = interface
        self._array = array


def empty_view(shape, dtype, layout):
    """A NumPy array with that layout, and the contiguous array it is a view of."""
    ndim = len(shape)
    if layout == "F":
        base = np.zeros(shape[::-1], dtype)
        return base, base.transpose()
    if layout == "rolled" and ndim > 1:
        base = np.zeros((shape[-1], *shape[:-1]), dtype)
        return base, np.moveaxis(base, 0, -1)
    if layout == "stepped" and ndim:
        base = np.zeros(tuple(2 * n + 1 for n in shape), dtype)
        return base, base[tuple(slice(1, 2 * n + 1, 2) for n in shape)]
    if layout == "reversed" and ndim:
        base = np.zeros(shape, dtype)
        return base, base[(slice(None, None, -1),) * ndim]
    base = np.zeros(shape, dtype)
    return base, base


def laid_out(host, layout, queue=None, usm_type="device"):
    """The situ array with these elements and that layout, and a NumPy array with the same elements and strides."""
    host = np.asarray(host)
    if layout == "broadcast" and host.ndim:
        # One row, repeated with stride 0.
        base = np.array(host[:1]) if host.shape[0] else np.array(host)
        view = np.broadcast_to(base, host.shape)
    else:
        base, view = empty_view(host.shape, host.dtype, layout)
        view[...] = host
    item = host.dtype.itemsize
    flat = tensor.asarray(base.reshape(-1), sycl_queue=queue, usm_type=usm_type)
    offset = (view.__array_interface__["data"][0] - base.__array_interface__["data"][0]) // item if view.size else 0
    strides = tuple(step // item for step in view.strides)
    array = tensor.asarray(View(flat, shape=view.shape, strides=strides, offset=offset))
    return array, view


def steps(array):
    """Strides in elements, without the axes along which there is nothing to step."""
    item = array.dtype.itemsize if isinstance(array, np.ndarray) else 1
    return [step // item for step, n in zip(array.strides, array.shape, strict=True) if n > 1]


def floats(dtype, moderate=False):
    """Any value of a floating-point dtype, the awkward ones often."""
    width = np.dtype(dtype).itemsize * 8
    if moderate:
        return st.floats(-8, 8, width=width).filter(lambda value: value == 0 or abs(value) > 1e-3)
    limits = np.finfo(dtype)
    special = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, float(limits.max), float(limits.tiny), float(limits.eps)]
    return st.sampled_from(special) | st.floats(width=width)


def elements(dtype, moderate=False):
    """Values of a dtype; moderate ones are finite, and neither vanish nor explode when combined."""
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return floats(dtype, moderate)
    if dtype.kind == "c":
        part = floats(np.zeros(0, dtype).real.dtype, moderate)
        return st.builds(complex, part, part)
    if dtype.kind == "b":
        return st.booleans()
    limits = np.iinfo(dtype)
    if moderate:
        return st.integers(max(limits.min, -8), 8)
    edges = sorted({0, 1, limits.min, limits.max, limits.max - 1})
    return st.sampled_from(edges) | st.integers(limits.min, limits.max)


def shapes(max_dims=3, max_side=5):
    """Shapes, with and without dimensions, some of them empty."""
    return hnp.array_shapes(min_dims=0, max_dims=max_dims, min_side=0, max_side=max_side)


@st.composite
def hosts(draw, dtypes=DTYPES, shape=None, moderate=False):
    """NumPy arrays of any dtype and shape."""
    dtype = draw(st.sampled_from(dtypes))
    shape = draw(shapes()) if shape is None else shape
    return draw(hnp.arrays(dtype, shape, elements=elements(dtype, moderate)))


@st.composite
def operands(draw, count, moderate=False):
    """So many NumPy arrays that broadcast together, each of its own dtype, and a layout for each."""
    shaped = draw(hnp.mutually_broadcastable_shapes(num_shapes=count, max_dims=3, min_side=0, max_side=4))
    arrays = [draw(hosts(shape=shape, moderate=moderate)) for shape in shaped.input_shapes]
    return arrays, [draw(st.sampled_from(LAYOUTS)) for _ in arrays]


def same(array, expected):
    """Asserts that a situ array has the dtype, the shape and every bit of a NumPy array."""
    host = tensor.asnumpy(array)
    assert array.dtype == host.dtype == expected.dtype and array.shape == host.shape == expected.shape
    assert host.tobytes() == expected.tobytes()
