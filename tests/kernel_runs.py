"""Runs kernels in every way there is, for tests of the language."""

import numpy as np

from situ import tensor
from situ.kernels import (
    kernel,
)

DTYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
FLOATS = ["f2", "f4", "f8"]
INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]


def run(function, *args, space=None, simulate=True, tolerance=0.0):
    """Run a kernel compiled; with debug and by the simulator it must do the same. The arrays as they are then."""
    space = args[0].shape if space is None else space
    results = []
    for options in ({"contract": False}, {"debug": True, "contract": False}):
        arrays = [tensor.asarray(arg, copy=True) if isinstance(arg, np.ndarray) else arg for arg in args]
        kernel(**options)(function)[space](*arrays)
        results.append([tensor.asnumpy(each) if isinstance(each, tensor.ndarray) else each for each in arrays])
    if simulate:
        arrays = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]
        kernel(function).simulate(space, *arrays)
        results.append(arrays)
    for other in results[1:]:
        for one, two in zip(results[0], other, strict=True):
            if tolerance:
                np.testing.assert_allclose(one, two, rtol=tolerance)
            else:
                np.testing.assert_array_equal(one, two)
    return results[0]
