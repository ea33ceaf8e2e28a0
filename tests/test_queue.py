"""`situ.Queue`: construction, properties, equality, memory operations."""

import gc
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest

import situ
from situ import memory, tensor

faults = situ._native.null_faults


@pytest.fixture(params=[*(device.filter_string for device in situ.get_devices()), "null"])
def queue(request):
    return situ.Queue(request.param)


@pytest.fixture
def lazily():
    """A null queue whose commands run when somebody waits for them."""
    faults.reset()
    faults.set_latency("on_wait")
    yield situ.Queue("null")
    faults.set_latency("immediate")
    faults.reset()


def shared(queue, content):
    made = memory.MemoryUSMShared(len(content), queue=queue)
    made.copy_from_host(content)
    return made


def test_construction(here):
    device = here.sycl_device
    name, context = device.filter_string, situ.Context(device)
    for queue in (situ.Queue(name), situ.Queue(device), situ.Queue(context, device)):
        assert queue.sycl_device == queue.get_sycl_device() == device
        assert queue.sycl_context == queue.get_sycl_context() == context
        assert (queue.backend, queue.name, queue.driver_version) == (device.backend, device.name, device.driver_version)
    assert situ.Queue().sycl_device == situ.Device()


@pytest.mark.parametrize(
    "wrong", [(1,), (None,), (None, None), (situ.Context(),), (situ.Context(), None), (situ.Queue(),), (None,) * 3]
)
def test_wrong_arguments(wrong):
    with pytest.raises(TypeError):
        situ.Queue(*wrong)


def test_unknown_keywords():
    with pytest.raises(TypeError):
        situ.Queue(device="cpu")


def test_impossible_queues():
    with pytest.raises(situ.QueueCreationError, match="malformed"):
        situ.Queue("CPU")
    with pytest.raises(situ.QueueCreationError, match="visible devices"):
        situ.Queue("accelerator")
    one, other = situ.Device("null").create_sub_devices(partition=2)
    with pytest.raises(situ.QueueCreationError, match="does not belong to the context"):
        situ.Queue(situ.Context(one), other)
    faults.reset()
    faults.fail("create_queue", 1, "device_lost")
    with pytest.raises(situ.QueueCreationError, match="on request"):
        situ.Queue("null")
    assert faults.reset() == 0


@pytest.mark.parametrize(
    ("value", "in_order", "profiling"),
    [
        (None, False, False),
        ("default", False, False),
        (0, False, False),
        ("in_order", True, False),
        ("enable_profiling", False, True),
        (1, False, True),
        (2, True, False),
        (3, True, True),
        (["in_order", "enable_profiling", 0], True, True),
        (("default", 2), True, False),
    ],
)
def test_properties(here, value, in_order, profiling):
    queue = situ.Queue(here.sycl_device, property=value)
    assert (queue.is_in_order, queue.has_enable_profiling) == (in_order, profiling)


@pytest.mark.parametrize("wrong", [4.5, 4, -1, 1 << 70, "abc", ["abc"], [()], {}])
def test_wrong_properties(wrong):
    with pytest.raises(ValueError, match="property"):
        situ.Queue(property=wrong)


def test_equality_is_identity_of_the_stream(here):
    device = here.sycl_device
    queue, other = situ.Queue(device), situ.Queue(device)
    twin = situ.Queue(queue._get_capsule())
    assert queue == twin and hash(queue) == hash(twin) and queue.addressof_ref() == twin.addressof_ref()
    assert queue != other and queue != [] and queue is not None
    assert queue.is_equivalent(other) and not queue.is_equivalent(situ.Queue(device, property="in_order"))
    with pytest.raises(TypeError):
        queue.is_equivalent("cpu")


def test_capsules_open_once(queue):
    capsule = queue._get_capsule()
    situ.Queue(capsule)
    with pytest.raises(TypeError, match="has been used"):
        situ.Queue(capsule)


def test_repr():
    assert "property" not in repr(situ.Queue())
    device = situ.Device("cpu")
    queue = situ.Queue(device, property=3)
    expected = f"<situ.Queue {queue.addressof_ref():#x} on native:cpu:0, property=['in_order', 'enable_profiling']>"
    assert repr(queue) == expected
    # The same words as in messages.
    part = situ.Queue(device.create_sub_devices(partition=[1])[0])
    assert f"on native:cpu:0 (sub-device of 1 of {device.max_compute_units} compute units)" in repr(part)


