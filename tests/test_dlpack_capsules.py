"""DLPack capsules made by hand, well and badly."""

import ctypes

import numpy as np
import pytest
from capsules import CPU, Exporter
from strategies import same

import situ
from situ import tensor


@pytest.mark.parametrize("versioned", [True, False], ids=["versioned", "legacy"])
class TestCapsules:
    """Capsules made by hand, well and badly."""

    def test_the_deleter_is_called_once(self, versioned):
        exporter = Exporter(versioned=versioned)
        array = tensor.from_dlpack(exporter)
        same(array, exporter.host)
        assert array._pointer == exporter.host.ctypes.data and exporter.deleted == 0
        again = array.to_device(situ.Queue("cpu"))
        del array
        assert exporter.deleted == 0
        del again
        assert exporter.deleted == 1

    def test_also_for_copies_and_empty_arrays(self, versioned):
        for host, keywords in (
            (np.zeros((0, 3)), {}), (np.ones(3), {"copy": True}), (np.ones(3), {"device": "null"}),
            (np.frombuffer(b"xx" + bytes(16), "i8", offset=2), {}),
        ):  # fmt: skip
            exporter = Exporter(host, versioned=versioned)
            array = tensor.from_dlpack(exporter, **keywords)
            same(array, np.array(host))
            assert exporter.deleted == 1
            del array
            assert exporter.deleted == 1

    def test_asarray_copies_and_lets_go(self, versioned):
        exporter = Exporter(versioned=versioned)
        array = tensor.asarray(exporter, dtype="i2", order="F")
        same(array, exporter.host.astype("i2"))
        assert exporter.deleted == 1 and array.strides == (1, 2)
        with pytest.raises(ValueError, match="from_dlpack"):
            tensor.asarray(exporter, copy=False)

    def test_asarray_finds_another_way(self, versioned):
        class Both(Exporter):
            def __array__(self, dtype=None, copy=None):
                return self.host

        same(tensor.asarray(Both(versioned=versioned, code=4)), Exporter().host)
        with pytest.raises(TypeError):
            tensor.asarray(Exporter(versioned=versioned, code=4))

    def test_a_deleter_may_run_while_an_exception_is_on_its_way(self, versioned):
        exporter = Exporter(versioned=versioned)

        def fails():
            array = tensor.from_dlpack(exporter)
            raise RuntimeError(array.shape)

        try:
            fails()
        except RuntimeError as error:
            error.__traceback__ = None
        assert exporter.deleted == 1

    def test_without_a_deleter(self, versioned):
        exporter = Exporter(versioned=versioned, deletes=False)
        same(tensor.from_dlpack(exporter), exporter.host)

    def test_a_dense_array_needs_no_strides(self, versioned):
        nothing = ctypes.POINTER(ctypes.c_int64)()
        same(tensor.from_dlpack(Exporter(versioned=versioned, strides=nothing)), Exporter().host)
        scalar = Exporter(np.array(2.5), versioned=versioned, strides=nothing, shape=nothing)
        same(tensor.from_dlpack(scalar), np.array(2.5))

    def test_offsets(self, versioned):
        exporter = Exporter(np.arange(6, dtype="i4"), versioned=versioned)
        exporter.managed.tensor.byte_offset = 8
        exporter.shape[0] = 4
        same(tensor.from_dlpack(exporter), np.arange(2, 6, dtype="i4"))

    def test_memory_off_its_boundaries_is_copied(self, versioned):
        raw = bytearray(1 + 8 * 12)
        host = np.frombuffer(raw, "f8", offset=1, count=12).reshape(3, 4)
        host[...] = np.arange(12).reshape(3, 4)
        exporter = Exporter(host[::-1, ::3], versioned=versioned)
        with pytest.raises(BufferError, match="aligned"):
            tensor.from_dlpack(exporter, copy=False)
        assert exporter.deleted == 0
        array = tensor.from_dlpack(exporter)
        same(array, np.array(host[::-1, ::3]))
        assert exporter.deleted == 1
        array += 1
        assert host[0, 0] == 0

    def test_complex_numbers_need_the_boundaries_of_their_parts(self, versioned):
        host = np.zeros(5)[1:].view("c16") if np.zeros(5).ctypes.data % 16 == 0 else np.zeros(4).view("c16")
        assert tensor.from_dlpack(Exporter(host, versioned=versioned), copy=False)._pointer == host.ctypes.data

    @pytest.mark.parametrize(
        "fields",
        [
            {"ndim": -1}, {"ndim": 65}, {"ndim": 2**31 - 1}, {"data": None}, {"lanes": 2}, {"lanes": 0}, {"bits": 7},
            {"bits": 128}, {"code": 4}, {"code": 3}, {"code": 200}, {"byte_offset": 2**64 - 1}, {"device_type": 2},
            {"data": 2**64 - 16, "byte_offset": 12}, {"byte_offset": 2**63 - 64}, {"byte_offset": 2**62},
            {"byte_offset": 2**46}, {"data": 4096}, {"shape": ctypes.POINTER(ctypes.c_int64)()},
        ],
        ids=lambda fields: "-".join(fields),
    )  # fmt: skip
    def test_nonsense(self, versioned, fields):
        exporter = Exporter(versioned=versioned, **fields)
        with pytest.raises(BufferError, match="from_dlpack"):
            tensor.from_dlpack(exporter)
        # The capsule still owns the tensor, and this one has no destructor.
        assert exporter.deleted == 0

    @pytest.mark.parametrize("shape", [(-1, 3), (2**62, 3), (2**40, 2**40), (2**63 - 1, 1)])
    def test_absurd_shapes(self, versioned, shape):
        exporter = Exporter(versioned=versioned)
        exporter.shape[:] = shape
        with pytest.raises(BufferError):
            tensor.from_dlpack(exporter)

    @pytest.mark.parametrize(
        "strides", [(2**62, 1), (-(2**62), 1), (2**61, 2**61), (-(2**63), 1), (2**63 - 1, 2**63 - 1)]
    )
    def test_absurd_strides(self, versioned, strides):
        exporter = Exporter(np.zeros((4, 4)), versioned=versioned)
        exporter.strides[:] = strides
        with pytest.raises(BufferError):
            tensor.from_dlpack(exporter)

    def test_a_capsule_is_used_once(self, versioned):
        exporter = Exporter(versioned=versioned)
        capsule = exporter.__dlpack__()
        exporter.__dlpack__ = None

        class Again:
            def __dlpack_device__(self):
                return CPU

            def __dlpack__(self, **_):
                return capsule

        first = tensor.from_dlpack(Again())
        with pytest.raises(BufferError, match="used already"):
            tensor.from_dlpack(Again())
        same(first, exporter.host)
        del first
        assert exporter.deleted == 1

    def test_names(self, versioned):
        for name in (b"tensor", b"DLTENSOR", b"dltensor_", b""):
            with pytest.raises(TypeError, match="not a DLPack capsule"):
                tensor.from_dlpack(Exporter(versioned=versioned, name=name))

    def test_old_exporters_know_no_keywords(self, versioned):
        class Old(Exporter):
            def __dlpack__(self):
                return super().__dlpack__()

        exporter = Old(versioned=versioned)
        same(tensor.from_dlpack(exporter), exporter.host)
        assert exporter.capsules == 1

    def test_what_is_asked_for(self, versioned):
        exporter = Exporter(versioned=versioned)
        tensor.from_dlpack(exporter)
        assert exporter.keywords == {"max_version": (1, 1)}
        tensor.from_dlpack(exporter, copy=False)
        assert exporter.keywords == {"max_version": (1, 1), "copy": False}


