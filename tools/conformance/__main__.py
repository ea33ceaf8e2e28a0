"""Runs the tests of dpctl, and those of the Array API, on situ: `make conformance`.

dpctl's come out of its wheel, which pip fetches into a folder that is gone afterwards. Those of the Array API are run
where a checkout of data-apis/array-api-tests, with its submodule, is given. What is left out and what is expected to
fail stands in docs/differences.md; whatever else fails, and whatever passes although it stands there, is an error.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import expectations
import pytest
import recorder
import verdict

HERE = Path(__file__).parent
DOCUMENT = HERE.parent.parent / "docs/differences.md"
DPCTL = "0.21.1"
STANDARD = "2025.12"
WHEEL = "SITU_DPCTL_WHEEL"
"""The environment variable that names a wheel of dpctl's, where none can be fetched."""


def dpctl_tests(folder: Path, wheel: Path | None) -> Path:
    """Put the tests from dpctl's wheel into a folder; they are the same for every platform and Python."""
    if wheel is None:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
        form = ["--no-deps", "--only-binary=:all:", "--python-version=3.11", "--platform=manylinux_2_28_x86_64"]
        if subprocess.run([*pip, *form, f"--dest={folder}", f"dpctl=={DPCTL}"]).returncode:
            sys.exit(f"could not fetch dpctl {DPCTL}, whose tests these are; a wheel of it can be named by {WHEEL}")
        (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder, [name for name in archive.namelist() if name.startswith("dpctl/tests/")])
    tests = (folder / "dpctl/tests").rename(folder / "tests")
    (folder / "dpctl").rmdir()  # else it would pass for the package
    return tests


HIDDEN = {"SITU_DEVICE_SELECTOR": "!opencl:*"}


def run(suite: str, options: list[str], folder: Path, environment: dict[str, str], chosen: list[str]) -> bool:
    """Run pytest in a folder with situ in dpctl's place, print the results, and tell whether they are as expected."""
    with tempfile.TemporaryDirectory() as place:
        results = Path(place) / "results.json"
        paths = filter(None, [str(HERE), os.environ.get("PYTHONPATH")])
        told = {recorder.RESULTS: str(results), recorder.DOCUMENT: str(DOCUMENT), recorder.SUITE: suite}
        begin = time.monotonic()
        quietly = ["--quiet", "--tb=no", "--no-header", "--no-summary", "--continue-on-collection-errors"]
        plugins = ["-p", "recorder", "-p", "no:cacheprovider"]
        status = subprocess.run(
            [sys.executable, "-m", "situ.dpctl", "-m", "pytest", *plugins, *quietly, *options, *chosen],
            cwd=folder,
            # The suites are held to what every machine has; drivers of OpenCL differ in what they say about themselves.
            env=os.environ | HIDDEN | {"PYTHONPATH": os.pathsep.join(paths)} | told | environment,
        ).returncode
        taken = time.monotonic() - begin
        if status == pytest.ExitCode.NO_TESTS_COLLECTED:
            sys.exit(f"{suite}: no test is named so")
        if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            sys.exit(f"{suite}: pytest did not come to an end, exit status {status}")
        found = json.loads(results.read_text("utf-8"))
    expected = expectations.read(DOCUMENT).get(suite, expectations.Expectations())
    outcome = verdict.judge(found["outcomes"], expected, is_whole=not chosen)
    print(f"\n{suite}, {taken:.0f} s\n{verdict.table(outcome)}")
    for title, names in [
        ("failed unexpectedly", outcome.failures),
        ("passed, but docs/differences.md expects them to fail", outcome.passes),
        ("named in docs/differences.md, but no such test was run", outcome.stale),
    ]:
        if names:
            print(f"\n{len(names)} {title}:")
            for name in names:
                print(f"  {name}", found["reasons"].get(name, ""), sep="  ")
    return outcome.is_good


def main() -> None:
    """Run the suites that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--array-api-tests", type=Path, metavar="CHECKOUT", help="run that suite, too")
    parser.add_argument("--max-examples", type=int, default=200, help="of each of its tests (default: %(default)s)")
    named = os.environ.get(WHEEL)
    parser.add_argument(
        "--dpctl-wheel",
        type=Path,
        metavar="WHEEL",
        default=Path(named) if named else None,
        help=f"use this one instead of fetching it (default: what {WHEEL} names)",
    )
    parser.add_argument("--skip-dpctl", action="store_true", help="run only the other suite")
    parser.add_argument("--jobs", default="2", help="processes (default: %(default)s)")
    parser.add_argument("chosen", nargs="*", help="more options for pytest, after --, such as -k add")
    options = parser.parse_args()
    parallel = [f"-n{options.jobs}", "--dist=worksteal"]
    is_good = True
    if not options.skip_dpctl:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            tests = dpctl_tests(folder, options.dpctl_wheel)
            told = {recorder.PACKAGE: str(folder)}
            is_good &= run(
                f"dpctl {DPCTL}", [*parallel, f"--rootdir={folder}", str(tests)], folder, told, options.chosen
            )
    if options.array_api_tests:
        folder = options.array_api_tests.resolve()
        told = {"ARRAY_API_TESTS_MODULE": "situ.tensor", "ARRAY_API_TESTS_VERSION": STANDARD}
        form = [f"--max-examples={options.max_examples}", "--disable-deadline"]
        is_good &= run("array-api-tests", [*parallel, "array_api_tests", *form], folder, told, options.chosen)
    sys.exit(not is_good)


if __name__ == "__main__":
    main()
