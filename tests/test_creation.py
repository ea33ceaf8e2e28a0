"""New arrays from shapes, values and ranges."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import DTYPES, KINDS, LAYOUTS, hosts, laid_out, same, steps

import situ
from situ import memory, tensor

SHAPES = [(), 0, 5, (3,), (2, 3), (2, 0, 3), (4, 1, 2, 3), [2, 2], np.array([3, 2]), np.int64(4)]


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
        # What earlier tests left to the garbage collector may go meanwhile, and what nobody uses was given back.
        assert after["in_use_bytes"] <= before["in_use_bytes"]
        assert after["reserved_bytes"] <= before["reserved_bytes"]
        assert tensor.asnumpy(keep).tolist() == [7] * 1000


class TestPlacement:
    """`device=` and `sycl_queue=`."""

    def test_forms_of_device(self, here):
        device = here.sycl_device
        cached = situ.get_device_cached_queue(device)
        name = device.filter_string
        backend, kind, _ = name.split(":")
        shorter = [form for form in (kind, backend, f"{backend}:{kind}") if situ.Device(form) == device]
        for form in (*shorter, name, device, cached, tensor.Device.create_device(here)):
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

    def test_queue_is_another_name_for_it(self):
        queue, other = situ.Queue(), situ.Queue()
        array = tensor.ones((2, 2), sycl_queue=queue)
        for make in (
            lambda **k: tensor.empty(3, **k),
            lambda **k: tensor.zeros_like(array, **k),
            lambda **k: tensor.full(3, 1, **k),
            lambda **k: tensor.full_like(array, 1, **k),
            lambda **k: tensor.eye(3, **k),
            lambda **k: tensor.arange(3, **k),
            lambda **k: tensor.linspace(0, 1, 3, **k),
            lambda **k: tensor.asarray([1], **k),
            lambda **k: tensor.asarray(array, **k),
            lambda **k: tensor.from_numpy(np.ones(3), **k),
        ):
            assert make(queue=other).sycl_queue == make(queue=other, sycl_queue=other, device=other).sycl_queue == other
            assert make(queue="cpu").sycl_queue == situ.get_device_cached_queue("cpu")
            for clash in ({"sycl_queue": queue}, {"device": queue}):
                with pytest.raises(TypeError, match="queue"):
                    make(queue=other, **clash)
            with pytest.raises(TypeError, match="queue"):
                make(queue=3)

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
            tensor.empty(3, device="cuda:gpu:99")
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
    def test_given_dtype(self, here, dtype):
        same(tensor.full(5, 1, dtype=dtype, order="F", sycl_queue=here), np.full(5, 1, dtype))

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
        with pytest.raises(TypeError, match="fill_value"):
            tensor.full(3, value)

    def test_integers_of_any_size_are_floats_where_they_must(self):
        for value in (2**130, -(2**130), 2**1000, 2**64):
            assert tensor.asnumpy(tensor.full(3, value, dtype="bool")).all()
            for dtype in ("float64", "complex128"):
                same(tensor.full(3, value, dtype=dtype), np.full(3, value, dtype))
                same(tensor.full_like(tensor.ones(3, dtype=dtype), value), np.full(3, value, dtype))
        for dtype in (None, "int64", "uint64"):
            with pytest.raises(OverflowError, match="full: fill_value.*1361129467683753853853498429727072845824.*fit"):
                tensor.full(3, 2**130, dtype=dtype)
        with pytest.raises(OverflowError):
            tensor.full(3, 10**400, dtype="float64")

    def test_sequences_with_arrays(self, place):
        one = tensor.asarray(np.arange(3, dtype="f4"), sycl_queue=place, usm_type="host")
        filled = tensor.full((4, 2, 3), [one, [7, 8, 9]], dtype="f4")
        assert (filled.sycl_queue, filled.usm_type) == (place, "host")
        same(filled, np.full((4, 2, 3), [[0, 1, 2], [7, 8, 9]], "f4"))

    def test_nothing_is_touched_before_the_shape_is_checked(self):
        before = memory.pool_stats()["device"]["in_use_bytes"]
        for attempt in (
            lambda: tensor.full((3, 4), np.ones(7)),
            lambda: tensor.full_like(tensor.ones((3, 4)), np.ones((2, 4))),
        ):
            with pytest.raises(ValueError, match="full.*broadcast"):
                attempt()
        assert memory.pool_stats()["device"]["in_use_bytes"] <= before + 4096


class TestLikes:
    """`empty_like`, `zeros_like`, `ones_like` and `full_like`."""

    FUNCTIONS = {
        "empty_like": (), "zeros_like": (), "ones_like": (), "full_like": (3,),
    }  # fmt: skip

    @given(hosts(), st.sampled_from(LAYOUTS), st.sampled_from("CFAK"), st.sampled_from([None, *DTYPES]))
    def test_values_and_orders(self, here, host, layout, order, dtype):
        array, view = laid_out(host, layout, here, usm_type="shared")
        for name, arguments in self.FUNCTIONS.items():
            made = getattr(tensor, name)(array, *arguments, dtype=dtype, order=order)
            expected = getattr(np, name)(view, *arguments, dtype=dtype, order=order)
            assert (made.shape, made.dtype, made.usm_type) == (view.shape, expected.dtype, "shared")
            assert made.sycl_queue == array.sycl_queue and made.flags.writable
            if name != "empty_like":
                same(made, expected)
            if made.size and layout != "reversed":
                assert steps(made) == steps(expected)

    @pytest.mark.parametrize("layout", LAYOUTS)
    @pytest.mark.parametrize("order", "CFAK")
    @pytest.mark.parametrize("name", FUNCTIONS)
    def test_orders(self, name, layout, order):
        array, view = laid_out(np.arange(24.0).reshape(2, 3, 4), layout)
        arguments = self.FUNCTIONS[name]
        made = getattr(tensor, name)(array, *arguments, order=order)
        assert steps(made) == steps(getattr(np, name)(view, *arguments, order=order))

    def test_places(self):
        queue = situ.Queue()
        array = tensor.ones(3, usm_type="host", sycl_queue=queue)
        for name, arguments in self.FUNCTIONS.items():
            make = getattr(tensor, name)
            assert make(array, *arguments).sycl_queue == queue
            assert make(array, *arguments, device="cpu").sycl_queue == situ.get_device_cached_queue("cpu")
            assert make(array, *arguments, device="null").sycl_device == situ.Device("null")
            assert make(array, *arguments, usm_type="shared").usm_type == "shared"

    def test_only_of_arrays(self):
        for name, arguments in self.FUNCTIONS.items():
            for wrong in (np.ones(3), [1], 1, None):
                with pytest.raises(TypeError, match=f"{name}: x must be an array of situ"):
                    getattr(tensor, name)(wrong, *arguments)
            with pytest.raises(ValueError, match="order"):
                getattr(tensor, name)(tensor.ones(1), *arguments, order="X")

    def test_full_like_broadcasts(self):
        like = tensor.zeros((2, 3), dtype="i4", order="F")
        for value in (np.arange(3.7), tensor.arange(3), [0, 1, 2], tensor.asarray(2)):
            host = np.asarray(tensor.asnumpy(value) if isinstance(value, tensor.ndarray) else value)
            made = tensor.full_like(like, value[:3] if isinstance(value, np.ndarray) else value)
            same(made, np.full_like(np.zeros((2, 3), "i4"), host[:3] if host.ndim else host))
            assert made.strides == (1, 2)
        with pytest.raises(OverflowError):
            tensor.full_like(tensor.ones(1, dtype="u1"), 256)


class TestConcat:
    """`concat`."""

    @pytest.mark.parametrize("axis", [0, 1, -1, -2])
    def test_axes(self, place, axis):
        hosts = [np.arange(6.0).reshape(2, 3), np.ones((2, 3)), np.zeros((2, 3), "f4")]
        arrays = [tensor.asarray(host, sycl_queue=place, order="F") for host in hosts]
        same(tensor.concat(arrays, axis=axis), np.concatenate(hosts, axis=axis))

    def test_lengths_and_dtypes(self, here):
        hosts = [np.arange(n, dtype=dtype) for n, dtype in ((3, "i1"), (0, "u1"), (5, "i4"), (1, "f2"))]
        same(tensor.concat([tensor.asarray(host, sycl_queue=here) for host in hosts]), np.concatenate(hosts))
        same(tensor.concat((tensor.asarray(hosts[0], sycl_queue=here),)), hosts[0])

    @pytest.mark.parametrize("layout", LAYOUTS)
    def test_without_an_axis(self, place, layout):
        hosts = [
            np.arange(12.0).reshape(3, 4),
            np.arange(24, dtype="i4").reshape(2, 3, 4),
            np.zeros((0, 3)),
            np.array(7),
        ]
        pairs = [laid_out(host, layout, place) for host in hosts]
        joined = tensor.concat([array for array, _ in pairs], axis=None)
        same(joined, np.concatenate([view for _, view in pairs], axis=None))
        same(tensor.concat([pairs[0][0]], axis=None), pairs[0][1].ravel())

    def test_views(self, here):
        array, view = laid_out(np.arange(12.0).reshape(3, 4), "stepped", here)
        same(tensor.concat([array, array], axis=1), np.concatenate([view, view], axis=1))

    def test_refusals(self):
        one = tensor.ones((2, 3))
        with pytest.raises(TypeError, match="no arrays"):
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
        with pytest.raises(TypeError, match=r"arrays\[1\] must be an array of situ, got ndarray.*asarray"):
            tensor.concat([one, np.ones((2, 3))])
        with pytest.raises(situ.ExecutionPlacementError, match=r"arrays\[1\]"):
            tensor.concat([one, tensor.ones((2, 3), sycl_queue=situ.Queue())])


@pytest.mark.parametrize(
    ("start", "stop", "step"),
    [
        (0.1, 0.4, 0.1),
        (1.0, 1.3, 0.1),
        (0.0, 1e200, 1e199),
        (0.0, 1e-200, 1e-201),
        (0.0, 1e160, 1e158),
        (5, 0, -0.5),
        (-1.7, 3.1, 0.3),
    ],
)
def test_lengths_of_ranges_of_fractions(start, stop, step):
    found, wanted = tensor.arange(start, stop, step), np.arange(start, stop, step)
    assert found.shape == wanted.shape and np.allclose(tensor.asnumpy(found), wanted)
