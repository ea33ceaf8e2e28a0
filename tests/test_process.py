"""Processes: forks, ends, signals and environment variables."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

PRELUDE = """
import os, sys, threading, time
import numpy as np
import situ
from situ import memory, tensor
"""
BIG = "x = tensor.linspace(0, 1, 3_000_000)\nfor _ in range(10): x = tensor.sin(x)\n"


def start(code, **environment):
    return subprocess.Popen(
        [sys.executable, "-X", "faulthandler", "-c", PRELUDE + textwrap.dedent(code)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment},
    )  # fmt: skip


def run(code, *, status=0, quiet=True, timeout=60, **environment):
    """Runs a program to its end; returns what it printed."""
    process = start(code, **environment)
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    assert process.returncode == status, err
    if quiet:
        assert err == ""
    return out if quiet else err


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")


@needs_fork
class TestFork:
    """A child of a process that has used situ cannot use it, and says so."""

    IN_CHILD = """
    import warnings
    warnings.simplefilter("ignore")
    def in_child(work):
        child = os.fork()
        if child == 0:
            try:
                work()
                sys.stdout.flush()
            except BaseException as error:
                print(type(error).__name__, error, flush=True)
                os._exit(3)
            os._exit(0)
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.01)
        os.kill(child, 9)
        return "hung"
    """

    @pytest.mark.parametrize(
        "work",
        [
            "tensor.ones(3)", "tensor.asnumpy(x)", "x + x", "x += 1", "situ.Queue()", "situ.Queue().wait()",
            "x.sycl_queue.wait()", "memory.MemoryUSMShared(10)", "repr(x)", "x.to_device('null')", "m.tobytes()",
            "m.copy_from_host(b'abc')", "memoryview(h)[0]; situ.Queue()",
            "memory.pool_stats()", "memory.trim()", "memory.set_pool_limit(0)",
        ],
    )  # fmt: skip
    def test_use_after_fork(self, work):
        out = run(
            self.IN_CHILD
            + f"""
    x = tensor.ones(1000)
    m = memory.MemoryUSMShared(10)
    h = memory.MemoryUSMShared(10, queue=situ.get_device_cached_queue("cpu"))
    y = tensor.sin(tensor.ones(2_000_000))
    def work():
        global x
        {work}
    print(in_child(work))
    assert tensor.asnumpy(x + x)[0] == 2
    """
        )
        kind = "QueueCreationError" if "Queue()" in work else "DeviceError"
        assert out.startswith(f"{kind} this process was forked") and "spawn" in out and out.endswith("3\n")

    def test_dropping_inherited_arrays(self):
        out = run(
            self.IN_CHILD
            + """
    import gc
    x = [tensor.ones(n) for n in (3, 1000, 1_000_000)]
    y = [tensor.sin(tensor.ones(2_000_000)) for _ in range(5)]
    m = memory.MemoryUSMShared(10)
    queue = situ.Queue()
    def work():
        global x, y, m, queue
        del x, y, m, queue
        gc.collect()
        print("dropped")
    print(in_child(work))
    """
        )
        assert out == "dropped\n0\n"

    def test_the_child_ends_in_the_ordinary_way(self):
        out = run(
            self.IN_CHILD
            + """
    x = tensor.sin(tensor.ones(3_000_000))
    child = os.fork()
    if child == 0:
        sys.exit(5)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
        )
        assert out == "5\n"

    def test_multiprocessing(self):
        out = run(
            self.IN_CHILD
            + """
    import multiprocessing
    def use(_):
        try:
            return float(tensor.ones(3) + 1)
        except Exception as error:
            return type(error).__name__
    tensor.ones(3)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(use, range(3)))
    """
        )
        assert out == "['DeviceError', 'DeviceError', 'DeviceError']\n"

    def test_fork_before_use(self):
        out = run(
            self.IN_CHILD
            + """
    def work():
        print(float(tensor.ones(1) + 1))
    print(in_child(work))
    print(float(tensor.ones(1) + 2))
    """
        )
        assert out == "2.0\n0\n3.0\n"

    def test_spawned_workers(self, tmp_path):
        script = tmp_path / "spawned.py"
        script.write_text(
            "import multiprocessing\nfrom situ import tensor\n"
            "def use(n):\n    return float(tensor.ones(1) + n)\n"
            "if __name__ == '__main__':\n    tensor.ones(1)\n"
            "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n        print(pool.map(use, range(2)))\n"
        )
        done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60)
        assert (done.stdout, done.stderr) == ("[1.0, 2.0]\n", "")


