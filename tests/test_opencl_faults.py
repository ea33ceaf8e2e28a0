"""What situ makes of OpenCL drivers that misbehave: a fake loader, so that none is needed."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

import pytest

HERE = pathlib.Path(__file__).parent / "fake_opencl"
CC = shutil.which("cc")

pytestmark = pytest.mark.skipif(CC is None or sys.platform != "linux", reason="the fake loader needs a C compiler")


@pytest.fixture(scope="session")
def loader(tmp_path_factory):
    """A folder with a fake loader."""
    folder = tmp_path_factory.mktemp("fake_opencl")
    subprocess.run(
        [CC, "-O1", "-w", "-shared", "-fPIC", "-o", folder / "libOpenCL.so.1", HERE / "loader.c"], check=True
    )
    return folder


@pytest.fixture
def run(loader, tmp_path):
    """Runs a program beside the fake loader; what it prints."""

    def run(program, **settings):
        settings = {
            "SITU_CACHE_DIR": tmp_path / "cache",
            "LD_LIBRARY_PATH": loader,
            "SITU_DEVICE_SELECTOR": "!cuda:*",
            "SITU_OPENCL_UNPROVEN": "1",
            **settings,
        }
        environment = {**os.environ, **{name: str(value) for name, value in settings.items()}}
        head = "import os, situ\nfrom situ import tensor\n"
        command = [sys.executable, "-X", "faulthandler", "-c", head + textwrap.dedent(program)]
        result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
        assert result.returncode == 0, result.stderr
        return result.stdout

    return run


@pytest.mark.parametrize(
    "settings, reason",
    [
        ({"FAKE_OPENCL_PLATFORMS": 0}, "shows no platform"),
        ({"FAKE_OPENCL_DEVICES": 0}, "platform Fake platform: it has no device"),
        ({"FAKE_OPENCL_AVAILABLE": 0}, "device Fake device: the driver says that it is not available"),
        ({"FAKE_OPENCL_SVM": 1}, "device Fake device: it has neither USM .* nor fine-grain SVM"),
        ({"FAKE_OPENCL_EXTENSIONS": "cl_khr_fp64"}, "device Fake device: its atomics have 32 bits only .*cl_khr_int64"),
    ],
)
def test_what_there_is_not_is_said(run, settings, reason):
    found = run("print(situ.availability()['opencl']); print(situ.Device().filter_string)", **settings)
    assert found.splitlines()[1] == "native:cpu:0"
    assert re.search(reason, found), found


@pytest.mark.parametrize(
    "platform, version, kind, is_offered",
    [
        ("Fake platform", "OpenCL 3.0", "cpu", False),
        ("Intel(R) OpenCL", "OpenCL 3.1 LINUX", "cpu", True),
        ("Intel(R) OpenCL", "OpenCL 3.1 LINUX", "gpu", False),
        ("Intel(R) OpenCL Graphics", "OpenCL 3.0", "gpu", False),
        ("Portable Computing Language", "OpenCL 3.0 PoCL 3.1+debian", "cpu", True),
        ("Portable Computing Language", "OpenCL 3.0 PoCL 5.0+debian", "cpu", False),
    ],
)
def test_what_was_never_tested_is_only_offered_where_asked_for(run, platform, version, kind, is_offered):
    kinds = {"cpu": 2, "gpu": 4}
    settings = {"FAKE_OPENCL_NAME": platform, "FAKE_OPENCL_VERSION": version, "FAKE_OPENCL_TYPE": kinds[kind]}
    program = "print(situ.get_num_devices('opencl'), situ.availability()['opencl'])"
    said = run(program, SITU_OPENCL_UNPROVEN="", **settings)
    assert said.startswith("1 ") if is_offered else said.startswith("0 ")
    reason = f"device Fake device of {platform}: situ has not been tested on it"
    assert (reason in said, "SITU_OPENCL_UNPROVEN=1" in said) == (not is_offered, not is_offered)
    assert run(program, **settings).startswith("1 ")


def test_a_loader_that_lacks_functions_is_too_old(run, tmp_path):
    source, library = tmp_path / "old.c", tmp_path / "libOpenCL.so.1"
    source.write_text("int clGetPlatformIDs() { return 0; }")
    subprocess.run([CC, "-shared", "-fPIC", "-o", library, source], check=True)
    said = run("print(situ.availability()['opencl'])", LD_LIBRARY_PATH=tmp_path)
    assert "too old: it has no clGetPlatformInfo" in said


def test_nobody_asks_where_the_selector_excludes_it(run):
    # The fake device is a GPU, and would be the default one.
    assert run("print(situ.Device().filter_string)").strip() == "opencl:gpu:0"
    hidden = run("print(situ.Device().filter_string, situ.availability()['opencl'])", SITU_DEVICE_SELECTOR="native")
    assert hidden.split() == ["native:cpu:0", "hidden", "by", "SITU_DEVICE_SELECTOR"]


def test_a_device_without_double_precision_computes_in_single(run):
    said = run(
        """
        x = tensor.ones(3, device="opencl")
        print(x.dtype, (x + 1.5).dtype, tensor.mean(tensor.arange(3, dtype="int32", device="opencl")).dtype)
        print(tensor.astype(x, "float16").dtype, tensor.sqrt(tensor.ones(2, dtype="float16", device="opencl")).dtype)
        for make in (lambda: tensor.ones(3, dtype="float64", device="opencl"), lambda: tensor.astype(x, "complex128")):
            try:
                make()
            except Exception as error:
                print(type(error).__name__, error)
        """,
        FAKE_OPENCL_EXTENSIONS="cl_khr_int64_base_atomics cl_khr_int64_extended_atomics",
    ).splitlines()
    assert said[:2] == ["float32 float32 float32", "float16 float16"]
    assert len(said) == 4
    for line, dtype in zip(said[2:], ("float64", "complex128"), strict=True):
        assert re.match(f"ValueError .*{dtype} is not supported by opencl:gpu:0", line), line


PROGRAM = """
    x = tensor.zeros(8, device="opencl")
    os.environ.update(SETTINGS)
    try:
        y = WORK
        x.sycl_queue.wait()
        print("no error")
    except Exception as error:
        print(type(error).__name__, error)
