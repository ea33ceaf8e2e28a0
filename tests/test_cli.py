"""The command line, run as a user runs it."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

import pytest

import situ


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run ``python -m situ`` with its output in a pipe."""
    plain = {"PYTHONIOENCODING": "utf-8", "COLUMNS": "120"}
    return subprocess.run(
        [sys.executable, "-m", "situ", *arguments],
        capture_output=True,
        encoding="utf-8",
        env=os.environ | plain | environment,
        timeout=120,
    )


def on_a_terminal(*arguments: str, **environment: str) -> str:
    """Run ``python -m situ`` with its output on a terminal."""
    ours, theirs = pty.openpty()
    settings = os.environ | {"TERM": "xterm", "PYTHONIOENCODING": "utf-8", "COLUMNS": "120"} | environment
    with subprocess.Popen(
        [sys.executable, "-m", "situ", *arguments], stdout=theirs, stderr=theirs, env=settings
    ) as child:
        os.close(theirs)
        text = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:
                break
            if not piece:
                break
            text += piece
        os.close(ours)
        assert child.wait(60) == 0
    return text.decode()


def test_the_table_has_every_device_and_marks_the_default_one() -> None:
    done = run()
    assert (done.returncode, done.stderr) == (0, "")
    for device in situ.get_devices():
        (row,) = [line for line in done.stdout.splitlines() if f" {device.filter_string} " in line]
        assert f" {device.device_type.name} " in row
        assert f" {device.max_compute_units} " in row
        assert ("•" in row) == (device == situ.Device())


def test_the_table_says_why_backends_are_missing() -> None:
    missing = {name: reason for name, reason in situ.availability().items() if reason is not None}
    assert missing
    for options in ((), ("-f",)):
        text = run(*options).stdout
        for name, reason in missing.items():
            assert re.search(rf"^  {name} +{re.escape(reason)}$", text, re.MULTILINE)


def test_the_table_fits_the_width() -> None:
    for columns, titles in ((50, "device name type units"), (100, "device name type units memory vector version")):
        lines = [line for line in run(COLUMNS=str(columns)).stdout.splitlines() if line.startswith(("│", "┌"))]
        assert len({len(line) for line in lines}) == 1
        assert len(lines[0]) <= columns
        assert lines[1].replace("│", " ").split() == titles.split()


def test_an_ascii_stream_gets_ascii() -> None:
    done = run(PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert done.stdout.isascii() and done.stdout.startswith("+--")


def test_colour_only_on_a_terminal_and_only_if_wanted() -> None:
    assert "\x1b[" not in run().stdout
    assert "\x1b[" in on_a_terminal(NO_COLOR="")
    assert "\x1b[" not in on_a_terminal(NO_COLOR="1")
    assert "\x1b[" not in on_a_terminal(NO_COLOR="", TERM="dumb")


@pytest.mark.parametrize(("short", "long", "verbosity"), [("-s", "--summary", 0), ("-l", "--long-list", 1)])
def test_lists_are_those_of_lsplatform(
    short: str, long: str, verbosity: int, capsys: pytest.CaptureFixture[str]
) -> None:
    situ.lsplatform(verbosity)
    wanted = capsys.readouterr().out
    assert wanted
    assert run(short).stdout == run(long).stdout == wanted


def test_the_full_list_begins_like_lsplatform(capsys: pytest.CaptureFixture[str]) -> None:
    situ.lsplatform(2)
    wanted = capsys.readouterr().out
    text = run("-f").stdout
    assert text.startswith(wanted)
    assert text == run("--full-list").stdout


def test_info_shows_the_device_that_was_asked_for() -> None:
    device = situ.Device("cpu")
    for arguments in (("info", "cpu"), ("info", device.filter_string)):
        text = run(*arguments).stdout
        assert re.search(rf"filter_string +{device.filter_string}$", text, re.MULTILINE)
        assert re.search(rf"max_compute_units +{device.max_compute_units}$", text, re.MULTILINE)
        assert re.search(rf"double +{device.native_vector_width_double}$", text, re.MULTILINE)


def test_version_and_help() -> None:
    assert run("--version").stdout == f"situ {situ.__version__}\n"
    text = run("--help").stdout
    for word in ("--summary", "--long-list", "--full-list", "info", "demo", "bench"):
        assert word in text


@pytest.mark.parametrize("arguments", [("--wrong",), ("wrong",), ("-s", "-l"), ("bench", "--wrong")])
def test_a_wrong_option_is_2_and_says_how_to_use_it(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage: situ")


@pytest.mark.parametrize(
    ("arguments", "environment", "words"),
    [
        (("info", "cuda:gpu:99"), {}, "DeviceCreationError"),
        (("info", "nonsense"), {}, "nonsense"),
        ((), {"SITU_DEVICE_SELECTOR": "!*:*"}, "SITU_DEVICE_SELECTOR"),
        (("bench", "--only", "nonsense"), {}, "no case's name contains 'nonsense'"),
        (("bench", "--gpu"), {"SITU_DEVICE_SELECTOR": "native:cpu"}, "gpu"),
        (("bench", "--gpu", "--device", "cpu", "--only", "nonsense"), {}, "no work's name contains 'nonsense'"),
        (("bench", "--only", "n=4", "--quick", "--json", "/no/such/folder/x"), {}, "/no/such/folder/x"),
    ],
)
def test_an_error_is_one_line(arguments: tuple[str, ...], environment: dict[str, str], words: str) -> None:
    done = run(*arguments, **environment)
    assert done.returncode == 1
    assert done.stderr.startswith("situ: ") and done.stderr.count("\n") == 1
    assert words in done.stderr


def test_a_closed_pipe_is_no_error() -> None:
    code = f"{sys.executable} -m situ -f; echo $? >&2"
    done = subprocess.run(["sh", "-c", f"({code}) | true"], capture_output=True, text=True, timeout=60)
    assert done.stderr == "0\n"


def test_the_tour_shows_each_of_its_steps() -> None:
    done = run("demo", "--fast")
    assert (done.returncode, done.stderr) == (0, "")
    text = done.stdout
    assert situ.Device().filter_string in text
    # The error as a user sees it, before the remedy, and the sum after it.
    assert text.index("ExecutionPlacementError: add:") < text.index(">>> b = b.to_device(a.sycl_queue)")
    assert "[2., 2., 2., 2.]" in text
    if situ.Device().partition_max_sub_devices > 1:
        assert re.search(r"queue 0 +[█▓ ]+ +[\d.]+ .s", text) and re.search(r"queue 1 +[█▓ ]+ +[\d.]+ .s", text)
        assert "Both were busy for" in text
    else:
        assert "skipped" in text
    assert "makes 'device'" in text
    assert re.search(r"first 7\.6 MiB +[█▏▎▍▌▋▊▉]+", text)
    assert len(re.findall(r"^  NumPy +[█▏▎▍▌▋▊▉]", text, re.MULTILINE)) == 2
    assert text.count("medians of 3 rounds") == 2
