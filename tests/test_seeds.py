"""What users were promised: the proposals "compute follows data" and "offloading semantics", and dpctl's introduction
to its arrays, each example as near to its text as runs. Where one names a GPU, every device that is there takes its
place.
"""

import sys
import types
from pathlib import Path

import numpy
import numpy as np
import pytest

import situ
import situ.dpctl as dpctl
from situ import numba_dppy
from situ.dpctl import tensor
from situ.dpctl.utils import get_coerced_usm_type

N = 10**5


def queues():
    device = dpctl.SyclDevice("cpu")
    found = {"default": None, "profiling": dpctl.SyclQueue(device, property="enable_profiling")}
    if device.partition_max_sub_devices > 1:
        found["part"] = dpctl.SyclQueue(device.create_sub_devices(partition=[1])[0])
    for gpu in dpctl.get_devices(device_type="gpu"):
        found[gpu.filter_string] = dpctl.SyclQueue(gpu)
    return found


QUEUES = queues()


@pytest.fixture(params=QUEUES.values(), ids=QUEUES.keys())
def queue(request):
    return request.param


@pytest.fixture
def gpu_queue(queue):
    """The queue that the proposals write as a string."""
    return queue or dpctl.SyclQueue("cpu")


def f(a, b, c):
    d = c * b
    e = a + d
    return d + e


def on(*queues, kinds=("shared",) * 3):
    return [dpctl.tensor.usm_ndarray([1, 2, 3, 4], type=kind, queue=q) for q, kind in zip(queues, kinds, strict=True)]


EXPECTED = [3, 10, 21, 36]


# Compute follows data


def test_data_says_where_it_is(gpu_queue):
    data = dpctl.tensor.usm_ndarray([1, 2, 3, 4], type="shared", queue=gpu_queue)
    assert data.__sycl_usm_array_interface__["shape"] == (4,)
    assert data.queue == gpu_queue and isinstance(data.queue, dpctl.SyclQueue)
    assert data.device == gpu_queue and isinstance(data.sycl_device, dpctl.SyclDevice)
    assert data.usm_type == "shared"


def test_a_list_with_the_keywords_is_data():
    q = dpctl.SyclQueue("cpu")
    for options in ({"type": "shared", "queue": q}, {"queue": "cpu"}, {"type": "host"}):
        x = dpctl.tensor.usm_ndarray([1, 2, 3, 4], **options)
        assert x.shape == (4,) and x.dtype == np.int64 and tensor.asnumpy(x).tolist() == [1, 2, 3, 4]
        assert x.usm_type == options.get("type", "device")
    nested = dpctl.tensor.usm_ndarray([[1, 2], [3, 4]], dtype="float32", type="shared", order="F")
    assert nested.shape == (2, 2) and nested.dtype == np.float32 and nested.flags.f_contiguous
    # A tuple and an integer are shapes, and so is a list without the keywords, as in dpctl.
    assert dpctl.tensor.usm_ndarray((2, 3), type="shared", queue=q).shape == (2, 3)
    assert dpctl.tensor.usm_ndarray(4, type="shared", queue=q).shape == (4,)
    assert dpctl.tensor.usm_ndarray([2, 3]).shape == (2, 3)
    with pytest.raises(TypeError, match="give a shape as a tuple"):
        dpctl.tensor.usm_ndarray([2, 3], type="shared", strides=(3, 1))


def test_one_queue(gpu_queue):
    a, b, c = on(gpu_queue, gpu_queue, gpu_queue)
    # f() will be offloaded to "gpu_queue"
    result = f(a, b, c)
    assert result.sycl_queue == gpu_queue and tensor.asnumpy(result).tolist() == EXPECTED


def test_several_queues(gpu_queue):
    gpu_queue_1, gpu_queue_2 = gpu_queue, dpctl.SyclQueue(gpu_queue.sycl_context, gpu_queue.sycl_device)
    a, b, c = on(gpu_queue_1, gpu_queue_2, gpu_queue_2)
    # This will result in error as the queue to submit the kernel on can not be determined
    with pytest.raises(dpctl.utils.ExecutionPlacementError):
        f(a, b, c)


def test_kinds_may_be_mixed(gpu_queue):
    a, b, c = on(gpu_queue, gpu_queue, gpu_queue, kinds=["shared", "device", "host"])
    # f() will be offloaded to "gpu_queue" even though users have mixed usm type
    result = f(a, b, c)
    assert result.sycl_queue == gpu_queue and result.usm_type == "device"
    assert tensor.asnumpy(result).tolist() == EXPECTED


