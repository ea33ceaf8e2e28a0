"""numba-dpex's names, and its older ones, for situ's kernels."""

import subprocess
import sys

import numpy as np
import pytest

import situ
from situ import dpnp, kernels, numba_dpex, numba_dppy, tensor
from situ.numba_dpex import kernel_api
from situ.numba_dpex.core import exceptions
from situ.numba_dpex.core.types.kernel_api.index_space_ids import ItemType

KERNEL_API = (
    "AddressSpace AtomicRef Group Item LocalAccessor MemoryOrder MemoryScope NdItem NdRange PrivateArray Range "
    "atomic_fence call_kernel group_barrier"
).split()
EXCEPTIONS = (
    "KernelHasReturnValueError InvalidKernelLaunchArgsError UnknownGlobalRangeError IllegalRangeValueError "
    "UnsupportedNumberOfRangeDimsError UnmatchedNumberOfRangeDimsError UnsupportedWorkItemSizeError "
    "UnsupportedGroupWorkItemSizeError ExecutionQueueInferenceError UnsupportedBackendError UncompiledKernelError "
    "UnreachableError UnsupportedKernelArgumentError SUAIProtocolError UnsupportedCompilationModeError "
    "InvalidKernelSpecializationError MissingSpecializationError UnsupportedParforError "
    "IllegalIntEnumLiteralValueError InternalError"
).split()


@numba_dpex.kernel
def add(item, a, b, c):
    i = item.get_id(0)
    c[i] = a[i] + b[i]


def test_names_are_situs_own_objects():
    assert sorted(kernel_api.__all__) == KERNEL_API
    for name in set(KERNEL_API) - {"call_kernel"}:
        assert getattr(kernel_api, name) is getattr(kernels, name)
    assert numba_dpex.Range is kernels.Range and numba_dpex.call_kernel is kernels.call_kernel
    for name in set(numba_dppy.__all__) - {"DEFAULT_LOCAL_SIZE", "func", "kernel"}:
        assert getattr(numba_dppy, name) is getattr(kernels, name), name
    assert isinstance(add, kernels.Kernel)


def test_every_exception_has_its_name():
    assert sorted(exceptions.__all__) == sorted(EXCEPTIONS) and len(EXCEPTIONS) == 20
    for name in EXCEPTIONS:
        assert issubclass(getattr(exceptions, name), Exception)


def test_exceptions_are_those_that_situ_raises():
    x = tensor.zeros(4)
    with pytest.raises(exceptions.UnmatchedNumberOfRangeDimsError):
        numba_dpex.NdRange((4, 4), (2,))
    with pytest.raises(exceptions.UnsupportedGroupWorkItemSizeError):
        numba_dpex.NdRange((4,), (3,))
    with pytest.raises(exceptions.ExecutionQueueInferenceError):
        numba_dpex.call_kernel(add, numba_dpex.Range(4), x, tensor.zeros(4, device="null"), x)
    with pytest.raises(exceptions.UnsupportedKernelArgumentError):
        numba_dpex.call_kernel(add, numba_dpex.Range(4), x, "text", x)

    @numba_dpex.kernel
    def returning(item, a):
        return a[item.get_id(0)]

    with pytest.raises(exceptions.KernelHasReturnValueError):
        numba_dpex.call_kernel(returning, numba_dpex.Range(4), x)


def test_kernels_run(here):
    a = tensor.arange(8, sycl_queue=here)
    c = tensor.zeros_like(a)
    assert numba_dpex.call_kernel(add, numba_dpex.Range(8), a, a, c) is None
    assert tensor.asnumpy(c).tolist() == list(range(0, 16, 2))
    host, device = numba_dpex.call_kernel_async(add, numba_dpex.Range(8), (situ.Event(),), a, c, c)
    host.wait()
    device.wait()
    assert tensor.asnumpy(c).tolist() == list(range(0, 24, 3))
    with pytest.raises(TypeError, match="are a tuple"):
        numba_dpex.call_kernel_async(add, numba_dpex.Range(8), [], a, a, c)


