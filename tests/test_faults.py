"""What happens when the device fails: every call of a scenario is made to fail once."""

import gc

import numpy as np
import pytest

import situ
from situ import memory, tensor

CALLS = ("create_context", "partition", "create_queue", "allocate", "submit", "execute")
FAULTS = ("out_of_memory", "device_lost")
SIZE = 5_000
CONTENT = np.arange(SIZE, dtype="f8")

CREATION = {"create_context": situ.ContextCreationError, "create_queue": situ.QueueCreationError}


def scenario():
    """Contexts, queues, arrays, computations, migrations and memory objects, all of them new."""
    parts = situ.Device("null").create_sub_devices(partition=2)
    context = situ.Context(parts)
    queues = [situ.Queue(context, part) for part in parts]
    x = tensor.asarray(CONTENT, sycl_queue=queues[0], usm_type="shared")
    y = tensor.full(SIZE, 2.0, sycl_queue=queues[0])
    z = tensor.sin(x + y) * tensor.linspace(0, 1, SIZE, sycl_queue=queues[0])
    z += x
    over = tensor.concat([x, y]).to_device(queues[1])
    small = tensor.ones(3, sycl_queue=queues[1])
    there = x.to_device("cpu")
    back = there.to_device(queues[1])
    block = memory.MemoryUSMHost(1000, queue=queues[1])
    block.memset(1)
    block.copy_from_host(b"situ")
    block.copy_from_device(small)
    view = memory.MemoryUSMShared(block, copy=True)
    content = (tensor.asnumpy(back), tensor.asnumpy(over), bytes(view), repr(small))
    for queue in queues:
        queue.wait()
    return content


def settled():
    """Blocks that live outside the pools of the contexts that are gone."""
    gc.collect(1)
    return situ._native.null_faults.live_allocations()


@pytest.fixture(params=["immediate", "on_wait"])
def latency(request, faults):
    faults.set_latency(request.param)
    return request.param


def counts(faults):
    faults.reset()
    scenario()
    found = {call: faults.count(call) for call in CALLS}
    faults.reset()
    return found


def test_the_scenario_reaches_every_call(faults, latency):
    found = counts(faults)
    assert all(found[call] >= 1 for call in CALLS), found
    assert found["allocate"] >= 5 and found["submit"] >= 10 and found["execute"] >= 10


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("call", CALLS)
def test_every_call_may_fail(faults, latency, call, fault):
    keep = tensor.asarray(CONTENT, device="null")
    total = counts(faults)[call]
    baseline = settled()
    raised = 0
    for nth in range(1, total + 1):
        faults.reset()
        faults.fail(call, nth, fault)
        try:
            content = scenario()
        except (situ.DeviceError, situ.USMAllocationError, *CREATION.values()) as error:
            raised += 1
            assert "on request" in str(error), error
            expected = situ.USMAllocationError if fault == "out_of_memory" else CREATION.get(call, situ.DeviceError)
            lost = call == "execute" and type(error) is situ.DeviceError and "contents are lost" in str(error)
            assert type(error) is expected or lost, (nth, error)
            assert named(call, str(error)), (nth, error)
        else:
            # Only for want of memory is there a second attempt, after everything unused was given back.
            assert (call, fault) == ("allocate", "out_of_memory"), (nth, content)
        assert faults.reset() == 0, f"{call} {nth} was not reached"
        np.testing.assert_array_equal(tensor.asnumpy(keep), CONTENT)
        assert faults.misuse() == []
        assert settled() == baseline, f"{call} {nth} leaked"
    assert raised == total or (call, fault) == ("allocate", "out_of_memory")
    np.testing.assert_array_equal(scenario()[0], CONTENT)


def named(call, text):
    """Whether a message says what was being done."""
    operations = {
        "create_context": ["create context"],
        "partition": ["partition", "split"],
        "create_queue": ["create queue"],
        "allocate": ["allocate"],
    }
    commands = ["copy", "fill", "elementwise", "barrier", "marker", "join", *tensor._functions._ELEMENTWISE]
    return any(operation in text for operation in operations.get(call, commands))


@pytest.mark.parametrize("fault", FAULTS)
def test_use_returns_to_zero_after_failures(faults, fault):
    queue = situ.Queue("null")
    gc.collect()
    before = memory.pool_stats(queue)["total"]["in_use_bytes"]
    for call in ("submit", "execute", "allocate"):
        for nth in (1, 2, 3):
            faults.reset()
            memory.trim(queue)
            faults.fail(call, nth, fault)
            try:
                x = tensor.asarray(CONTENT, sycl_queue=queue)
                tensor.asnumpy(x + tensor.ones(SIZE, sycl_queue=queue))
            except (situ.DeviceError, situ.USMAllocationError) as error:
                assert "on request" in str(error)
            x = None
            gc.collect()
            assert memory.pool_stats(queue)["total"]["in_use_bytes"] == before
    assert faults.misuse() == []


