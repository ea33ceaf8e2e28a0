"""Kernels in OpenCL C and SPIR-V, as `dpctl.program` and `RawKernel` have them."""

import ctypes

import numpy as np
import pytest

import situ
from situ import kernels, tensor
from situ.dpctl import program

SOURCE = """
__kernel void axpy(__global float *y, __global const float *x, float a) {
    size_t i = get_global_id(0);
    y[i] += a * x[i];
}
__kernel void place(__global int *out, __local int *held) {
    held[get_local_id(0)] = get_global_id(0) + 10 * get_global_id(1);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0) + get_global_size(0) * get_global_id(1)] = held[get_local_id(0)];
}
"""


pytestmark = pytest.mark.opencl

DEVICES = {device.filter_string: device for device in situ.get_devices(backend="opencl")}


@pytest.fixture(params=DEVICES.values() or [None], ids=DEVICES.keys() or ["none"])
def queue(request):
    """A queue on each OpenCL device."""
    if request.param is None:
        pytest.skip(f"no OpenCL device: {situ.availability()['opencl']}")
    return situ.Queue(request.param)


def test_a_program_has_kernels(queue):
    made = program.create_program_from_source(queue, SOURCE, "-DUNUSED=1")
    assert made.has_sycl_kernel("axpy") and made.has_sycl_kernel("place") and not made.has_sycl_kernel("other")
    kernel = made.get_sycl_kernel("axpy")
    assert (kernel.get_function_name(), kernel.num_args, kernel.get_num_args()) == ("axpy", 3, 3)
    assert kernel.work_group_size >= 1 and kernel.preferred_work_group_size_multiple >= 1


@pytest.mark.parametrize("local", [None, [4]])
def test_kernels_are_submitted(queue, local):
    kernel = program.create_program_from_source(queue, SOURCE).get_sycl_kernel("axpy")
    y = tensor.arange(1000, dtype="float32", sycl_queue=queue)
    x = situ.memory.MemoryUSMShared(4000, queue=queue)
    np.frombuffer(x, "float32")[:] = 2
    event = queue.submit(kernel, [y, x, ctypes.c_float(3)], [1000], local, [queue.submit_barrier()])
    event.wait()
    np.testing.assert_array_equal(tensor.asnumpy(y), np.arange(1000, dtype="float32") + 6)


@pytest.mark.parametrize("local", [None, [1, 2, 5]])
def test_the_last_axis_of_a_range_is_the_first_of_opencl(queue, local):
    source = """
        __kernel void sizes(__global int *out) {
            const size_t i = get_global_id(0) + 10 * (get_global_id(1) + 4 * get_global_id(2));
            out[i] = get_global_size(0) + 100 * get_global_size(1) + 10000 * get_global_size(2);
        }
    """
    kernel = program.create_program_from_source(queue, source).get_sycl_kernel("sizes")
    out = tensor.zeros(3 * 4 * 10, dtype="int32", sycl_queue=queue)
    queue.submit(kernel, [out], [3, 4, 10], local).wait()
    np.testing.assert_array_equal(tensor.asnumpy(out), 30410)


def test_ranges_and_kernels_are_checked(queue):
    kernel = program.create_program_from_source(queue, SOURCE).get_sycl_kernel("axpy")
    y = tensor.ones(8, dtype="float32", sycl_queue=queue)
    with pytest.raises(ValueError, match="no multiples"):
        queue.submit(kernel, [y, y, np.float32(1)], [8], [3])
    with pytest.raises(ValueError, match="has 3 parameters, and got 2 arguments"):
        queue.submit(kernel, [y, y], [8], [4])
    with pytest.raises(TypeError, match="must be one of situ.dpctl.program"):
        queue.submit("axpy", [y], [8])


def test_what_the_compiler_says_is_told(queue):
    with pytest.raises(program.SyclProgramCompilationError, match="(?s)axpy.*error.*undeclared"):
        program.create_program_from_source(queue, SOURCE.replace("a * x", "b * x"))


def module_with(name):
    """A module of SPIR-V with a kernel that does nothing."""
    text = name.encode() + b"\0" * (4 - len(name) % 4)
    word = np.frombuffer(text, "<u4").tolist()
    lines = [
        [17, 4],  # OpCapability Addresses
        [17, 6],  # OpCapability Kernel
        [14, 2, 2],  # OpMemoryModel Physical64 OpenCL
        [15, 6, 3, *word],  # OpEntryPoint Kernel %3 name
        [19, 1],  # %1 = OpTypeVoid
        [33, 2, 1],  # %2 = OpTypeFunction %1
        [54, 1, 3, 0, 2],  # %3 = OpFunction %1 None %2
        [248, 4],  # %4 = OpLabel
        [253],  # OpReturn
        [56],  # OpFunctionEnd
    ]
    words = [0x07230203, 0x10000, 0, 5, 0]
    words += [word for line in lines for word in (len(line) << 16 | line[0], *line[1:])]
    return np.array(words, "<u4").tobytes()


def test_programs_from_spirv(queue):
    made = program.create_program_from_spirv(queue, module_with("nothing"))
    try:
        kernel = made.get_sycl_kernel("nothing")
    except program.SyclProgramCompilationError as error:
        assert "takes no SPIR-V" in str(error)
        pytest.skip(str(error))
    assert (kernel.num_args, made.has_sycl_kernel("something")) == (0, False)


def test_spirv_that_is_none_is_refused(queue):
    made = program.create_program_from_spirv(queue, b"no module")
    with pytest.raises(program.SyclProgramCompilationError, match="SPIR-V"):
        made.get_sycl_kernel("f")


def test_raw_kernels_have_local_memory(queue):
    out = tensor.empty((3, 8), dtype="int32", sycl_queue=queue)
    kernels.RawKernel(SOURCE, "place")[(2, 3), (4, 1), 16](out)
    np.testing.assert_array_equal(tensor.asnumpy(out), np.arange(8) + 10 * np.arange(3)[:, None])
    with pytest.raises(kernels.KernelCompileError, match="no function nothing"):
        kernels.RawKernel(SOURCE, "nothing")[1, 1](out)