class TestEnd:
    """The interpreter ends while there is work in flight."""

    @pytest.mark.parametrize(
        "ending",
        ["", "sys.exit()", "keep = [x, x.usm_data, x.sycl_queue, x.device]", "del x", "sys.modules.clear()"],
    )
    def test_with_work_in_flight(self, ending):
        assert run(BIG + ending) == ""

    def test_with_an_exception(self):
        assert "RuntimeError: over" in run(BIG + "raise RuntimeError('over')", status=1, quiet=False)

    def test_exit_status(self):
        run(BIG + "sys.exit(7)", status=7)

    def test_daemon_threads(self):
        run(
            """
            def work():
                x = tensor.linspace(0, 1, 100_000)
                while True:
                    tensor.asnumpy(tensor.sin(x))
            for _ in range(3):
                threading.Thread(target=work, daemon=True).start()
            time.sleep(0.3)
            """
        )

    def test_exit_inside_a_thread(self):
        run(
            """
            def work():
                x = tensor.sin(tensor.ones(3_000_000))
                sys.exit()
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
            x = tensor.sin(tensor.ones(3_000_000))
            """
        )

    def test_arrays_in_cycles_and_thread_locals(self):
        run(
            """
            local = threading.local()
            local.x = tensor.ones(1000)
            class Cycle: pass
            a, b = Cycle(), Cycle()
            a.b, b.a, a.x, b.queue = b, a, tensor.sin(tensor.ones(2_000_000)), situ.Queue()
            del a, b
            """
        )

    def test_failures_in_flight(self):
        run(
            """
            faults = situ._native.null_faults
            faults.set_latency("on_wait")
            faults.fail("execute", 2, "device_lost")
            x = tensor.ones(1000, device="null")
            y = x + x
            """
        )


class TestSignals:
    """Ctrl-C reaches whoever waits."""

    @pytest.mark.skipif(sys.platform == "win32", reason="signals are sent differently there")
    def test_wait_is_interrupted(self, here):
        # On a GPU as much work as makes it wait for seconds, and few enough commands for submitting not to wait.
        device, cpu = here.sycl_device, here.sycl_device.is_cpu
        size = 20_000_000 if cpu else device.global_mem_size // 8 // 16
        process = start(
            f"""
            import signal
            # Whoever runs the tests in the background may have had it ignored.
            signal.signal(signal.SIGINT, signal.default_int_handler)
            x = tensor.full({size}, 0.5, device="{device.filter_string}")
            for _ in range({400 if cpu else 500}): x = tensor.sin(x, out=x)
            print("waiting", flush=True)
            try:
                x.sycl_queue.wait()
            except KeyboardInterrupt:
                print("interrupted", flush=True)
                os._exit(0)
            """
        )
        assert process.stdout.readline() == "waiting\n"
        time.sleep(0.3)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert (out, err, process.returncode) == ("interrupted\n", "", 0)
        assert time.monotonic() - sent < 5

    @pytest.mark.skipif(sys.platform == "win32", reason="signals are sent differently there")
    def test_tolist_is_interrupted(self):
        process = start(
            """
            import signal
            signal.signal(signal.SIGINT, signal.default_int_handler)
            x = tensor.ones((4, 20_000_000))
            print("listing", flush=True)
            try:
                x.tolist()
                print("listed", flush=True)
            except KeyboardInterrupt:
                print("interrupted", flush=True)
            """
        )
        assert process.stdout.readline() == "listing\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert (out, err, process.returncode) == ("interrupted\n", "", 0)


