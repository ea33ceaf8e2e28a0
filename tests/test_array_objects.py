"""Arrays as Python objects: numbers, lists, copies, pickles, iteration, and moving between queues."""

import copy
import operator
import pickle
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import DTYPES, KINDS, LAYOUTS, hosts, laid_out, steps

import situ
from situ import memory, tensor


def same(value, expected):
    """Whether two numbers are the same, NaN and the sign of zero included, and of the same Python type."""
    return type(value) is type(expected) and repr(value) == repr(expected)


class TestNumbers:
    """Elements as Python numbers."""

    @given(host=hosts(), layout=st.sampled_from(LAYOUTS), data=st.data())
    def test_item(self, here, host, layout, data):
        array, view = laid_out(host, layout, here)
        if host.size:
            index = tuple(data.draw(st.integers(-n, n - 1)) for n in host.shape)
            position = data.draw(st.integers(-host.size, host.size - 1))
            assert same(array.item(*index), view.item(*index)) if index else host.ndim == 0
            assert same(array.item(index), view.item(index))
            assert same(array.item(position), view.item(position))
            assert same(array.item(np.int64(position)), view.item(position))
        if host.size == 1:
            assert same(array.item(), view.item())
        else:
            with pytest.raises(ValueError, match="one element"):
                array.item()
        for wrong in ((host.size,), (-host.size - 1,), tuple(host.shape)):
            if wrong:
                with pytest.raises(IndexError, match="out of bounds"):
                    array.item(*wrong)

    def test_item_refusals(self):
        array = tensor.zeros((2, 3))
        for wrong in ((0, 0, 0), ((0, 0, 0),)):
            with pytest.raises(ValueError, match="2 dimensions"):
                array.item(*wrong)
        for wrong in ((1.0,), ("a",), (None, 0), ([0, 0],)):
            with pytest.raises(TypeError, match="integer"):
                array.item(*wrong)
        for wrong in (10**30, -(10**30)):
            with pytest.raises(IndexError, match="out of bounds"):
                array.item(wrong)

    @pytest.mark.parametrize("shape", [(2_500_001,), (800_000, 2), (2, 1_100_000), (3, 2, 600_000), (2, 0, 5_000_000)])
    def test_tolist_of_many(self, shape):
        host = np.arange(np.prod(shape), dtype="i4").reshape(shape)
        assert tensor.asarray(host).tolist() == host.tolist()

    @given(host=hosts(), layout=st.sampled_from(LAYOUTS))
    def test_tolist(self, here, host, layout):
        array, view = laid_out(host, layout, here)
        assert repr(array.tolist()) == repr(view.tolist())

    @given(host=hosts(shape=(1, 1)))
    def test_conversions(self, here, host):
        array = tensor.asarray(host, sycl_queue=here)
        value = host.item()
        assert bool(array) == bool(value) and same(complex(array), complex(value))
        for convert in (int, float):
            try:
                expected = convert(value)
            except Exception as error:
                with pytest.raises(type(error)):
                    convert(array)
            else:
                assert same(convert(array), expected)
        if host.dtype.kind in "iu":
            assert same(operator.index(array), value)
            assert list(range(10))[tensor.asarray(3, dtype=host.dtype, sycl_queue=here)] == 3
        else:
            with pytest.raises(TypeError, match=f"index.*{host.dtype}"):
                operator.index(array)

    @pytest.mark.parametrize("shape", [0, 2, (1, 2)])
    def test_only_one_element(self, shape):
        array = tensor.ones(shape, dtype="i8")
        for convert in (bool, int, float, complex):
            with pytest.raises(ValueError, match="one element"):
                convert(array)
        with pytest.raises(TypeError, match="one element"):
            operator.index(array)

    def test_format(self):
        for value in (1.5, 3, True, 1 + 2j):
            array = tensor.asarray(value)
            for spec in ("", "8", *((".3f",) if not isinstance(value, complex) else ())):
                assert format(array, spec) == format(value, spec)
        assert f"{tensor.arange(3)}" == "[0 1 2]"
        with pytest.raises(TypeError, match=r"1 dimensions.*print_options"):
            f"{tensor.arange(3):.2f}"

    def test_waiting_lets_other_threads_run(self):
        """A number that is still being computed is waited for without holding the interpreter."""
        ticks, stop = [], threading.Event()

        def tick():
            while not stop.is_set():
                ticks.append(time.perf_counter())
                time.sleep(0.001)

        thread = threading.Thread(target=tick)
        thread.start()
        try:
            array = tensor.full(2_000_000, 0.5)
            for _ in range(40):
                tensor.sin(array, out=array)
            start = time.perf_counter()
            value = array.item(0)
            end = time.perf_counter()
        finally:
            stop.set()
            thread.join()
        assert 0 < value < 0.5
        assert end - start < 0.02 or sum(start < tick < end for tick in ticks) > 5

    def test_every_read_of_a_lost_array_raises(self, faults):
        faults.set_latency("on_wait")
        source = tensor.asarray([0], sycl_queue=situ.Queue("null"))
        faults.reset()
        faults.fail("execute", 1, "device_lost")
        array = tensor.negative(source)
        for read in (
            bool,
            int,
            float,
            complex,
            operator.index,
            tensor.ndarray.item,
            tensor.ndarray.tolist,
            pickle.dumps,
        ):
            with pytest.raises(situ.DeviceError, match="on request|lost"):
                read(array)
        assert int(source) == 0 and faults.misuse() == []