def test_the_simulator_of_kernel_api():
    def fill(item, x):
        x[item.get_id(0)] = 7

    x = np.zeros(4)
    assert kernel_api.call_kernel(fill, kernel_api.Range(4), x) is None
    assert x.tolist() == [7] * 4
    some = kernel_api.Range(4)
    for function, space, args in [(fill, 4, (x,)), (fill, some, (x, x, x)), (fill, some, ()), ("fill", some, (x,))]:
        with pytest.raises(ValueError):
            kernel_api.call_kernel(function, space, *args)


def test_signatures_are_checked_and_left_aside():
    array = numba_dpex.usm_ndarray(1, "C", numba_dpex.int64)
    signature = (ItemType(ndim=1), array, array, array)
    for given in (signature, [signature, signature]):
        special = numba_dpex.kernel(given)(add.py_func)
        a = tensor.ones(4, dtype="i8")
        numba_dpex.call_kernel(special, numba_dpex.Range(4), a, a, a)
        assert tensor.asnumpy(a).tolist() == [2] * 4
    with pytest.raises(NotImplementedError, match="as strings"):
        numba_dpex.kernel("(int64[:],)")
    for decorate in (numba_dpex.kernel, numba_dpex.kernel(), numba_dpex.kernel(signature), numba_dpex.device_func()):
        with pytest.raises(ValueError, match="only functions"):
            decorate(3)
    assert isinstance(numba_dpex.kernel(debug=True, inline_threshold=2)(add.py_func), kernels.Kernel)
    assert isinstance(numba_dpex.device_func(lambda x: x), kernels.DeviceFunction)
    assert isinstance(numba_dpex.device_func()(add.py_func), kernels.DeviceFunction)


def test_types_stand_for_dtypes():
    assert np.dtype(numba_dpex.float32) == np.float32 and repr(numba_dpex.f8) == "float64"
    assert numba_dpex.int32(3.7) == np.int32(3) and numba_dpex.boolean is numba_dpex.b1
    assert kernel_api.LocalAccessor(4, numba_dpex.i2).dtype == np.int16


def test_dpjit_is_njit():
    x = dpnp.arange(3)
    function = numba_dpex.dpjit(lambda x: dpnp.sum(x * 2 + 1))
    assert [int(function(x)) for _ in range(2)] == [9, 9] and "sum of program" in function.inspect()
    with pytest.warns(RuntimeWarning, match="ignores the option debug"):
        assert callable(numba_dpex.dpjit(debug=True)(lambda x: x))


@numba_dppy.kernel
def multiply(a, b, c):
    i = numba_dppy.get_global_id(0)
    c[i] = a[i] * b[i]


@numba_dppy.kernel
def turn(x):
    i, k, n = numba_dppy.get_global_id(0), numba_dppy.get_local_id(0), numba_dppy.get_local_size(0)
    held = numba_dppy.local.array(4, numba_dpex.int64)
    held[k] = x[i]
    numba_dppy.barrier(numba_dppy.CLK_LOCAL_MEM_FENCE)
    x[i] = held[n - 1 - k]


def test_a_pair_in_brackets_is_a_global_and_a_local_size():
    a = tensor.arange(8)
    c = tensor.zeros_like(a)
    multiply[8, numba_dppy.DEFAULT_LOCAL_SIZE](a, a, c)
    assert tensor.asnumpy(c).tolist() == [i * i for i in range(8)]
    multiply[(8,), (4,)](a, c, c)
    multiply[8](a, a, c)
    turn[8, 4](a)
    assert tensor.asnumpy(a).tolist() == [3, 2, 1, 0, 7, 6, 5, 4]


def test_numpy_arrays_need_a_queue():
    a, c = np.arange(4), np.zeros(4, int)
    with pytest.raises(situ.ExecutionPlacementError):
        multiply[4](a, a, c)
    with numba_dppy.offload_to_sycl_device("cpu"):
        multiply[4](a, a, c)
    assert c.tolist() == [0, 1, 4, 9]


