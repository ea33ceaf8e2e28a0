"""`situ.Timer`."""

import time

import pytest

import situ


@pytest.fixture
def queue(here):
    return situ.Queue(here.sycl_device, property="enable_profiling")


def test_wrong_arguments(queue):
    with pytest.raises(ValueError, match="device_timer"):
        situ.Timer(device_timer="sundial")
    timer = situ.Timer()
    for wrong in (None, ..., "cpu"):
        with pytest.raises(TypeError, match="queue: expected a Queue"):
            timer(wrong)
    with pytest.raises(ValueError, match="enable_profiling"):
        timer(situ.Queue(queue.sycl_device))
    with pytest.raises(TypeError, match=r"with timer\(queue\)"), situ.Timer():
        pass


@pytest.mark.parametrize("device_timer", [None, "queue_barrier", "order_manager"])
def test_blocks_add_up(queue, device_timer):
    timer = situ.Timer(device_timer=device_timer, time_scale=1e3)
    assert timer.dt == (0, 0)
    totals = []
    for _ in range(2):
        with timer(queue):
            time.sleep(0.02)
        totals.append(timer.dt)
    assert 20 <= totals[0].host_dt < totals[1].host_dt and totals[1].host_dt >= 40
    assert 15 <= totals[0].device_dt < totals[1].device_dt


def test_the_host_timer_is_the_callers_choice(queue):
    ticks = iter([1, 4, 10, 15])
    timer = situ.Timer(host_timer=lambda: next(ticks), time_scale=10)
    with timer(queue), timer(queue):
        pass
    assert timer.dt.host_dt == (15 - 1 + 10 - 4) * 10


def test_durations_unpack_and_print():
    duration = situ.HostDeviceDuration(2.0, 1.0)
    host, device = duration
    assert (host, device) == (duration.host_dt, duration.device_dt) == (2.0, 1.0)
    assert repr(duration) == str(duration) == "(host_dt=2.0, device_dt=1.0)"