class TestHashAndTruth:
    """What an array is not."""

    def test_unhashable(self):
        with pytest.raises(TypeError, match="unhashable"):
            hash(tensor.ones(3))
        assert tensor.ndarray.__hash__ is None

    def test_no_attributes_of_its_own(self):
        with pytest.raises(AttributeError):
            tensor.ones(3).note = 1


class TestCopies:
    """copy, astype, and the copy module."""

    @given(host=hosts(), layout=st.sampled_from(LAYOUTS), order=st.sampled_from("CFAK"))
    def test_method(self, here, host, layout, order):
        array, view = laid_out(host, layout, here, usm_type="host")
        made, expected = array.copy(order=order), view.copy(order=order)
        np.testing.assert_array_equal(tensor.asnumpy(made), view)
        assert made._pointer != array._pointer and made.usm_type == "host" and made.sycl_queue == array.sycl_queue
        assert made.flags.writable
        if order in "CF" and host.size:
            assert steps(made) == steps(expected)
        assert array.copy().flags.c_contiguous

    @given(host=hosts(), layout=st.sampled_from(LAYOUTS), function=st.sampled_from([copy.copy, copy.deepcopy]))
    def test_module(self, here, host, layout, function):
        array, view = laid_out(host, layout, here, usm_type="shared")
        array.flags.writable = False
        made = function(array)
        np.testing.assert_array_equal(tensor.asnumpy(made), view)
        assert made._pointer != array._pointer and made.usm_type == "shared" and made.flags.writable

    def test_deepcopy_of_a_structure(self):
        array = tensor.arange(3)
        structure = {"a": array, "b": [array]}
        copied = copy.deepcopy(structure)
        assert copied["a"] is copied["b"][0] and copied["a"] is not array

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_astype(self, dtype):
        array = tensor.arange(4, dtype="i4")
        made = array.astype(dtype)
        assert made.dtype == np.dtype(dtype)
        np.testing.assert_array_equal(tensor.asnumpy(made), np.arange(4).astype(dtype))
        assert array.astype("i4", copy=False) is array and array.astype("i4") is not array
        assert tensor.asarray(np.ones((2, 3))).astype("f4", order="F").flags.fnc


