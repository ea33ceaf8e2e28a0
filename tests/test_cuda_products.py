"""What situ asks of cuBLAS: a fake one beside a fake driver, whose memory is the host's, so that no GPU is needed."""

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
import numpy as np, situ
from situ import tensor
"""

pytestmark = pytest.mark.skipif(CC is None or sys.platform != "linux", reason="the fake driver needs a C compiler")


@pytest.fixture(scope="session")
def libraries(tmp_path_factory):
    """A folder with a fake driver, a fake compiler and a fake cuBLAS."""
    folder = tmp_path_factory.mktemp("fake_cublas")
    names = {"driver.c": "libcuda.so.1", "compiler.c": "libnvrtc.so.13", "cublas.c": "libcublas.so.12"}
    for source, name in names.items():
        subprocess.run([CC, "-O1", "-shared", "-fPIC", "-o", folder / name, HERE / source, "-lm"], check=True)
    return folder


@pytest.fixture
def run(libraries, tmp_path):
    """Runs a program beside the fake libraries; what it prints."""

    def run(program, **settings):
        settings = {"SITU_NVRTC": libraries, "SITU_CUBLAS": libraries, "SITU_CACHE_DIR": tmp_path / "cache", **settings}
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


def test_products_are_those_of_numpy(run):
    said = run(
        """
        def made(shape, dtype):
            numbers = np.arange(np.prod(shape)).reshape(shape) % 7 - 3
            return (numbers + (1j * numbers[..., ::-1] if np.dtype(dtype).kind == "c" else 0)).astype(dtype)

        turned = lambda x: np.ascontiguousarray(np.moveaxis(x, -1, -2))
        count = 0
        for dtype in ("float32", "float64", "complex64", "complex128"):
            for first, second in (
                ((3, 5), (5, 4)), ((6, 3, 5), (6, 5, 4)), ((6, 3, 5), (5, 4)), ((3, 5), (6, 5, 4)),
                ((2, 1, 3, 5), (1, 4, 5, 2)), ((5,), (5, 4)), ((3, 5), (5,)), ((1, 5), (5, 1)), ((7, 1), (1, 7)),
            ):
                x, y = made(first, dtype), made(second, dtype)
                a, b = (tensor.asarray(z, device="cuda") for z in (x, y))
                results = [a @ b]
                if x.ndim > 1 and y.ndim > 1:
                    c, d = (tensor.asarray(turned(z), device="cuda").mT for z in (x, y))
                    results += [c @ b, a @ d, c @ d]
                if x.ndim == y.ndim == 2:
                    results.append(tensor.matmul(a, b, order="F"))
                for result in results:
                    np.testing.assert_array_equal(tensor.asnumpy(result), x @ y)
                    count += 1
        print(count)
        """
    )
    assert said == f"{4 * (9 + 7 * 3 + 3)}\n"


def test_it_can_be_missing_or_refuse(run):
    # The fake driver's kernels do nothing, so that what they were to compute stays as it was.
    program = """
        out = tensor.asarray(np.full((3, 3), 5.0), device="cuda")
        x = tensor.asarray(np.ones((3, 3)), device="cuda")
        tensor.matmul(x, x, out=out)
        print(tensor.asnumpy(out)[0, 0])
        """
    assert run(program) == "3.0\n"
    for settings in ({"SITU_CUBLAS": "off"}, {"FAKE_CUBLAS_CREATE": 1}, {"FAKE_CUBLAS_GEMM": 15}):
        assert run(program, **settings) == "5.0\n", settings


def test_a_failure_is_an_error(run):
    said = run(
        """
        x = tensor.asarray(np.ones((3, 3)), device="cuda")
        try:
            x @ x
        except situ.DeviceError as error:
            print(type(error).__name__, error)
        """,
        FAKE_CUBLAS_GEMM=13,
    )
    assert "matrix product" in said and "status 13" in said
