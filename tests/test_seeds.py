"""What users were promised: dpctl's introduction to its arrays, with its names, as far as the functions reach."""

import numpy as np
import pytest

import situ.dpctl as dpctl
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
