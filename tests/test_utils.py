"""`situ.utils`."""

import os
import warnings

import pytest

import situ
from situ import kernels, tensor, utils


def test_execution_queue():
    queue, other = situ.Queue(), situ.Queue()
    twin = situ.Queue(queue._get_capsule())
    assert utils.get_execution_queue([]) is None
    assert utils.get_execution_queue((queue,)) is queue
    assert utils.get_execution_queue([queue, twin, queue]) is queue
    assert utils.get_execution_queue([queue, other]) is None
    assert utils.get_execution_queue([queue, None]) is None
    assert utils.get_execution_queue([None, None]) is None
    with pytest.raises(TypeError, match="qs"):
        utils.get_execution_queue({queue})


def test_coerced_usm_type():
    kinds = ["device", "shared", "host"]
    for one in kinds:
        for other in kinds:
            assert utils.get_coerced_usm_type([one, other]) == kinds[min(kinds.index(one), kinds.index(other))]
    assert utils.get_coerced_usm_type([]) is None
    assert utils.get_coerced_usm_type(("host", "remote")) is None
    with pytest.raises(TypeError, match="usm_types"):
        utils.get_coerced_usm_type("device")


def test_validate_usm_type():
    for kind in ("device", "shared", "host"):
        utils.validate_usm_type(kind, allow_none=False)
    utils.validate_usm_type(None)
    with pytest.raises(TypeError):
        utils.validate_usm_type(None, allow_none=False)
    with pytest.raises(TypeError):
        utils.validate_usm_type(3)
    with pytest.raises(ValueError, match="'remote'"):
        utils.validate_usm_type("remote")


def test_intel_device_info():
    assert utils.intel_device_info(situ.Device()) == {}
    with pytest.raises(TypeError, match="dev"):
        utils.intel_device_info("cpu")


def test_onetrace_warns_once_and_restores(monkeypatch):
    monkeypatch.setattr(utils, "_warned_of_onetrace", False)
    monkeypatch.delenv("PTI_ENABLE", raising=False)
    monkeypatch.setenv("PTI_ENABLE_COLLECTION", "0")
    with pytest.warns(RuntimeWarning, match="onetrace"), utils.onetrace_enabled():
        assert os.environ["PTI_ENABLE_COLLECTION"] == "1"
    monkeypatch.delenv("PTI_ENABLE_COLLECTION")
    with utils.onetrace_enabled():
        assert os.environ["PTI_ENABLE_COLLECTION"] == "1"
    assert "PTI_ENABLE_COLLECTION" not in os.environ


def test_sequential_order():
    faults = situ._native.null_faults
    queue = situ.Queue("null")
    order = utils.SequentialOrderManager[queue]
    assert utils.SequentialOrderManager[queue] is order
    faults.set_latency("on_wait")
    try:
        order.add_event_pair(situ.Event(), [queue.submit_barrier()])
        order.add_event_pair([queue.submit_barrier()], queue.submit_barrier())
        assert (order.num_host_task_events, order.num_submitted_events) == (1, 2)
        pending = order.submitted_events
        twin = order.__copy__()
        order.wait()
        assert [event.execution_status.name for event in pending] == ["complete"] * 2
        assert (order.host_task_events, order.submitted_events) == ([], [])
        assert twin.num_submitted_events == 2
    finally:
        faults.set_latency("immediate")
    with pytest.raises(TypeError, match="comp_ev"):
        order.add_event_pair(situ.Event(), [3])
    with pytest.raises(TypeError, match="Queue"):
        utils.SequentialOrderManager[None]
    utils.SequentialOrderManager.clear()
    assert utils.SequentialOrderManager[queue] is not order
    utils.SequentialOrderManager.clear()


class TestMixedKinds:
    """Operands in memory of different kinds may meet; who wants to know is warned."""

    @pytest.fixture
    def warned(self):
        before = utils.warn_about_mixed_usm_types(True)
        yield
        utils.warn_about_mixed_usm_types(before)

    @pytest.mark.parametrize("size", [3, 10_000])
    def test_array_functions(self, here, warned, size):
        x, y = (tensor.ones(size, usm_type=kind, sycl_queue=here) for kind in ("device", "host"))
        with pytest.warns(utils.MixedUSMTypesWarning, match=r"add: .*\(x1: device, x2: host\).*usm_type"):
            assert (x + y).usm_type == "device"
        with pytest.warns(utils.MixedUSMTypesWarning, match="concat"):
            tensor.concat([x, y])
        with pytest.warns(utils.MixedUSMTypesWarning, match="where"):
            tensor.where(x > 0, x, y)
        assert (x + x).usm_type == "device"

    def test_kernels(self, here, warned):
        @situ.kernel
        def double(x, out):
            i = kernels.get_global_id(0)
            out[i] = 2 * x[i]

        x, out = (tensor.ones(3, usm_type=kind, sycl_queue=here) for kind in ("shared", "host"))
        with pytest.warns(utils.MixedUSMTypesWarning, match=r"double: .*\(x: shared, out: host\)"):
            double(x, out)
        assert tensor.all(out == 2)

    def test_a_warning_can_be_an_error_which_leaves_everything_as_it_was(self, here, warned):
        x, y = (tensor.ones(3, usm_type=kind, sycl_queue=here) for kind in ("device", "host"))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(utils.MixedUSMTypesWarning):
                x += y
        assert tensor.all(x == 1)

    def test_nobody_is_warned_who_did_not_ask(self, here):
        x, y = (tensor.ones(3, usm_type=kind, sycl_queue=here) for kind in ("device", "host"))
        assert (x + y).usm_type == "device"
