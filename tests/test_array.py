"""`situ.tensor.ndarray` and `situ.tensor.Device`."""

import threading
import time

import numpy as np
import pytest
from strategies import DTYPES, KINDS, View

import situ
from situ import memory, tensor


class TestAttributes:
    """What an array says about itself."""

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_numbers(self, place, dtype):
        array = tensor.zeros((2, 3, 4), dtype=dtype, sycl_queue=place)
        host = np.zeros((2, 3, 4), dtype)
        assert (array.shape, array.ndim, array.size, array.itemsize, array.nbytes, array.dtype) == (
            host.shape, host.ndim, host.size, host.itemsize, host.nbytes, host.dtype,
        )  # fmt: skip
        assert array.strides == (12, 4, 1) and len(array) == 2 and isinstance(array.dtype, np.dtype)

    def test_places(self, place):
        array = tensor.ones(3, sycl_queue=place, usm_type="shared")
        assert array.sycl_queue == array.queue == array.device.sycl_queue == place
        assert array.sycl_device == place.sycl_device == array.device.sycl_device
        assert array.sycl_context == place.sycl_context == array.device.sycl_context
        assert array.usm_type == "shared"

    def test_memory(self):
        array = tensor.asarray(np.arange(4, dtype="i4"), usm_type="host")
        data = array.usm_data
        assert isinstance(data, memory.MemoryUSMHost)
        assert (data._pointer, data.nbytes) == (array._pointer, 16) and data.reference_obj is array
        np.testing.assert_array_equal(np.asarray(data).view("i4"), np.arange(4))

    def test_attributes_are_fixed(self):
        array = tensor.ones(3)
        for name in ("strides", "dtype", "sycl_queue", "device", "usm_type", "T", "flags"):
            with pytest.raises(AttributeError):
                setattr(array, name, None)

    def test_name(self):
        assert tensor.usm_ndarray is tensor.ndarray and tensor.ndarray.__name__ == "ndarray"


class TestNumbers:
    """Arrays of one element as Python numbers."""

    @pytest.mark.parametrize("dtype", DTYPES)
    @pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
    def test_of_every_dtype(self, dtype, shape):
        array, number = tensor.ones(shape, dtype=dtype), np.ones((), dtype).item()
        assert bool(array) is True and complex(array) == 1 and isinstance(complex(array), complex)
        if isinstance(number, complex):
            for convert in (int, float):
                with pytest.raises(TypeError):
                    convert(array)
        else:
            assert int(array) == 1 and type(int(array)) is int
            assert float(array) == 1.0 and type(float(array)) is float

    def test_values(self):
        assert float(tensor.asarray(1.5)) == 1.5 and int(tensor.asarray(-2.7)) == -2
        assert complex(tensor.asarray(1 + 2j)) == 1 + 2j and complex(tensor.asarray(2.5)) == 2.5
        assert int(tensor.asarray(2**63)) == 2**63
        assert not tensor.asarray(0) and not tensor.asarray(False) and tensor.asarray(float("nan"))
        with pytest.raises(ValueError):
            int(tensor.asarray(float("nan")))

    @pytest.mark.parametrize("shape", [0, 2, (1, 2)])
    def test_of_several_elements(self, shape):
        for convert in (bool, int, float, complex):
            with pytest.raises(ValueError, match="one element"):
                convert(tensor.ones(shape))

    def test_length(self):
        assert len(tensor.ones((4, 2))) == 4 and len(tensor.ones(0)) == 0
        with pytest.raises(TypeError):
            len(tensor.asarray(1))


def test_numpy_must_ask():
    for attempt in (np.asarray, np.array, lambda x: np.array([x, x]), lambda x: np.asarray(x, dtype="f4")):
        with pytest.raises(TypeError, match=r"situ\.tensor\.asnumpy\(x\)"):
            attempt(tensor.ones(3))