class TestPickle:
    """Arrays that travel as bytes."""

    @given(host=hosts(), layout=st.sampled_from(LAYOUTS), protocol=st.integers(0, pickle.HIGHEST_PROTOCOL))
    def test_round_trip(self, here, host, layout, protocol):
        array, view = laid_out(host, layout, here)
        back = pickle.loads(pickle.dumps(array, protocol))
        assert (back.shape, back.dtype, back.usm_type, back.flags.writable) == (host.shape, host.dtype, "device", True)
        assert tensor.asnumpy(back).tobytes() == view.tobytes()
        assert back.sycl_queue == array.sycl_queue and back._pointer != array._pointer
        expected = tensor.copy(array, order="K")
        assert not host.size or array.flags.forc or steps(back) == steps(expected)
        assert not array.flags.fnc or back.flags.fnc

    @pytest.mark.parametrize("kind", KINDS)
    def test_kinds_and_devices(self, kind):
        for device in (*situ.get_devices(), situ.Device("null")):
            array = tensor.asarray(np.arange(10.0), device=device, usm_type=kind)
            back = pickle.loads(pickle.dumps(array))
            assert (back.usm_type, back.sycl_device) == (kind, device)
            assert tensor.asnumpy(back).tolist() == list(range(10))

    def test_a_part_of_a_device_goes_to_the_whole(self, place):
        back = pickle.loads(pickle.dumps(tensor.arange(5, sycl_queue=place)))
        assert back.sycl_queue == situ.get_device_cached_queue(place.sycl_device.get_unpartitioned_parent_device())

    def test_a_device_that_is_not_there(self):
        array = tensor.arange(5, usm_type="shared")
        restore, arguments = array.__reduce__()
        for device in ("cuda:gpu:99", "opencl:cpu:99", "native:cpu:99"):
            back = restore(*arguments[:-1], device)
            assert (back.sycl_queue, back.usm_type) == (array.sycl_queue, "shared")
            assert back.tolist() == [0, 1, 2, 3, 4]
        with situ.device_context(situ.Queue()) as queue:
            assert restore(*arguments[:-1], "cuda:gpu:99").sycl_queue == queue

    def test_gaps_stay_behind(self):
        array, _ = laid_out(np.zeros((100, 100)), "stepped")
        assert len(pickle.dumps(array)) < 100 * 100 * 8 + 1000
        row = next(iter(tensor.zeros((100, 1000))))
        assert len(pickle.dumps(row)) < 9000

    def test_out_of_band(self):
        array, buffers = tensor.asarray(np.arange(1000.0)), []
        data = pickle.dumps(array, 5, buffer_callback=buffers.append)
        assert len(data) < 1000 and sum(len(buffer.raw()) for buffer in buffers) == 8000
        assert pickle.loads(data, buffers=buffers).tolist() == list(range(1000))

    def test_in_another_process(self):
        code = "import pickle, sys; x = pickle.load(sys.stdin.buffer); print(type(x).__name__, x.tolist(), x.usm_type)"
        data = pickle.dumps(tensor.arange(4, usm_type="host"))
        done = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, check=True, timeout=60)
        assert done.stdout.split(maxsplit=1) == [b"ndarray", b"[0, 1, 2, 3] host\n"]

    def test_forged_pickles_stay_inside_the_memory(self):
        restore, (contents, shape, strides, kind, device) = tensor.arange(4).__reduce__()
        for shape, strides in (((5,), (1,)), ((4,), (2,)), ((4,), (-1,)), ((2**62,), (4,)), ((4,), (1, 1))):
            with pytest.raises(ValueError):
                restore(contents, shape, strides, kind, device)


