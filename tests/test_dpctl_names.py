"""`situ.dpctl`: dpctl's names for situ's objects."""

import subprocess
import sys

import numpy
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


OWN = {"SyclKernelInvalidRangeError", "SyclKernelSubmitError", "transfer_to"}


def test_every_name_is_situs_own_object():
    for name in set(dpctl.__all__) - OWN:
        assert getattr(dpctl, name) is getattr(situ, RENAMED.get(name, name)), name
    assert set(RENAMED) <= set(dpctl.__all__)


def test_enum_values_are_dpctls():
    assert [(member.name, member.value) for member in dpctl.backend_type][:5] == [
        ("all", 1), ("cuda", 2), ("hip", 3), ("level_zero", 4), ("opencl", 5),
    ]  # fmt: skip
    assert dpctl.device_type.gpu.value == 6
    assert dpctl.event_status_type.complete.value == 4
    assert dpctl.global_mem_cache_type.read_write.value == 4


ADAPTED = {"from_dlpack", "offload_to", "put", "put_along_axis", "take", "take_along_axis"}


@pytest.mark.parametrize("name", ["memory", "tensor", "utils"])
def test_submodules_have_the_same_names(name):
    own, other = getattr(situ, name), getattr(dpctl, name)
    assert own.__all__ == other.__all__
    others = {each for each in own.__all__ if getattr(own, each) is not getattr(other, each)}
    assert others == (ADAPTED if name == "tensor" else set())
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


def test_code_runs_with_its_arguments():
    program = "import sys, dpctl; print(sys.argv, dpctl.__name__, __name__)"
    assert python("-m", "situ.dpctl", "-c", program, "x") == "['-c', 'x'] situ.dpctl __main__\n"


def test_modules_are_the_same_by_both_names():
    """Else what one raises would not be what the other's name catches."""
    program = """
import importlib, dpctl, situ.dpctl
for name in ("_sycl_queue", "enum_types", "memory", "program", "tensor", "tensor._type_utils", "utils"):
    own = importlib.import_module("situ.dpctl." + name)
    assert importlib.import_module("dpctl." + name) is own and own.__spec__.name == "situ.dpctl." + name, name
try:
    importlib.import_module("dpctl.nothing")
except ModuleNotFoundError as error:
    print(error)
"""
    assert python("-m", "situ.dpctl", "-c", program) == "No module named 'dpctl.nothing'\n"


def test_processes_that_a_program_starts_find_it_too(tmp_path):
    program = "import subprocess, sys; subprocess.run([sys.executable, '-m', 'dpctl', '-s'], check=True)"
    assert python("-m", "situ.dpctl", "-c", program) == python("-m", "situ.dpctl", "-s")
    # Worker processes of pytest take over the path of the process that starts them.
    (tmp_path / "test_it.py").write_text(
        "def test_it():\n    import dpctl\n    assert dpctl.__name__ == 'situ.dpctl'\n"
    )
    options = ["-p", "no:cacheprovider", "-q", "-n1", f"--rootdir={tmp_path}", "test_it.py"]
    assert "1 passed" in python("-m", "situ.dpctl", "-m", "pytest", *options, cwd=tmp_path)


def test_kernels_from_source_say_which_backend_they_need():
    queue = dpctl.SyclQueue("cpu")
    for create, source in [
        (dpctl.program.create_program_from_source, "kernel void f() {}"),
        (dpctl.program.create_program_from_spirv, b""),
    ]:
        with pytest.raises(dpctl.program.SyclProgramCompilationError, match="opencl backend, and q is one of native"):
            create(queue, source)


def test_indices_out_of_range_wrap_unless_another_mode_is_named():
    x, at = dpctl.tensor.arange(4), dpctl.tensor.asarray([1, 5, -5])
    assert dpctl.tensor.asnumpy(dpctl.tensor.take(x, at)).tolist() == [1, 1, 3]
    assert dpctl.tensor.asnumpy(dpctl.tensor.take_along_axis(x, at)).tolist() == [1, 1, 3]
    dpctl.tensor.put(x, at[1:], -1)
    dpctl.tensor.put_along_axis(x, at[:1] + 3, dpctl.tensor.asarray([-2]))
    assert dpctl.tensor.asnumpy(x).tolist() == [-2, -1, 2, -1]
    with pytest.raises(IndexError):
        dpctl.tensor.take(x, at, mode="raise")


def test_dlpacks_cpu_stands_for_numpy():
    x = dpctl.tensor.arange(3)
    host = (dpctl.tensor.DLDeviceType.kDLCPU, 0)
    assert isinstance(dpctl.tensor.from_dlpack(x, device=host), numpy.ndarray)
    assert isinstance(dpctl.tensor.from_dlpack(x), situ.tensor.ndarray)
    assert isinstance(dpctl.tensor.from_dlpack(numpy.ones(2)), numpy.ndarray)
    shared = dpctl.tensor.from_dlpack(dpctl.tensor.zeros(2, device="cpu"), device=host, copy=False)
    assert shared.tolist() == [0, 0]


@pytest.mark.parametrize(("option", "verbosity"), [("-s", 0), ("-l", 1), ("--full-list", 2)])
def test_listings(capsys, option, verbosity):
    dpctl.lsplatform(verbosity)
    assert python("-m", "situ.dpctl", option) == capsys.readouterr().out


def test_importing_situ_leaves_numpy_alone():
    assert python("-c", "import sys, situ; print('numpy' in sys.modules)") == "False\n"