WAYS = {
    "data.to": lambda data, queue: data.to(queue, usm_type="device"),
    "pkg.transfer_to": lambda data, queue: dpctl.transfer_to(data, queue, usm_type="device"),
    "dpctl.transfer_to": lambda data, queue: dpctl.transfer_to(data, queue=queue),
    "data.asarray": lambda data, queue: data.asarray(queue, usm_type="device"),
    "pkg.asarray": lambda data, queue: dpctl.tensor.asarray(data, queue=queue, usm_type="device"),
    "dpctl.tensor.asarray": lambda data, queue: dpctl.tensor.asarray(data, queue=queue),
    "copy_to": lambda data, queue: data.copy_to(queue),
}


@pytest.mark.parametrize("way", WAYS)
def test_explicit_conversion(gpu_queue, way):
    for gpu_queue_1 in (dpctl.SyclQueue(gpu_queue.sycl_context, gpu_queue.sycl_device), dpctl.SyclQueue("null")):
        gpu_queue_2 = gpu_queue
        a, b, c = on(gpu_queue_1, gpu_queue_2, gpu_queue_2, kinds=["device"] * 3)
        with pytest.raises(dpctl.utils.ExecutionPlacementError):
            f(a, b, c)
        a_queue_2 = WAYS[way](a, gpu_queue_2)  # potentially zero-copy
        is_same_memory = gpu_queue_1.sycl_context == gpu_queue_2.sycl_context and way != "copy_to"
        assert (a_queue_2._pointer == a._pointer) == is_same_memory
        # f() will be offloaded to "gpu_queue_2"
        result = f(a_queue_2, b, c)
        assert result.sycl_queue == gpu_queue_2 and tensor.asnumpy(result).tolist() == EXPECTED


def test_queues_may_be_named_by_their_device():
    x = dpctl.tensor.usm_ndarray([1, 2, 3, 4], type="device", queue="cpu")
    for moved in (dpctl.transfer_to(x, "null"), x.asarray("null"), x.copy_to("null"), x.to("null")):
        assert moved.sycl_device == dpctl.SyclDevice("null") and tensor.asnumpy(moved).tolist() == [1, 2, 3, 4]


# The same with kernels, for which equivalent queues are enough


@numba_dppy.kernel
def g(a, b, c):
    i = numba_dppy.get_global_id(0)
    c[i] = a[i] * b[i]


@pytest.fixture
def gpu_queues(here):
    """Three queues, the second and the third of which are equivalent."""
    place = here.sycl_context, here.sycl_device
    return dpctl.SyclQueue(*place, property="enable_profiling"), dpctl.SyclQueue(*place), dpctl.SyclQueue(*place)


def test_equivalent_queues(gpu_queues):
    gpu_queue, gpu_queue_1, gpu_queue_2 = gpu_queues
    # gpu_queue and gpu_queue_1 are not equivalent.
    # gpu_queue_1 and gpu_queue_2 are equivalent.
    assert gpu_queue_1.is_equivalent(gpu_queue_2) and not gpu_queue.is_equivalent(gpu_queue_1)

    a, b, c = on(gpu_queue, gpu_queue, gpu_queue)
    # f() will be offloaded to "gpu_queue"
    g(a, b, c)
    assert tensor.asnumpy(c).tolist() == [1, 4, 9, 16]

    a, b, c = on(gpu_queue, gpu_queue_1, gpu_queue_1)
    # This will result in error as the queue to submit the kernel can not be determined
    with pytest.raises(situ.ExecutionPlacementError):
        g(a, b, c)
    assert tensor.asnumpy(c).tolist() == [1, 2, 3, 4]

    a, b, c = on(gpu_queue_1, gpu_queue_2, gpu_queue_2)
    # f() can be offloaded to "gpu_queue_1" or "gpu_queue_2"
    g(a, b, c)
    assert tensor.asnumpy(c).tolist() == [1, 4, 9, 16]


def test_kernels_mix_kinds(here):
    a, b, c = on(here, here, here, kinds=["shared", "device", "host"])
    # f() will be offloaded to "gpu_queue" even though users have mixed usm type
    g(a, b, c)
    assert tensor.asnumpy(c).tolist() == [1, 4, 9, 16]


def test_kernels_after_explicit_conversion(gpu_queues):
    gpu_queue_1, gpu_queue_2, _ = gpu_queues
    a, b, c = on(gpu_queue_1, gpu_queue_2, gpu_queue_2, kinds=["device"] * 3)
    with pytest.raises(situ.ExecutionPlacementError):
        g(a, b, c)
    a_queue_2 = dpctl.tensor.asarray(a, queue=gpu_queue_2)  # potentially zero-copy
    # f() will be offloaded to "gpu_queue_2"
    g(a_queue_2, b, c)
    assert a_queue_2._pointer == a._pointer and tensor.asnumpy(c).tolist() == [1, 4, 9, 16]


