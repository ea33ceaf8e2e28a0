"""Operands that are no arrays of situ, and in-place operators whose operands have no common dtype."""

import ctypes

import numpy as np
import pytest

import situ
from situ import tensor

INTEGERS = ["int8", "int16", "int32", "int64"]


class Described:
    """An object that describes its memory, and has nothing else."""

    def __init__(self, interface):
        self.interface = interface

    @property
    def __sycl_usm_array_interface__(self):
        return self.interface


@pytest.mark.parametrize("number", [ctypes.c_int(3), ctypes.c_double(3), ctypes.c_uint8(3), memoryview(np.array(3))])
def test_numbers_of_ctypes(here, number):
    x = tensor.arange(5, sycl_queue=here)
    expected = np.arange(5) + np.asarray(number)
    for result in (tensor.add(x, number), tensor.add(number, x), x + number, number + x):
        assert result.sycl_queue == here and result.dtype == expected.dtype
        assert (tensor.asnumpy(result) == expected).all()
    assert tensor.asnumpy(tensor.where(x > 2, x, number)).tolist() == [3, 3, 3, 3, 4]


def test_memory_that_an_object_describes(here):
    x = tensor.arange(4, sycl_queue=here)
    described = Described(x.__sycl_usm_array_interface__)
    assert tensor.asnumpy(tensor.add(x, described)).tolist() == [0, 2, 4, 6]
    with pytest.raises(situ.ExecutionPlacementError):
        tensor.add(x, Described(x.to_device(situ.Queue(here.sycl_device)).__sycl_usm_array_interface__))
    with pytest.raises(ValueError, match="not a dictionary"):
        tensor.add(x, Described(None))


def test_placement_errors_are_value_errors():
    """dpctl raises now one, now the other."""
    assert issubclass(situ.ExecutionPlacementError, ValueError)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize(
    "name", ["iadd", "isub", "imul", "ifloordiv", "imod", "ipow", "iand", "ior", "ixor", "ilshift"]
)
def test_in_place_integers_without_a_common_dtype(here, dtype, name):
    x = np.array([-7, 5, 100, 3], dtype=dtype)
    other = np.array([2, 3, 1, 2**64 - 3], dtype="uint64")
    with np.errstate(all="ignore"):
        converted = other.astype(dtype)
        if name in ("ilshift", "ipow"):
            converted[-1] = other[-1] = 1
        expected = getattr(x.copy(), f"__{name}__")(converted)
    target = tensor.asarray(x, sycl_queue=here)
    getattr(target, f"__{name}__")(tensor.asarray(other, sycl_queue=here))
    assert target.dtype == dtype and (tensor.asnumpy(target) == expected).all()


@pytest.mark.parametrize(("dtype", "other"), [("int8", "float32"), ("uint64", "int8"), ("int64", "complex64")])
def test_in_place_operands_of_a_greater_kind_are_refused(here, dtype, other):
    with pytest.raises(ValueError, match=f"Output array of type {dtype}"):
        x = tensor.ones(3, dtype=dtype, sycl_queue=here)
        x += tensor.ones(3, dtype=other, sycl_queue=here)


@pytest.mark.parametrize("axis", [0, -1, None])
def test_indices_of_an_array_without_dimensions(here, axis):
    x = tensor.asarray(5, sycl_queue=here)
    at = tensor.asarray([0, -1, 0], sycl_queue=here)
    assert tensor.asnumpy(tensor.take(x, at, axis=axis)).tolist() == [5, 5, 5]
    tensor.put(x, at, 7, axis=axis)
    assert int(x) == 7
    with pytest.raises(np.exceptions.AxisError if hasattr(np, "exceptions") else np.AxisError):
        tensor.take(x, at, axis=1)