class TestAsynchronousFailures:
    """Failures that come to light after the call that caused them has returned."""

    @pytest.fixture
    def queue(self, faults):
        faults.set_latency("on_wait")
        return situ.Queue("null")

    def spoiled(self, faults, queue):
        """An array whose contents were lost on the device."""
        array = tensor.asarray(CONTENT, sycl_queue=queue)
        faults.reset()
        faults.fail("execute", 1, "device_lost")
        result = tensor.sin(array)
        return array, result

    def test_every_read_says_so(self, faults, queue):
        source, array = self.spoiled(faults, queue)
        for _ in range(3):
            with pytest.raises(situ.DeviceError, match="on request"):
                tensor.asnumpy(array)
        np.testing.assert_array_equal(tensor.asnumpy(source), CONTENT)

    def test_the_queue_says_so_once(self, faults, queue):
        _, array = self.spoiled(faults, queue)
        with pytest.raises(situ.DeviceError, match="sin.*on request|elementwise.*on request"):
            queue.wait()
        queue.wait()
        assert tensor.asnumpy(tensor.ones(3, sycl_queue=queue)).tolist() == [1, 1, 1]
        with pytest.raises(situ.DeviceError, match="contents are lost"):
            tensor.asnumpy(array)

    def test_what_depends_on_it_is_lost_too(self, faults, queue):
        _, array = self.spoiled(faults, queue)
        dependent = array + 1
        with pytest.raises(situ.DeviceError):
            queue.wait()
        for lost in (array, dependent):
            with pytest.raises(situ.DeviceError, match="lost"):
                tensor.asnumpy(lost)
        with pytest.raises(situ.DeviceError, match="lost"):
            array * 2

    def test_every_way_of_reading(self, faults, queue):
        _, array = self.spoiled(faults, queue)
        with pytest.raises(situ.DeviceError):
            queue.wait()
        for read in (
            repr,
            lambda x: x.to_device("cpu"),
            lambda x: x.usm_data.tobytes(),
            lambda x: x.__sycl_usm_array_interface__,
            lambda x: tensor.copy(x),
            lambda x: tensor.concat([x, x]),
            lambda x: x**0,
            lambda x: x**1,
        ):
            with pytest.raises(situ.DeviceError, match="lost"):
                tensor.asnumpy(read(array))

    def test_answers_known_beforehand_are_lost_too(self, faults, queue):
        _, array = self.spoiled(faults, queue)
        numbers = tensor.astype(array, "int32")
        with pytest.raises(situ.DeviceError):
            queue.wait()
        for read in (
            tensor.isnan,
            lambda x: tensor.isnan(x, out=tensor.empty(x.shape, dtype="bool", sycl_queue=queue)),
        ):
            with pytest.raises(situ.DeviceError, match="lost"):
                tensor.asnumpy(read(numbers))

    def test_overwriting_heals(self, faults, queue):
        _, array = self.spoiled(faults, queue)
        with pytest.raises(situ.DeviceError):
            queue.wait()
        array.usm_data.copy_from_host(CONTENT.tobytes())
        np.testing.assert_array_equal(tensor.asnumpy(array), CONTENT)
        queue.wait()

    def test_writing_part_of_it_does_not_heal(self, faults, queue):
        _, array = self.spoiled(faults, queue)
        with pytest.raises(situ.DeviceError):
            queue.wait()
        for update in (
            lambda x: x.__iadd__(1),
            lambda x: queue.memset(x.usm_data, 0, 1),
            lambda x: memory.MemoryUSMDevice(x).copy_from_host(b"a"),
        ):
            with pytest.raises(situ.DeviceError, match="lost"):
                update(array)
        with pytest.raises(situ.DeviceError, match="lost"):
            tensor.asnumpy(array)

    def test_a_refused_overwrite_does_not_heal(self, faults, queue):
        _, array = self.spoiled(faults, queue)
        with pytest.raises(situ.DeviceError):
            queue.wait()
        faults.fail("submit", 1, "device_lost")
        with pytest.raises(situ.DeviceError, match="on request"):
            array.usm_data.copy_from_host(CONTENT.tobytes())
        with pytest.raises(situ.DeviceError, match="lost"):
            tensor.asnumpy(array)

    def test_the_buffer_protocol_does_not_show_it(self, faults, queue):
        source = tensor.asarray(CONTENT, sycl_queue=queue, usm_type="shared")
        faults.reset()
        faults.fail("execute", 1, "device_lost")
        lost = tensor.sin(source)
        with pytest.raises(situ.DeviceError):
            queue.wait()
        with pytest.raises(situ.DeviceError, match="lost"):
            memoryview(lost.usm_data)

    def test_dropping_a_lost_array_is_quiet(self, faults, queue):
        gc.collect()
        before = memory.pool_stats(queue)["total"]["in_use_bytes"]
        self.spoiled(faults, queue)
        with pytest.raises(situ.DeviceError, match="on request"):
            queue.wait()
        gc.collect()
        assert memory.pool_stats(queue)["total"]["in_use_bytes"] == before
        assert faults.misuse() == []

    def test_events_know(self, faults, queue):
        block = memory.MemoryUSMDevice(100, queue=queue)
        faults.reset()
        faults.fail("execute", 1, "out_of_memory")
        event = queue.memcpy_async(block, memory.MemoryUSMDevice(100, queue=queue), 100)
        with pytest.raises((situ.DeviceError, situ.USMAllocationError), match="on request"):
            event.wait()
        with pytest.raises((situ.DeviceError, situ.USMAllocationError), match="on request"):
            queue.wait()
        queue.wait()


def test_the_hooks_refuse_nonsense(faults):
    for attempt in (
        lambda: faults.fail("nothing", 1, "device_lost"),
        lambda: faults.fail("submit", 1, "nothing"),
        lambda: faults.count("nothing"),
        lambda: faults.set_latency("late"),
    ):
        with pytest.raises(ValueError, match="is not one of"):
            attempt()
