"""Runs random kernels in plain Python, on the null device and on every real one, and compares: `make fuzz-kernels`.

Every program follows from a seed. One that fails is made as small as it can be while it still fails, and printed with
the command that runs it again. Every few programs one is spoilt at random, and compiled only: that must give a kernel
or a `KernelCompileError`, nothing else. Another is careless with indices and divisors, and run with `debug=True`: all
must find a fault, or agree.
"""

from __future__ import annotations

import argparse
import ast
import copy
import linecache
import random
import re
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from kernel_grammar import ITEMS, Program, program

import situ
from situ import kernels, tensor

#: Of so many programs one is spoilt and one is careless.
MANNERS = 4
SPOILT, CARELESS = 0, 1
#: What a part of a program is replaced by, besides other parts of it.
ODD = ("None", "'text'", "[1, 2]", "(1, 2)", "x", "1 << 70", "1e400", "-1", "total", "i[0]", "math", "{}", "total.T")
#: Statements without which work-items would get in each other's way, or a loop would never end.
KEPT = re.compile(r"barrier\(|held_|k\d+ (-=|=) ")
Failure: TypeAlias = "str | None"


def function_of(source: str) -> Any:
    """Return the kernel of a source text as a plain function, whose lines tracebacks and the compiler can see."""
    name = f"<kernel {abs(hash(source))}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    names: dict[str, Any] = {"__name__": "fuzzed"}
    exec(compile(source, name, "exec"), names)
    return names["kernel"]


def space_of(case: Program) -> Any:
    """Return the range of a program."""
    return case.lengths if case.groups is None else kernels.NdRange(case.lengths, case.groups)


def laid_out(array: np.ndarray[Any, Any], seed: int, queue: situ.Queue) -> Any:
    """Return an array on a device, dense, reversed or with gaps."""
    step = (1, 1, -1, 2, -3)[seed % 5]
    spread = np.zeros(array.size * abs(step), array.dtype)
    spread[::step][: array.size] = array
    return tensor.asarray(spread, sycl_queue=queue)[::step][: array.size]


def on_device(function: Any, case: Program, queue: situ.Queue, *, debug: bool = False) -> list[np.ndarray[Any, Any]]:
    """Return what a program leaves in its arrays on a device."""
    arrays = [laid_out(array, case.seed + place, queue) for place, array in enumerate(case.arguments())]
    kernels.kernel(contract=False, debug=debug)(function)[space_of(case)](*arrays)
    return [tensor.asnumpy(array) for array in arrays]


def simulated(function: Any, case: Program) -> list[np.ndarray[Any, Any]]:
    """Return what a program leaves in its arrays in plain Python."""
    arrays = case.arguments()
    kernels.kernel(contract=False)(function).simulate(space_of(case), *arrays)
    return arrays


def difference(one: list[np.ndarray[Any, Any]], other: list[np.ndarray[Any, Any]]) -> Failure:
    """Say where two results differ; all NaNs are alike, and zeros have signs."""
    for place, (a, b) in enumerate(zip(one, other, strict=True)):
        same = a.view(np.uint8).reshape(a.size, -1) == b.view(np.uint8).reshape(b.size, -1)
        wrong = np.flatnonzero(~(same.all(1) | ((a != a) & (b != b))))
        if wrong.size:
            at = wrong[0]
            return f"argument {place}, element {at}: {a[at]!r} and {b[at]!r}"
    return None


def places() -> dict[str, situ.Queue]:
    """Return a queue on the null device, the reference, and on every real one."""
    return {"null": situ.Queue(situ.Device("null"))} | {
        device.filter_string: situ.Queue(device) for device in situ.get_devices()
    }


def failure(case: Program, queues: dict[str, situ.Queue], simulate: bool) -> Failure:
    """Return what is wrong with a program, if anything is."""
    try:
        function = function_of(case.source)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = {name: on_device(function, case, queue) for name, queue in queues.items()}
            if simulate and case.items <= ITEMS:
                results["simulator"] = simulated(function, case)
    except Exception:
        return traceback.format_exc(limit=-3)
    return disagreement(results)


def disagreement(results: dict[str, list[np.ndarray[Any, Any]]]) -> Failure:
    """Say who differs from the interpreter, if anybody does."""
    for name, result in results.items():
        found = difference(results["null"], result)
        if found:
            return f"the interpreter and {name} differ in {found}"
    return None


def carelessness(case: Program, queues: dict[str, situ.Queue], simulate: bool) -> Failure:
    """Return what is wrong with how mistakes of a program are found as it runs, if anything is."""
    results: dict[str, list[np.ndarray[Any, Any]]] = {}
    faults: dict[str, str] = {}
    try:
        function = function_of(case.source)
        for name, queue in queues.items():
            try:
                results[name] = on_device(function, case, queue, debug=True)
            except kernels.KernelFault as fault:
                faults[name] = str(fault)
        if faults and results:
            found, missed = ", ".join(faults), ", ".join(results)
            return f"faults found by {found} were not found by {missed}: {next(iter(faults.values()))}"
        if simulate and not faults and case.items <= ITEMS:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                results["simulator"] = simulated(function, case)
    except Exception:
        return traceback.format_exc(limit=-3)
    return disagreement(results) if results else None