"""


@pytest.mark.parametrize(
    "settings, work, kind, words",
    [
        (
            {"FAKE_OPENCL_BUILD": "-11"},
            "x + 1",
            "DeviceError",
            "situ_add_.* does not compile.*: fake:7: error: the first",
        ),
        ({"FAKE_OPENCL_LAUNCH": "-5"}, "x + 1", "DeviceError", "add failed: CL_OUT_OF_RESOURCES .*ask for less"),
        (
            {"FAKE_OPENCL_LAUNCH": "-4"},
            "x + 1",
            "USMAllocationError",
            "add: out of memory .CL_MEM_OBJECT_ALLOCATION_FAILURE",
        ),
        (
            {"FAKE_OPENCL_ALLOCATE": "1"},
            "tensor.empty(1 << 22, device='opencl')",
            "USMAllocationError",
            "out of memory",
        ),
        ({"FAKE_OPENCL_LAUNCH": "-2"}, "x + 1", "DeviceError", "DEVICE_NOT_AVAILABLE .*started anew"),
        ({"FAKE_OPENCL_STATUS": "-5"}, "x + 1", "DeviceError", "run failed: CL_OUT_OF_RESOURCES"),
    ],
)
def test_failures_are_told(run, settings, work, kind, words):
    said = run(PROGRAM.replace("SETTINGS", repr(settings)).replace("WORK", work))
    assert said.startswith(kind + " "), said
    assert re.search(words, said), said


def test_a_lost_device_stays_lost_and_others_go_on(run):
    said = run(
        """
        x = tensor.zeros(8, device="opencl")
        os.environ["FAKE_OPENCL_LAUNCH"] = "-2"
        for _ in range(2):
            try:
                x + 1
            except situ.DeviceError as error:
                print("lost" if "started anew" in str(error) else error)
            os.environ["FAKE_OPENCL_LAUNCH"] = "0"
        print(tensor.sum(tensor.ones(5, device="native:cpu")))
        """
    )
    assert said.split() == ["lost", "lost", "5."] or said.split() == ["lost", "lost", "5.0"], said