def test_queues_can_be_referenced_weakly(queue):
    queue = situ.Queue(queue.sycl_device)
    reference = weakref.ref(queue)
    assert reference() is queue
    del queue
    gc.collect()
    assert reference() is None


def test_print_device_info(queue, capsys):
    queue.print_device_info()
    printed = capsys.readouterr().out
    queue.sycl_device.print_device_info()
    assert printed == capsys.readouterr().out != ""


def test_barriers(queue):
    first = queue.submit_barrier()
    second = queue.submit_barrier((first,))
    queue.submit_barrier([]).wait()
    second.wait()
    queue.wait()
    for wrong in (3, range(3), [first, None]):
        with pytest.raises(TypeError, match="dependent_events"):
            queue.submit_barrier(wrong)


def test_memcpy_between_every_pair(queue):
    one, other = shared(queue, b"abcdef"), shared(queue, bytes(6))
    queue.memcpy(other, one, 3)
    assert bytes(other) == b"abc\0\0\0"
    host = bytearray(6)
    queue.memcpy(host, one, 6)
    assert host == b"abcdef"
    queue.memcpy(one, b"xy", 2)
    assert bytes(one) == b"xycdef"
    queue.memcpy(host, memoryview(b"12"), 2)
    assert host == b"12cdef"
    queue.memcpy(host, b"", 0)


def test_memcpy_after_events(queue):
    target, source = bytearray(4), b"situ"
    first = queue.memcpy_async(target, source, 4)
    again = bytearray(4)
    queue.memcpy_async(again, target, 4, [first]).wait()
    assert again == source
    for wrong in ([1], 3):
        with pytest.raises(TypeError, match="dEvents"):
            queue.memcpy_async(target, source, 4, wrong)


def test_memcpy_says_what_is_wrong(queue):
    block = shared(queue, bytes(8))
    for wrong in (None, [], {}, 3):
        with pytest.raises(TypeError, match=f"dest: .*buffer protocol, got {type(wrong).__name__}"):
            queue.memcpy(wrong, block, 1)
        with pytest.raises(TypeError, match="src: "):
            queue.memcpy(block, wrong, 1)
    with pytest.raises(TypeError, match="dest: the bytes is read-only"):
        queue.memcpy(b"12345678", block, 8)
    with pytest.raises(ValueError, match="count: 9 bytes are more than the 8 bytes of dest"):
        queue.memcpy(block, bytes(16), 9)
    with pytest.raises(ValueError, match="count: 9 bytes are more than the 4 bytes of src"):
        queue.memcpy(bytearray(9), bytes(4), 9)
    with pytest.raises(OverflowError):
        queue.memcpy(block, bytes(4), -1)
    with pytest.raises(ValueError, match="overlap"):
        queue.memcpy(block, block, 8)


def test_host_memory_outlives_a_copy_in_flight(lazily):
    target = bytearray(4)
    event = lazily.memcpy_async(target, b"situ", 4)
    assert target == bytes(4)
    with pytest.raises(BufferError):
        target.append(0)
    del event
    assert target == b"situ"
    target.append(0)


def test_memory_of_another_context_is_refused(queue):
    other = situ.Queue(situ.Context([queue.sycl_device]), queue.sycl_device)
    with pytest.raises(ValueError, match="another context"):
        other.memcpy(bytearray(4), shared(queue, bytes(4)), 4)


def test_memset_and_fill(queue):
    block = shared(queue, bytes(8))
    queue.memset(block, 7, 2)
    assert bytes(block) == b"\7\7" + bytes(6)
    queue.memset_async(block, 1, 8, [queue.submit_barrier()]).wait()
    assert bytes(block) == b"\1" * 8
    queue.fill(block, b"abcd", 1)
    assert bytes(block) == b"abcd" + b"\1" * 4
    queue.fill_async(block, 255, 3).wait()
    assert bytes(block) == b"\xff" * 3 + b"d" + b"\1" * 4


def test_fill_says_what_is_wrong(queue):
    block = shared(queue, bytes(8))
    with pytest.raises(ValueError, match="1, 2, 4, 8 or 16 bytes, not 3"):
        queue.fill(block, b"abc", 1)
    with pytest.raises(ValueError, match="pattern: 256 is not a byte"):
        queue.fill(block, 256, 1)
    with pytest.raises(ValueError, match="count: 12 bytes are more than the 8 bytes of mem"):
        queue.fill(block, b"abcd", 3)
    with pytest.raises(ValueError, match="too large"):
        queue.fill(block, b"abcd", 1 << 63)
    with pytest.raises(TypeError, match="mem: expected MemoryUSM"):
        queue.memset(bytearray(8), 0, 8)


