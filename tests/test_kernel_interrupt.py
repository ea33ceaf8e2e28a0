"""Kernels that never end: Ctrl-C ends them on the CPU, and the queue and its arrays can be used afterwards."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

PROGRAM = """
import signal
import numpy
import situ
from situ import tensor
from situ.kernels import call_kernel_async, get_global_id, kernel

# Whoever runs the tests in the background may have had it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)


@kernel(debug={debug})
def endless(x):
    while {condition}:
        {body}


@kernel(debug={debug})
def double(x):
    i = get_global_id(0)
    x[i] = 2 * x[i]


queue = situ.Queue("cpu")
x, y = (tensor.ones({size}, sycl_queue=queue) for _ in range(2))
print("waiting", flush=True)
try:
    {wait}
    print("over", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
queue.wait()
x[...] = 3
double(x)
double(y)
print(int(tensor.sum(x)) // {size}, int(tensor.sum(y)) // {size}, flush=True)
"""

WAYS = {
    "queue": "endless(x); queue.wait()",
    "event": "call_kernel_async(endless, x.shape, (), x)[1].wait()",
    "array": "endless(x); tensor.asnumpy(x)",
    "number": "endless(x); float(x[0])",
    "memory": "endless(x); memoryview(x.usm_data)",
    "capsule": "endless(x); numpy.from_dlpack(x)",
    "positions": "endless(x); tensor.nonzero(x)",
    "values": "endless(x); tensor.unique_values(x)",
}


def interrupt(path, **options):
    """What a program prints that is interrupted while it waits, and how long it takes to end."""
    program = path / "program.py"
    program.write_text(textwrap.dedent(PROGRAM).format(**options), encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, str(program)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
    )
    try:
        assert process.stdout.readline() == "waiting\n"
        time.sleep(1)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (err, process.returncode) == ("", 0)
    return out, time.monotonic() - sent


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent differently there")
class TestInterrupt:
    """Whichever way a program waits."""

    @pytest.mark.parametrize(("way", "body"), [("queue", "pass"), *((way, "x[0] += 1") for way in WAYS)])
    def test_wait(self, tmp_path, way, body):
        out, took = interrupt(tmp_path, debug=False, condition="True", body=body, size=3, wait=WAYS[way])
        assert out == "interrupted\n6 2\n"
        assert took < 10

    @pytest.mark.parametrize("size", [3, 100_000])
    def test_debug(self, tmp_path, size):
        out, _ = interrupt(
            tmp_path, debug=True, condition="x[0] >= 0", body="x[get_global_id(0)] += 1", size=size, wait="endless(x)"
        )
        assert out == "interrupted\n6 2\n"

    def test_end_of_the_process(self, tmp_path):
        out, took = interrupt(
            tmp_path, debug=False, condition="True", body="pass", size=3, wait="endless(x); raise SystemExit(0)"
        )
        assert out == "" and took < 10

    def test_long_range(self, tmp_path):
        body = "\n        ".join(["for k in range(10**15):", "    for m in range(10**15):", "        x[0] += 1"])
        out, _ = interrupt(tmp_path, debug=False, condition="True", body=body, size=3, wait=WAYS["queue"])
        assert out == "interrupted\n6 2\n"