class TestPlacement:
    """Where a computation runs, and the kind of its result."""

    def test_the_error_explains_itself(self):
        one, two = situ.Queue(property="enable_profiling"), situ.Queue(property="in_order")
        x1, x2 = tensor.ones(3, sycl_queue=one, usm_type="shared"), tensor.ones(3, sycl_queue=two)
        with pytest.raises(situ.ExecutionPlacementError) as caught:
            x1 + x2
        first, *operands, last = str(caught.value).splitlines()
        assert first.startswith("add: the operands are on different queues")
        label = x1.sycl_device.filter_string
        assert operands[0].startswith("  x1: shared memory, queue 0x") and "(enable_profiling)" in operands[0]
        assert operands[1].startswith("  x2: device memory, queue 0x") and "(in_order)" in operands[1]
        assert all(label in operand for operand in operands)
        assert "no copy is made" in last and last.endswith("x2 = x2.to_device(x1.sycl_queue)")
        # The remedy works.
        names = {"x1": x1, "x2": x2}
        exec(last.split(": ")[-1], names)
        assert tensor.asnumpy(x1 + names["x2"]).tolist() == [2, 2, 2]

    def test_across_contexts_the_remedy_copies(self):
        x1, x2 = tensor.ones(3), tensor.ones(3, device="null")
        with pytest.raises(situ.ExecutionPlacementError, match=r"this copies\): x2 = x2.to_device\(x1.sycl_queue\)"):
            x1 * x2

    def test_equivalent_is_not_the_same(self):
        one, two = situ.Queue(), situ.Queue()
        assert one.is_equivalent(two)
        with pytest.raises(situ.ExecutionPlacementError):
            tensor.ones(3, sycl_queue=one) - tensor.ones(3, sycl_queue=two)

    @pytest.mark.parametrize("one", KINDS)
    @pytest.mark.parametrize("two", KINDS)
    def test_kinds_coerce(self, one, two):
        x, y = tensor.ones(3, usm_type=one), tensor.ones(3, usm_type=two)
        expected = min(one, two, key=KINDS.index)
        for result in (x + y, tensor.multiply(y, x), tensor.concat([x, y])):
            assert result.usm_type == expected
        assert tensor.sin(x).usm_type == (x + 1).usm_type == (-x).usm_type == one

    def test_results_stay_on_the_queue(self, place):
        x = tensor.ones(3, sycl_queue=place)
        for result in (x + x, 2 * x, -x, tensor.sin(x), tensor.concat([x, x]), tensor.copy(x), tensor.astype(x, "f4")):
            assert result.sycl_queue == place


class TestToDevice:
    """Migration."""

    def test_no_copy_inside_a_context(self, place):
        x = tensor.asarray(np.arange(10.0), sycl_queue=place)
        queue = situ.Queue(place.sycl_context, place.sycl_device, property="enable_profiling")
        y = x.to_device(queue)
        assert y._pointer == x._pointer and y.sycl_queue == queue and y is not x
        y += 1
        np.testing.assert_array_equal(tensor.asnumpy(x), np.arange(10.0) + 1)
        back = y.to_device(x.device)
        assert back._pointer == x._pointer and back.sycl_queue == place

    @pytest.mark.parametrize("kind", KINDS)
    def test_a_copy_across(self, here, kind):
        host = np.arange(1000.0).reshape(10, 100)
        x = tensor.asarray(host, usm_type=kind, order="F", sycl_queue=here)
        there = x.to_device("null")
        assert there._pointer != x._pointer and there.sycl_device == situ.Device("null")
        assert (there.usm_type, there.strides, there.dtype) == (kind, x.strides, x.dtype)
        np.testing.assert_array_equal(tensor.asnumpy(there), host)
        back = there.to_device(here)
        np.testing.assert_array_equal(tensor.asnumpy(back), host)

    @pytest.mark.parametrize("kind", KINDS)
    def test_between_any_two_devices(self, place, here, kind):
        host = np.arange(60.0).reshape(3, 4, 5)
        for key in (..., (slice(None, None, -1), slice(1, None, 2)), (2, 3, 4)):
            # Work is in flight on both sides of the copy.
            x = tensor.asarray(host, usm_type=kind, sycl_queue=place) + 1
            there = x[key].to_device(here)
            assert there.sycl_queue == here and there.usm_type == kind
            if place.sycl_context != here.sycl_context:
                x *= 0
            there += 1
            np.testing.assert_array_equal(tensor.asnumpy(there), host[key] + 2)

    def test_views_leave_the_gaps_behind(self, here):
        x = tensor.asarray(np.arange(1000.0), sycl_queue=here)
        view = tensor.asarray(View(x, shape=(10,), strides=(100,), offset=5))
        there = view.to_device("null")
        assert there.usm_data.nbytes < 1000
        np.testing.assert_array_equal(tensor.asnumpy(there), np.arange(5.0, 1000, 100))

    def test_forms_of_target(self):
        x = tensor.ones(3)
        name = x.sycl_device.filter_string
        for target in (name, situ.Device(name), x.sycl_queue, x.device):
            assert x.to_device(target).sycl_queue == x.sycl_queue
        assert x.to_device(name, stream=None)._pointer == x.to_device(name, stream=situ.Queue())._pointer

    def test_refusals(self):
        x = tensor.ones(3)
        for wrong in (None, 3, 1.5):
            with pytest.raises(TypeError, match="target_device"):
                x.to_device(wrong)
        with pytest.raises(TypeError, match="stream"):
            x.to_device("cpu", stream=1)
        with pytest.raises(situ.DeviceCreationError):
            x.to_device("accelerator")


