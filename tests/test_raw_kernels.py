"""Kernels in CUDA C, and kernels as C."""

import pickle

import numpy as np
import pytest

import situ
from situ import kernels, tensor

SOURCE = """
extern "C" __global__ void combine(float *out, const float *x, float factor, long long offset, double half, int size) {
    extern __shared__ float held[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size) return;
    held[threadIdx.x] = x[i];
    out[i] = held[threadIdx.x] * factor + offset + half;
}
"""


def combine():
    return kernels.RawKernel(SOURCE, "combine", ("--use_fast_math",))


@pytest.fixture
def gpu():
    """A queue on the first GPU."""
    try:
        return situ.Queue("cuda")
    except (situ.QueueCreationError, situ.DeviceCreationError, ValueError) as error:
        pytest.skip(f"no GPU: {error}")


def test_devices_without_a_compiler_run_none():
    x = tensor.ones(4, dtype="float32", device="cpu")
    with pytest.raises(ValueError, match="backends cuda .* and opencl .* have; its arrays are on one of native"):
        combine()[1, 4](x, x, np.float32(2), 1, 0.5, np.int32(4))


def test_arguments_are_arrays_and_numbers():
    x = tensor.ones(4, dtype="float32", device="cpu")
    with pytest.raises(TypeError, match="kernel combine: argument 1 is .*; it takes arrays of situ.tensor"):
        combine()[1, 4](x, "x")
    with pytest.raises(TypeError, match="argument 0 is"):
        combine()((1,), (4,), (np.ones(3),))
    with pytest.raises(situ.ExecutionPlacementError):
        combine()((1,), (4,), (x, tensor.ones(4, device="null")))


def test_a_geometry_has_one_to_three_axes():
    x = tensor.ones(4, dtype="float32", device="cpu")
    for grid in ((), (1, 1, 1, 1)):
        with pytest.raises(ValueError, match="a grid has 1 to 3 axes"):
            combine()(grid, (4,), (x,))
    with pytest.raises(ValueError, match="a block: 4294967296 is too many"):
        combine()(1, 2**32, (x,))
    with pytest.raises(TypeError, match=r"write combine\[grid, block\]"):
        combine()[1]
    with pytest.raises(TypeError, match="expected a tuple of texts"):
        kernels.RawKernel(SOURCE, "combine", "-DX")


def test_raw_kernels_are_described_and_pickled():
    kernel = pickle.loads(pickle.dumps(combine()))
    assert (kernel.name, kernel.code, kernel.options) == ("combine", SOURCE, ("--use_fast_math",))
    assert repr(kernel) == "<kernel combine for a device's own compiler>"


def test_raw_kernels_compute(gpu):
    x = tensor.arange(1000, dtype="float32", sycl_queue=gpu)
    out = tensor.zeros_like(x)
    combine()[4, 256, 1024](out, x, np.float32(2), 1, 0.5, np.int32(1000))
    np.testing.assert_array_equal(tensor.asnumpy(out), np.arange(1000, dtype="float32") * 2 + 1.5)
    event = combine()((4,), (256,), (out, x, np.float32(3), 1, 0.5, np.int32(1000)), shared_mem=1024)
    event.wait()
    np.testing.assert_array_equal(tensor.asnumpy(out), np.arange(1000, dtype="float32") * 3 + 1.5)


def test_what_the_compiler_says_is_told(gpu):
    x = tensor.ones(4, sycl_queue=gpu)
    with pytest.raises(kernels.KernelCompileError, match="(?s)kernel f does not compile:.*identifier .*undefined_name"):
        kernels.RawKernel('extern "C" __global__ void f(double *x) { undefined_name(x); }', "f")[1, 1](x)
    with pytest.raises(kernels.KernelCompileError, match="there is no function g in the text"):
        kernels.RawKernel('extern "C" __global__ void f(double *x) {}', "g")[1, 1](x)


def test_blocks_have_a_limit(gpu):
    x = tensor.ones(4, dtype="float32", sycl_queue=gpu)
    with pytest.raises(ValueError, match="its blocks have 2048 threads, and the device allows 1024"):
        combine()[1, 2048](x, x, np.float32(2), 1, 0.5, np.int32(4))
    with pytest.raises(ValueError, match="bytes of shared memory"):
        combine()[1, 4, 1 << 20](x, x, np.float32(2), 1, 0.5, np.int32(4))


def test_kernels_show_themselves_as_c():
    @kernels.kernel
    def double(x):
        i = kernels.get_global_id(0)
        x[i] = 2 * x[i]

    text = double.inspect(("float32", 1), kind="cuda")
    assert "situ_double(GLOBAL f32 *x_data, const i32 global_size_0)" in text
    assert "x_data[" in text
    assert double.inspect(("float32", 1), kind="opencl") == text
    with pytest.raises(ValueError, match="expected 'ir', 'cuda' or 'opencl'"):
        double.inspect(("float32", 1), kind="metal")


@pytest.mark.parametrize("dtype", ["int32", "float64", "complex128"])
def test_more_local_memory_than_is_granted_is_asked_for(gpu, dtype):
    size = 100_000 // np.dtype(dtype).itemsize

    @kernels.kernel
    def turn(x, held):
        i = kernels.get_local_id(0)
        n = kernels.get_local_size(0)
        for j in range(i, x.shape[0], n):
            held[j] = x[j]
        kernels.barrier()
        for j in range(i, x.shape[0], n):
            x[j] = held[x.shape[0] - 1 - j]

    x = tensor.arange(size, dtype=dtype, sycl_queue=gpu)
    turn[kernels.NdRange(256, 256)](x, kernels.LocalAccessor(size, dtype))
    np.testing.assert_array_equal(tensor.asnumpy(x), np.arange(size, dtype=dtype)[::-1])
    with pytest.raises(ValueError, match=r"the local arrays of a group take \d+ bytes, and .* has room for \d+"):
        turn[kernels.NdRange(256, 256)](x, kernels.LocalAccessor(10 * size, dtype))


def test_groups_have_a_limit(gpu):
    @kernels.kernel
    def where(x):
        x[kernels.get_global_id(0)] = kernels.get_local_id(0)

    x = tensor.zeros(4096, sycl_queue=gpu)
    with pytest.raises(ValueError, match="a group of 2048 work-items is too large for .*, which has room for 1024"):
        where[kernels.NdRange(4096, 2048)](x)
