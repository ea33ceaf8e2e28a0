"""What situ makes of a CUDA driver that misbehaves: a fake one, so that no GPU is needed."""

import os
import pathlib
import shutil
import subprocess
import sys
import textwrap

import pytest

HERE = pathlib.Path(__file__).parent / "fake_cuda"
CC = shutil.which("cc")

pytestmark = pytest.mark.skipif(CC is None or sys.platform != "linux", reason="the fake driver needs a C compiler")


@pytest.fixture(scope="session")
def libraries(tmp_path_factory):
    """A folder with a fake driver and a fake compiler."""
    folder = tmp_path_factory.mktemp("fake_cuda")
    for source, name in [("driver.c", "libcuda.so.1"), ("compiler.c", "libnvrtc.so.13")]:
        subprocess.run([CC, "-O1", "-shared", "-fPIC", "-o", folder / name, HERE / source], check=True)
    return folder


@pytest.fixture
def run(libraries, tmp_path):
    """Runs a program beside the fake driver; what it prints."""

    def run(program, **settings):
        settings = {"SITU_NVRTC": libraries, "SITU_CACHE_DIR": tmp_path / "cache", **settings}
        environment = {**os.environ, "LD_LIBRARY_PATH": str(libraries), **{k: str(v) for k, v in settings.items()}}
        environment.pop("SITU_DEVICE_SELECTOR", None)
        head = "import ctypes, numpy as np, situ\nfrom situ import tensor\n"
        # In a file, because kernels are compiled from their source.
        path = tmp_path / "program.py"
        path.write_text(head + textwrap.dedent(program), encoding="utf-8")
        result = subprocess.run(
            [sys.executable, "-X", "faulthandler", path],
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert result.returncode == 0, result.stderr
        assert "fake CUDA driver" not in result.stderr, result.stderr
        return result.stdout

    return run


@pytest.mark.parametrize(
    "settings, reason",
    [
        ({"FAKE_CUDA_INIT": 100}, "no GPU"),
        ({"FAKE_CUDA_INIT": 999}, "could not be initialised"),
        ({"FAKE_CUDA_VERSION": 11040}, "too old: it is for CUDA 11.4"),
        ({"FAKE_CUDA_DEVICES": 0}, "shows no GPU"),
    ],
)
def test_a_driver_that_cannot_be_used_is_no_error_but_a_reason(run, settings, reason):
    said = run(
        """
        print(situ.availability()["cuda"])
        print(situ.get_num_devices("cuda"), tensor.ones(3).device)
        try:
            situ.Device("cuda")
        except situ.DeviceCreationError as error:
            print(error)
        """,
        **settings,
    )
    first, second, third = said.splitlines()
    assert reason in first and reason in third
    assert second.startswith("0 ") and "cpu" in second


def test_a_gpu_is_the_default_device(run):
    said = run("print(situ.select_default_device().filter_string, tensor.ones(3).device)")
    assert said == "cuda:gpu:0 Device(cuda:gpu:0)\n"


def test_a_selector_keeps_the_driver_untouched(run):
    said = run(
        """
        import os
        os.environ["SITU_DEVICE_SELECTOR"] = "!cuda"
        print(situ.availability()["cuda"])
        print("libcuda" in open("/proc/self/maps").read())
        """
    )
    assert said == "hidden by SITU_DEVICE_SELECTOR\nFalse\n"


def test_running_out_of_memory_trims_the_pool_and_then_raises(run):
    said = run(
        """
        kept = tensor.full(1000, 7, dtype="int32")
        big = tensor.empty(40 << 20, dtype="uint8")
        del big
        other = tensor.empty(50 << 20, dtype="uint8")
        print("trimmed")
        try:
            tensor.empty(60 << 20, dtype="uint8")
        except MemoryError as error:
            print(error)
        print((tensor.asnumpy(kept) == 7).all(), other.size)
        """,
        FAKE_CUDA_MEMORY=64 << 20,
    )
    trimmed, refused, intact = said.splitlines()
    assert trimmed == "trimmed"
    assert "out of memory" in refused and "available" in refused
    assert intact == f"True {50 << 20}"


def test_shared_memory_is_kept_to_what_the_device_has(run):
    said = run(
        """
        x = tensor.empty(50 << 20, dtype="uint8", usm_type="shared")
        try:
            tensor.empty(20 << 20, dtype="uint8", usm_type="shared")
        except MemoryError as error:
            print(error)
        """,
        FAKE_CUDA_MEMORY=64 << 20,
    )
    assert "out of memory" in said


def test_an_illegal_access_ends_the_device_and_nothing_else(run):
    said = run(
        """
        here = tensor.arange(5, device="cpu")
        x = tensor.ones(5, dtype="float32")
        try:
            x + x
        except situ.DeviceError as error:
            print(error)
        for _ in range(2):
            try:
                tensor.asnumpy(x * 2)
            except situ.DeviceError as error:
                print("again:", type(error).__name__)
        print(tensor.asnumpy(here + 1))
        """,
        FAKE_CUDA_FAIL="cuLaunchKernel:1:700",
    )
    first, *again, last = said.splitlines()
    assert first.startswith("add") and "status 700" in first and "started anew" in first
    assert again == ["again: DeviceError"] * 2
    assert last == "[1 2 3 4 5]"


def test_a_launch_that_is_refused_fails_alone(run):
    said = run(
        """
        x = tensor.ones(5, dtype="float32")
        try:
            x + x
        except situ.DeviceError as error:
            print(error)
        print((x + x).shape, tensor.asnumpy(x))
        """,
        FAKE_CUDA_FAIL="cuLaunchKernel:1:701",
    )
    assert "add failed: status 701" in said
    assert said.endswith("(5,) [1. 1. 1. 1. 1.]\n")


def test_a_kernel_that_does_not_compile_shows_what_the_compiler_said(run):
    said = run(
        """
        x = tensor.ones(5, dtype="float32")
        try:
            tensor.sin(x)
        except situ.DeviceError as error:
            print(error)
        """,
        FAKE_NVRTC_FAIL=1,
    )
    assert "sin" in said and "not today" in said


def test_a_compiler_newer_than_the_driver_is_not_used(run):
    said = run(
        """
        x = tensor.ones(5, dtype="float32")
        try:
            tensor.sin(x)
        except situ.DeviceError as error:
            print(error)
        """,
        FAKE_NVRTC_VERSION=14,
    )
    assert "newer than the driver" in said and "pip install" in said


def test_kernels_are_kept_on_disk_and_damaged_ones_replaced(run, tmp_path):
    program = "print(tensor.sin(tensor.ones(5, dtype='float32')).shape)"
    folder = tmp_path / "cache" / "kernels"
    run(program)
    kept = {path: path.read_bytes() for path in folder.iterdir()}
    assert kept and all(path.suffix == ".kernel" for path in kept)
    # From the cache alone: this compiler would refuse.
    run(program, FAKE_NVRTC_FAIL=1)
    for path, content in kept.items():
        path.write_bytes(content[:-1] + b"?")
    run(program)
    assert {path: path.read_bytes() for path in folder.iterdir()} == kept


FREE = """
        import os
        driver = ctypes.CDLL(os.path.join({libraries!r}, "libcuda.so.1"))
        def free():
            sizes = (ctypes.c_size_t * 2)()
            assert driver.cuMemGetInfo_v2(sizes, ctypes.byref(sizes, 8)) == 0
            return sizes[0]
        x, i = tensor.empty(2**23, dtype="uint8"), tensor.empty(2**24, dtype="int32")
"""


def test_many_elements_by_index_do_without_memory_for_sorting(run, libraries, tmp_path):
    program = (
        FREE.format(libraries=str(libraries))
        + """
        # The pool leaves a twentieth of what it asks for alone.
        others, left = [], int(os.environ["LEFT"])
        while free() > left + 2**20:
            others.append(tensor.empty((free() - left) * 20 // 21, dtype="uint8"))
        print(tensor.take(x, i, mode="wrap").shape)
        """
    )
    kernels = []
    # Room for everything, or for the result alone.
    for left in (2**30, 20 * 2**20):
        folder = tmp_path / str(left)
        assert run(program, SITU_CACHE_DIR=folder, FAKE_CUDA_CACHE=2**21, LEFT=left) == f"({2**24},)\n"
        kernels.append(len(list((folder / "kernels").iterdir())))
    assert kernels == [4, 1]


def test_memory_for_sorting_is_given_up_for_an_array(run, libraries):
    program = (
        FREE.format(libraries=str(libraries))
        + """
        before = free()
        y = tensor.take(x, i, mode="wrap")
        scratch = before - free() - y.nbytes
        # More than there is, unless the scratch memory is given back.
        z = tensor.empty((free() + scratch // 2) * 20 // 21, dtype="uint8")
        print(scratch > 2**20, tensor.take(x, i, mode="wrap").shape)
        """
    )
    assert run(program, FAKE_CUDA_CACHE=2**21) == f"True ({2**24},)\n"


def test_an_unwritable_cache_is_no_error(run, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    assert run("print(tensor.sin(tensor.ones(5, dtype='float32')).shape)", SITU_CACHE_DIR=tmp_path / "file") == "(5,)\n"


def test_a_forked_child_is_told_so(run):
    said = run(
        """
        import os
        x = tensor.ones(5, dtype="float32")
        child = os.fork()
        if child == 0:
            try:
                x + x
            except situ.DeviceError as error:
                print("fork" in str(error), flush=True)
            os._exit(0)
        os.waitpid(child, 0)
        """
    )
    assert said == "True\n"


def test_only_the_gpu_that_is_used_is_opened(run, libraries):
    said = run(
        f"""
        import os
        driver = ctypes.CDLL(os.path.join({str(libraries)!r}, "libcuda.so.1"))
        x = tensor.ones(3, dtype="float32")
        print(driver.fake_contexts(), situ.get_num_devices("cuda"))
        y = tensor.ones(3, dtype="float32", device="cuda:gpu:5")
        print(driver.fake_contexts(), y.device)
        moved = x.to_device("cuda:gpu:5")
        print(moved._pointer != x._pointer)
        """,
        FAKE_CUDA_DEVICES=8,
    )
    assert said == "1 8\n2 Device(cuda:gpu:5)\nTrue\n"


def test_a_refused_command_does_not_give_away_what_its_queue_still_uses(run, libraries):
    said = run(
        f"""
        import os
        driver = ctypes.CDLL(os.path.join({str(libraries)!r}, "libcuda.so.1"))
        x = tensor.ones(100_000, dtype="float32")
        other = situ.Queue("cuda")
        y = x + x
        used = y._pointer
        del y
        driver.fake_fail(b"cuLaunchKernel", 1, 701)
        try:
            x + x
        except situ.DeviceError:
            print("refused")
        print(all(tensor.zeros_like(x, sycl_queue=other)._pointer != used for _ in range(3)))
        print((x + x)._pointer == used)
        """,
        FAKE_CUDA_BUSY=500_000,
    )
    assert said == "refused\nTrue\nTrue\n"


def test_memory_lent_for_reading_is_not_written_from_another_device(run):
    said = run(
        """
        lent = b"immutable bytes!"
        here = tensor.from_dlpack(np.frombuffer(lent, "u1"), device="cpu")
        there = tensor.zeros(16, dtype="uint8")
        try:
            here.usm_data.copy_from_device(there.usm_data)
        except ValueError as error:
            print(error)
        print(lent.decode())
        """
    )
    refused, lent = said.splitlines()
    assert "lent for reading only" in refused and lent == "immutable bytes!"


KERNELS = """
from situ import kernels

@kernels.kernel
def keep(x, held):
    i = kernels.get_local_id(0)
    held[i] = x[i]
    kernels.barrier()
    x[i] = held[i]

def attempt(call):
    try:
        call()
        print("launched")
    except ValueError as error:
        print(error)
"""


def test_kernels_get_the_local_memory_that_they_ask_for(run):
    said = run(
        KERNELS
        + textwrap.dedent(
            """
            x = tensor.zeros(256, dtype="float32")
            for size in (256, 20000, 60000):
                held = kernels.LocalAccessor(size, "float32")
                attempt(lambda: keep[kernels.NdRange(256, 256)](x, held))
            attempt(lambda: keep[kernels.NdRange(4096, 2048)](x, held))
            raw = kernels.RawKernel("", "f")
            for shared in (0, 100_000, 300_000):
                attempt(lambda: raw[1, 256, shared](x, 1, 2.0))
            attempt(lambda: raw((1,), (2048,), (x,)))
            attempt(lambda: raw((1, 0), (1,), (x,)))
            """
        )
    ).splitlines()
    assert said[:2] == ["launched"] * 2
    assert "the local arrays of a group take 240000 bytes" in said[2] and "has room for 232448" in said[2]
    assert "a group of 2048 work-items is too large" in said[3] and "has room for 1024" in said[3]
    assert said[4:6] == ["launched"] * 2
    assert "300000 bytes of shared memory, and the device has 232448" in said[6]
    assert "2048 threads, and the device allows 1024" in said[7]
    assert "has no threads" in said[8]


def test_ranges_of_any_shape_are_launched(run):
    # A grid has at most 65535 blocks along two of its axes, and a block 64 threads along one.
    said = run(
        KERNELS
        + textwrap.dedent(
            """
            @kernels.kernel
            def fill(x):
                x[0] = kernels.get_global_id(0)

            x = tensor.zeros(1)
            for shape in (10**6, (10**6, 4), (10**6, 2, 2), (4, 10**6, 1), (3, 5, 10**6)):
                attempt(lambda: fill[shape](x))
            attempt(lambda: fill[kernels.NdRange((256, 2, 2), (128, 2, 2))](x))
            """
        )
    )
    assert said == "launched\n" * 6


def test_what_the_compiler_says_about_a_kernel_in_cuda_c_is_told(run):
    said = run(
        """
        from situ import kernels
        try:
            kernels.RawKernel("text", "f")[1, 1](tensor.empty(1))
        except kernels.KernelCompileError as error:
            print(error)
        """,
        FAKE_NVRTC_FAIL=1,
    )
    assert said == "kernel f does not compile:\nfake(1): error: not today\n"


FUNCTIONS = [
    "cuMemAlloc_v2",
    "cuMemHostAlloc",
    "cuMemAllocManaged",
    "cuStreamCreate",
    "cuStreamWaitEvent",
    "cuEventCreate",
    "cuEventRecord",
    "cuEventQuery",
    "cuEventSynchronize",
    "cuLaunchKernel",
    "cuMemcpyAsync",
    "cuMemcpyHtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemsetD8Async",
    "cuModuleLoadData",
    "cuModuleGetFunction",
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_any_failure_of_the_driver_is_an_exception_and_harms_nothing(run, libraries, function):
    said = run(
        f"""
        import os
        driver = ctypes.CDLL(os.path.join({str(libraries)!r}, "libcuda.so.1"))
        kept = tensor.zeros(1000, dtype="int32")
        failed = 0

        def work():
            queue = situ.Queue("cuda", property="enable_profiling")
            x = tensor.asarray(np.arange(100000.0))
            y = (x + 1).to_device(queue)
            z = y + y
            m = tensor.zeros(100, dtype="uint8", usm_type="shared", sycl_queue=queue)
            h = tensor.empty(100, dtype="uint8", usm_type="host", sycl_queue=queue)
            h[:] = m
            tensor.nonzero(m)
            z[::2] = 1
            tensor.asnumpy(y)
            repr(z)
            queue.wait()
            z.to_device("cpu")

        for turn in range(1, 6):
            for code in (2, 999):
                driver.fake_fail({function!r}.encode(), turn, code)
                situ.memory.trim("cuda")
                try:
                    work()
                except (situ.DeviceError, MemoryError):
                    failed += 1
                except situ.QueueCreationError:
                    failed += 1
        driver.fake_fail(b"", 0, 0)
        assert (tensor.asnumpy(kept) == 0).all()
        work()
        print(failed)
        """,
        FAKE_CUDA_BUSY=2000,
    )
    # Whoever only looks is told "not yet", and whoever waits is told by another function.
    assert int(said) >= (0 if function == "cuEventQuery" else 1)
