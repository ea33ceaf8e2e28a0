"""Arrays from host data, sequences and other arrays."""

import ctypes
from array import array as python_array

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import DTYPES, KINDS, LAYOUTS, View, hosts, laid_out, same, steps

import situ
from situ import memory, tensor


class TestAsarray:
    """`asarray` and `asnumpy`."""

    @given(hosts(), st.sampled_from("CFAK"), st.sampled_from(KINDS))
    def test_round_trip(self, here, host, order, kind):
        made = tensor.asarray(host, order=order, usm_type=kind, sycl_queue=here)
        assert made.usm_type == kind and made.sycl_queue == here
        same(made, host)
        if host.size:
            assert steps(made) == steps(np.array(host, order=order))

    def test_the_default_place(self):
        assert tensor.asarray([1]).sycl_queue == situ.get_device_cached_queue(situ.Device())

    @given(hosts(), st.sampled_from(LAYOUTS), st.sampled_from([None, *DTYPES]), st.sampled_from("CFAK"))
    def test_numpy_views(self, here, host, layout, dtype, order):
        """Views of any layout are converted and brought into order in one pass."""
        _, view = laid_out(host, layout)
        made = tensor.asarray(view, dtype=dtype, order=order, sycl_queue=here)
        dense = tensor.asarray(np.ascontiguousarray(view), sycl_queue=here)
        same(made, tensor.asnumpy(tensor.astype(dense, dtype or host.dtype)).reshape(host.shape))
        expected = np.array(view, order=order)
        if made.size:
            assert steps(made) == steps(expected)

    @pytest.mark.parametrize("layout", LAYOUTS)
    @pytest.mark.parametrize("order", "CFAK")
    @pytest.mark.parametrize("dtype", [None, "float32", "complex64"])
    def test_orders_of_numpy_views(self, place, layout, order, dtype):
        _, view = laid_out(np.arange(24, dtype="i4").reshape(2, 3, 4), layout)
        made = tensor.asarray(view, order=order, dtype=dtype, sycl_queue=place)
        same(made, np.array(view, dtype=dtype))
        # Not of the converted array: with a dtype, NumPy takes 'A' for 'K'.
        assert steps(made) == steps(np.array(view, order=order))

    @pytest.mark.parametrize("layout", LAYOUTS)
    @pytest.mark.parametrize("order", "CFK")
    def test_views_on_a_device_that_cannot_see_host_memory(self, layout, order):
        _, view = laid_out(np.arange(24.0).reshape(2, 3, 4), layout)
        made = tensor.asarray(view, order=order, device="null")
        same(made, np.ascontiguousarray(view))
        assert steps(made) == steps(np.array(view, order=order))

    def test_host_memory_of_odd_form(self):
        packed = np.zeros(5, [("a", "u1"), ("b", "<f8")])
        packed["b"] = np.arange(5)
        same(tensor.asarray(packed["b"]), np.arange(5.0))
        fields = np.zeros((4, 3), [("a", "f4"), ("b", "f4"), ("c", "f4")])
        fields["c"] = np.arange(12).reshape(4, 3)
        same(tensor.asarray(fields["c"].T), np.arange(12, dtype="f4").reshape(4, 3).T.copy())
        odd = np.frombuffer(b"x" + np.arange(3, dtype="i4").tobytes(), "i4", offset=1)
        same(tensor.asarray(odd), np.arange(3, dtype="i4"))
        uneven = np.lib.stride_tricks.as_strided(np.arange(9, dtype="u1").view("u1"), (3,), (3,)).view("u1")
        same(tensor.asarray(uneven), np.array([0, 3, 6], "u1"))

    @pytest.mark.parametrize(
        "value",
        [True, 3, -(2**63), 2**63, 1.5, 2j, [], [1, 2], [[1.5], [2]], (True, False), [1, 2j], range(4), np.float16(3)],
    )
    def test_python_values(self, value):
        same(tensor.asarray(value), np.asarray(value))

    def test_buffers(self):
        same(tensor.asarray(memoryview(b"abc")), np.frombuffer(b"abc", "u1"))
        same(tensor.asarray(bytearray(b"abc")), np.asarray(bytearray(b"abc")))
        same(tensor.asarray(b"abc"), np.frombuffer(b"abc", "u1"))
        same(tensor.asarray(b""), np.zeros(0, "u1"))
        for code in "bBhHiIlLqQfd":
            values = python_array(code, [1, 2, 3])
            same(tensor.asarray(values), np.asarray(values))
        grid = memoryview(bytes(range(24))).cast("B", (2, 3, 4))
        same(tensor.asarray(grid), np.asarray(grid))
        same(tensor.asarray((ctypes.c_int16 * 3)(4, 5, 6)), np.array([4, 5, 6], "i2"))

    def test_protocols_of_numpy(self):
        host = np.arange(6.0).reshape(2, 3)

        class Interface:
            __array_interface__ = host.__array_interface__

        class Method:
            def __array__(self, dtype=None, copy=None):
                return host

        for thing in (Interface(), Method()):
            same(tensor.asarray(thing), host)
            same(tensor.asarray([thing, thing]), np.stack([host, host]))

    def test_objects_that_hold_an_array(self, place):
        held = tensor.arange(4, sycl_queue=place)

        class Holder:
            __usm_ndarray__ = held

        made = tensor.asarray(Holder())
        assert (made._pointer, made.sycl_queue) == (held._pointer, place)
        same(tensor.asarray([Holder(), [5, 6, 7, 8]]), np.array([[0, 1, 2, 3], [5, 6, 7, 8]]))

    @pytest.mark.parametrize("value", ["text", None, object(), [object()], {1: 2}, {1, 2}, ["a", "b"]])
    def test_what_is_no_array(self, value):
        with pytest.raises(TypeError):
            tensor.asarray(value)

    def test_ragged(self):
        with pytest.raises(ValueError):
            tensor.asarray([[1, 2], [3]])

    def test_numbers_too_large(self):
        for value in (2**64, -(2**63) - 1, 2**130, -(2**200)):
            for sequence in (value, [value], [1, value, 2.5], [[0], (value,)]):
                with pytest.raises(OverflowError, match=str(value)):
                    tensor.asarray(sequence)
            same(tensor.asarray([value, 1], dtype="f8"), np.array([value, 1], "f8"))
            same(tensor.asarray(value, dtype="c16"), np.array(value, "c16"))
        for sequence in ([300], (1, 300), range(301)):
            with pytest.raises(OverflowError):
                tensor.asarray(sequence, dtype="u1")
        with pytest.raises(OverflowError):
            tensor.asarray(300, dtype="u1")

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
        with pytest.raises(TypeError, match="asnumpy: usm_ary must be an array of situ, got ndarray"):
            tensor.asnumpy(np.ones(3))

    @pytest.mark.parametrize("axes", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (0, 2, 1), (2, 0, 1)])
    def test_asnumpy_keeps_the_order_of_axes(self, axes):
        host = np.arange(24, dtype="i4").reshape(2, 3, 4).transpose(axes)
        copy = tensor.asnumpy(tensor.asarray(host))
        np.testing.assert_array_equal(copy, host)
        assert (copy.strides, copy.flags.c_contiguous, copy.flags.f_contiguous) == (
            host.strides,
            host.flags.c_contiguous,
            host.flags.f_contiguous,
        )
        assert copy.flags.owndata and copy.flags.writeable

    @pytest.mark.parametrize("shape", [(), (0,), (0, 3), (3, 0), (1,), (1, 3, 1)])
    def test_asnumpy_of_few_elements(self, shape):
        for order in "CF":
            copy = tensor.asnumpy(tensor.ones(shape, dtype="c8", order=order))
            expected = np.ones(shape, dtype="c8", order=order)
            np.testing.assert_array_equal(copy, expected)
            assert (copy.dtype, copy.shape, steps(copy)) == (expected.dtype, expected.shape, steps(expected))

    def test_asnumpy_gives_every_element_a_place_of_its_own(self):
        memory = tensor.arange(9, dtype="i8").usm_data
        shared = tensor.ndarray((3, 3), dtype="i8", buffer=memory, strides=(2, 2))
        copy = tensor.asnumpy(shared)
        assert copy.tolist() == [[0, 2, 4], [2, 4, 6], [4, 6, 8]]
        copy[0, 1] = -1
        assert copy.tolist() == [[0, -1, 4], [2, 4, 6], [4, 6, 8]]

    def test_numpy_arrays_of_every_sort(self):
        base = np.arange(48, dtype="f8")
        unaligned = np.frombuffer(b"x" + base.tobytes(), dtype="f8", offset=1)
        record = np.zeros(5, dtype=[("a", "i1"), ("b", "f8")])
        record["b"] = base[:5]
        arrays = [
            base[::-3],
            base.reshape(6, 8)[1::2, ::-2],
            np.broadcast_to(base[:4], (3, 4)),
            base.reshape(6, 8).T,
            np.array(5.0),
            base[5],
            base[:0],
            base.astype("longlong"),
            base.astype(">f8"),
            unaligned,
            record["b"],
            base.view(np.memmap),
            np.ma.masked_array([1.0, 2.0]),
        ]
        for host in arrays:
            if host.dtype.byteorder == ">":
                with pytest.raises(ValueError, match="foreign byte order"):
                    tensor.asarray(host)
                continue
            np.testing.assert_array_equal(tensor.asnumpy(tensor.asarray(host)), np.asarray(host))

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
            device = situ.Device()
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
    def test_of_views(self, here, host, layout, dtype, order, kind):
        array, view = laid_out(host, layout, here)
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