class TestDevice:
    """`tensor.Device`."""

    def test_equality(self):
        queue = situ.Queue()
        one, two = tensor.Device.create_device(queue), tensor.ones(1, sycl_queue=queue).device
        assert one == two and hash(one) == hash(two) and one == queue
        assert one != tensor.Device.create_device(situ.Queue()) and one != "cpu" and one is not None
        assert len({one, two, tensor.Device.create_device()}) == 2

    def test_default(self):
        assert tensor.Device.create_device() == tensor.empty(1).device == tensor.Device.create_device(None)
        with situ.device_context(situ.Queue()) as queue:
            assert tensor.Device.create_device() == queue

    def test_refusals(self):
        with pytest.raises(TypeError):
            tensor.Device.create_device(3)
        with pytest.raises(TypeError):
            tensor.Device()

    def test_what_it_can_do(self, capsys):
        device = tensor.Device.create_device("cpu")
        device.wait()
        device.print_device_info()
        assert situ.Device("cpu").name in capsys.readouterr().out
        assert repr(device) == "Device(native:cpu:0)" or "native:cpu:0" in repr(device)


class TestInterface:
    """`__sycl_usm_array_interface__`, written."""

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_entries(self, dtype):
        array = tensor.ones((2, 3), dtype=dtype, order="F")
        interface = array.__sycl_usm_array_interface__
        assert interface["version"] == 1 and interface["syclobj"] == array.sycl_queue
        assert interface["data"] == (array._pointer, False) and interface["offset"] == 0
        assert (interface["shape"], interface["strides"]) == ((2, 3), (1, 2))
        assert interface["typestr"] == "|" + np.dtype(dtype).str[1:]

    def test_read_back(self):
        array = tensor.asarray(np.arange(10.0))
        twin = tensor.asarray(View(array))
        assert twin._pointer == array._pointer and twin.sycl_queue == array.sycl_queue and twin is not array
        twin += 1
        np.testing.assert_array_equal(tensor.asnumpy(array), np.arange(10.0) + 1)

    def test_waits_for_the_contents(self):
        array = tensor.full(3_000_000, 1.0, usm_type="shared")
        for _ in range(5):
            array = tensor.sin(array)
        _ = array.__sycl_usm_array_interface__
        seen = np.asarray(array.usm_data).view("f8").copy()
        np.testing.assert_array_equal(seen, tensor.asnumpy(array))


def test_threads_hand_arrays_over():
    """Threads with queues of their own pass arrays in a ring; each adds one without waiting."""
    count, seconds, size = 4, 2.0, 20_000
    context, device = situ.Context(), situ.Device()
    queues = [situ.Queue(context, device) for _ in range(count)]
    slots = [None] * count
    ready = [threading.Semaphore(0) for _ in range(count)]
    failures, hops = [], [0]

    def work(me):
        try:
            rounds = 0
            while True:
                if not ready[me].acquire(timeout=20):
                    failures.append("starved")
                    return
                if slots[me] is None:
                    return
                array, value = slots[me]
                mine = array.to_device(queues[me])
                if rounds % 3 == 0:
                    mine += 1
                else:
                    mine = mine + 1
                rounds += 1
                value += 1
                hops[0] += 1
                if rounds % 5 == 0:
                    host = tensor.asnumpy(mine)
                    if not (host == value).all():
                        failures.append((me, value, host[host != value][:3]))
                slots[(me + 1) % count] = (mine, value)
                if time.monotonic() > deadline or failures:
                    for each in range(count):
                        slots[each] = None
                        ready[each].release()
                    return
                ready[(me + 1) % count].release()
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    deadline = time.monotonic() + seconds
    threads = [threading.Thread(target=work, args=(n,), daemon=True) for n in range(count)]
    for thread in threads:
        thread.start()
    slots[0] = (tensor.zeros(size, sycl_queue=queues[0]), 0)
    ready[0].release()
    for thread in threads:
        thread.join(60)
    assert not failures and hops[0] > 10 and not any(thread.is_alive() for thread in threads)


def test_threads_share_one_array():
    shared = tensor.asarray(np.arange(50_000.0))
    failures = []

    def work(seed):
        queue = situ.Queue(shared.sycl_context, shared.sycl_device)
        mine = shared.to_device(queue)
        deadline = time.monotonic() + 1
        while time.monotonic() < deadline:
            host = tensor.asnumpy(mine * seed + seed)
            if not np.array_equal(host, np.arange(50_000.0) * seed + seed):
                failures.append(seed)
                return

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failures and not any(thread.is_alive() for thread in threads)
