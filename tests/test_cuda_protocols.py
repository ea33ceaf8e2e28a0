"""What CUDA arrays say to other libraries, and how they take what those say, by DLPack and by the CUDA interface."""

import numpy as np
import pytest
from capsules import Again, Interface, record_of
from strategies import DTYPES, KINDS, LAYOUTS, laid_out, same, steps

import situ
from situ import tensor

CUDA = [device for device in situ.get_devices() if device.backend.name == "cuda"]
needs_cuda = pytest.mark.skipif(not CUDA, reason="no CUDA device")
kinds = tensor.DLDeviceType
# Large enough to be under way when the next call is made.
MANY = 1 << 22


@pytest.fixture(scope="module")
def queue():
    return situ.get_device_cached_queue(CUDA[0])


@needs_cuda
class TestCapsules:
    """What a capsule says, and what may be asked for."""

    def test_devices(self, queue):
        numbers = (kinds.kDLCUDA, kinds.kDLCUDAManaged, kinds.kDLCUDAHost)
        for kind, device in zip(KINDS, ((number, 0) for number in numbers), strict=True):
            array = tensor.ones(3, usm_type=kind, sycl_queue=queue)
            assert array.__dlpack_device__() == device
            record = record_of(array.__dlpack__(max_version=(1, 0))).tensor
            assert (record.device_type, record.device_id, record.data) == (*device, array._pointer)
        for device in CUDA:
            pair = tensor.sycl_device_to_dldevice(device)
            assert pair[0] is kinds.kDLCUDA and tensor.dldevice_to_sycl_device(pair) == device
            assert tensor.ones(3, device=device).__dlpack_device__() == pair
        with pytest.raises(ValueError, match="CUDA device 99"):
            tensor.dldevice_to_sycl_device((kinds.kDLCUDA, 99))

    def test_streams(self, queue):
        for kind in KINDS:
            array = tensor.ones(3, usm_type=kind, sycl_queue=queue)
            array += 1
            for stream in (None, 1, 2, -1, queue, situ.Queue(CUDA[0]), situ.Queue("cpu")):
                array.__dlpack__(stream=stream)
            with pytest.raises(ValueError, match="stream=0.*1 is the default"):
                array.__dlpack__(stream=0)
            for wrong, error in ((-2, ValueError), (2**64, ValueError), ("x", TypeError), (1.5, TypeError)):
                with pytest.raises(error, match="stream"):
                    array.__dlpack__(stream=wrong)

    @pytest.mark.parametrize("kind", KINDS)
    def test_to_the_host(self, queue, kind):
        array = tensor.full(MANY, 7, dtype="f4", usm_type=kind, sycl_queue=queue)
        there = np.from_dlpack(array, device="cpu")
        assert (there == 7).all()
        assert (there.ctypes.data == array._pointer) is (kind != "device")
        if kind == "device":
            with pytest.raises(BufferError, match="copy=False"):
                array.__dlpack__(dl_device=(1, 0), copy=False)
        else:
            assert np.from_dlpack(array).ctypes.data == array._pointer
        record = record_of(array.__dlpack__(dl_device=(1, 0), copy=True, max_version=(1, 0)))
        assert record.flags == 2 and record.tensor.data != array._pointer and record.tensor.device_type == 1

    def test_between_kinds(self, queue):
        shared, pinned = (tensor.ones(3, usm_type=kind, sycl_queue=queue) for kind in ("shared", "host"))
        record = record_of(shared.__dlpack__(dl_device=(2, 0), max_version=(1, 0)))
        assert record.tensor.data == shared._pointer and record.tensor.device_type == kinds.kDLCUDA
        record = record_of(pinned.__dlpack__(dl_device=(2, 0), max_version=(1, 0)))
        assert record.tensor.data != pinned._pointer and record.flags == 2
        for array, wrong in ((shared, (2, 99)), (pinned, (13, 0)), (tensor.ones(3, sycl_queue=queue), (2, 99))):
            with pytest.raises(BufferError, match=r"cuda:gpu:0.*\(2, 99\)|\(13, 0\).*to_device"):
                array.__dlpack__(dl_device=wrong)

    def test_read_only(self, queue):
        array = tensor.ones(3, sycl_queue=queue)
        array.flags.writable = False
        assert record_of(array.__dlpack__(max_version=(1, 0))).flags == 1
        with pytest.raises(BufferError, match="read-only"):
            array.__dlpack__()
        again = tensor.from_dlpack(Again(array))
        assert not again.flags.writable and again._pointer == array._pointer
        with pytest.raises(ValueError, match="read-only"):
            again += 1
        # Not even the order of others' commands takes writing to it.
        assert tensor.asnumpy(again.to_device(situ.Queue(CUDA[0])) + 1).tolist() == [2] * 3
        assert array.__cuda_array_interface__["data"] == (array._pointer, True)

    @pytest.mark.parametrize("kind", KINDS)
    def test_import(self, queue, kind):
        array = tensor.full(MANY, 5, dtype="f4", usm_type=kind, sycl_queue=queue)
        exporter = Again(array)
        again = tensor.from_dlpack(exporter, device=queue)
        assert (again._pointer, again.usm_type, again.sycl_queue) == (array._pointer, kind, queue)
        assert ("stream" in exporter.requests[0]) is (kind != "host")
        assert (tensor.asnumpy(again) == 5).all()

    def test_a_capsule_is_used_once(self, queue):
        capsule = tensor.ones(3, sycl_queue=queue).__dlpack__(max_version=(1, 0))

        class Twice(Again):
            def __dlpack__(self, **_):
                return capsule

        exporter = Twice(tensor.ones(3, sycl_queue=queue))
        assert tensor.from_dlpack(exporter).shape == (3,)
        with pytest.raises(BufferError, match="used already"):
            tensor.from_dlpack(exporter)

    def test_an_exporter_that_knows_no_versions(self, queue):
        class First(Again):
            def __dlpack__(self, *, stream=None):
                self.stream = stream
                return self.array.__dlpack__(stream=stream)

        exporter = First(tensor.ones(3, sycl_queue=queue))
        assert tensor.from_dlpack(exporter)._pointer == exporter.array._pointer and exporter.stream > 2

    def test_an_exporter_that_misleads(self, queue):
        class Lost(Again):
            def __dlpack_device__(self):
                return (1, 0)

        with pytest.raises(BufferError, match=r"on device \(2, 0\), not on the host"):
            tensor.from_dlpack(Lost(tensor.ones(3, sycl_queue=queue)))