class TestIteration:
    """Walking along the first axis, and looking for an element."""

    @given(host=hosts(), layout=st.sampled_from(LAYOUTS), data=st.data())
    def test_contains(self, here, host, layout, data):
        array, view = laid_out(host, layout, here)
        value = data.draw(st.sampled_from(host.ravel().tolist() or [0]) | st.sampled_from([0, 1, -1, 1e300, True]))
        with np.errstate(over="ignore"):
            expected = bool((view == value).any())
        assert (value in array) == expected

    def test_contains_other_things(self, here):
        array = tensor.asarray([[1.0, 2.0], [3.0, float("nan")]], sycl_queue=here)
        assert np.float32(2) in array and tensor.asarray(3, sycl_queue=here) in array
        assert tensor.asarray([1, 2], sycl_queue=here) in array
        assert float("nan") not in array and "a" not in array and None not in array
        with pytest.raises(TypeError, match="asarray"):
            [1.0, 2.0] in array  # noqa: B015
        with pytest.raises(ValueError, match="broadcast"):
            np.arange(3) in array  # noqa: B015

    @given(host=hosts(), layout=st.sampled_from(LAYOUTS))
    def test_rows(self, here, host, layout):
        array, view = laid_out(host, layout, here)
        if not host.ndim:
            for attempt in (iter, list, len):
                with pytest.raises(TypeError, match="without dimensions"):
                    attempt(array)
            return
        rows = list(array)
        assert len(rows) == len(array) == len(view)
        for row, expected in zip(rows, view, strict=True):
            assert isinstance(row, tensor.ndarray) and row.sycl_queue == array.sycl_queue
            assert row.shape == np.shape(expected)
            np.testing.assert_array_equal(tensor.asnumpy(row), expected)

    def test_rows_are_views(self):
        array = tensor.zeros((3, 2))
        for number, row in enumerate(array):
            row += number
        assert array.tolist() == [[0, 0], [1, 1], [2, 2]]

    def test_the_iterator(self):
        array = tensor.zeros((3, 2))
        rows = iter(array)
        assert iter(rows) is rows and operator.length_hint(rows) == 3
        next(rows)
        assert operator.length_hint(rows) == 2 and len(list(rows)) == 2
        assert next(rows, None) is None and operator.length_hint(rows) == 0
        first, second = tensor.asarray([[1, 2], [3, 4]])
        assert (first.tolist(), second.tolist()) == ([1, 2], [3, 4])

    def test_it_follows_the_shape(self):
        array = tensor.arange(6)
        rows = iter(array)
        next(rows)
        array.shape = (2, 3)
        assert [row.tolist() for row in rows] == [[3, 4, 5]]


class TestMoving:
    """to, copy_to and make_available."""

    def queues(self, here):
        return tuple(situ.Queue(here.sycl_context, here.sycl_device) for _ in range(2))

    @pytest.mark.parametrize("kind", [*KINDS, None])
    def test_to(self, here, kind):
        one, two = self.queues(here)
        host = np.arange(12.0).reshape(3, 4)
        array = tensor.asarray(host, order="F", usm_type="shared", sycl_queue=one)
        array.flags.writable = False
        moved = array.to(two, usm_type=kind)
        assert (moved.sycl_queue, moved.usm_type) == (two, kind or "shared")
        assert (moved._pointer == array._pointer) == (kind in ("shared", None))
        assert moved.strides == array.strides and not moved.flags.writable and array.sycl_queue == one
        np.testing.assert_array_equal(tensor.asnumpy(moved), host)
        there = array.to("null", kind)
        assert there.sycl_device == situ.Device("null") and there.usm_type == (kind or "shared")
        np.testing.assert_array_equal(tensor.asnumpy(there), host)

    @given(host=hosts(), layout=st.sampled_from(LAYOUTS), kind=st.sampled_from([*KINDS, None]))
    def test_copy_to(self, here, host, layout, kind):
        array, view = laid_out(host, layout, here)
        for target in (here, situ.Queue("cpu"), "null"):
            made = array.copy_to(target, kind)
            assert made._pointer != array._pointer and made.usm_type == (kind or "device")
            np.testing.assert_array_equal(tensor.asnumpy(made), view)

    def test_copies_are_writable(self):
        array = tensor.arange(3)
        array.flags.writable = False
        assert array.copy_to("cpu").flags.writable and array.copy_to(array.sycl_queue).flags.writable

    def test_compute_after_to(self, here):
        one, two = self.queues(here)
        a, b = tensor.ones(4, sycl_queue=one), tensor.ones(4, sycl_queue=two)
        with pytest.raises(situ.ExecutionPlacementError):
            a * b
        assert (a.to(two, usm_type="device") * b).tolist() == [1] * 4
        assert (a.copy_to(b.queue) + b).tolist() == [2] * 4

    def test_make_available_inside_a_context(self, here):
        one, two = self.queues(here)
        result, other = tensor.ones(1_000_000, sycl_queue=one), tensor.ones(1_000_000, sycl_queue=two)
        for _ in range(5):
            result = tensor.sin(result)
        expected, pointer, view = tensor.asnumpy(result), result._pointer, result.to_device(one)
        assert result.make_available(two) is result
        assert result.sycl_queue == two and result._pointer == pointer and view.sycl_queue == one
        np.testing.assert_array_equal(tensor.asnumpy(result + other), expected + 1)
        result += other
        # The memory is the same, and so is the order of what is done with it.
        np.testing.assert_array_equal(tensor.asnumpy(view), expected + 1)

    def test_make_available_elsewhere(self):
        array = tensor.asarray(np.arange(6.0).reshape(2, 3), usm_type="shared")
        array.flags.writable = False
        rows, pointer, before = list(array), array._pointer, array.sycl_device
        array.make_available("null")
        assert array.sycl_device == situ.Device("null") and array._pointer != pointer
        assert (array.usm_type, array.flags.writable, array.shape) == ("shared", False, (2, 3))
        assert array.tolist() == [[0, 1, 2], [3, 4, 5]] and rows[0].tolist() == [0, 1, 2]
        assert rows[0].sycl_device == before

    def test_make_available_where_it_is(self):
        array = tensor.arange(3)
        pointer = array._pointer
        array.make_available(array.sycl_queue)
        array.make_available(array.sycl_device.filter_string)
        assert array._pointer == pointer

    def test_refusals(self):
        array = tensor.arange(3)
        for method in (array.to, array.copy_to, array.make_available):
            for wrong in (None, 3, 1.5):
                with pytest.raises(TypeError, match="target|queue"):
                    method(wrong)
            with pytest.raises(situ.DeviceCreationError):
                method("null:7")
        for method in (array.to, array.copy_to):
            with pytest.raises(ValueError, match="usm_type"):
                method("cpu", usm_type="gpu")
        assert array.tolist() == [0, 1, 2]

    def test_failures_leave_it_alone(self, faults):
        array = tensor.arange(1000)
        memory.trim("null")
        for call in ("allocate", "submit", "execute"):
            faults.reset()
            faults.fail(call, 1, "device_lost")
            with pytest.raises(situ.DeviceError, match="on request"):
                array.make_available(situ.Queue("null"))
                array.tolist()
            assert array.sycl_device == situ.Device() or call == "execute"
            array = tensor.arange(1000)
        assert faults.misuse() == []


