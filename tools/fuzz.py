"""Runs every property test with one random seed after another, on every device, until the time is over: `make fuzz`.

A round is the whole of the property tests with one seed, its files in a random order, so that a short run sees some of
each. What failed is printed with the command that runs it again: a test sees the same examples under the same seed.
"""

from __future__ import annotations

import argparse
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parent.parent / "tests"
PROFILE = "fuzz"


def command(seed: int, what: list[str], jobs: str) -> list[str]:
    """Return the command of a round; the marker is set by Hypothesis itself."""
    pytest = [sys.executable, "-m", "pytest", "-m", "hypothesis", "-p", "no:cacheprovider", "-q", "-rfE"]
    return [*pytest, f"-n{jobs}", "--dist=worksteal", f"--hypothesis-seed={seed}", *what]


def failed(output: str) -> list[str]:
    """Return the tests that a report of pytest's says have failed."""
    return re.findall(r"^(?:FAILED|ERROR) (\S+::\S+(?: [^-]\S*\])?)", output, re.MULTILINE)


def ran(output: str) -> bool:
    """Tell whether a report of pytest's has tests that passed, and nothing that kept others from running."""
    return bool(re.search(r"\d+ passed", output)) and not re.search(r"\d+ errors?\b", output)


def round_of(seed: int, what: list[str], jobs: str, seconds: float) -> tuple[str, bool]:
    """Run one round, no longer than so many seconds; return its output and whether it came to an end."""
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(command(seed, what, jobs), stdout=log, stderr=subprocess.STDOUT, cwd=TESTS.parent)
        try:
            process.wait(max(seconds, 1))
            ended = True
        except subprocess.TimeoutExpired:
            ended = False
            # As a person would: pytest then reports what has failed so far.
            process.send_signal(signal.SIGINT)
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        log.seek(0)
        return log.read(), ended


def seeds(first: int | None) -> Iterator[int]:
    """Yield one seed if it was given, else new ones for ever."""
    if first is not None:
        yield first
        return
    while True:
        yield random.SystemRandom().randrange(2**32)


def main() -> None:
    """Run rounds until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10, help="how long (default: %(default)s)")
    parser.add_argument("--seed", type=int, help="one round with this seed instead of random ones")
    parser.add_argument("--jobs", default="2", help="processes (default: %(default)s)")
    parser.add_argument("what", nargs="*", help="files or tests instead of all")
    options = parser.parse_args()
    end = time.monotonic() + 60 * options.minutes
    found: list[str] = []
    for seed in seeds(options.seed):
        what = options.what or [str(path.relative_to(TESTS.parent)) for path in sorted(TESTS.glob("test_*.py"))]
        random.Random(seed).shuffle(what)
        output, ended = round_of(seed, what, options.jobs, end - time.monotonic())
        print(f"seed {seed}: {output.strip().rpartition(chr(10))[2]}", flush=True)
        tests = failed(output)
        if tests or (ended and not ran(output)):
            print(output)
        for test in tests:
            again = " ".join(command(seed, [f"'{test}'"], "0"))
            found.append(f"  SITU_TEST_PROFILE={PROFILE} {again}")
        if ended and not tests and not ran(output):
            sys.exit("no test ran to its end: see above")
        if time.monotonic() >= end:
            break
    if found:
        print(f"\n{len(found)} failed; to run them again:", *found, sep="\n")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