ROWS = [np.arange(3, dtype="i4"), np.array([1.5, 2.5, 3.5], "f4"), [7, 8, 9], (True, False, True), [1, 2.5, 3]]


class TestSequences:
    """Lists and tuples that hold arrays."""

    @given(st.lists(st.tuples(st.sampled_from(range(len(ROWS))), st.booleans()), min_size=1, max_size=5), st.data())
    def test_as_numpy_would(self, here, rows, data):
        hosts = [ROWS[number] for number, _ in rows]
        parts = [
            tensor.asarray(host, sycl_queue=here) if there else host
            for host, (_, there) in zip(hosts, rows, strict=True)
        ]
        dtype = data.draw(st.sampled_from([None, *DTYPES]))
        order = data.draw(st.sampled_from("CFAK"))
        made = tensor.asarray(parts, dtype=dtype, order=order, sycl_queue=here)
        same(made, np.asarray(hosts).astype(dtype or np.asarray(hosts).dtype))

    @given(hosts(["float32", "int16", "bool"]), st.sampled_from(LAYOUTS))
    def test_views_in_sequences(self, here, host, layout):
        made, view = laid_out(host, layout, here)
        same(tensor.asarray([made, np.asarray(view)]), np.asarray([view, view]))
        same(tensor.asarray([[made], [made]], order="F"), np.asarray([[view], [view]]))

    def test_three_places_at_once(self, place):
        """What the introduction promises: arrays of two devices and one of NumPy, in one call."""
        other = situ.Queue(situ.Context([situ.Device("cpu")]), situ.Device("cpu"))
        one = tensor.ones((10, 10), sycl_queue=place)
        two = tensor.zeros((10, 10), sycl_queue=other, usm_type="shared")
        three = np.random.default_rng(1).standard_normal((10, 10))
        target = situ.Queue()
        made = tensor.asarray([one, two, three], device=target)
        assert (made.sycl_queue, made.usm_type, made.shape) == (target, "device", (3, 10, 10))
        same(made, np.stack([np.ones((10, 10)), np.zeros((10, 10)), three]))
        assert tensor.asarray([one, two], device="null").sycl_device == situ.Device("null")
        there = tensor.asarray(three, device="null")
        same(tensor.asarray([one, there], sycl_queue=target), np.stack([np.ones((10, 10)), three]))

    def test_one_queue_wins_and_two_do_not(self):
        queue = situ.Queue()
        here, there = tensor.ones(2), tensor.ones(2, sycl_queue=queue, usm_type="host")
        assert tensor.asarray([there, [1, 2], np.ones(2)]).sycl_queue == queue
        assert tensor.asarray([there, there]).usm_type == "host"
        kinds = [tensor.ones(2, usm_type=kind, sycl_queue=queue) for kind in ("host", "shared")]
        assert tensor.asarray([kinds, kinds]).usm_type == "shared"
        assert tensor.asarray(kinds, usm_type="device").usm_type == "device"
        with pytest.raises(situ.ExecutionPlacementError, match=r"asarray(.|\n)*obj\[1\]\[0\]"):
            tensor.asarray([[here], [there]])
        assert tensor.asarray([here, there], sycl_queue=queue).sycl_queue == queue
        assert tensor.asarray([here, there], queue=queue).sycl_queue == queue

    def test_numbers_beside_arrays(self, place):
        zero = tensor.asarray(np.float32(0.5), sycl_queue=place)
        same(tensor.asarray([zero, 1, 2.5]), np.asarray([np.float32(0.5), 1, 2.5]))
        same(tensor.asarray([[zero, True], [np.int8(3), 4]]), np.asarray([[np.float32(0.5), True], [np.int8(3), 4]]))
        same(tensor.asarray([zero, 2**130], dtype="f4"), np.asarray([0.5, np.inf], "f4"))
        with pytest.raises(OverflowError, match="2"):
            tensor.asarray([zero, 2**130])
        with pytest.raises(OverflowError):
            tensor.asarray([zero, 300], dtype="u1")

    def test_memory_in_sequences(self):
        owner = memory.MemoryUSMShared(4)
        owner.memset(3)
        same(tensor.asarray([owner, b"abcd"]), np.array([[3] * 4, list(b"abcd")], "u1"))

    @pytest.mark.parametrize(
        ("build", "match"),
        [
            (lambda x: [x, [1]], r"ragged: obj\[0\] has shape \(3,\), but obj\[1\] has \(1,\)"),
            (lambda x: [[x], [x, x]], "ragged"),
            (lambda x: [x, 1], "ragged"),
            (lambda x: [[x, x], [x, np.ones(2)]], r"obj\[1\]\[0\] has shape"),
            (lambda x: [x, []], "ragged"),
        ],
    )
    def test_ragged(self, build, match):
        with pytest.raises(ValueError, match=match):
            tensor.asarray(build(tensor.ones(3)))

    def test_no_end_of_nesting(self):
        endless = [tensor.ones(3)]
        endless.append(endless)
        deep = tensor.ones(1)
        for _ in range(70):
            deep = [deep]
        for wrong in (endless, deep):
            with pytest.raises(ValueError, match="nested deeper"):
                tensor.asarray(wrong)
        endless = []
        endless.extend([endless, endless])
        with pytest.raises(ValueError, match="nested deeper"):
            tensor.asarray(endless)

    @pytest.mark.parametrize("wrong", [None, "text", object(), {1: 2}])
    def test_what_is_no_array(self, wrong):
        with pytest.raises((TypeError, ValueError)):
            tensor.asarray([tensor.ones(()), wrong])

    def test_always_copied(self):
        row = tensor.zeros(3)
        made = tensor.asarray([row])
        row += 1
        same(made, np.zeros((1, 3)))
        with pytest.raises(ValueError, match="copy"):
            tensor.asarray([row], copy=False)

    def test_also_where_numpy_may_copy(self):
        with tensor.allow_host_copies():
            queue = situ.Queue()
            assert tensor.asarray([tensor.ones(2, sycl_queue=queue), [3, 4]]).sycl_queue == queue