class TestEnvironment:
    """`SITU_DEVICE_SELECTOR` and `SITU_POOL_LIMIT`."""

    @pytest.mark.parametrize(
        "selector",
        [
            "",
            "native",
            "native:cpu",
            "*:cpu",
            "native:0",
            "!cuda:*",
            "cuda:*;native:cpu",
            "cpu",
            "NATIVE:CPU",
            "native:cpu:0",
            "cpu:0",
            "!gpu",
            " Cpu ; ",
        ],
    )
    def test_visible(self, selector):
        assert run("print(float(tensor.ones(1)))", SITU_DEVICE_SELECTOR=selector) == "1.0\n"

    @pytest.mark.parametrize(
        ("selector", "reason"),
        [
            ("!*", "hides every device"), ("*:accelerator", "hides every device"), ("native:7", "hides every device"),
            ("intel", "neither a backend"), ("native:x", "neither"), ("native:cpu:0:0", "too many"), ("!!", "backend"),
            ("native:cpu:1", "hides every device"), ("level_zero", "no Level-Zero backend"), ("0", "neither"),
        ],
    )  # fmt: skip
    def test_hidden_or_malformed(self, selector, reason):
        out = run(
            """
            for attempt in (lambda: tensor.ones(1), situ.Device, situ.Queue, lambda: situ.Device("cpu")):
                try:
                    attempt()
                    print("made one")
                except (situ.DeviceCreationError, situ.QueueCreationError) as error:
                    print(error)
            """,
            SITU_DEVICE_SELECTOR=selector,
        )
        lines = out.splitlines()
        assert len(lines) == 4 and all("SITU_DEVICE_SELECTOR" in line and reason in line for line in lines), out

    def test_no_pool(self):
        out = run(
            """
            import gc
            for n in (10, 1000, 100_000, 10_000_000):
                x = tensor.ones(n)
                assert tensor.asnumpy(x + x)[-1] == 2
            del x
            gc.collect()
            memory.trim()
            print(memory.pool_stats()["total"]["cached_bytes"])
            big = memory.MemoryUSMDevice(50_000_000)
            before = memory.pool_stats()["total"]["reserved_bytes"]
            del big
            print(before - memory.pool_stats()["total"]["reserved_bytes"] >= 50_000_000)
            """,
            SITU_POOL_LIMIT="0",
        )
        assert out == "0\nTrue\n"

    @pytest.mark.parametrize(
        ("name", "values"),
        [
            ("SITU_POOL_LIMIT", ["", "0", " 4096 ", "12GB", "512MiB", "1.5g", "unlimited"]),
            ("SITU_CPU_ISA", ["", "baseline", "avx2", "AVX2", "AVX-512"]),
            ("SITU_CACHE_BYTES", ["", "1000000", "1GB"]),
            ("SITU_NVRTC", [""]),
            ("SITU_CUBLAS", ["", "off", "OFF"]),
            ("SITU_CUSOLVER", ["", "off", "OFF"]),
            ("SITU_CUFFT", ["", "off", "OFF"]),
        ],
    )
    def test_values(self, name, values):
        for value in values:
            assert run("print(float(tensor.ones(1)))", **{name: value}) == "1.0\n"

    @pytest.mark.parametrize(
        ("name", "value", "remedy"),
        [
            ("SITU_POOL_LIMIT", "lots", "12GB"), ("SITU_POOL_LIMIT", "-1", "12GB"), ("SITU_POOL_LIMIT", "1e9", "12GB"),
            ("SITU_CPU_ISA", "avx3", "baseline, avx2, avx512"), ("SITU_CPU_ISA", "sse", "baseline, avx2, avx512"),
            ("SITU_CACHE_BYTES", "big", "256MiB"), ("SITU_NVRTC", "/no/such/folder", "nvrtc"),
            ("SITU_CUBLAS", "/no/such/folder", "cublas"), ("SITU_CUFFT", "/no/such/folder", "cufft"),
            ("SITU_CUSOLVER", "/no/such/folder", "cusolver"),
        ],
    )  # fmt: skip
    def test_wrong_values(self, name, value, remedy):
        out = run(
            """
            try:
                tensor.ones(1)
            except ValueError as error:
                print(error)
            """,
            **{name: value},
        )
        assert name in out and value in out and remedy in out

    def test_a_missing_gpu_is_explained(self):
        out = run('print(situ._native.availability()["cuda"])').strip()
        if out == "None":
            pytest.skip("there is a GPU")
        for selector in ("cuda", "gpu", "CUDA:0"):
            said = run(
                """
                try:
                    tensor.ones(1)
                except (situ.DeviceCreationError, situ.QueueCreationError) as error:
                    print(error)
                """,
                SITU_DEVICE_SELECTOR=selector,
            )
            assert out in said and "native:cpu" in said
