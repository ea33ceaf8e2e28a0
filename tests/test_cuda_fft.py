"""What situ asks of cuFFT: a fake one beside a fake driver, whose memory is the host's, so that no GPU is needed.

The fake driver's kernels do nothing, so that only what the library and the driver's own copies do can be compared.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import textwrap

import pytest

HERE = pathlib.Path(__file__).parent / "fake_cuda"
CC = shutil.which("cc")
HEAD = """
import ctypes, os
import numpy as np, situ
from situ import tensor

def plans():
    library = ctypes.CDLL(os.path.join(os.environ["FAKE_FOLDER"], "libcufft.so.11"))
    return library.fakeCufftMade(), library.fakeCufftDestroyed()

def numbers(shape, dtype):
    rng = np.random.default_rng(1)
    parts = rng.standard_normal((2, *shape))
    return (parts[0] + 1j * parts[1]).astype(dtype) if np.dtype(dtype).kind == "c" else parts[0].astype(dtype)

def close(found, wanted):
    found = tensor.asnumpy(found)
    assert found.shape == wanted.shape, (found.shape, wanted.shape)
    limit = 1e-4 if found.dtype in (np.float32, np.complex64) else 1e-11
    np.testing.assert_allclose(found, wanted, rtol=0, atol=limit)
"""

pytestmark = pytest.mark.skipif(CC is None or sys.platform != "linux", reason="the fake driver needs a C compiler")


@pytest.fixture(scope="session")
def libraries(tmp_path_factory):
    """A folder with a fake driver, a fake compiler and a fake cuFFT."""
    folder = tmp_path_factory.mktemp("fake_cufft")
    names = {"driver.c": "libcuda.so.1", "compiler.c": "libnvrtc.so.13", "cufft.c": "libcufft.so.11"}
    for source, name in names.items():
        subprocess.run([CC, "-O1", "-shared", "-fPIC", "-o", folder / name, HERE / source, "-lm"], check=True)
    return folder


@pytest.fixture
def run(libraries, tmp_path):
    """Runs a program beside the fake libraries; what it prints."""

    def run(program, **settings):
        settings = {
            "SITU_NVRTC": libraries,
            "SITU_CUFFT": libraries,
            "FAKE_FOLDER": libraries,
            "SITU_CACHE_DIR": tmp_path / "cache",
            **settings,
        }
        environment = {**os.environ, "LD_LIBRARY_PATH": str(libraries), **{k: str(v) for k, v in settings.items()}}
        environment.pop("SITU_DEVICE_SELECTOR", None)
        done = subprocess.run(
            [sys.executable, "-X", "faulthandler", "-c", HEAD + textwrap.dedent(program)],
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        assert "fake" not in done.stderr, done.stderr
        return done.stdout

    return run


def test_transforms_are_those_of_numpy(run):
    said = run(
        """
        count = 0
        for single, double in (("float32", "complex64"), ("float64", "complex128")):
            for shape in ((8,), (5,), (6, 8), (6, 7), (2, 3, 10), (3, 1, 9), (1, 4)):
                x, z = numbers(shape, single), numbers(shape, double)
                a, b = tensor.asarray(x, device="cuda"), tensor.asarray(z, device="cuda")
                for axis in range(len(shape)):
                    close(tensor.fft.fft(b, axis=axis), np.fft.fft(z, axis=axis))
                    close(tensor.fft.ifft(b, axis=axis, norm="forward"), np.fft.ifft(z, axis=axis, norm="forward"))
                    close(tensor.fft.rfft(a, axis=axis), np.fft.rfft(x, axis=axis))
                    count += 3
                # All axes, in place after the first.
                close(tensor.fft.fftn(b), np.fft.fftn(z))
                close(tensor.fft.rfftn(a), np.fft.rfftn(x))
                count += 2
        print(count)
        """
    )
    assert int(said) == 2 * (3 * (1 + 1 + 2 + 2 + 3 + 3 + 2) + 2 * 7)


def test_the_input_of_real_results_is_not_spoilt(run):
    # Imaginary parts that do not count are taken out by a kernel, of which the fake driver has none.
    run(
        """
        for dtype in ("complex64", "complex128"):
            for length in (8, 9):
                x = np.fft.rfft(numbers((3, length), "float64")).astype(dtype)
                array = tensor.asarray(x, device="cuda")
                found = tensor.fft.irfft(array, n=length, norm="forward")
                close(found, np.fft.irfft(x, n=length, norm="forward"))
                assert tensor.asnumpy(array).tobytes() == x.tobytes()
        """
    )


def test_what_the_library_does_not_take_goes_through_scratch_memory(run):
    # What kernels would bring there is not seen; nothing fails, and nothing is written where it should not be.
    said = run(
        """
        for dtype in ("float32", "complex64", "float64", "complex128"):
            x = numbers((4, 6, 10), dtype)
            array = tensor.asarray(x, device="cuda")
            repeated = tensor.broadcast_to(array[:1], (4, 6, 10))
            for view in (array[..., ::-1], array[:, ::2, 1::3], repeated, array[:, :, 1:]):
                for axis in range(3):
                    tensor.fft.fft(view, axis=axis, n=5)
                    tensor.fft.fft(view, axis=axis, norm="ortho")
                    tensor.fft.irfft(view, axis=axis, n=7)
                    tensor.fft.irfft(view, axis=axis, n=8)
                    if dtype.startswith("float"):
                        tensor.fft.rfft(view, axis=axis, n=30)
            tensor.fft.fft(tensor.asarray(numbers((70, 3, 90), dtype), device="cuda"), axis=1)
            assert tensor.asnumpy(array).tobytes() == x.tobytes()
        print("fine")
        """
    )
    assert said == "fine\n"


def test_plans_are_kept_and_bounded(run):
    said = run(
        """
        x = tensor.asarray(numbers((100,), "complex128"), device="cuda")
        for _ in range(5):
            tensor.fft.fft(x)
        print(*plans())
        for n in range(2, 60):
            tensor.fft.fft(x, n=n)
        made, destroyed = plans()
        print(made, made - destroyed)
        """
    )
    assert said.split("\n")[:2] == ["1 0", "59 32"]


def test_queues_share_plans(run):
    said = run(
        """
        z = numbers((4, 9), "complex128")
        for _ in range(3):
            queue = situ.Queue("cuda")
            close(tensor.fft.fft(tensor.asarray(z, sycl_queue=queue)), np.fft.fft(z))
            del queue
        print(*plans())
        """
    )
    assert said == "1 0\n"


@pytest.mark.parametrize("settings", [{"SITU_CUFFT": "off"}, {"FAKE_CUFFT_MAJOR": 99}])
def test_it_can_be_missing(run, settings):
    said = run(
        """
        x = tensor.asarray(np.ones(8), device="cuda")
        try:
            tensor.fft.rfft(x)
        except ValueError as error:
            print(error)
        # Others go on.
        print(tensor.asnumpy(x).sum())
        """,
        **settings,
    )
    assert "rfft on cuda:gpu:0" in said and "cuFFT" in said
    assert "pip install nvidia-cufft-cu12" in said and "native:cpu" in said and said.endswith("8.0\n")


@pytest.mark.parametrize(
    ("variable", "status", "kind", "word"),
    [
        ("FAKE_CUFFT_CREATE", 5, "DeviceError", "status 5"),
        ("FAKE_CUFFT_PLAN", 8, "DeviceError", "sequences of 8"),
        ("FAKE_CUFFT_PLAN", 2, "USMAllocationError", "memory"),
        ("FAKE_CUFFT_EXEC", 6, "DeviceError", "status 6"),
    ],
)
def test_a_failure_is_an_error_and_leaks_nothing(run, variable, status, kind, word):
    said = run(
        f"""
        x = tensor.asarray(np.ones(8), device="cuda")
        for _ in range(3):
            try:
                tensor.fft.fft(x)
            except (situ.DeviceError, MemoryError) as error:
                print(type(error).__name__, error)
        del os.environ["{variable}"]
        made, destroyed = plans()
        assert made - destroyed <= 1, (made, destroyed)
        assert tensor.asnumpy(x).sum() == 8
        """,
        **{variable: status},
    )
    lines = said.splitlines()
    assert len(lines) == 3 and all(line.startswith(kind) and word in line for line in lines), said


def test_nothing_is_loaded_before_it_is_needed(run):
    said = run(
        """
        tensor.asarray(np.ones(8), device="cuda") + 1
        print("libcufft" in open("/proc/self/maps").read())
        tensor.fft.fft(tensor.asarray(np.ones(8), device="cuda"))
        print("libcufft" in open("/proc/self/maps").read())
        """
    )
    assert said.split() == ["False", "True"]