def test_what_programs_use_of_dpnp():
    dpnp.random.seed(3)
    a = dpnp.random.uniform(2, 3, 10)
    dpnp.random.seed(3)
    assert dpnp.array_equal(a, dpnp.random.uniform(2, 3, 10)) and not dpnp.array_equal(a, dpnp.random.random(10) + 2)
    assert dpnp.get_usm_ndarray(a) is a and isinstance(dpnp.array([1, 2]), dpnp.ndarray)
    assert 2 <= float(dpnp.min(a)) and float(dpnp.max(a)) < 3 and dpnp.random.random((2, 3)).shape == (2, 3)
    assert dpnp.single == np.float32
    assert not dpnp.array_equal(a, a[:3])


def test_dpnp_draws_on_the_device():
    draws = {
        "rand": (2, 3),
        "randn": (2, 3),
        "random_sample": ((2, 3),),
        "standard_normal": ((2, 3),),
        "normal": (1.0, 2.0, (2, 3)),
        "randint": (1, 7, (2, 3)),
        "exponential": (2.0, (2, 3)),
        "standard_exponential": ((2, 3),),
        "gamma": (2.0, 1.0, (2, 3)),
        "standard_gamma": (2.0, (2, 3)),
        "beta": (1.0, 2.0, (2, 3)),
        "binomial": (10, 0.5, (2, 3)),
        "poisson": (3.0, (2, 3)),
    }
    for name, arguments in draws.items():
        drawn = []
        for _ in range(2):
            dpnp.random.seed(7)
            drawn.append(getattr(dpnp.random, name)(*arguments, device="cpu", usm_type="shared"))
        assert dpnp.array_equal(*drawn) and drawn[0].shape == (2, 3) and drawn[0].usm_type == "shared", name
    x = dpnp.arange(10)
    dpnp.random.shuffle(x)
    assert sorted(x.tolist()) == sorted(dpnp.random.permutation(10).tolist()) == list(range(10))
    assert set(dpnp.random.choice(3, 50).tolist()) == {0, 1, 2} and len(dpnp.random.bytes(5)) == 5
    assert isinstance(dpnp.random.rand(), dpnp.ndarray) and dpnp.random.randint(5).dtype == np.int64


def test_dpnp_has_the_extensions():
    from situ.dpnp import fft, linalg

    assert linalg.solve is tensor.linalg.solve and fft.rfft is tensor.fft.rfft
    assert dpnp.linalg is linalg and dpnp.fft is fft


PROGRAM = """
import dpctl, dpnp, numba_dpex as dpex, numba_dppy
from numba_dpex import kernel_api as kapi
from numba_dpex.core.exceptions import ExecutionQueueInferenceError
import situ.kernels

@dpex.device_func
def twice(x):
    return 2 * x

@dpex.kernel
def reduce(item: kapi.NdItem, a, total, held):
    k = item.get_local_id(0)
    held[k] = twice(a[item.get_global_id(0)])
    kapi.group_barrier(item.get_group())
    if k == 0:
        sum = a.dtype.type(0)
        for j in range(item.get_local_range(0)):
            sum += held[j]
        kapi.AtomicRef(total, 0).fetch_add(sum)

a = dpnp.arange(64)
total = dpnp.zeros(1, dtype=a.dtype)
dpex.call_kernel(reduce, dpex.NdRange((64,), (16,)), a, total, kapi.LocalAccessor(16, a.dtype))
print(int(total[0]), dpex.__name__, numba_dppy.barrier is situ.kernels.barrier, isinstance(reduce, situ.kernels.Kernel))
"""


def test_a_program_for_numba_dpex_runs_unmodified(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "situ.dpctl", str(tmp_path / "program.py")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout == "4032 situ.numba_dpex True True\n", done.stderr
    # A process that the program starts finds the same.
    program = "import subprocess, sys; subprocess.run([sys.executable, 'program.py'], check=True)"
    again = subprocess.run([*command[:3], "-c", program], capture_output=True, text=True, cwd=tmp_path)
    assert again.stdout == done.stdout, again.stderr