def spoil(source: str, seed: int) -> str:
    """Return a source text with some of its parts put in the places of others."""
    chance = random.Random(seed)
    tree = ast.parse(source)
    kernel = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "kernel")
    for _ in range(chance.randint(1, 3)):
        owners = [
            (node, name)
            for node in ast.walk(kernel)
            for name, value in ast.iter_fields(node)
            if isinstance(value, ast.expr) and not isinstance(getattr(value, "ctx", ast.Load()), ast.Store)
        ]
        values = [node for node in ast.walk(kernel) if isinstance(node, ast.expr) and not isinstance(node, ast.Slice)]
        owner, name = chance.choice(owners)
        other: ast.expr = chance.choice(values)
        if chance.random() < 0.4:
            other = ast.parse(chance.choice(ODD), mode="eval").body
        setattr(owner, name, copy.deepcopy(other))
    return ast.unparse(tree) + "\n"


def complaint(case: Program, queue: situ.Queue) -> Failure:
    """Return what is wrong with how a spoilt program is refused, if anything is. It is compiled and not run."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function = function_of(case.source)
    except SyntaxError:
        return None
    # Nothing to do, so that a program that would never end is compiled all the same.
    nowhere = (0,) * len(case.lengths)
    space = nowhere if case.groups is None else kernels.NdRange(nowhere, case.groups)
    arrays = [tensor.asarray(array, sycl_queue=queue) for array in case.arguments()]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kernels.kernel(debug=True)(function)[space](*arrays)
    except kernels.KernelCompileError:
        return None
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return traceback.format_exc(limit=-3)
    return None


def smaller(source: str) -> Iterator[str]:
    """Yield a source text with one statement or branch less, for every one that can go."""
    tree = ast.parse(source)
    for owner in ast.walk(tree):
        for name in ("body", "orelse"):
            block = getattr(owner, name, None)
            if not isinstance(block, list) or isinstance(owner, ast.Module):
                continue
            for at in reversed(range(len(block))):
                statement = block[at]
                if KEPT.match(ast.unparse(statement)):
                    continue
                inner = getattr(statement, "body", None)
                for less in ([], inner) if isinstance(inner, list) else ([],):
                    setattr(
                        owner, name, [*block[:at], *less, *block[at + 1 :]] or ([ast.Pass()] if name == "body" else [])
                    )
                    yield ast.unparse(ast.fix_missing_locations(tree)) + "\n"
                setattr(owner, name, block)


def kind(what: Failure) -> str:
    """Return what a failure has in common with others of the same cause: the error's type, or who differs."""
    last = [line for line in (what or "").splitlines() if line[:1].isalpha()]
    return last[-1].partition(":")[0].partition(" in argument")[0] if last else ""


def shrunk(case: Program, fails: Callable[[Program], Failure], seconds: float = 20) -> Program:
    """Return the smallest program that can be found in some time and still fails in the same way."""
    end = time.monotonic() + seconds
    before = kind(fails(case))
    found = True
    while found and time.monotonic() < end:
        found = False
        for source in smaller(case.source):
            less = replace(case, source=source)
            if source != case.source and kind(fails(less)) == before:
                case, found = less, True
                break
            if time.monotonic() > end:
                break
    return case


def trial(seed: int, queues: dict[str, situ.Queue], simulate: bool) -> tuple[Program, Callable[[Program], Failure]]:
    """Return the program of a seed, and what tells whether it fails."""
    if seed % MANNERS == SPOILT:
        case = program(seed)
        return replace(case, source=spoil(case.source, seed)), lambda case: complaint(case, queues["null"])
    if seed % MANNERS == CARELESS:
        return program(seed, is_careless=True), lambda case: carelessness(case, queues, simulate)
    return program(seed), lambda case: failure(case, queues, simulate)


def main() -> None:
    """Run programs, and tell what failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=1000, help="how many (default: %(default)s)")
    parser.add_argument("--seed", type=int, help="of the first program (default: random)")
    parser.add_argument("--no-simulator", action="store_true", help="leave plain Python out, which is slow")
    parser.add_argument("--most-failures", type=int, default=5, help="stop after so many (default: %(default)s)")
    parser.add_argument("--show", action="store_true", help="print every program")
    options = parser.parse_args()
    first = random.SystemRandom().randrange(2**32) if options.seed is None else options.seed
    queues = places()
    print(f"programs {first} to {first + options.programs - 1} on {', '.join(queues)}", flush=True)
    failed, start = 0, time.monotonic()
    for number, seed in enumerate(range(first, first + options.programs)):
        case, fails = trial(seed, queues, not options.no_simulator)
        if options.show:
            print(case.source)
        what = fails(case)
        if what:
            failed += 1
            case = shrunk(case, fails)
            print(f"\nseed {seed}: {fails(case) or what}\n{case.source}")
            print(f"again: {sys.executable} tools/fuzz_kernels.py --programs 1 --seed {seed}\n", flush=True)
            if failed >= options.most_failures:
                break
        if number % 500 == 499:
            print(f"{number + 1} programs, {failed} failed, {time.monotonic() - start:.0f} s", flush=True)
    print(f"{failed} failed")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