def test_kernels_of_numpys_arrays(here):
    a, b, c = (numpy.asarray([1, 2, 3, 4]) for _ in range(3))
    # This will result in error as the queue to submit the kernel can not be determined
    with pytest.raises(situ.ExecutionPlacementError):
        g(a, b, c)
    with numba_dppy.offload_to_sycl_device(here):
        g(a, b, c)
    assert c.tolist() == [1, 4, 9, 16]


def test_kernels_never_mix_numpys_arrays_with_others(gpu_queues):
    gpu_queue, gpu_queue_2, _ = gpu_queues
    a, b = (numpy.asarray([1, 2, 3, 4]) for _ in range(2))
    (c,) = on(gpu_queue_2, kinds=["device"])
    with pytest.raises(situ.ExecutionPlacementError):
        g(a, b, c)
    for queue in (gpu_queue, gpu_queue_2):
        with pytest.raises(situ.ExecutionPlacementError), numba_dppy.offload_to_sycl_device(queue):
            g(a, b, c)
    assert tensor.asnumpy(c).tolist() == [1, 2, 3, 4]


def test_output_matrix(gpu_queue):
    kinds = ["device", "shared", "host"]
    matrix = [["device", "device", "device"], ["device", "shared", "shared"], ["device", "shared", "host"]]
    for one, row in zip(kinds, matrix, strict=True):
        for two, expected in zip(kinds, row, strict=True):
            a, b = on(gpu_queue, gpu_queue, kinds=[one, two])
            assert (a + b).usm_type == expected
            assert [situ.njit(f)(a, b, b).usm_type for _ in range(2)] == [expected] * 2


# Offloading semantics


def tiles(root_dev):
    for partition in ("L2_cache", [1, 1], 1):
        try:
            sub_devs = root_dev.create_sub_devices(partition=partition)
        except dpctl.SyclSubDeviceCreationError:
            continue
        if len(sub_devs) > 1:
            return sub_devs[:2]
    return None


@pytest.mark.parametrize("root", ["cpu", "null"])
def test_tiles(root):
    sub_devs = tiles(dpctl.SyclDevice(root))
    if sub_devs is None:
        pytest.skip("the device has one compute unit")
    ctx = dpctl.SyclContext(sub_devs)
    qs = [dpctl.SyclQueue(ctx, sd) for sd in sub_devs]

    # allocate memory on qs[1] and compute on it on qs[0]
    ar1, ar2 = tensor.arange(4, sycl_queue=qs[0]), tensor.ones(4, dtype="int64", sycl_queue=qs[1])
    assert ar1.sycl_context == ar2.sycl_context and ar1.queue != ar2.queue
    arLib_cfd = tensor
    with pytest.raises(dpctl.utils.ExecutionPlacementError):
        arLib_cfd.add(ar1, ar2)

    ar3 = ar2.copy_to(ar1.queue)
    assert tensor.asnumpy(arLib_cfd.add(ar1, ar3)).tolist() == [1, 2, 3, 4]

    usm_array = tensor
    ar3 = usm_array.asarray(ar2, device=ar1.sycl_queue)
    assert tensor.asnumpy(arLib_cfd.add(ar1, ar3)).tolist() == [1, 2, 3, 4] and ar3._pointer == ar2._pointer

    arLib = tensor.offload_to(qs[0])
    result = arLib.add(ar1, ar2)
    assert result.sycl_queue == qs[0] and tensor.asnumpy(result).tolist() == [1, 2, 3, 4]


def test_explicit_control(gpu_queue):
    dpnp = tensor
    dpnp.empty(3)  # allocated on default queue

    arLib = dpnp.offload_to(gpu_queue)
    numpy_array = numpy.arange(4.0)
    usm_array = dpnp.ones(4, device="null")
    res1 = arLib.add(numpy_array, usm_array)
    assert res1.sycl_queue == gpu_queue and tensor.asnumpy(res1).tolist() == [1, 2, 3, 4]
    usm_array_tileA, usm_array_tileB = dpnp.ones(2, device="cpu"), dpnp.zeros(2, device="null")
    res2 = arLib.concat([usm_array_tileA, usm_array_tileB])
    assert res2.__array_module__ is arLib and tensor.asnumpy(res2).tolist() == [1, 1, 0, 0]