class TestForeign:
    """Exporters that misbehave, or live elsewhere."""

    def test_read_only_flag(self):
        assert not tensor.from_dlpack(Exporter(flags=1)).flags.writable
        assert tensor.from_dlpack(Exporter(flags=0)).flags.writable
        assert tensor.from_dlpack(Exporter(flags=1), copy=True).flags.writable
        assert tensor.from_dlpack(Exporter(flags=2)).flags.writable

    @pytest.mark.parametrize("major", [0, 2, 99])
    def test_versions(self, major):
        with pytest.raises(BufferError, match=f"version {major}.5"):
            tensor.from_dlpack(Exporter(major=major, minor=5))
        assert tensor.from_dlpack(Exporter(major=1, minor=99)).shape == (2, 3)

    def test_other_devices(self):
        exporter = Exporter()
        exporter.device = (10, 0)
        for keywords in ({}, {"device": "cpu", "copy": False}):
            with pytest.raises(BufferError, match=r"device \(10, 0\)"):
                tensor.from_dlpack(exporter, **keywords)
        assert exporter.capsules == 0
        same(tensor.from_dlpack(exporter, device="cpu"), exporter.host)
        assert exporter.keywords == {"max_version": (1, 1), "dl_device": CPU}

    def test_errors_of_the_exporter_pass_through(self):
        class Refuses(Exporter):
            def __dlpack__(self, **_):
                raise BufferError("not today")

        class Confused(Exporter):
            def __dlpack__(self, **_):
                return self.result

        with pytest.raises(BufferError, match="not today"):
            tensor.from_dlpack(Refuses())
        for result in (None, 3, "dltensor"):
            confused = Confused()
            confused.result = result
            with pytest.raises(TypeError, match="not a DLPack capsule"):
                tensor.from_dlpack(confused)
        confused.device = None
        with pytest.raises(TypeError, match="__dlpack_device__"):
            tensor.from_dlpack(confused)

    def test_a_deleter_runs_after_the_work(self):
        host = np.zeros(4 * 10**6)
        exporter = Exporter(host)
        array = tensor.from_dlpack(exporter)
        for _ in range(10):
            array += 1
        del array
        assert exporter.deleted == 1 and (host == 10).all()


def test_memory_that_went_to_and_fro_is_released():
    """Each step keeps the one before: released one inside of the other, they would not fit on the stack."""
    x = tensor.ones(3)
    for _ in range(30_000):
        x = tensor.from_dlpack(np.from_dlpack(x))
    assert tensor.asnumpy(x).tolist() == [1, 1, 1]
    del x
