"""DLPack on the processor, both ways: with NumPy, and with PyTorch where it is installed."""

import ctypes
import gc
import threading
import weakref

import numpy as np
import pytest
from capsules import CODES, CPU, Exporter, Legacy, Versioned, capsule_pointer, set_name
from hypothesis import given
from hypothesis import strategies as st
from strategies import DTYPES, KINDS, LAYOUTS, hosts, laid_out, same, steps

import situ
from situ import memory, tensor


@pytest.fixture(autouse=True, scope="module")
def on_the_processor():
    """Arrays are the processor's where nothing else is said: a GPU's memory is shared in other ways."""
    with situ.device_context("cpu"):
        yield


@pytest.fixture
def core(place):
    """A queue on the processor, or on a part of it."""
    if not place.sycl_device.is_cpu:
        pytest.skip("not the processor")
    return place


class TestExport:
    """`__dlpack__` and `__dlpack_device__`."""

    @given(hosts(), st.sampled_from(LAYOUTS), st.sampled_from(KINDS))
    def test_numpy_sees_the_same_memory(self, host, layout, kind):
        array, view = laid_out(host, layout, usm_type=kind)
        there = np.from_dlpack(array)
        assert (there.dtype, there.shape) == (host.dtype, host.shape)
        np.testing.assert_array_equal(there, view)
        if host.size:
            assert there.ctypes.data == array._pointer and steps(there) == steps(array)

    def test_numpy_writes_into_it(self):
        array = tensor.zeros((2, 3), order="F")
        there = np.from_dlpack(array)
        if not there.flags.writeable:
            pytest.skip("this NumPy imports everything read-only")
        there[1, 2] = 7
        assert tensor.asnumpy(array).tolist() == [[0, 0, 0], [0, 0, 7]]
        assert tensor.asnumpy(array + 1)[1, 2] == 8

    def test_device(self, core):
        device = tensor.ones(3, sycl_queue=core).__dlpack_device__()
        assert device == CPU and device[0] is tensor.DLDeviceType.kDLCPU
        assert tensor.ones(3, device="null").__dlpack_device__() == (tensor.DLDeviceType.kDLExtDev, 0)

    def test_export_waits_for_the_work(self, core):
        array = tensor.ones(10**6, sycl_queue=core)
        for _ in range(20):
            array += 1
        there = np.from_dlpack(array)
        assert (there == 21).all()

    def test_memory_outlives_the_array(self):
        array = tensor.asarray(np.arange(1000.0))
        there = np.from_dlpack(array)
        del array
        gc.collect()
        for _ in range(50):
            tensor.full(1000, -1.0)
        assert there.tolist() == list(range(1000))

    @pytest.mark.parametrize("keywords", [{}, {"max_version": (1, 0)}, {"max_version": (0, 8)}])
    @pytest.mark.parametrize("how", ["dropped", "taken"])
    def test_memory_is_given_back(self, keywords, how):
        def held():
            gc.collect()
            return memory.pool_stats()["host"]["in_use_bytes"]

        before, nbytes = held(), 8 * 10**6
        capsule = tensor.ones(nbytes // 8, usm_type="host").__dlpack__(**keywords)
        assert held() >= before + nbytes
        if how == "taken":
            name = b"dltensor_versioned" if keywords.get("max_version", (0,))[0] else b"dltensor"
            kind = Versioned if name == b"dltensor_versioned" else Legacy
            address = capsule_pointer(capsule, name)
            set_name(capsule, b"used_" + name)
            del capsule
            assert held() >= before + nbytes
            deleter = kind.from_address(address).deleter
            thread = threading.Thread(target=deleter, args=(address,))
            thread.start()
            thread.join()
        else:
            del capsule
        assert held() < before + nbytes

    @pytest.mark.parametrize("dtype", DTYPES)
    @pytest.mark.parametrize("version", [None, (0, 5), (1, 0), (7, 3)])
    def test_what_a_capsule_says(self, dtype, version):
        array, _ = laid_out(np.ones((2, 3), dtype), "stepped")
        capsule = array.__dlpack__(max_version=version)
        if version and version[0] >= 1:
            managed = Versioned.from_address(capsule_pointer(capsule, b"dltensor_versioned"))
            assert managed.major == 1 and managed.flags == 0
        else:
            managed = Legacy.from_address(capsule_pointer(capsule, b"dltensor"))
        record = managed.tensor
        kind = np.dtype(dtype).kind
        assert (record.code, record.bits, record.lanes) == (CODES[kind], np.dtype(dtype).itemsize * 8, 1)
        assert (record.device_type, record.device_id, record.ndim, record.byte_offset) == (1, 0, 2, 0)
        assert record.shape[:2] == [2, 3] and tuple(record.strides[:2]) == array.strides
        assert record.data == array._pointer

    def test_read_only(self):
        array = tensor.ones(3)
        array.flags.writable = False
        assert not np.from_dlpack(array).flags.writeable
        capsule = array.__dlpack__(max_version=(1, 0))
        assert Versioned.from_address(capsule_pointer(capsule, b"dltensor_versioned")).flags == 1
        with pytest.raises(BufferError, match="read-only"):
            array.__dlpack__()
        array.__dlpack__(copy=True)

    def test_copies(self):
        array = tensor.arange(4)
        capsule = array.__dlpack__(max_version=(1, 0), copy=True)
        managed = Versioned.from_address(capsule_pointer(capsule, b"dltensor_versioned"))
        assert managed.flags == 2 and managed.tensor.data != array._pointer
        assert (ctypes.c_int64 * 4).from_address(managed.tensor.data)[:] == [0, 1, 2, 3]

    def test_to_the_host_from_another_device(self):
        array = tensor.asarray(np.arange(6.0).reshape(2, 3).T, device="null", order="K")
        assert np.from_dlpack(array, device="cpu").tolist() == [[0, 3], [1, 4], [2, 5]]
        with pytest.raises(BufferError, match=r"dl_device=\(1, 0\)"):
            array.__dlpack__()
        with pytest.raises(BufferError, match="copy"):
            array.__dlpack__(dl_device=CPU, copy=False)

    def test_wrong_requests(self):
        array = tensor.ones(3)
        for device in ((2, 0), (1, 1), (14, 0), (99, -1)):
            with pytest.raises(BufferError, match="device"):
                array.__dlpack__(dl_device=device)
        array.__dlpack__(stream=situ.Queue("cpu"))
        for keywords in (
            {"stream": 1}, {"stream": "x"}, {"max_version": 1}, {"max_version": (1,)}, {"dl_device": 1}, {"copy": "x"},
        ):  # fmt: skip
            with pytest.raises((TypeError, ValueError)):
                array.__dlpack__(**keywords)
        with pytest.raises(TypeError):
            array.__dlpack__(None)

    def test_lost_contents_are_not_exported(self, faults):
        array = tensor.ones(3, device="null")
        faults.fail("execute", 1, "device_lost")
        with pytest.raises(situ.DeviceError):
            tensor.full(3, 1, device="null").__dlpack__(dl_device=CPU)
        np.from_dlpack(array, device="cpu")


class TestImport:
    """`from_dlpack`."""

    @given(hosts(), st.sampled_from(LAYOUTS))
    def test_the_same_memory_as_numpy(self, host, layout):
        _, view = laid_out(host, layout)
        array = tensor.from_dlpack(view)
        assert array.flags.writable is view.flags.writeable
        same(array, np.ascontiguousarray(view).reshape(view.shape))
        assert array.sycl_queue == tensor.empty(1).sycl_queue
        if host.size:
            assert array._pointer == view.ctypes.data and steps(array) == steps(view)

    def test_both_see_what_either_writes(self):
        host = np.zeros(4)
        array = tensor.from_dlpack(host)
        array += 3
        array.sycl_queue.wait()
        assert host.tolist() == [3] * 4
        host[:] = 5
        assert tensor.asnumpy(array * 2).tolist() == [10] * 4

    def test_read_only_stays(self):
        host = np.arange(3.0)
        host.flags.writeable = False
        array = tensor.from_dlpack(host)
        assert not array.flags.writable
        with pytest.raises(ValueError, match="read-only"):
            array += 1
        assert tensor.from_dlpack(host, copy=True).flags.writable

    def test_copies(self):
        host = np.zeros(4)
        for copied in (tensor.from_dlpack(host, copy=True), tensor.asarray(Exporter(host))):
            copied += 1
        assert host.tolist() == [0] * 4
        assert tensor.from_dlpack(host, copy=False)._pointer == host.ctypes.data
        with pytest.raises(BufferError, match="copy"):
            tensor.from_dlpack(host, device="null", copy=False)
        assert tensor.from_dlpack(host, device="null").sycl_device == situ.Device("null")

    def test_places(self, core):
        host = np.arange(3)
        for form in (core, tensor.Device.create_device(core)):
            array = tensor.from_dlpack(host, device=form)
            assert array.sycl_queue == core and array._pointer == host.ctypes.data
        for form in ("cpu", situ.Device("cpu"), CPU, (tensor.DLDeviceType.kDLCPU, 0)):
            assert tensor.from_dlpack(host, device=form).sycl_queue == situ.get_device_cached_queue("cpu")
        for wrong, error in ((3, TypeError), ((1, 5), ValueError), ((14, 0), ValueError), ((1, 0, 0), TypeError)):
            with pytest.raises(error):
                tensor.from_dlpack(host, device=wrong)

    def test_arrays_of_our_own_keep_their_order_of_commands(self):
        array = tensor.zeros((2, 3), usm_type="shared")
        again = tensor.from_dlpack(array)
        assert (again._pointer, again.usm_type, again.sycl_queue) == (array._pointer, "shared", array.sycl_queue)
        queue = situ.Queue("cpu")
        assert tensor.from_dlpack(array, device=queue).sycl_queue == queue
        assert tensor.from_dlpack(array, copy=True)._pointer != array._pointer

    def test_the_owner_lives_as_long_as_the_array(self):
        class Owner(np.ndarray):
            pass

        host = np.arange(1000.0).view(Owner)
        watched = weakref.ref(host)
        array = tensor.from_dlpack(host)
        del host
        gc.collect()
        assert watched() is not None
        other = tensor.from_dlpack(array)
        del array
        assert watched() is not None and tensor.asnumpy(other)[-1] == 999
        del other
        gc.collect()
        assert watched() is None

    def test_what_offers_nothing(self):
        for wrong in (1, [1], None, object(), b"x"):
            with pytest.raises(TypeError, match="__dlpack__.*asarray"):
                tensor.from_dlpack(wrong)

    def test_round_trip_through_numpy(self):
        array = tensor.asarray(np.arange(12.0).reshape(3, 4))
        back = tensor.from_dlpack(np.from_dlpack(array)[::-1, ::2])
        same(back, np.arange(12.0).reshape(3, 4)[::-1, ::2])
        assert back._pointer == array._pointer + 8 * 8


def test_devices_by_number():
    kinds = tensor.DLDeviceType
    cpu = situ.Device("cpu")
    assert tensor.dldevice_to_sycl_device((kinds.kDLCPU, 0)) == cpu
    assert tensor.sycl_device_to_dldevice(cpu) == CPU
    assert tensor.sycl_device_to_dldevice(situ.Device("null")) == (kinds.kDLExtDev, 0)
    if cpu.partition_max_sub_devices > 1:
        assert tensor.sycl_device_to_dldevice(cpu.create_sub_devices(partition=[1])[0]) == CPU
    for wrong, error in (
        ((kinds.kDLCPU, 1), ValueError), ((kinds.kDLMetal, 0), ValueError), ((kinds.kDLCUDA, -1), ValueError),
        ([1, 0], TypeError), ((1,), TypeError), (("a", 0), TypeError), (1, TypeError),
    ):  # fmt: skip
        with pytest.raises(error, match="dldevice_to_sycl_device"):
            tensor.dldevice_to_sycl_device(wrong)
    with pytest.raises(TypeError, match="sycl_device_to_dldevice"):
        tensor.sycl_device_to_dldevice("cpu")


@pytest.mark.parametrize("dtype", DTYPES)
def test_torch(dtype):
    torch = pytest.importorskip("torch")
    if dtype.startswith("uint") and dtype != "uint8" and not hasattr(torch, dtype):
        pytest.skip("this PyTorch has no such dtype")
    host = np.arange(6).reshape(2, 3).astype(dtype)
    array = tensor.asarray(host)
    there = torch.from_dlpack(array)
    assert there.data_ptr() == array._pointer and there.numpy().tolist() == host.tolist()
    back = tensor.from_dlpack(there.T)
    assert back._pointer == array._pointer and back.strides == (1, 3)
    same(back, np.ascontiguousarray(host.T))
    mine = tensor.from_dlpack(torch.from_numpy(host.copy()))
    same(mine, host)
    same(tensor.asarray([there, there]), np.stack([host, host]))