def test_arrays_in_sequences_do_not_pass_through_the_host(faults):
    parts = [tensor.zeros(3, device="null") for _ in range(2)]
    faults.reset()
    tensor.asarray([parts, parts])
    # One copy on the device for each; by way of the host it would be two.
    assert faults.count("submit") == 4


@pytest.mark.parametrize("call", ["submit", "execute"])
def test_failures_of_the_device_surface_and_lose_nothing(faults, call):
    queue = situ.get_device_cached_queue("null")
    side = 1200
    host = np.arange(side * side, dtype="f4").reshape(side, side)
    part = tensor.asarray(host, device="null")
    failures = (situ.DeviceError, MemoryError)
    for attempt in (
        lambda: tensor.asarray([part, part]),
        lambda: tensor.asarray(host.T, order="C", device="null"),
        lambda: tensor.tril(part),
        lambda: tensor.eye(side, device="null"),
        lambda: tensor.linspace(0, 1, side * side, device="null"),
        lambda: tensor.full_like(part, part),
    ):
        memory.trim("null")
        faults.reset()
        faults.fail(call, 1, "out_of_memory")
        with pytest.raises(failures):
            attempt()
            queue.wait()
        assert faults.reset() == 0
        try:
            queue.wait()
        except failures:
            pass
        assert attempt().shape
        assert tensor.asnumpy(part).tobytes() == host.tobytes()
    assert not faults.misuse()


def test_from_numpy(place):
    host = np.arange(6, dtype="i2").reshape(2, 3).T
    made = tensor.from_numpy(host, sycl_queue=place, usm_type="shared")
    assert (made.sycl_queue, made.usm_type, made.strides) == (place, "shared", (1, 3))
    same(made, host)
    same(tensor.from_numpy([1, 2]), np.array([1, 2]))
    with pytest.raises(TypeError, match="from_numpy: np_ary"):
        tensor.from_numpy("text")
    with pytest.raises(TypeError):
        tensor.from_numpy(tensor.ones(3))


def test_views_of_freed_memory_stay_alive():
    array = tensor.asarray(np.arange(1000.0))
    view = tensor.asarray(View(array, shape=(10,), offset=5))
    del array
    for _ in range(50):
        tensor.full(1000, -1.0)
    assert tensor.asnumpy(view).tolist() == list(range(5, 15))
