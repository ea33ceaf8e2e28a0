"""`situ.Event`. The null device's commands run only when somebody waits for them, on request."""

import gc

import pytest

import situ

status = situ.event_status_type
faults = situ._native.null_faults


@pytest.fixture
def lazily():
    faults.reset()
    faults.set_latency("on_wait")
    yield situ.Queue("null", property="enable_profiling")
    faults.set_latency("immediate")
    faults.reset()


def test_an_event_of_nothing_is_complete():
    event = situ.Event()
    event.wait()
    assert event.execution_status is status.complete
    assert event.backend is situ.Device().backend
    assert event.get_wait_list() == []
    assert (event.profiling_info_submit, event.profiling_info_start, event.profiling_info_end) == (0, 0, 0)
    assert event == event and event != situ.Event()
    assert repr(event).startswith("<situ.Event at 0x") and isinstance(event.addressof_ref(), int)


@pytest.mark.parametrize("wrong", [[], 3, "cpu"])
def test_wrong_arguments(wrong):
    with pytest.raises(TypeError):
        situ.Event(wrong)


def test_waiting_ends_a_command(lazily):
    event = lazily.submit_barrier()
    assert event.execution_status is status.submitted
    event.wait()
    assert event.execution_status is status.complete


def test_wait_for_one_or_several(lazily):
    events = [lazily.submit_barrier() for _ in range(3)]
    situ.Event.wait_for(events[0])
    situ.Event.wait_for(tuple(events[1:]))
    assert {event.execution_status for event in events} == {status.complete}
    for wrong in (77, [77], None):
        with pytest.raises(TypeError, match="Event"):
            situ.Event.wait_for(wrong)


def test_wait_list_holds_direct_dependencies(lazily):
    first, second = lazily.submit_barrier(), lazily.submit_barrier()
    third = lazily.submit_barrier([first, second])
    last = lazily.submit_barrier([third])
    assert [event.execution_status for event in last.get_wait_list()] == [status.submitted]
    last.wait()
    assert [event.execution_status for event in third.get_wait_list()] == [status.complete] * 2


def test_times_are_in_order(lazily):
    event = lazily.submit_barrier()
    assert 0 < event.profiling_info_submit <= event.profiling_info_start <= event.profiling_info_end
    assert event.execution_status is status.complete


def test_a_failed_command_raises_where_it_is_waited_for(lazily):
    faults.fail("execute", 1, "device_lost")
    event = lazily.submit_barrier()
    with pytest.raises(situ.DeviceError, match="barrier failed.*on request"):
        event.wait()
    assert event.execution_status is status.complete
    with pytest.raises(situ.DeviceError):
        lazily.wait()
    lazily.wait()


def test_capsules_open_once(lazily):
    event = lazily.submit_barrier()
    capsule, unopened = event._get_capsule(), event._get_capsule()
    same = situ.Event(capsule)
    same.wait()
    assert event.execution_status is status.complete
    with pytest.raises(TypeError, match="has been used"):
        situ.Event(capsule)
    del unopened


class Canary:
    def __init__(self, log, event):
        self.log, self.event = log, event

    def __del__(self):
        self.log.append(self.event.execution_status)


def test_kept_objects_go_after_their_event_and_not_before(lazily):
    log = []
    event = lazily.submit_barrier()
    kept = lazily._submit_keep_args_alive([Canary(log, event)], [event])
    gc.collect()
    assert log == []
    del kept
    gc.collect()
    assert log == [status.complete]


def test_events_of_every_device(place):
    queue = situ.Queue(place.sycl_context, place.sycl_device, property="enable_profiling")
    block = situ.memory.MemoryUSMDevice(1 << 24, queue=queue)
    first = queue.memset_async(block, 1, 1 << 24)
    second = queue.memset_async(block, 2, 1 << 24, [first])
    assert len(second.get_wait_list()) <= 1
    second.wait()
    # What it waited for is over too, and says so without being waited for.
    for event in (first, second):
        assert event.execution_status is status.complete and event.backend is place.backend
        assert 0 < event.profiling_info_submit <= event.profiling_info_start < event.profiling_info_end
    assert first.profiling_info_end <= second.profiling_info_start
    situ.Event.wait_for([first, second])
    barrier = queue.submit_barrier([first, second])
    barrier.wait()
    assert barrier.profiling_info_end >= second.profiling_info_end
    assert block.tobytes() == b"\2" * (1 << 24)


def test_long_chains_and_wide_repeats_of_events_cost_nothing(here):
    queue = situ.Queue(here.sycl_context, here.sycl_device, property="enable_profiling")
    memory = situ.memory.MemoryUSMDevice(8, queue=here)
    event = queue.memset_async(memory, 0, 1)
    for _ in range(20_000):
        event = queue.memset_async(memory, 0, 1, [event])
    for _ in range(64):
        event = queue.memset_async(memory, 0, 1, [event, event])
    event.wait()
    assert len(event.get_wait_list()) == 2
    assert event.get_wait_list()[0].get_wait_list() == []
