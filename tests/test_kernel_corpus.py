"""Every kernel of the corpus: the simulator against NumPy, devices against the simulator."""

import numpy as np
import pytest
from kernel_corpus import CASES, View
from kernel_corpus.memory import SHARED

import situ
from situ import kernels, tensor
from situ.kernels._simulator import simulate

ALL = [pytest.param(case, id=name) for name, case in CASES.items()]
NULL = situ.Queue(situ.Device("null"))


def on_host(arguments):
    """The arguments as NumPy has them, copied."""
    values = []
    for argument in arguments:
        if argument is SHARED:
            values.append(values[0])
        elif isinstance(argument, View):
            values.append(argument.take(argument.base.copy()))
        else:
            values.append(argument.copy() if isinstance(argument, np.ndarray) else argument)
    return values


def compare(name, got, wanted, tolerance):
    """Assert that arrays hold the same, and everything else was not touched."""
    for place, (one, other) in enumerate(zip(got, wanted, strict=True)):
        if not isinstance(other, np.ndarray):
            continue
        assert one.dtype == other.dtype
        what = f"argument {place} of {name}"
        if tolerance and other.dtype.kind in "fc":
            scale = max(1.0, np.max(np.abs(other), where=np.isfinite(other), initial=0))
            np.testing.assert_allclose(one, other, rtol=0, atol=tolerance * scale, err_msg=what)
        else:
            np.testing.assert_array_equal(one, other, err_msg=what)


def simulated(case, seed):
    arguments = on_host(case.arguments(seed))
    simulate(case.function, case.space, *arguments)
    return arguments


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in CASES.items() if case.expected])
def test_the_simulator_agrees_with_numpy(case, seed, quiet):
    expected = on_host(case.arguments(seed))
    case.expected(*expected)
    compare(case.name, simulated(case, seed), expected, case.tolerance)


@pytest.mark.parametrize("case", ALL)
def test_every_kernel_does_something(case):
    before = on_host(case.arguments(0))
    after = simulated(case, 0)
    pairs = [(a, b) for a, b in zip(before, after, strict=True) if isinstance(a, np.ndarray)]
    assert any(not np.array_equal(a, b, equal_nan=a.dtype.kind in "fc") for a, b in pairs)


def on_device(case, queue, seed, **options):
    """What is in the arguments after a launch, where each array has memory of its own."""
    arguments = []
    for argument in case.arguments(seed):
        if getattr(argument, "dtype", None) == np.float16 and not queue.sycl_device.has_aspect_fp16:
            pytest.skip("the device has no float16")
        if argument is SHARED:
            arguments.append(arguments[0])
        elif isinstance(argument, View):
            # A copy that keeps the order of the axes, of which a part is taken on the device.
            arguments.append(argument.take(tensor.asarray(argument.base, sycl_queue=queue, order="K", copy=True)))
        elif isinstance(argument, np.ndarray):
            arguments.append(tensor.asarray(argument, sycl_queue=queue, copy=True))
        else:
            arguments.append(argument)
    kernels.kernel(**options)(case.function)[case.space](*arguments)
    return [tensor.asnumpy(each) if isinstance(each, tensor.usm_ndarray) else each for each in arguments]


@pytest.mark.parametrize("case", ALL)
def test_the_interpreter_agrees_with_the_simulator(case):
    compare(case.name, on_device(case, NULL, 2, contract=False), simulated(case, 2), case.tolerance)


@pytest.mark.parametrize("case", ALL)
def test_devices_agree_with_the_simulator(case, here):
    compare(case.name, on_device(case, here, 3, contract=False), simulated(case, 3), case.tolerance)


@pytest.mark.parametrize("case", [each for each in ALL if not each.values[0].is_chaotic])
def test_devices_agree_when_products_and_sums_are_one(case, here):
    result = on_device(case, here, 4)
    compare(case.name, result, simulated(case, 4), max(case.tolerance, 1e-5))


@pytest.mark.parametrize("case", ALL)
def test_nothing_is_wrong_with_indices(case, here):
    compare(case.name, on_device(case, here, 5, contract=False, debug=True), simulated(case, 5), case.tolerance)


def test_the_corpus_is_large():
    assert len(CASES) >= 60 and sum(case.expected is not None for case in CASES.values()) >= 40
