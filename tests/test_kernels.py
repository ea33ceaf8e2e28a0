"""Kernels from Python: what they compute, how they are launched, and what is refused."""

import numpy as np
import pytest

import situ
from situ import kernels, tensor
from situ.kernels import NdRange, Range, get_global_id

DTYPES = ["bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]


@kernels.kernel
def vector_add(a, b, c):
    i = get_global_id(0)
    c[i] = a[i] + b[i]


@kernels.kernel
def vector_add_item(item, a, b, c):
    i = item.get_id(0)
    c[i] = a[i] + b[i]


def arrays(dtype, n=11):
    a = (np.arange(n) % 5).astype(dtype)
    return a, a[::-1].copy(), np.zeros(n, dtype)


def brought(*values, queue="cpu"):
    return [tensor.asarray(value, device=queue) for value in values]


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(dtype):
    a, b, c = arrays(dtype)
    x, y, z = brought(a, b, c)
    vector_add[11](x, y, z)
    np.testing.assert_array_equal(tensor.asnumpy(z), a + b)


@pytest.mark.parametrize(
    "launch",
    [
        lambda f, args: f[11](*args),
        lambda f, args: f[(11,)](*args),
        lambda f, args: f[Range(11)](*args),
        lambda f, args: f[NdRange((11,), (11,))](*args),
        lambda f, args: f(*args),
        lambda f, args: kernels.call_kernel(f, 11, *args),
        lambda f, args: kernels.call_kernel(f, Range(11), *args),
        lambda f, args: kernels.call_kernel_async(f, Range(11), (), *args)[1].wait(),
    ],
)
@pytest.mark.parametrize("function", [vector_add])
def test_launches(launch, function):
    a, b, c = arrays("f4")
    x, y, z = brought(a, b, c)
    launch(function, (x, y, z))
    np.testing.assert_array_equal(tensor.asnumpy(z), a + b)


def test_an_item_is_the_first_parameter():
    a, b, c = arrays("i8")
    x, y, z = brought(a, b, c)
    vector_add_item[Range(11)](x, y, z)
    np.testing.assert_array_equal(tensor.asnumpy(z), a + b)


def test_situ_has_the_decorator():
    assert situ.kernel is kernels.kernel