@pytest.fixture
def packages():
    """pkgA and pkgB, and one for linear regression: those of examples/."""
    examples = Path(__file__).parent.parent / "examples"
    found = {}
    for path in ("two_packages/pkgA", "two_packages/pkgB", "linear_models/linear_models"):
        name = Path(path).name
        module = found[name] = sys.modules[name] = types.ModuleType(name)
        exec(compile((examples / f"{path}.py").read_text(), name, "exec"), vars(module))
    yield types.SimpleNamespace(**found)
    for name in found:
        del sys.modules[name]


def test_global_queue(packages, gpu_queue):
    d4py = packages.linear_models
    X = numpy.asarray([[0.0, 1], [1, 3], [2, 5], [3, 7]])
    dpctl.set_global_queue(gpu_queue)
    fit = d4py.linear_regression().compute(X)
    dpctl.reset_global_queue()
    assert fit.sycl_queue == gpu_queue
    np.testing.assert_allclose(tensor.asnumpy(fit), [1, 2], rtol=1e-12)

    d4py_gpu = d4py.offload_to(gpu_queue)
    fit = d4py_gpu.linear_regression().compute(X)
    assert fit.sycl_queue == gpu_queue
    fit = d4py.linear_regression().compute(tensor.asarray(X, sycl_queue=gpu_queue))
    assert fit.sycl_queue == gpu_queue


def test_two_packages(packages, gpu_queue):
    pkgA, pkgB = packages.pkgA, packages.pkgB
    gpuA = pkgA.offload_to(gpu_queue)
    gpuB = pkgB.offload_to(dpctl.SyclQueue(gpu_queue.sycl_context, gpu_queue.sycl_device))
    resA = gpuA.compute()
    assert resA.sycl_queue == gpuA.get_queue()
    resA.make_available(gpuB.get_queue())
    assert resA.sycl_queue == gpuB.get_queue()
    resC = gpuB.compute(resA)
    assert resC.sycl_queue == gpuB.get_queue()
    assert float(gpuB.compute(gpuA.compute())) == float(resC)


def test_other_libraries_share_the_memory():
    torch = pytest.importorskip("torch")
    x = tensor.arange(4, device="cpu")
    shared = torch.from_dlpack(x)
    assert shared.data_ptr() == x._pointer and shared.tolist() == [0, 1, 2, 3]


# dpctl's introduction to its arrays


def test_creation_keywords(queue):
    x = tensor.empty(3, sycl_queue=queue)
    assert x.usm_type == "device" and isinstance(x.device, tensor.Device) and isinstance(x, tensor.usm_ndarray)
    again = tensor.empty(3, device=x.device, sycl_queue=x.sycl_queue, usm_type="shared")
    assert again.sycl_queue == x.sycl_queue and again.sycl_context == x.sycl_context
    assert again.usm_type == "shared"


def test_zero_copy_migration_and_timing(queue):
    x = tensor.linspace(0, 1, num=N, sycl_queue=queue)
    q_prof = dpctl.SyclQueue(x.sycl_context, x.sycl_device, property="enable_profiling")

    timer = dpctl.SyclTimer()
    x1 = x.to_device(q_prof)
    assert x1._pointer == x._pointer

    with timer(q_prof):
        y1 = tensor.sin(2 * x1) * tensor.exp(-tensor.square(x1))

    y = y1.to_device(x.device)
    assert y._pointer == y1._pointer and y.sycl_queue == x.sycl_queue

    host_dt, device_dt = timer.dt
    assert 0 < host_dt < 60 and 0 < device_dt < 60
    host = np.linspace(0, 1, N)
    np.testing.assert_allclose(tensor.asnumpy(y), np.sin(2 * host) * np.exp(-np.square(host)), rtol=1e-14)
    with pytest.raises(dpctl.utils.ExecutionPlacementError):
        x + x1


def test_migration_by_way_of_the_host():
    x_cpu = tensor.concat((tensor.ones(10, device="cpu"), tensor.zeros(1000, device="cpu")))
    assert tensor.asnumpy(x_cpu).tolist() == [1.0] * 10 + [0.0] * 1000
    there = x_cpu.to_device("null")
    assert tensor.asnumpy(there).tolist() == tensor.asnumpy(x_cpu).tolist()
    for gpu in dpctl.get_devices(device_type="gpu"):
        x_gpu = x_cpu.to_device(gpu)
        assert x_gpu.sycl_device == gpu and tensor.asnumpy(x_gpu).tolist() == tensor.asnumpy(x_cpu).tolist()
        assert tensor.asnumpy(x_gpu.to_device("cpu") + x_cpu).sum() == 20
        with pytest.raises(dpctl.utils.ExecutionPlacementError):
            x_gpu + x_cpu
    same = tensor.asarray(x_cpu, device="cpu")
    assert same._pointer == x_cpu._pointer


