"""`situ.dpctl`: dpctl's names for situ's objects."""

import subprocess
import sys

import pytest

import situ
import situ.dpctl as dpctl

RENAMED = {
    "SyclContext": "Context",
    "SyclContextCreationError": "ContextCreationError",
    "SyclDevice": "Device",
    "SyclDeviceCreationError": "DeviceCreationError",
    "SyclEvent": "Event",
    "SyclPlatform": "Platform",
    "SyclQueue": "Queue",
    "SyclQueueCreationError": "QueueCreationError",
    "SyclSubDeviceCreationError": "SubDeviceCreationError",
    "SyclTimer": "Timer",
}


def test_every_name_is_situs_own_object():
    for name in dpctl.__all__:
        assert getattr(dpctl, name) is getattr(situ, RENAMED.get(name, name)), name
    assert set(RENAMED) <= set(dpctl.__all__)


def test_enum_values_are_dpctls():
    assert [(member.name, member.value) for member in dpctl.backend_type][:5] == [
        ("all", 1), ("cuda", 2), ("hip", 3), ("level_zero", 4), ("opencl", 5),
    ]  # fmt: skip
    assert dpctl.device_type.gpu.value == 6
    assert dpctl.event_status_type.complete.value == 4
    assert dpctl.global_mem_cache_type.read_write.value == 4


@pytest.mark.parametrize("name", ["memory", "tensor", "utils"])
def test_submodules_have_the_same_names(name):
    own, other = getattr(situ, name), getattr(dpctl, name)
    assert own.__all__ == other.__all__
    assert all(getattr(own, each) is getattr(other, each) for each in own.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = other.nothing


def test_unknown_names_are_attribute_errors():
    for package in (situ, dpctl):
        with pytest.raises(AttributeError, match="no attribute 'nothing'"):
            _ = package.nothing


def python(*arguments, **keywords):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True, **keywords).stdout


PROGRAM = """
import sys
import dpctl, dpctl.utils, dpctl.enum_types
from dpctl import memory
queue = dpctl.SyclQueue("cpu")
print(sys.argv[1:], __name__, memory.MemoryUSMShared(4, queue=queue).sycl_queue == queue, "situ" in sys.modules)
"""


def test_a_dpctl_program_runs_unmodified(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    expected = "['-l', '1'] __main__ True True\n"
    assert python("-m", "situ.dpctl", str(tmp_path / "program.py"), "-l", "1") == expected
    assert python("-m", "situ.dpctl", "-m", "program", "-l", "1", cwd=tmp_path) == expected


@pytest.mark.parametrize(("option", "verbosity"), [("-s", 0), ("-l", 1), ("--full-list", 2)])
def test_listings(capsys, option, verbosity):
    dpctl.lsplatform(verbosity)
    assert python("-m", "situ.dpctl", option) == capsys.readouterr().out


def test_importing_situ_leaves_numpy_alone():
    assert python("-c", "import sys, situ; print('numpy' in sys.modules)") == "False\n"
