"""`situ.tensor.ndarray`: its constructor, its attributes and its flags."""

import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import DTYPES, KINDS, LAYOUTS, hosts, laid_out, shapes, steps

import situ
from situ import memory, tensor

ndarray = tensor.ndarray


class Index:
    """An integer that is not an int."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


class TestAllocating:
    """The constructor, where it makes memory."""

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("dtype", DTYPES)
    def test_dtypes_and_kinds(self, place, dtype, kind):
        array = ndarray((2, 3), dtype, buffer=kind, queue=place)
        assert (array.dtype, array.usm_type, array.shape, array.sycl_queue) == (np.dtype(dtype), kind, (2, 3), place)
        assert array.usm_data.nbytes == 6 * array.itemsize and array.flags.writable
        again = ndarray((2, 3), dtype, buffer=kind, buffer_ctor_kwargs={"queue": place})
        assert again.sycl_queue == place and again._pointer != array._pointer

    @given(shape=shapes(), order=st.sampled_from("CFcf"), dtype=st.sampled_from(DTYPES))
    def test_shapes_and_orders(self, here, shape, order, dtype):
        array, host = ndarray(shape, dtype, order=order, queue=here), np.ndarray(shape, dtype, order=order)
        assert (array.shape, array.size, array.ndim) == (host.shape, host.size, host.ndim)
        assert host.size == 0 or steps(array) == steps(host)
        assert array.usm_data.nbytes == max(host.nbytes, host.itemsize)

    @pytest.mark.parametrize(
        ("shape", "expected"),
        [
            (5, (5,)), ([2, 3], (2, 3)), (np.int32(7), (7,)), (np.array([2, 3]), (2, 3)), ((Index(2),), (2,)),
            (Index(4), (4,)), ((), ()), ((0, 3), (0, 3)), ((2,) * 12, (2,) * 12),
        ],
    )  # fmt: skip
    def test_forms_of_shape(self, shape, expected):
        assert ndarray(shape, "u1").shape == expected

    def test_defaults(self):
        array = ndarray(3)
        assert (array.dtype, array.usm_type, array._element_offset) == (np.float64, "device", 0)
        assert array.sycl_queue == tensor.empty(1).sycl_queue and array.__array_namespace__() is tensor
        with situ.device_context(situ.Queue()) as queue:
            assert ndarray(3).sycl_queue == queue

    def test_spellings_of_the_first_documents(self, place):
        for kind in KINDS:
            # A list is what the array holds, a tuple its shape.
            array = tensor.usm_ndarray([1, 2, 3, 4], type=kind, queue=place)
            assert (array.usm_type, array.sycl_queue) == (kind, place)
            np.testing.assert_array_equal(tensor.asnumpy(array), [1, 2, 3, 4])
            array = tensor.usm_ndarray((1, 2, 3, 4), type=kind, queue=place)
            assert (array.usm_type, array.shape, array.sycl_queue) == (kind, (1, 2, 3, 4), place)
            assert ndarray(3, buffer=kind.encode()).usm_type == kind
        assert ndarray(3, queue="cpu").sycl_device == situ.Device("cpu")
        assert ndarray(3, queue=situ.Device("cpu")).sycl_queue == situ.get_device_cached_queue("cpu")
        assert ndarray(3, queue=array.device).sycl_queue == place

    @given(
        shape=shapes(),
        factors=st.lists(st.integers(-3, 3), min_size=3, max_size=3),
        offset=st.integers(-(10**30), 10**30) | st.integers(-5, 5),
        dtype=st.sampled_from(DTYPES),
    )
    def test_strides(self, here, shape, factors, offset, dtype):
        dense = np.ndarray(shape, "u1")
        strides = tuple(step * factor for step, factor in zip(dense.strides, factors, strict=False))
        if abs(offset) >= 2**63:
            with pytest.raises(ValueError, match="offset"):
                ndarray(shape, dtype, strides, offset=offset)
            offset = 0
        array = ndarray(shape, dtype, strides, offset=offset, queue=here)
        assert (array.shape, array.strides) == (shape, strides)
        reach = [step * (n - 1) for step, n in zip(strides, shape, strict=True)] if dense.size else []
        below, above = sum(r for r in reach if r < 0), sum(r for r in reach if r > 0)
        assert array._element_offset == -below
        assert array.usm_data.nbytes == (above - below + 1) * array.itemsize
        tensor.asnumpy(array)

    @pytest.mark.parametrize("alignment", [0, 1, 64, 128, 4096])
    def test_alignment(self, alignment):
        array = ndarray(3, buffer_ctor_kwargs={"alignment": alignment, "queue": None})
        assert array._pointer % max(alignment, 64) == 0

    @pytest.mark.parametrize(
        ("arguments", "error", "words"),
        [
            ({"shape": 1.5}, TypeError, "shape"),
            ({"shape": {}}, TypeError, "shape"),
            ({"shape": "ab"}, TypeError, "shape"),
            ({"shape": (2, 2.0)}, TypeError, "shape"),
            ({"shape": -1}, ValueError, "shape.*negative"),
            ({"shape": (2, -1)}, ValueError, "shape.*negative"),
            ({"shape": 2**70}, ValueError, "shape.*large"),
            ({"shape": (2**40, 2**40)}, ValueError, "addressed"),
            ({"shape": 2**62, "dtype": "f8"}, ValueError, "addressed"),
            ({"shape": (3, 3), "strides": (2**61, 1)}, ValueError, "addressed"),
            ({"shape": (3, 3), "strides": (2**62, 2**62)}, ValueError, "addressed"),
            ({"shape": 3, "dtype": ">f4"}, ValueError, "byte order"),
            ({"shape": 3, "dtype": "invalid"}, ValueError, "dtype"),
            ({"shape": 3, "dtype": "U3"}, TypeError, "dtype"),
            ({"shape": 3, "dtype": object}, TypeError, "dtype"),
            ({"shape": 3, "dtype": 123}, TypeError, None),
            ({"shape": 3, "strides": 1}, ValueError, "strides"),
            ({"shape": 3, "strides": {"not": "valid"}}, ValueError, "strides"),
            ({"shape": 3, "strides": (1.5,)}, ValueError, "strides"),
            ({"shape": 3, "strides": (2**70,)}, ValueError, "strides"),
            ({"shape": (3, 4), "strides": (1,)}, ValueError, "strides.*2 dimensions"),
            ({"shape": 3, "offset": "a"}, TypeError, "offset"),
            ({"shape": 3, "offset": 1.0}, TypeError, "offset"),
            ({"shape": 3, "buffer": "DEVICE"}, ValueError, "buffer.*'shared'"),
            ({"shape": 3, "buffer": b"\xff"}, ValueError, "buffer"),
            ({"shape": 3, "buffer": {}}, ValueError, "buffer"),
            ({"shape": 3, "buffer": np.ones(3)}, ValueError, "buffer"),
            ({"shape": 3, "order": "Z"}, ValueError, "order"),
            ({"shape": (), "order": "K"}, ValueError, "order"),
            ({"shape": 3, "strides": (1,), "order": "A"}, ValueError, "order"),
            ({"shape": 3, "order": 1}, TypeError, None),
            ({"shape": 3, "buffer_ctor_kwargs": {"foo": 1}}, TypeError, "buffer_ctor_kwargs.*foo"),
            ({"shape": 3, "buffer_ctor_kwargs": {"queue": "cpu"}}, TypeError, "buffer_ctor_kwargs.*Queue"),
            ({"shape": 3, "buffer_ctor_kwargs": {"alignment": "a"}}, TypeError, "alignment"),
            ({"shape": 3, "buffer_ctor_kwargs": {"alignment": 3}}, ValueError, "power of two"),
            ({"shape": 3, "buffer_ctor_kwargs": 1}, TypeError, None),
            ({"shape": 3, "type": "DEVICE"}, ValueError, "'device'"),
            ({"shape": 3, "type": 1}, TypeError, "'device'"),
            ({"shape": 3, "type": "host", "buffer": "shared"}, ValueError, "type.*only one"),
            ({"shape": 3, "queue": 1}, TypeError, "queue"),
            ({}, TypeError, None),
        ],
    )
    def test_refusals(self, arguments, error, words):
        with pytest.raises(error, match=words):
            ndarray(**arguments)

    def test_two_queues_must_agree(self):
        one, two = situ.Queue(), situ.Queue()
        assert ndarray(3, queue=one, buffer_ctor_kwargs={"queue": one}).sycl_queue == one
        with pytest.raises(TypeError, match="only one"):
            ndarray(3, queue=one, buffer_ctor_kwargs={"queue": two})

    def test_memory_returns(self):
        before = memory.pool_stats()["device"]["in_use_bytes"]
        for _ in range(10):
            ndarray((1000, 1000), "f4")
        assert memory.pool_stats()["device"]["in_use_bytes"] == before


class TestViewing:
    """The constructor, where it is given memory."""

    @given(host=hosts(), layout=st.sampled_from(LAYOUTS))
    def test_rebuilds_any_view(self, here, host, layout):
        array, view = laid_out(host, layout, here)
        twin = ndarray(array.shape, array.dtype, array.strides, array, array._element_offset)
        assert twin._pointer == array._pointer and twin.strides == array.strides
        np.testing.assert_array_equal(tensor.asnumpy(twin), view)

    @pytest.mark.parametrize("dtype", DTYPES)
    @pytest.mark.parametrize("other", DTYPES)
    def test_another_dtype_sees_the_same_bytes(self, here, dtype, other):
        host = np.ones(16, dtype)
        array = tensor.asarray(host, sycl_queue=here)
        count = host.nbytes // np.dtype(other).itemsize
        seen = ndarray(count, other, buffer=array)
        assert tensor.asnumpy(seen).tobytes() == host.tobytes()
        with pytest.raises(ValueError, match="reaches outside"):
            ndarray(count + 1, other, buffer=array)

    def test_memory_objects(self, place):
        block = memory.MemoryUSMShared(64, queue=place)
        block.copy_from_host(np.arange(8.0).tobytes())
        array = ndarray((2, 3), "f8", buffer=block, offset=1)
        assert (array.usm_type, array.sycl_queue, array._pointer) == ("shared", place, block._pointer + 8)
        np.testing.assert_array_equal(tensor.asnumpy(array), np.arange(1.0, 7).reshape(2, 3))
        array += 1
        assert np.frombuffer(block.tobytes()).tolist() == [0, 2, 3, 4, 5, 6, 7, 7]

    def test_part_of_memory_stays_a_part(self):
        """A memory object that is a view of an array's memory has no more than that array's bytes."""
        whole = tensor.asarray(np.arange(16, dtype="i4"))
        part = memory.MemoryUSMDevice(ndarray(4, "i4", buffer=whole, offset=3))
        assert part.nbytes == 16
        np.testing.assert_array_equal(tensor.asnumpy(ndarray(4, "i4", buffer=part)), [3, 4, 5, 6])
        for wrong in ({"shape": 5}, {"shape": 1, "offset": -1}, {"shape": 4, "offset": 1}):
            with pytest.raises(ValueError, match="reaches outside"):
                ndarray(dtype="i4", buffer=part, **wrong)
        with pytest.raises(ValueError, match="aligned"):
            ndarray(1, "i8", buffer=part)

    @pytest.mark.parametrize(
        ("shape", "strides", "offset"),
        [
            (3, None, 8), (3, None, -1), (11, None, 0), (3, (-1,), 1), (3, (4,), 2), ((2, 2), (9, 1), 0),
            (2, (2**62,), 0), (2, (-(2**62),), 0), ((3, 3), (2**62, 2**62), 0), (1, None, 2**62), (1, None, 2**63 - 1),
        ],
    )  # fmt: skip
    def test_nothing_outside_the_memory(self, shape, strides, offset):
        array = tensor.arange(10)
        with pytest.raises(ValueError, match="reaches outside"):
            ndarray(shape, "i8", strides, array, offset)

    def test_empty_arrays_fit_anywhere(self):
        array = tensor.arange(10, dtype="f4")
        for dtype in DTYPES:
            empty = ndarray((5, 0), dtype, (2**62, -7), array, 2**62)
            assert empty._pointer == array._pointer and empty.size == 0
            assert tensor.asnumpy(empty).shape == (5, 0) and empty._byte_bounds == (array._pointer,) * 2
            assert empty.mT.shape == (0, 5) and empty.real.shape == empty.imag.shape == (5, 0)

    def test_readonly_is_inherited(self):
        array = tensor.arange(10)
        array.flags.writable = False
        assert not ndarray(10, "i8", buffer=array).flags.writable

    def test_kind_and_queue(self):
        array, queue = tensor.arange(3, usm_type="shared"), situ.Queue()
        assert ndarray(3, "i8", buffer=array, type="shared").usm_type == "shared"
        assert ndarray(3, "i8", buffer=array, queue=queue).sycl_queue == queue
        with pytest.raises(ValueError, match="type.*contradicts"):
            ndarray(3, "i8", buffer=array, type="device")
        with pytest.raises(ValueError, match="another context"):
            ndarray(3, "i8", buffer=array, queue="null")

    def test_it_keeps_the_memory(self):
        block = memory.MemoryUSMHost(800)
        block.copy_from_host(np.arange(100.0).tobytes())
        array = ndarray(100, "f8", buffer=block)
        del block
        for _ in range(5):
            ndarray(100, "f8", buffer="host")
        np.testing.assert_array_equal(tensor.asnumpy(array), np.arange(100.0))


class TestViewsThatAreAttributes:
    """T, mT, real and imag."""

    @given(host=hosts(), layout=st.sampled_from(LAYOUTS))
    def test_transposes(self, here, host, layout):
        array, view = laid_out(host, layout, here)
        for name, fits in (("T", host.ndim == 2), ("mT", host.ndim >= 2)):
            if not fits:
                with pytest.raises(ValueError, match=name):
                    getattr(array, name)
                continue
            turned, expected = getattr(array, name), np.swapaxes(view, -1, -2)
            assert turned.shape == expected.shape and (not host.size or steps(turned) == steps(expected))
            assert turned._pointer == array._pointer and turned.sycl_queue == array.sycl_queue
            np.testing.assert_array_equal(tensor.asnumpy(turned), expected)

    @given(host=hosts(), layout=st.sampled_from(LAYOUTS))
    def test_parts(self, here, host, layout):
        array, view = laid_out(host, layout, here, usm_type="shared")
        real, imag = array.real, array.imag
        np.testing.assert_array_equal(tensor.asnumpy(real), view.real)
        np.testing.assert_array_equal(tensor.asnumpy(imag), view.imag)
        assert (real.dtype, imag.dtype) == (view.real.dtype, view.imag.dtype)
        assert imag.usm_type == real.usm_type == "shared" and imag.sycl_queue == array.sycl_queue
        if host.dtype.kind != "c":
            assert real is array and imag._pointer != array._pointer
        elif host.size:
            assert (real._pointer, imag._pointer) == (array._pointer, array._pointer + real.itemsize)
            assert steps(real) == steps(imag) == [2 * step for step in steps(array)]

    @pytest.mark.parametrize("dtype", ["complex64", "complex128"])
    def test_parts_can_be_written(self, here, dtype):
        array = tensor.asarray(np.arange(6).reshape(2, 3) * (1 + 2j), dtype=dtype, sycl_queue=here)
        real, imag = array.real, array.imag
        real += 1
        imag *= 3
        expected = np.arange(6).reshape(2, 3)
        np.testing.assert_array_equal(tensor.asnumpy(array), expected + 1 + 6j * expected)

    def test_readonly_is_inherited(self):
        for dtype in ("f4", "c8"):
            array = tensor.ones((2, 3), dtype=dtype)
            array.flags["W"] = False
            for view in (array.T, array.mT, array.real, *([array.imag] if dtype == "c8" else []), *array):
                assert not view.flags.writable
                with pytest.raises(ValueError, match="read-only"):
                    view += 1
            # A copy is its owner's.
            assert array.copy().flags.writable and (array + 1).flags.writable


class TestShape:
    """The shape, set."""

    @given(data=st.data(), layout=st.sampled_from(LAYOUTS))
    def test_as_numpy_does(self, here, data, layout):
        host = data.draw(hosts())
        factors = data.draw(st.permutations([n for n in (2, 2, 3, host.size // 12) if n]))
        shape = data.draw(
            st.just((host.size,)) | st.just(host.shape[::-1]) | st.just((1, *host.shape, 1)) | st.just((-1,))
            | st.just((*host.shape[:1], -1)) | st.just(tuple(factors)) | st.just(host.size) | st.just([host.size, 1])
        )  # fmt: skip
        array, view = laid_out(host, layout, here)
        before = tensor.asnumpy(array)
        try:
            expected = np.reshape(view, shape, copy=False)
        except ValueError:
            with pytest.raises((TypeError, AttributeError), match="shape"):
                array.shape = shape
            assert array.shape == host.shape
            np.testing.assert_array_equal(tensor.asnumpy(array), before)
        else:
            pointer = array._pointer
            array.shape = shape
            assert array.shape == expected.shape and array._pointer == pointer
            assert not host.size or steps(array) == steps(expected)
            np.testing.assert_array_equal(tensor.asnumpy(array), expected)

    def test_refusals(self):
        array = tensor.zeros((4, 6))
        for wrong in (
            (5, 5),
            "abcd",
            1.5,
            None,
            (4, 6.0),
            (-1, -1),
            (-4, -6),
            (-1, 0),
            (-1, 5),
            (2**64, 2**64),
            2**200,
        ):
            with pytest.raises(TypeError, match="shape"):
                array.shape = wrong
        with pytest.raises(AttributeError, match=r"shape.*copy\(x, order='C'\)"):
            array.T.shape = 24
        with pytest.raises(AttributeError):
            del array.shape
        assert array.shape == (4, 6)
        # The remedy works.
        copied = tensor.copy(array.T, order="C")
        copied.shape = 24

    def test_other_references_follow_and_views_do_not(self):
        array = tensor.arange(6)
        same, flags, rows = array, array.flags, list(array)
        array.shape = (2, 3)
        assert same.shape == (2, 3) and not flags.fc and rows[0].shape == ()
        np.testing.assert_array_equal(tensor.asnumpy(array + array), np.arange(6).reshape(2, 3) * 2)

    def test_as_often_as_one_likes(self):
        array = tensor.arange(6)
        for _ in range(50_000):
            array.shape = (2, 3)
            array.flags.writable = False
            array.shape = 6
            array.flags.writable = True
        assert array.shape == (6,) and tensor.asnumpy(array).tolist() == list(range(6))
        del array


class TestFlags:
    """`x.flags`."""

    @given(host=hosts(), layout=st.sampled_from(LAYOUTS))
    def test_as_numpy_says(self, host, layout):
        array, view = laid_out(host, layout)
        flags, expected = array.flags, view.flags
        c, f = expected.c_contiguous, expected.f_contiguous
        assert (flags.c_contiguous, flags.f_contiguous, flags.fc, flags.fnc, flags.forc) == (
            c, f, c and f, expected.fnc, expected.forc,
        )  # fmt: skip
        assert flags.contiguous == flags.forc and flags.flags == c + 2 * f + 4
        assert flags == flags.flags == array.flags and flags != flags.flags + 1

    def test_items(self):
        flags = tensor.zeros((2, 3), order="F").flags
        for names, value in (
            (("C", "C_CONTIGUOUS", "FC"), False),
            (("F", "F_CONTIGUOUS", "W", "WRITABLE", "WRITEABLE", "FNC", "FORC", "CONTIGUOUS"), True),
        ):
            assert [flags[name] for name in names] == [value] * len(names)
        for wrong in ("foo", 1, None):
            with pytest.raises(KeyError, match="C_CONTIGUOUS"):
                flags[wrong]
        assert flags != "FNC" and flags != 3.5 and flags != -2 and flags is not None
        assert repr(flags) == "  C_CONTIGUOUS : False\n  F_CONTIGUOUS : True\n  WRITABLE : True"
        with pytest.raises(TypeError, match="unhashable"):
            hash(flags)

    def test_writable(self):
        array = tensor.ones(5)
        flags = array.flags
        for forbid, allow in (
            (lambda: setattr(flags, "writable", False), lambda: setattr(flags, "writable", True)),
            (lambda: operator.setitem(flags, "W", False), lambda: operator.setitem(flags, "WRITABLE", True)),
            (lambda: setattr(flags, "writeable", False), lambda: operator.setitem(flags, "WRITEABLE", True)),
        ):
            forbid()
            assert flags.writable is False and flags.writeable is False and flags.flags == 3
            assert array.__sycl_usm_array_interface__["data"][1] is True
            with pytest.raises(ValueError, match="read-only"):
                array += 1
            allow()
            assert flags.writable is True and flags.flags == 7
        array += 1
        assert tensor.asnumpy(array).tolist() == [2.0] * 5

    def test_refusals(self):
        flags = tensor.ones(5).flags
        for wrong in (1, None, {}, "True"):
            with pytest.raises(TypeError, match="writable"):
                flags.writable = wrong
        for name in ("C", "F", "foo", 3):
            with pytest.raises(ValueError, match="WRITABLE"):
                flags[name] = True
        for name in ("c_contiguous", "forc", "flags"):
            with pytest.raises(AttributeError):
                setattr(flags, name, True)

    def test_it_keeps_the_array(self):
        flags = tensor.ones(5).flags
        assert flags.c_contiguous
        with pytest.raises(TypeError):
            tensor.Flags()


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.1.0", reason="NumPy exports no read-only memory")
class TestLentMemory:
    """Memory that another library lends for reading only stays as it is, whatever one asks for."""

    @pytest.fixture
    def host(self):
        # The interpreter keeps one such object for all; a write would be seen everywhere.
        return np.frombuffer(b"0123456789abcdef", "i4")

    def test_it_cannot_be_made_writable(self, host):
        array = tensor.from_dlpack(host)
        assert array._pointer == host.ctypes.data and not array.flags.writable
        array.flags.writable = False
        for view in (array, array.real, next(iter(array)), tensor.ndarray(4, "i4", buffer=array)):
            with pytest.raises(ValueError, match="lent.*copy"):
                view.flags.writable = True
            assert not view.flags.writable

    def test_no_way_round(self, host):
        array = tensor.from_dlpack(host)
        data = array.usm_data
        over = ndarray(4, "i4", buffer=data)
        assert not over.flags.writable and memoryview(data).readonly
        for write in (
            lambda: operator.iadd(over, 1),
            lambda: data.memset(0),
            lambda: data.copy_from_host(b"abcd"),
            lambda: data.copy_from_device(tensor.ones(1, device="cpu")),
            lambda: array.sycl_queue.memcpy(data, b"abcd", 4),
            lambda: array.sycl_queue.fill(data, 0, 4),
        ):
            with pytest.raises(ValueError, match="read"):
                write()
        assert host.tobytes() == b"0123456789abcdef"

    def test_reading_and_copies(self, host):
        array = tensor.from_dlpack(host)
        np.testing.assert_array_equal(tensor.asnumpy(array), host)
        copied = tensor.copy(array)
        copied += 1
        np.testing.assert_array_equal(tensor.asnumpy(copied), host + 1)


class TestPlaceInMemory:
    """Offsets and bounds."""

    @given(host=hosts(), layout=st.sampled_from(LAYOUTS))
    def test_bounds(self, here, host, layout):
        array, view = laid_out(host, layout, here)
        low, high = np.lib.array_utils.byte_bounds(view)
        start, end = array._byte_bounds
        first = view.__array_interface__["data"][0]
        if host.size:
            assert end - start == high - low and array._pointer - start == first - low
            assert array._pointer == array.usm_data._pointer + array._element_offset * array.itemsize
        else:
            assert start == end


class TestNamespace:
    """`__array_namespace__`."""

    def test_versions(self):
        array = tensor.ones(3)
        for version in (None, "2021.12", "2022.12", "2023.12", "2024.12", "2025.12", tensor.__array_api_version__):
            assert array.__array_namespace__(api_version=version) is tensor
        for wrong in ("2020.12", "latest", ""):
            with pytest.raises(ValueError, match="2025.12"):
                array.__array_namespace__(api_version=wrong)
        for wrong in (2024, 2024.12, ("2024.12",)):
            with pytest.raises(TypeError, match="api_version"):
                array.__array_namespace__(api_version=wrong)

    def test_another_one(self):
        array = tensor.ones((2, 2), dtype="c8")
        assert array.__array_module__ is tensor
        array._set_namespace(np)
        array.shape = 4
        array.flags.writable = False
        array.shape = (2, 2)
        for one in (
            array,
            array.T,
            array.real,
            array.imag,
            array.copy(),
            array.to_device(situ.Queue()),
            next(iter(array)),
        ):
            assert one.__array_namespace__() is np and one.__array_module__ is np
        array._set_namespace(None)
        assert array.__array_namespace__() is tensor and array.shape == (2, 2) and not array.flags.writable
        assert ndarray(3, array_namespace=np).__array_namespace__() is np


def test_options_that_change_while_they_are_read():
    options = {}

    class Alignment:
        def __index__(self):
            options.clear()
            return 64

    options.update(alignment=Alignment(), queue=None)
    assert ndarray((3,), buffer_ctor_kwargs=options).shape == (3,)