def test_hints(queue):
    block = shared(queue, b"12345678")
    queue.prefetch(block)
    queue.prefetch(block, 4)
    queue.prefetch(block, 1 << 40)
    queue.prefetch_async(block, 0, [queue.submit_barrier()]).wait()
    queue.mem_advise(block, 8, 0)
    queue.mem_advise_async(block, 0, 0).wait()
    assert bytes(block) == b"12345678"
    with pytest.raises(TypeError, match="mem"):
        queue.prefetch([], 4)
    for hint in (queue.prefetch, queue.prefetch_async, lambda mem, count: queue.mem_advise(mem, count, 0)):
        with pytest.raises(ValueError, match="count: -1 is negative"):
            hint(block, -1)
    with pytest.raises(TypeError, match="mem"):
        queue.mem_advise(bytearray(8), 8, 0)


@pytest.mark.parametrize("operation", ["memcpy", "memset"])
def test_a_refused_command_is_an_exception_and_the_queue_goes_on(lazily, operation):
    block = memory.MemoryUSMShared(4, queue=lazily)
    call = {"memcpy": lambda: lazily.memcpy(block, b"1234", 4), "memset": lambda: lazily.memset(block, 7, 4)}[operation]
    faults.fail("submit", 1, "device_lost")
    with pytest.raises(situ.DeviceError, match="on request"):
        call()
    call()
    assert bytes(block) == {"memcpy": b"1234", "memset": b"\7\7\7\7"}[operation]


def test_the_interpreter_may_end_with_work_in_flight(here):
    code = f"""
import situ
queue = situ.Queue("{here.sycl_device.filter_string}")
source, target = bytes(1 << 24), bytearray(1 << 24)
events = [queue.memcpy_async(bytearray(1 << 24), source, 1 << 24) for _ in range(8)]
kept = queue.memcpy_async(target, source, 1 << 24, events)
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_the_end_of_the_interpreter_finishes_every_queue():
    code = """
import atexit
atexit.register(lambda: print(event.execution_status.name))  # runs after what situ registers, later, on import
import situ
situ._native.null_faults.set_latency("on_wait")
queue = situ.Queue("null")
event = queue.submit_barrier()
print(event.execution_status.name)
"""
    run = subprocess.run([sys.executable, "-c", code], check=True, timeout=60, capture_output=True, text=True)
    assert run.stdout == "submitted\ncomplete\n"


WAITING = {
    "asnumpy": lambda small, queue: tensor.asnumpy(small),
    "asarray": lambda small, queue: tensor.asarray(np.ones(10), sycl_queue=queue),
    "in": lambda small, queue: 1.0 in small,
    "item": lambda small, queue: small[0].item(),
    "wait": lambda small, queue: queue.wait(),
}


@pytest.mark.parametrize("call", WAITING)
def test_other_threads_go_on_while_one_waits(call):
    queue = situ.Queue("native", property="in_order")
    x = tensor.full(4_000_000, 1.5, sycl_queue=queue)
    out, small = tensor.empty_like(x), tensor.ones(10, sycl_queue=queue)
    queue.wait()
    ticks, over = [], threading.Event()

    def tick():
        while not over.wait(0.001):
            ticks.append(time.perf_counter())

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        for _ in range(20):
            tensor.pow(x, x, out=out)
        if call in ("in", "item"):
            # Of what is still to be computed.
            small = out[:10]
        begin = time.perf_counter()
        WAITING[call](small, queue)
        end = time.perf_counter()
    finally:
        over.set()
        thread.join()
    during = sum(begin < at < end for at in ticks)
    assert end - begin < 0.03 or during > 3


def test_an_event_that_is_over_lets_go_of_the_hosts_memory(queue):
    source, target = shared(queue, b"12345678"), bytearray(8)
    looks = [
        lambda event: event.wait(),
        lambda event: situ.Event.wait_for(event),
        lambda event: situ.Event.wait_for([event]),
        lambda event: (queue.wait(), event.execution_status),
    ]
    for look in looks:
        event = queue.memcpy_async(target, source, 8)
        look(event)
        target.append(0)
        del target[8:]
    assert target == b"12345678"
