"""Selector strings, and the functions that list and select devices."""

import os
import subprocess
import sys

import pytest

import situ


@pytest.mark.parametrize(
    "selector",
    ["cpu", "native", "native:cpu", "cpu:native", "native:cpu:0", "0:cpu:native", "cpu:0", "0", ":cpu", "cpu,"],
)
def test_names_of_the_cpu(selector):
    assert situ.Device(selector) == situ.select_cpu_device()


def test_the_first_filter_that_fits_wins():
    assert situ.Device("accelerator,cpu").is_cpu


@pytest.mark.parametrize("selector", ["", "CPU", " cpu", "*", "host", "cpu:-1", "-1", "native:cpu:0:0", "cpu:gpu"])
def test_malformed_selectors(selector):
    with pytest.raises(situ.DeviceCreationError, match="malformed device selector"):
        situ.Device(selector)


@pytest.mark.parametrize("selector", ["accelerator", "cpu:99", "level_zero", "hip:gpu"])
def test_missing_devices_name_what_there_is(selector):
    with pytest.raises(situ.DeviceCreationError, match=r"visible devices: .*native:cpu:0"):
        situ.Device(selector)


def test_a_missing_backend_says_why():
    with pytest.raises(situ.DeviceCreationError, match="no Level-Zero backend"):
        situ.Device("level_zero:gpu")
    assert "no HIP backend" in situ.availability()["hip"]
    assert situ.availability()["native"] is None
    assert "null" not in situ.availability()


@pytest.mark.parametrize(
    ("keywords", "expected"),
    [
        ({}, True),
        ({"backend": "native"}, True),
        ({"backend": " Native "}, True),
        ({"backend": situ.backend_type.native, "device_type": situ.device_type.cpu}, True),
        ({"device_type": "all"}, True),
        ({"device_type": "accelerator"}, False),
        ({"device_type": "automatic"}, False),
        ({"backend": "level_zero"}, False),
    ],
)
def test_get_devices_filters(keywords, expected):
    devices = situ.get_devices(**keywords)
    assert (situ.Device("cpu") in devices) is expected
    assert situ.get_num_devices(**keywords) == len(devices)


def test_get_devices_refuses_what_it_does_not_know():
    with pytest.raises(ValueError, match="backend: 'abc' is not one of all, cuda"):
        situ.get_devices(backend="abc")
    with pytest.raises(ValueError, match="device_type: 'fpga' is not one of all, accelerator"):
        situ.get_devices(device_type="fpga")
    with pytest.raises(TypeError, match="backend"):
        situ.get_devices(backend=3)
    with pytest.raises(TypeError, match="device_type"):
        situ.get_num_devices(device_type=situ.backend_type.native)


def test_has_and_select_agree():
    assert situ.has_cpu_devices() and situ.select_cpu_device().is_cpu
    assert not situ.has_accelerator_devices()
    with pytest.raises(situ.DeviceCreationError, match="device type accelerator"):
        situ.select_accelerator_device()
    if not situ.has_gpu_devices():
        with pytest.raises(situ.DeviceCreationError):
            situ.select_gpu_device()
    scores = [device.default_selector_score for device in situ.get_devices()]
    assert situ.select_default_device().default_selector_score == max(scores)


def test_select_with_aspects():
    assert situ.select_device_with_aspects("cpu").is_cpu
    assert situ.select_device_with_aspects(("cpu", "fp64"), "gpu").is_cpu
    with pytest.raises(situ.DeviceCreationError, match="cpu, gpu"):
        situ.select_device_with_aspects(["cpu", "gpu"])
    with pytest.raises(situ.DeviceCreationError):
        situ.select_device_with_aspects("cpu", excluded_aspects="cpu")
    with pytest.raises(situ.DeviceCreationError):
        situ.select_device_with_aspects("custom")
    with pytest.raises(AttributeError, match='required_aspects: "quantum" is not one of accelerator'):
        situ.select_device_with_aspects("quantum")
    with pytest.raises(TypeError, match="required_aspects"):
        situ.select_device_with_aspects(3)
    with pytest.raises(TypeError, match="excluded_aspects"):
        situ.select_device_with_aspects("cpu", [3])


def test_cached_queues_are_the_same_object():
    queue = situ.get_device_cached_queue("cpu")
    device, context = situ.Device("cpu"), situ.Context("cpu")
    assert situ.get_device_cached_queue(device) is queue
    assert situ.get_device_cached_queue((context, device)) is queue
    own = situ.Context([device])
    assert situ.get_device_cached_queue((own, device)) != queue


def test_cached_queues_have_keys_of_three_kinds():
    with pytest.raises(TypeError, match="key"):
        situ.get_device_cached_queue(3)
    with pytest.raises(TypeError, match="key"):
        situ.get_device_cached_queue((situ.Device(), situ.Context()))
    part = situ.Device("null").create_sub_devices(partition=1)[0]
    with pytest.raises(ValueError, match=r"sub-device.*situ.Queue\(device\)"):
        situ.get_device_cached_queue(part)


def run(selector):
    environment = {**os.environ, "SITU_DEVICE_SELECTOR": selector}
    code = "import situ; print(situ.get_devices()[0].filter_string)"
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)


def test_the_environment_limits_what_is_visible():
    assert run("native:cpu").stdout == "native:cpu:0\n"
    hidden = run("!native:*;!cuda:*;!opencl:*")
    assert hidden.returncode == 1 and "it hides every device" in hidden.stderr
    assert "neither a backend" in run("intel").stderr
