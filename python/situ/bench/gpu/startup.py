"""What a program waits for before it has computed anything, measured in processes of their own."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..contest import Effort
from .libraries import Library, Situ
from .work import Measurable, Outcome

IMPORT = "import"
COLD = "first call of a function, nothing cached"
WARM = "first call of a function, compiled by another process"

_IMPORT = """
import time
begin = time.perf_counter()
import {module}
print(time.perf_counter() - begin)
"""
_FIRST = {
    "situ": """
import time, numpy
import situ
from situ import tensor
queue = situ.get_device_cached_queue({device!r})
x = tensor.asarray(numpy.full(1000, 0.5), sycl_queue=queue)
queue.wait()
begin = time.perf_counter()
tensor.log1p(x)
queue.wait()
print(time.perf_counter() - begin)
""",
    "PyTorch": """
import time, torch
x = torch.full((1000,), 0.5, dtype=torch.float64).cuda()
torch.cuda.synchronize()
begin = time.perf_counter()
torch.log1p(x)
torch.cuda.synchronize()
print(time.perf_counter() - begin)
""",
    "CuPy": """
import time, numpy, cupy
x = cupy.asarray(numpy.full(1000, 0.5))
cupy.cuda.Device().synchronize()
begin = time.perf_counter()
cupy.log1p(x)
cupy.cuda.Device().synchronize()
print(time.perf_counter() - begin)
""",
    "NumPy": """
import time, numpy
x = numpy.full(1000, 0.5)
begin = time.perf_counter()
numpy.log1p(x)
print(time.perf_counter() - begin)
""",
}
_MODULES = {"situ": "situ", "PyTorch": "torch", "CuPy": "cupy", "NumPy": "numpy"}
_IMPORTS = 3
_LONGEST = 60


def _run(code: str, cache: str) -> float:
    """The seconds that a program prints, with its caches in a folder."""
    folders = {"SITU_CACHE_DIR": cache, "CUPY_CACHE_DIR": cache}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | folders,
        capture_output=True,
        text=True,
        timeout=_LONGEST,
    )
    if done.returncode:
        raise RuntimeError(done.stderr.strip().rpartition("\n")[2] or f"exit status {done.returncode}")
    return float(done.stdout.split()[-1])


@dataclass(frozen=True)
class Started:
    """Seconds that new processes print."""

    title: str

    def measure(self, libraries: Sequence[Library], effort: Effort) -> Outcome:
        """Start processes for each library; an import is repeated, a first call happens once."""
        times: dict[tuple[str, str], float] = {}
        errors: dict[str, str] = {}
        for library in libraries:
            if library.name not in _MODULES:
                continue
            try:
                times[library.name, ""] = self._seconds(library)
            except Exception as error:
                errors[library.name] = f"{type(error).__name__}: {error}"
        return Outcome(self.title, times, errors)

    def _seconds(self, library: Library) -> float:
        with tempfile.TemporaryDirectory() as cache:
            if self.title == IMPORT:
                code = _IMPORT.format(module=_MODULES[library.name])
                # The first one also reads the files from the disk.
                return statistics.median(_run(code, cache) for _ in range(_IMPORTS))
            device = library.device.filter_string if isinstance(library, Situ) else ""
            code = _FIRST[library.name].format(device=device)
            first = _run(code, cache)
            return first if self.title == COLD else _run(code, cache)


def works() -> Iterator[Measurable]:
    """Importing, and first calls."""
    for title in (IMPORT, COLD, WARM):
        yield Started(title)
