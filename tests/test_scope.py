"""The default queue for creation, per context."""

import contextvars
import threading

import pytest

import situ
from situ import memory
from situ._scope import current_queue


@pytest.fixture(autouse=True)
def nothing_set():
    situ.reset_global_queue()
    yield
    situ.reset_global_queue()


def test_setting_and_resetting():
    assert current_queue() is None
    queue = situ.Queue("cpu")
    situ.set_global_queue(queue)
    assert current_queue() is queue
    assert memory.MemoryUSMShared(8).sycl_queue == queue
    situ.reset_global_queue()
    assert current_queue() is None
    assert memory.MemoryUSMShared(8).sycl_queue == situ.get_device_cached_queue(situ.Device())


def test_devices_and_selectors_stand_for_cached_queues():
    for target in ("cpu", situ.Device("cpu")):
        situ.set_global_queue(target)
        assert current_queue() is situ.get_device_cached_queue("cpu")
    part = situ.Device("null").create_sub_devices(partition=1)[0]
    situ.set_global_queue(part)
    assert current_queue().sycl_device == part
    with pytest.raises(TypeError, match="target"):
        situ.set_global_queue(3)
    with pytest.raises(situ.DeviceCreationError):
        situ.set_global_queue("accelerator")
    assert current_queue().sycl_device == part


def test_blocks_nest_and_end_with_exceptions():
    outer, inner = situ.Queue("cpu"), situ.Queue("cpu")
    with situ.device_context(outer) as queue:
        assert queue is outer
        with pytest.raises(KeyError), situ.device_context(inner):
            assert current_queue() is inner
            raise KeyError
        assert current_queue() is outer
    assert current_queue() is None


def test_other_threads_do_not_see_it():
    situ.set_global_queue("cpu")
    seen = []
    # An empty context is what a thread starts with, on builds where it does not copy its parent's.
    thread = threading.Thread(target=contextvars.Context().run, args=(lambda: seen.append(current_queue()),))
    thread.start()
    thread.join()
    assert seen == [None]


def test_a_thread_cannot_set_it_for_others():
    thread = threading.Thread(target=situ.set_global_queue, args=("cpu",))
    thread.start()
    thread.join()
    assert current_queue() is None