@pytest.mark.skipif(dpctl.has_gpu_devices(), reason="there is a GPU")
@pytest.mark.parametrize("selector", ["gpu", "opencl:gpu", "level_zero:gpu"])
def test_without_a_gpu_the_error_is_clear(selector):
    x_cpu = tensor.ones(10, device="cpu")
    for attempt in (
        lambda: x_cpu.to_device(selector),
        lambda: tensor.asarray(x_cpu, device=selector),
        lambda: tensor.zeros((10, 10), device=selector),
        lambda: tensor.full((10, 10), x_cpu, device=selector),
    ):
        with pytest.raises(dpctl.SyclDeviceCreationError, match=f"{selector}.*native:cpu:0"):
            attempt()


def test_full_follows_its_value(queue):
    pi_on_device = tensor.asarray(tensor.pi, dtype=tensor.float32, sycl_queue=queue)
    assert pi_on_device.shape == () and pi_on_device.dtype == np.float32
    x = tensor.full(shape=(100, 100), fill_value=pi_on_device)
    assert x.sycl_queue == pi_on_device.sycl_queue and x.dtype == np.float32
    assert np.all(tensor.asnumpy(x) == np.float32(np.pi))
    y = tensor.full(shape=(100, 100), fill_value=pi_on_device, device="null")
    assert y.sycl_device == dpctl.SyclDevice("null")


def test_asarray_may_migrate_several_arrays(gpu_queue):
    x_cpu = tensor.ones((10, 10), device="cpu")
    x_gpu = tensor.zeros((10, 10), device="null")
    x_np = numpy.random.default_rng(3).standard_normal((10, 10))
    # Array w has shape (3, 10, 10)
    w = tensor.asarray([x_cpu, x_gpu, x_np], device=gpu_queue)
    assert w.shape == (3, 10, 10) and w.sycl_queue == gpu_queue
    np.testing.assert_array_equal(tensor.asnumpy(w), [np.ones((10, 10)), np.zeros((10, 10)), x_np])


@pytest.mark.parametrize("one", ["device", "shared", "host"])
@pytest.mark.parametrize("two", ["device", "shared", "host"])
def test_kinds_of_results(queue, one, two):
    x, y = (tensor.ones(4, usm_type=kind, sycl_queue=queue) for kind in (one, two))
    assert (x + y).usm_type == get_coerced_usm_type([one, two])
    assert tensor.sin(x).usm_type == one


def test_coerced_kinds():
    assert get_coerced_usm_type(["device", "shared", "host"]) == "device"
    assert get_coerced_usm_type(["shared", "shared", "host"]) == "shared"
    assert get_coerced_usm_type(["host", "host", "host"]) == "host"


def test_host_data_both_ways():
    x_np = np.random.default_rng(1).uniform(-1, 1, size=(6, 512)).astype(np.float32)
    x_usm = tensor.asarray(x_np)
    assert x_usm.usm_type == "device" and x_usm.dtype == np.float32
    np.testing.assert_array_equal(tensor.asnumpy(x_usm), x_np)


def test_reductions_along_an_axis():
    x_np = np.random.default_rng(2).uniform(-1, 1, size=(6, 512)).astype(np.float32)
    greatest = tensor.max(tensor.asarray(x_np), axis=1)
    assert greatest.dtype == np.float32
    np.testing.assert_array_equal(tensor.asnumpy(greatest), np.max(x_np, axis=1))


def sieve_pass(r: tensor.usm_ndarray, v: tensor.usm_ndarray) -> tensor.usm_ndarray:
    m = tensor.min(r[r > v])
    r[(r > m) & (r % m == 0)] = 0
    return m


def test_the_sieve(tmp_path):
    n, idt = 10**5, tensor.int32
    s = tensor.concat((tensor.arange(2, 3, dtype=idt), tensor.arange(3, n + 1, 2, dtype=idt)))
    lb = tensor.zeros(tuple(), dtype=idt)
    while lb * lb < n + 1:
        lb = sieve_pass(s, lb)
    primes = tensor.asnumpy(s[s > 0])
    np.savetxt(tmp_path / "primes.txt", primes, fmt="%d")
    assert np.loadtxt(tmp_path / "primes.txt", dtype=np.int32).size == 9592
    assert primes[:5].tolist() == [2, 3, 5, 7, 11] and primes[-1] == 99991
