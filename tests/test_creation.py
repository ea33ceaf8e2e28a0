"""New arrays: from shapes, ranges, host data and other arrays."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import DTYPES, KINDS, LAYOUTS, View, hosts, laid_out, steps

import situ
from situ import memory, tensor

SHAPES = [(), 0, 5, (3,), (2, 3), (2, 0, 3), (4, 1, 2, 3), [2, 2], np.array([3, 2]), np.int64(4)]


def same(array, expected):
    """Dtype, shape and every bit."""
    host = tensor.asnumpy(array)
    assert array.dtype == host.dtype == expected.dtype and array.shape == host.shape == expected.shape
    assert host.tobytes() == expected.tobytes()


class TestBlank:
    """`empty`, `zeros` and `ones`."""

    @pytest.mark.parametrize("dtype", DTYPES)
    @pytest.mark.parametrize("name", ["zeros", "ones"])
    def test_values(self, place, name, dtype):
        for shape in SHAPES:
            array = getattr(tensor, name)(shape, dtype=dtype, sycl_queue=place)
            same(array, getattr(np, name)(shape, dtype))
            assert array.sycl_queue == place and array.usm_type == "device"

    @pytest.mark.parametrize("name", ["empty", "zeros", "ones"])
    @pytest.mark.parametrize("order", "CF")
    def test_order(self, name, order):
        array = getattr(tensor, name)((2, 3, 4), order=order)
        assert array.strides == ((12, 4, 1) if order == "C" else (1, 2, 6))
        assert getattr(tensor, name)((2, 3), order=order.lower()).shape == (2, 3)
        with pytest.raises(ValueError, match="order"):
            getattr(tensor, name)(3, order="K")

    @pytest.mark.parametrize("kind", KINDS)
    def test_kind(self, kind):
        assert tensor.empty(3, usm_type=kind).usm_type == kind
        assert type(tensor.zeros(3, usm_type=kind).usm_data).__name__ == f"MemoryUSM{kind.title()}"

    def test_default_dtype(self):
        assert tensor.empty(1).dtype == tensor.zeros(1).dtype == tensor.ones(1).dtype == np.float64

    @pytest.mark.parametrize("dtype", [np.float32, "f4", "float32", "<f4", np.dtype("f4"), tensor.float32])
    def test_spellings_of_dtypes(self, dtype):
        assert tensor.empty(1, dtype=dtype).dtype == np.float32

    def test_python_types_are_dtypes(self):
        assert [tensor.empty(1, dtype=t).dtype for t in (bool, int, float, complex)] == [bool, int, float, complex]

    @pytest.mark.parametrize(
        ("dtype", "error"),
        [
            (">f4", ValueError), (np.dtype(">i8"), ValueError), ("nothing", ValueError), ("", ValueError),
            (object, TypeError), ("S3", TypeError), ("U", TypeError), ("M8[s]", TypeError), ("f16", TypeError),
            ([("a", "i4")], TypeError), (3, TypeError),
        ],
    )  # fmt: skip
    def test_wrong_dtypes(self, dtype, error):
        for attempt in (
            lambda: tensor.empty(2, dtype=dtype),
            lambda: tensor.full(2, 1, dtype=dtype),
            lambda: tensor.arange(2, dtype=dtype),
            lambda: tensor.asarray([1], dtype=dtype),
            lambda: tensor.astype(tensor.ones(1), dtype),
        ):
            with pytest.raises(error):
                attempt()

    @pytest.mark.parametrize("shape", [-1, (2, -3), 2**70, (2**40, 2**40), (1 << 62,), (2**63,)])
    def test_impossible_shapes(self, shape):
        for name in ("empty", "zeros", "ones"):
            with pytest.raises(ValueError):
                getattr(tensor, name)(shape)

    @pytest.mark.parametrize("shape", [1.5, (2.0,), "3", None, (None,), ("2", 3), object(), {3}])
    def test_what_is_no_shape(self, shape):
        for name in ("empty", "zeros", "ones"):
            with pytest.raises(TypeError, match="shape"):
                getattr(tensor, name)(shape)

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("nbytes", [2**42, 2**50, 2**62])
    def test_absurd_sizes_fail_at_once_and_harm_nothing(self, kind, nbytes):
        keep = tensor.full(1000, 7, usm_type=kind)
        before = memory.pool_stats()[kind]
        began = time.monotonic()
        for make in (tensor.empty, tensor.zeros):
            with pytest.raises(situ.USMAllocationError, match=f"allocate.*{nbytes} bytes") as caught:
                make(nbytes, dtype="u1", usm_type=kind)
            assert isinstance(caught.value, MemoryError)
        assert time.monotonic() - began < 5
        after = memory.pool_stats()[kind]
        # What earlier tests left to the garbage collector may go meanwhile.
        assert after["in_use_bytes"] <= before["in_use_bytes"]
        assert after["reserved_bytes"] == before["reserved_bytes"]
        assert tensor.asnumpy(keep).tolist() == [7] * 1000


class TestPlacement:
    """`device=` and `sycl_queue=`."""

    def test_forms_of_device(self):
        device = situ.Device("cpu")
        cached = situ.get_device_cached_queue(device)
        for form in ("cpu", "native", "native:cpu", "native:cpu:0", device, cached, tensor.Device.create_device("cpu")):
            for array in (
                tensor.empty(3, device=form),
                tensor.full(3, 1, device=form),
                tensor.arange(3, device=form),
                tensor.linspace(0, 1, 3, device=form),
                tensor.asarray([1, 2], device=form),
            ):
                assert array.sycl_queue == cached and array.device.sycl_device == device

    def test_a_queue_is_taken_as_it_is(self):
        queue = situ.Queue(property="enable_profiling")
        for keyword in ("device", "sycl_queue"):
            assert tensor.ones(3, **{keyword: queue}).sycl_queue == queue
        assert tensor.ones(3, device=queue, sycl_queue=queue).sycl_queue == queue

    def test_both_must_agree(self):
        for make in (
            lambda **k: tensor.empty(3, **k),
            lambda **k: tensor.full(3, 1, **k),
            lambda **k: tensor.arange(3, **k),
            lambda **k: tensor.linspace(0, 1, 3, **k),
            lambda **k: tensor.asarray([1], **k),
            lambda **k: tensor.asarray(tensor.ones(3), **k),
        ):
            with pytest.raises(TypeError, match="device and sycl_queue"):
                make(device="cpu", sycl_queue=situ.Queue())

    def test_wrong_places(self):
        with pytest.raises(TypeError, match="device"):
            tensor.empty(3, device=3)
        with pytest.raises(TypeError, match="sycl_queue"):
            tensor.empty(3, sycl_queue="cpu")
        with pytest.raises(situ.DeviceCreationError, match="cuda"):
            tensor.empty(3, device="cuda:gpu:7")
        with pytest.raises(situ.DeviceCreationError, match="malformed"):
            tensor.empty(3, device="a:b:c:d")

    def test_sub_devices_need_a_queue(self):
        device = situ.Device("cpu")
        if device.partition_max_sub_devices < 2:
            pytest.skip("the device has one core")
        part = device.create_sub_devices(partition=[1])[0]
        with pytest.raises(ValueError, match="sub-device"):
            tensor.empty(3, device=part)
        assert tensor.empty(3, device=situ.Queue(part)).sycl_device == part

    @pytest.mark.parametrize(("usm_type", "error"), [("managed", ValueError), ("", ValueError), (1, TypeError)])
    def test_wrong_kinds(self, usm_type, error):
        with pytest.raises(error, match="usm_type"):
            tensor.empty(3, usm_type=usm_type)


class TestFull:
    """`full`."""

    @pytest.mark.parametrize("value", [True, 3, -2, 2**63, 1.5, float("nan"), -0.0, 1 + 2j, np.int8(3), np.float16(2)])
    def test_dtype_follows_the_value(self, place, value):
        same(tensor.full((2, 3), value, sycl_queue=place), np.full((2, 3), value))

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_given_dtype(self, dtype):
        same(tensor.full(5, 1, dtype=dtype, order="F"), np.full(5, 1, dtype))

    def test_values_that_do_not_fit(self):
        for value in (256, -1, 1e10, float("nan"), float("inf"), 2**80):
            with pytest.raises(OverflowError):
                tensor.full(3, value, dtype="uint8")
        with pytest.raises(OverflowError):
            tensor.full(3, 2**64)

    def test_arrays_are_broadcast(self, place):
        row = np.arange(3, dtype="f4")
        for value in (row, tensor.asarray(row, sycl_queue=place), [0, 1, 2]):
            filled = tensor.full((2, 3), value, dtype="f4", sycl_queue=place)
            same(filled, np.full((2, 3), row))
        with pytest.raises(ValueError, match="full: shapes"):
            tensor.full((2, 2), row)

    def test_an_array_decides_where(self):
        queue = situ.Queue()
        value = tensor.asarray(np.float32(3.5), sycl_queue=queue, usm_type="shared")
        filled = tensor.full((2, 2), value)
        assert (filled.sycl_queue, filled.usm_type, filled.dtype) == (queue, "shared", np.float32)
        elsewhere = tensor.full((2, 2), value, device="cpu", usm_type="host")
        assert elsewhere.sycl_queue != queue and elsewhere.usm_type == "host"
        same(elsewhere, np.full((2, 2), np.float32(3.5)))

    @pytest.mark.parametrize("value", ["a", None, object(), [object()]])
    def test_wrong_values(self, value):
        with pytest.raises(TypeError):
            tensor.full(3, value)


class TestRanges:
    """`arange` and `linspace`."""

    @pytest.mark.parametrize(
        "arguments",
        [
            (5,), (0,), (-3,), (2, 7), (7, 2), (7, 2, -1), (7, 2, -2), (0, 10, 3), (1, 1), (5, 5, -1), (2, 7, 100),
            (2.5,), (0, 1, 0.25), (1, 0, -0.25), (0.5, 3), (0, 5.5, 1.5), (-1.0, 1), (2**40, 2**40 + 5),
            (-(2**63), -(2**63) + 3), (2**63 - 3, 2**63 - 1), (2**63, 2**63 + 4), (True,), (False, 2),
        ],
    )  # fmt: skip
    def test_arange(self, place, arguments):
        same(tensor.arange(*arguments, sycl_queue=place), np.arange(*arguments))

    @pytest.mark.parametrize("dtype", DTYPES[1:])
    def test_arange_dtypes(self, place, dtype):
        for arguments in ((100,), (100, 0, -3), (3, 3)):
            same(tensor.arange(*arguments, dtype=dtype, sycl_queue=place), np.arange(*arguments, dtype=dtype))

    def test_arange_of_truth_values(self):
        assert tensor.asnumpy(tensor.arange(2, dtype="bool")).tolist() == [False, True]
        with pytest.raises(ValueError, match="at most two"):
            tensor.arange(3, dtype="bool")

    def test_arange_is_accurate_far_out(self):
        step = 0.1
        host = tensor.asnumpy(tensor.arange(0, 10_000, step))
        assert host.shape == (100_000,)
        np.testing.assert_allclose(host, np.arange(100_000) * step, rtol=1e-15)

    @pytest.mark.parametrize(
        "arguments", [(0, 1, 0), (0, 1, 0.0), (0, float("inf")), (0, float("nan")), (float("nan"), 1), (1 << 62,),
                      (0, 1, 1e-300), (-(2**126), 2**126), ("1",), ([1],), (0, None, [1])],
    )  # fmt: skip
    def test_arange_refuses(self, arguments):
        with pytest.raises((ValueError, OverflowError), match="arange|address"):
            tensor.arange(*arguments)

    def test_arange_too_large_for_memory(self):
        with pytest.raises(MemoryError):
            tensor.arange(2**50)

    @pytest.mark.parametrize("endpoint", [True, False])
    @pytest.mark.parametrize("num", [0, 1, 2, 3, 50, 1001])
    @pytest.mark.parametrize("limits", [(0, 1), (1, 0), (-2.5, 7), (3, 3), (0, 1 + 2j)])
    def test_linspace(self, place, limits, num, endpoint):
        array = tensor.linspace(*limits, num, endpoint=endpoint, sycl_queue=place)
        expected = np.linspace(*limits, num, endpoint=endpoint)
        assert array.dtype == expected.dtype and array.shape == (num,)
        np.testing.assert_allclose(tensor.asnumpy(array), expected, rtol=1e-14, atol=1e-14)
        if endpoint and num > 1:
            assert tensor.asnumpy(array)[-1] == limits[1]

    @pytest.mark.parametrize("dtype", ["int32", "uint8", "float16", "float32", "complex64"])
    def test_linspace_dtypes(self, dtype):
        array = tensor.linspace(0, 10, 6, dtype=dtype)
        same(array, np.linspace(0, 10, 6, dtype=dtype))

    @pytest.mark.parametrize(
        ("num", "error"), [(-1, ValueError), (2.0, TypeError), ("3", TypeError), (1 << 61, ValueError)]
    )
    def test_linspace_refuses(self, num, error):
        with pytest.raises(error):
            tensor.linspace(0, 1, num)


class TestAsarray:
    """`asarray` and `asnumpy`."""

    @given(hosts(), st.sampled_from("CFAK"), st.sampled_from(KINDS))
    def test_round_trip(self, host, order, kind):
        array = tensor.asarray(host, order=order, usm_type=kind)
        assert array.usm_type == kind and array.sycl_queue == tensor.empty(1).sycl_queue
        same(array, host)
        if host.size and order != "K":
            assert steps(array) == steps(np.array(host, order=order))

    @pytest.mark.parametrize("layout", LAYOUTS)
    def test_numpy_views(self, place, layout):
        _, view = laid_out(np.arange(24.0).reshape(2, 3, 4), layout)
        same(tensor.asarray(view, sycl_queue=place), np.asarray(view))

    @pytest.mark.parametrize(
        "value",
        [True, 3, -(2**63), 2**63, 1.5, 2j, [], [1, 2], [[1.5], [2]], (True, False), [1, 2j], range(4), np.float16(3)],
    )
    def test_python_values(self, value):
        same(tensor.asarray(value), np.asarray(value))

    def test_buffers(self):
        same(tensor.asarray(memoryview(b"abc")), np.frombuffer(b"abc", "u1"))
        same(tensor.asarray(bytearray(b"abc")), np.asarray(bytearray(b"abc")))

    @pytest.mark.parametrize("value", ["text", None, object(), [object()], {1: 2}, {1, 2}, ["a", "b"]])
    def test_what_is_no_array(self, value):
        with pytest.raises(TypeError):
            tensor.asarray(value)

    def test_ragged(self):
        with pytest.raises(ValueError):
            tensor.asarray([[1, 2], [3]])

    def test_numbers_too_large(self):
        for value in (2**64, -(2**63) - 1, 2**200):
            with pytest.raises(OverflowError):
                tensor.asarray(value)

    def test_foreign_byte_order(self):
        with pytest.raises(ValueError, match="byte order"):
            tensor.asarray(np.ones(3, ">f4"))

    def test_host_data_is_copied(self):
        host = np.ones(3)
        array = tensor.asarray(host)
        host[:] = 7
        assert tensor.asnumpy(array).tolist() == [1, 1, 1]
        with pytest.raises(ValueError, match="copy"):
            tensor.asarray(host, copy=False)

    def test_asnumpy_is_a_copy(self):
        array = tensor.ones(3, usm_type="shared")
        tensor.asnumpy(array)[:] = 7
        assert tensor.asnumpy(array).tolist() == [1, 1, 1]
        assert tensor.to_numpy is tensor.asnumpy
        with pytest.raises(TypeError, match="asnumpy: expected an array of situ, got ndarray"):
            tensor.asnumpy(np.ones(3))

    def test_an_array_is_itself(self):
        array = tensor.ones((2, 3))
        for keywords in (
            {},
            {"copy": False},
            {"dtype": "f8"},
            {"order": "C"},
            {"usm_type": "device"},
            {"device": array.device},
        ):
            assert tensor.asarray(array, **keywords) is array

    def test_a_copy_is_another(self):
        array = tensor.ones((2, 3))
        copied = tensor.asarray(array, copy=True)
        assert copied._pointer != array._pointer and copied.sycl_queue == array.sycl_queue
        copied += 1
        assert tensor.asnumpy(array).tolist() == [[1, 1, 1]] * 2

    @pytest.mark.parametrize(
        "keywords",
        [{"dtype": "f4"}, {"order": "F"}, {"usm_type": "host"}, {"sycl_queue": "part"}, {"usm_type": "shared"}],
    )
    def test_changes_need_a_copy(self, keywords):
        if keywords == {"sycl_queue": "part"}:
            device = situ.Device("cpu")
            keywords = {"sycl_queue": situ.Queue(situ.Context([device]), device)}
            if keywords["sycl_queue"].sycl_context == tensor.ones(1).sycl_context:
                pytest.skip("the context is the default one")
        array = tensor.asarray(np.arange(6.0).reshape(2, 3))
        with pytest.raises(ValueError, match="copy"):
            tensor.asarray(array, copy=False, **keywords)
        changed = tensor.asarray(array, **keywords)
        np.testing.assert_array_equal(tensor.asnumpy(changed), tensor.asnumpy(array))
        assert changed._pointer != array._pointer

    def test_another_queue_of_the_context_needs_none(self):
        array, queue = tensor.ones(3), situ.Queue()
        moved = tensor.asarray(array, copy=False, sycl_queue=queue)
        assert moved._pointer == array._pointer and moved.sycl_queue == queue

    @given(hosts(), st.sampled_from(LAYOUTS), st.sampled_from(DTYPES), st.sampled_from("CFAK"), st.sampled_from(KINDS))
    def test_of_views(self, host, layout, dtype, order, kind):
        array, view = laid_out(host, layout)
        with np.errstate(all="ignore"):
            made = tensor.asarray(array, copy=True, order=order, usm_type=kind)
            assert made.usm_type == kind
            same(made, np.asarray(view))
            if made.size and order in "CF":
                assert steps(made) == steps(np.array(view, order=order))

    def test_memory_is_bytes_without_a_copy(self):
        owner = memory.MemoryUSMShared(16)
        array = tensor.asarray(owner)
        assert (array.dtype, array.shape, array._pointer) == (np.uint8, (16,), owner._pointer)
        owner.memset(9)
        assert tensor.asnumpy(array).tolist() == [9] * 16


class TestConversion:
    """`astype` and `copy`."""

    @pytest.mark.parametrize("target", DTYPES)
    @pytest.mark.parametrize("source", DTYPES)
    def test_values(self, place, source, target):
        host = np.array([0, 1, 2, 100] * 40).astype(source)
        with np.errstate(all="ignore"), pytest.MonkeyPatch.context():
            expected = (host.real if host.dtype.kind == "c" and np.dtype(target).kind != "c" else host).astype(target)
        if host.dtype.kind == "c" and target == "bool":
            expected = host.astype("bool")
        same(tensor.astype(tensor.asarray(host, sycl_queue=place), target), expected)

    @given(hosts(DTYPES[1:9], shape=(7,)), st.sampled_from(DTYPES))
    def test_integers_convert_as_in_numpy(self, host, target):
        with np.errstate(all="ignore"):
            same(tensor.astype(tensor.asarray(host), target), host.astype(target))

    @given(hosts(["float16", "float32", "float64"], shape=(7,)), st.sampled_from(["bool", *DTYPES[9:]]))
    def test_floats_convert_as_in_numpy(self, host, target):
        with np.errstate(all="ignore"):
            expected = host.astype(target)
        np.testing.assert_array_equal(tensor.asnumpy(tensor.astype(tensor.asarray(host), target)), expected)

    def test_copies_only_when_asked(self):
        array = tensor.ones((2, 3))
        assert tensor.astype(array, "f8", copy=False) is array
        assert tensor.astype(array, "f8") is not array
        assert tensor.astype(array, "f8")._pointer != array._pointer
        assert tensor.astype(array, "f4", copy=False).dtype == np.float32

    @pytest.mark.parametrize("order", "CFAK")
    @pytest.mark.parametrize("layout", LAYOUTS[:-1])
    def test_orders(self, layout, order):
        array, view = laid_out(np.arange(24.0).reshape(2, 3, 4), layout)
        for made in (tensor.copy(array, order=order), tensor.astype(array, "f4", order=order)):
            np.testing.assert_array_equal(tensor.asnumpy(made), view)
            if layout != "reversed":
                assert steps(made) == steps(np.array(view, order=order))

    def test_copy_keeps_the_place(self):
        queue = situ.Queue()
        array = tensor.ones(3, sycl_queue=queue, usm_type="host")
        copied = tensor.copy(array)
        assert (copied.sycl_queue, copied.usm_type) == (queue, "host") and copied._pointer != array._pointer
        for wrong in (np.ones(3), 1, None):
            with pytest.raises(TypeError):
                tensor.copy(wrong)


class TestConcat:
    """`concat`."""

    @pytest.mark.parametrize("axis", [0, 1, -1, -2])
    def test_axes(self, place, axis):
        hosts = [np.arange(6.0).reshape(2, 3), np.ones((2, 3)), np.zeros((2, 3), "f4")]
        arrays = [tensor.asarray(host, sycl_queue=place, order="F") for host in hosts]
        same(tensor.concat(arrays, axis=axis), np.concatenate(hosts, axis=axis))

    def test_lengths_and_dtypes(self):
        hosts = [np.arange(n, dtype=dtype) for n, dtype in ((3, "i1"), (0, "u1"), (5, "i4"), (1, "f2"))]
        same(tensor.concat([tensor.asarray(host) for host in hosts]), np.concatenate(hosts))
        same(tensor.concat((tensor.asarray(hosts[0]),)), hosts[0])

    def test_views(self):
        array, view = laid_out(np.arange(12.0).reshape(3, 4), "stepped")
        same(tensor.concat([array, array], axis=1), np.concatenate([view, view], axis=1))

    def test_refusals(self):
        one = tensor.ones((2, 3))
        with pytest.raises(ValueError, match="no arrays"):
            tensor.concat([])
        with pytest.raises(ValueError, match=r"arrays\[1\] has shape"):
            tensor.concat([one, tensor.ones((2, 4))])
        with pytest.raises(ValueError, match=r"arrays\[1\]"):
            tensor.concat([one, tensor.ones(3)])
        for axis in (2, -3):
            with pytest.raises(ValueError, match="axis"):
                tensor.concat([one, one], axis=axis)
        with pytest.raises(ValueError, match="axis"):
            tensor.concat([tensor.asarray(1)])
        with pytest.raises(TypeError, match=r"arrays\[1\] is a ndarray.*asarray"):
            tensor.concat([one, np.ones((2, 3))])
        with pytest.raises(situ.ExecutionPlacementError, match=r"arrays\[1\]"):
            tensor.concat([one, tensor.ones((2, 3), sycl_queue=situ.Queue())])


def test_views_of_freed_memory_stay_alive():
    array = tensor.asarray(np.arange(1000.0))
    view = tensor.asarray(View(array, shape=(10,), offset=5))
    del array
    for _ in range(50):
        tensor.full(1000, -1.0)
    assert tensor.asnumpy(view).tolist() == list(range(5, 15))


@pytest.mark.parametrize(
    "arguments",
    [(0.5, 3, 0.5), (0.5, 5, 1.5), (10, 0, -2.5), (-1.5, 3, 1)],
)
def test_arange_of_integers_with_fractional_steps(arguments):
    np.testing.assert_array_equal(
        tensor.asnumpy(tensor.arange(*arguments, dtype="i8")), np.arange(*arguments, dtype="i8")
    )


def test_arange_of_unsigned_integers_does_not_wrap_its_start():
    assert tensor.asnumpy(tensor.arange(5, 0, -2, dtype="u8")).tolist() == [5, 3, 1]
    assert tensor.asnumpy(tensor.arange(2**64 - 2, 2**64, dtype="u8")).tolist() == [2**64 - 2, 2**64 - 1]
    for arguments in [(2**64, 2**64 + 3), (0, 2**66, 2**64), (-1, 3)]:
        with pytest.raises(OverflowError):
            tensor.arange(*arguments, dtype="u8")