@needs_cuda
class TestInterface:
    """`__cuda_array_interface__`, written and read."""

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_what_it_says(self, queue, dtype):
        array = tensor.asarray(np.ones((2, 3), dtype), sycl_queue=queue)
        interface = array.__cuda_array_interface__
        assert interface["typestr"] == np.dtype(dtype).str
        assert (interface["shape"], interface["strides"], interface["version"]) == ((2, 3), None, 3)
        assert interface["data"] == (array._pointer, False) and interface["stream"] > 2
        size = np.dtype(dtype).itemsize
        assert array.T.__cuda_array_interface__["strides"] == (size, 3 * size)
        assert tensor.empty((0, 2), sycl_queue=queue).__cuda_array_interface__["data"][0] == 0

    @pytest.mark.parametrize("layout", LAYOUTS)
    @pytest.mark.parametrize("kind", KINDS)
    def test_round_trip(self, queue, layout, kind):
        array, view = laid_out(np.arange(24.0).reshape(2, 3, 4), layout, queue, kind)
        again = tensor.from_dlpack(Interface(array))
        assert (again._pointer, again.usm_type) == (array._pointer, kind) and steps(again) == steps(array)
        same(again, np.ascontiguousarray(view))
        copied = tensor.asarray(Interface(array))
        assert copied._pointer != array._pointer and copied.sycl_device == CUDA[0]
        same(copied, np.ascontiguousarray(view))

    def test_versions_and_streams(self, queue):
        array = tensor.arange(3, sycl_queue=queue)
        for entries in ({"version": 2, "stream": ...}, {"stream": None}, {"stream": 1}, {"stream": 2}, {"mask": None}):
            assert tensor.asnumpy(tensor.from_dlpack(Interface(array, **entries))).tolist() == [0, 1, 2]
        assert tensor.from_dlpack(Interface(array, shape=(0,), data=(0, False))).shape == (0,)
        assert not tensor.from_dlpack(Interface(array, data=(array._pointer, True))).flags.writable

    @pytest.mark.parametrize(
        ("entries", "error", "message"),
        [
            ({"version": 1}, ValueError, "version 1.*2 and 3"), ({"version": ...}, ValueError, "version.*missing"),
            ({"mask": object()}, ValueError, "mask"), ({"stream": 0}, ValueError, "stream.*0"),
            ({"stream": "x"}, ValueError, "stream"), ({"typestr": "<M8"}, TypeError, "M8.*convert"),
            ({"typestr": ">f8"}, TypeError, ">f8"), ({"strides": (3,)}, ValueError, "multiples"),
            ({"shape": (-1,)}, ValueError, "shape"), ({"shape": (2**60,)}, ValueError, "shape"),
            ({"data": (64, False)}, ValueError, "0x40"), ({"data": 3}, ValueError, "data"),
        ],
    )  # fmt: skip
    def test_what_cannot_be(self, queue, entries, error, message):
        array = tensor.arange(3, sycl_queue=queue)
        for function in (tensor.from_dlpack, tensor.asarray):
            with pytest.raises(error, match=message):
                function(Interface(array, **entries))


class TestWithoutCuda:
    """What is to be said where there is no CUDA device, or another one."""

    def test_host_arrays_have_no_interface(self):
        array = tensor.ones(3, device="cpu")
        assert not hasattr(array, "__cuda_array_interface__")
        with pytest.raises(AttributeError, match=r"CUDA.*native:cpu:0"):
            _ = array.__cuda_array_interface__

    @pytest.mark.skipif(bool(CUDA), reason="there is a CUDA device")
    def test_memory_out_of_reach(self):
        class Far:
            __cuda_array_interface__ = {"version": 3, "shape": (3,), "typestr": "<f4", "data": (4096, False)}  # noqa: RUF012

        class Elsewhere:
            def __dlpack_device__(self):
                return (2, 0)

            def __dlpack__(self, **_):
                raise AssertionError("nobody can use it")

        for function in (tensor.from_dlpack, tensor.asarray):
            with pytest.raises(ValueError, match="no CUDA device can be used here: .*NVIDIA"):
                function(Far())
        with pytest.raises(BufferError, match=r"\(2, 0\).*NVIDIA.*device="):
            tensor.from_dlpack(Elsewhere())