class TestNumPyMustAsk:
    """`__array__`."""

    def test_refused(self):
        for attempt in (np.asarray, np.array, np.sin, lambda x: np.ones(3).dot(x), lambda x: np.asarray(x, dtype="f4")):
            with pytest.raises(TypeError, match=r"situ\.tensor\.asnumpy\(x\).*allow_host_copies"):
                attempt(tensor.ones(3))

    @given(host=hosts(), layout=st.sampled_from(LAYOUTS))
    def test_permitted(self, here, host, layout):
        array, view = laid_out(host, layout, here)
        with tensor.allow_host_copies():
            seen = np.asarray(array)
            assert seen.dtype == host.dtype
            np.testing.assert_array_equal(seen, view)
            assert np.asarray(array, dtype="c16").dtype == np.complex128
        with pytest.raises(TypeError, match="silently"):
            np.asarray(array)

    def test_it_is_a_copy(self):
        array = tensor.arange(3)
        with tensor.allow_host_copies():
            np.asarray(array)[:] = 7
            assert array.tolist() == [0, 1, 2]
            with pytest.raises(ValueError, match="copy"):
                np.array(array, copy=False)

    def test_the_permission_ends(self):
        with pytest.raises(RuntimeError), tensor.allow_host_copies():
            raise RuntimeError
        with pytest.raises(TypeError), tensor.allow_host_copies():
            with tensor.allow_host_copies():
                pass
            assert np.sum(tensor.arange(3)) == 3
            failures = []
            thread = threading.Thread(target=lambda: failures.append(refused()))
            thread.start()
            thread.join()
            assert failures == [True]
            raise TypeError
        assert refused()


def refused():
    try:
        np.asarray(tensor.ones(3))
    except TypeError:
        return True
    return False


def test_the_namespace_names_devices_as_arrays_do(here):
    info = tensor.__array_namespace_info__()
    assert info.default_device() == tensor.ones(1).device
    assert isinstance(info.devices(), tuple) and info.default_device() in info.devices()
    for device in info.devices():
        assert tensor.ones(1, device=device).device == device
