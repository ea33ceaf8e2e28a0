"""Random arrays: the same bits everywhere, states, distributions, and arguments that make no sense."""

import copy
import math
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import situ
from situ import tensor
from situ.random import Generator

TOOL = Path(__file__).parent.parent / "tools/random_bits.py"
WORDS = [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
SEED = 20261116
#: A normal deviate this far out comes once in 16,000 tests; seeds are fixed, so that it comes never or always.
SIGMAS = 4

DRAWS = {
    "random": lambda g, n, **k: g.random(n, **k),
    "random32": lambda g, n, **k: g.random(n, dtype="float32", **k),
    "uniform": lambda g, n, **k: g.uniform(-1, 3, n, **k),
    "normal": lambda g, n, **k: g.normal(2, 3, n, **k),
    "standard_normal": lambda g, n, **k: g.standard_normal(n, **k),
    "standard_normal32": lambda g, n, **k: g.standard_normal(n, dtype="float32", **k),
    "exponential": lambda g, n, **k: g.exponential(2.5, n, **k),
    "exponential32": lambda g, n, **k: g.exponential(2.5, n, dtype="float32", **k),
    "integers": lambda g, n, **k: g.integers(-5, 1000, n, **k),
    "integers32": lambda g, n, **k: g.integers(-(2**31), 2**30 + 1, n, dtype="int32", **k),
    "integers8": lambda g, n, **k: g.integers(-100, 100, n, dtype="int8", **k),
}  # fmt: skip


def has_doubles(queue):
    return queue.sycl_device.has_aspect_fp64


def host(array):
    return tensor.asnumpy(array)


@pytest.fixture(scope="module")
def null():
    return situ.Queue(situ.Device("null"))


def test_words_are_those_that_were_published(here):
    words = Generator(0, sycl_queue=here).integers(2**32, size=4, dtype="uint32")
    assert host(words).tolist() == WORDS
    everything = Generator(2**64 - 1, sycl_queue=here)
    everything.state = {"key": 2**64 - 1, "counter": 2**128 - 1, "children": 0}
    assert host(everything.integers(2**32, size=4, dtype="uint32")).tolist() == [
        0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD,
    ]  # fmt: skip
    assert everything.state["counter"] == 0


@pytest.mark.parametrize("draw", DRAWS)
def test_devices_agree(draw, place, null):
    if not has_doubles(place):
        pytest.skip("without double precision")
    for count in (1, 2, 3, 257, 5001):
        found, expected = (
            DRAWS[draw](Generator(SEED, sycl_queue=place), count),
            DRAWS[draw](Generator(SEED, sycl_queue=null), count),
        )
        assert host(found).tobytes() == host(expected).tobytes()


@pytest.mark.parametrize("draw", ["random", "standard_normal", "integers"])
def test_threads_agree(draw):
    device = situ.Device("cpu")
    if device.partition_max_sub_devices < 2:
        pytest.skip("one core")
    one = situ.Queue(device.create_sub_devices(partition=[1])[0])
    whole = DRAWS[draw](Generator(SEED, device="cpu"), 3_000_001)
    single = DRAWS[draw](Generator(SEED, sycl_queue=one), 3_000_001)
    assert host(whole).tobytes() == host(single).tobytes()


def test_arrays_cut_at_blocks_are_the_same():
    whole, parts = Generator(SEED), Generator(SEED)
    expected = host(whole.random(5000))
    found = np.concatenate([host(parts.random(size)) for size in (2, 130, 868, 4000)])
    np.testing.assert_array_equal(found, expected)
    assert whole.state == parts.state


@pytest.mark.parametrize("draw", DRAWS)
def test_layouts_of_out_do_not_matter(draw, here):
    if not has_doubles(here):
        pytest.skip("without double precision")
    expected = host(DRAWS[draw](Generator(3, sycl_queue=here), (40, 6)))
    for layout in ("C", "F", "stepped", "offset"):
        dtype = expected.dtype
        if layout == "stepped":
            out = tensor.zeros((80, 12), dtype=dtype, sycl_queue=here)[::2, ::-2]
        elif layout == "offset":
            out = tensor.zeros(241, dtype=dtype, sycl_queue=here)[1:].reshape(40, 6)
        else:
            out = tensor.zeros((40, 6), dtype=dtype, order=layout, sycl_queue=here)
        result = (
            DRAWS[draw](Generator(3), None, out=out) if layout == "C" else DRAWS[draw](Generator(3), (40, 6), out=out)
        )
        assert result is out
        np.testing.assert_array_equal(host(out), expected)


def test_kinds_and_queues_follow_the_call(here):
    generator = Generator(1, usm_type="shared", sycl_queue=here)
    assert generator.random(3, dtype="float32").usm_type == "shared"
    assert generator.random(3, dtype="float32", usm_type="host").usm_type == "host"
    other = situ.Queue()
    assert generator.integers(3, size=3, sycl_queue=other).sycl_queue == other
    assert generator.sycl_queue == here


def test_shapes():
    generator = Generator(1)
    assert generator.random().shape == ()
    assert generator.random((2, 0, 3)).shape == (2, 0, 3)
    assert generator.normal([1, 2, 3], [[1], [2]]).shape == (2, 3)
    assert generator.normal(tensor.zeros(3), 1, size=(5, 3)).shape == (5, 3)
    assert generator.exponential(np.ones(4)).shape == (4,)
    assert generator.state["counter"] > 0


def test_streams_do_not_meet():
    generator = Generator(9)
    generators = [generator, generator.jump(), generator.jump(3), *generator.spawn(3), *generator.spawn(2)]
    numbers = [tuple(host(each.integers(2**64, size=64, dtype="uint64")).tolist()) for each in generators]
    assert len(set(numbers)) == len(numbers)
    assert len(set().union(*numbers)) == 64 * len(numbers)


def test_jump_and_spawn_say_where_they_are():
    generator = Generator(9)
    generator.random(10)
    assert generator.jump(2).state == {"key": 9, "counter": 5 + 2 * 2**64, "children": 2 * 2**32}
    assert generator.jump().jump().state == generator.jump(2).state
    first = generator.spawn(2)
    assert generator.state["children"] == 2
    again = Generator(9).spawn(3)
    assert [each.state for each in first] == [each.state for each in again[:2]]
    assert generator.spawn(0) == []


def test_pickles_go_on_where_they_were(here):
    generator = Generator(77, usm_type="host", sycl_queue=here)
    generator.random(5, dtype="float32")
    generator.spawn(2)
    other = pickle.loads(pickle.dumps(generator))
    assert other.state == generator.state
    mine, its = generator.random(5, dtype="float32"), other.random(5, dtype="float32")
    assert host(mine).tobytes() == host(its).tobytes()
    assert its.usm_type == "host" and its.sycl_device == here.sycl_device


def test_it_shows_what_it_is():
    generator = Generator(5, device="cpu")
    generator.random(4)
    assert repr(generator) == "Generator(5, device='native:cpu:0') at block 2"


def test_a_part_of_a_device_is_named_by_the_whole():
    device = situ.Device("cpu")
    part = situ.Queue(device.create_sub_devices(partition=[1])[0])
    assert repr(Generator(5, sycl_queue=part)) == "Generator(5, device='native:cpu:0') at block 0"
    assert pickle.loads(pickle.dumps(Generator(5, sycl_queue=part))).sycl_queue.sycl_device == device


def test_no_seed_is_a_new_one():
    assert Generator().state["key"] != Generator().state["key"]


def distance(values, cumulative):
    """Kolmogorov's distance between numbers and a distribution, times the root of how many there are."""
    values = np.sort(values.astype(np.float64))
    expected = cumulative(values)
    steps = np.arange(values.size + 1) / values.size
    return max(np.abs(expected - steps[1:]).max(), np.abs(expected - steps[:-1]).max()) * math.sqrt(values.size)


def chi_square(counts, expected):
    """Pearson's statistic as a normal deviate, by Wilson and Hilferty, which holds from one degree of freedom on."""
    statistic, freedom = ((counts - expected) ** 2 / expected).sum(), len(counts) - 1
    spread = 2 / (9 * freedom)
    return ((statistic / freedom) ** (1 / 3) - (1 - spread)) / math.sqrt(spread)


def normal_cumulative(x):
    return np.array([0.5 * math.erfc(-each / math.sqrt(2)) for each in x])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("draw", "cumulative"),
    [
        (lambda g, **k: g.random(100_000, **k), lambda x: x),
        (lambda g, **k: g.uniform(-3, 5, 100_000, **k), lambda x: (x + 3) / 8),
        (lambda g, **k: g.standard_normal(100_000, **k), normal_cumulative),
        (lambda g, **k: g.normal(10, 4, 100_000, **k), lambda x: normal_cumulative((x - 10) / 4)),
        (lambda g, **k: g.exponential(3, 100_000, **k), lambda x: 1 - np.exp(-x / 3)),
    ],
    ids=["random", "uniform", "standard_normal", "normal", "exponential"],
)
def test_distributions(draw, cumulative, dtype):
    # Beyond 2, once in 1,500 tests.
    assert distance(host(draw(Generator(SEED), dtype=dtype)), cumulative) < 2


def test_tails_are_there():
    for dtype, tail in (("float32", 4.5), ("float64", 4.5)):
        values = np.abs(host(Generator(SEED).standard_normal(4_000_000, dtype=dtype)))
        expected = values.size * math.erfc(tail / math.sqrt(2))
        assert abs((values > tail).sum() - expected) < SIGMAS * math.sqrt(expected)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize(("low", "high"), [(0, 7), (3, 100)])
def test_integers_are_all_as_likely(dtype, low, high):
    values = host(Generator(SEED).integers(low, high, 200_000, dtype=dtype))
    assert values.dtype == dtype
    counts = np.bincount(values.astype(np.int64) - low, minlength=high - low)
    assert abs(chi_square(counts, values.size / (high - low))) < SIGMAS


def test_integers_reach_their_ends():
    for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"):
        least, most = np.iinfo(name).min, np.iinfo(name).max
        values = host(Generator(4).integers(least, most, 1000, dtype=name, endpoint=True))
        assert values.min() < least + 0.02 * (int(most) - int(least))
        assert values.max() > most - 0.02 * (int(most) - int(least))
        assert set(host(Generator(4).integers(most - 1, most, 99, dtype=name, endpoint=True)).tolist()) == {
            most - 1,
            most,
        }
    assert set(host(Generator(4).integers(2, size=99, dtype="bool")).tolist()) == {False, True}
    assert host(Generator(4).integers(5, 6, size=3)).tolist() == [5, 5, 5]


def test_bits_are_balanced():
    words = host(Generator(SEED).integers(2**64, size=100_000, dtype="uint64"))
    bits = np.unpackbits(words.view(np.uint8).reshape(-1, 8), axis=1)
    assert np.abs(bits.mean(axis=0) - 0.5).max() * 2 * math.sqrt(len(words)) < 4.5
    neighbours = np.corrcoef(bits.T) - np.eye(64)
    assert np.abs(neighbours).max() * math.sqrt(len(words)) < 5.5


def test_bytes(here):
    assert Generator(0, sycl_queue=here).bytes(7) == b"".join(word.to_bytes(4, "little") for word in WORDS)[:7]
    assert Generator(0).bytes(0) == b""


WRONG = {
    "seed": (lambda g: Generator(-1), ValueError, "seed"),
    "large seed": (lambda g: Generator(2**64), ValueError, "modulo"),
    "seed's type": (lambda g: Generator(1.5), TypeError, "seed must be an integer"),
    "size": (lambda g: g.random(-1), ValueError, "negative"),
    "size's type": (lambda g: g.random(1.5), TypeError, "integer"),
    "dtype": (lambda g: g.random(3, dtype="int32"), TypeError, "float32, float64"),
    "scale": (lambda g: g.normal(0, -1), ValueError, "scale must be at least 0"),
    "an element of scale": (lambda g: g.normal(0, [1, -1]), ValueError, "every element of scale"),
    "exponential's scale": (lambda g: g.exponential(-1), ValueError, "scale"),
    "uniform's ends": (lambda g: g.uniform(0, math.inf), ValueError, "finite"),
    "uniform's ends in single precision": (lambda g: g.uniform(-3e38, 3e38, 2, dtype="f4"), ValueError, "in float32"),
    "a parameter's type": (lambda g: g.normal("x"), TypeError, "loc"),
    "a complex parameter": (lambda g: g.normal([1j]), TypeError, "real"),
    "shapes": (lambda g: g.normal([1, 2, 3], size=2), ValueError, "cannot be broadcast"),
    "no integers": (lambda g: g.integers(5, 5), ValueError, "greater than low"),
    "integers that do not fit": (lambda g: g.integers(0, 300, dtype="uint8"), ValueError, "does not fit in uint8"),
    "integers of floats": (lambda g: g.integers(0, 3, dtype="float32"), TypeError, "dtype"),
    "a float for an integer": (lambda g: g.integers(0.5), TypeError, "integer"),
    "out's shape": (lambda g: g.random(3, out=tensor.empty(4)), ValueError, "shape"),
    "out's dtype": (lambda g: g.random(out=tensor.empty(4, dtype="i4")), TypeError, "dtype"),
    "out's other dtype": (lambda g: g.random(out=tensor.empty(4), dtype="f4"), ValueError, "dtype"),
    "out's type": (lambda g: g.random(out=np.empty(4)), TypeError, "out must be an array of situ"),
    "a broadcast out": (lambda g: g.random(out=tensor.broadcast_to(tensor.empty(1), 4)), ValueError, "broadcast"),
    "times": (lambda g: g.jump(-1), ValueError, "times"),
    "children": (lambda g: g.spawn(-1), ValueError, "n_children"),
    "bytes": (lambda g: g.bytes(-1), ValueError, "length"),
    "state": (lambda g: setattr(g, "state", {"key": 1}), ValueError, "state"),
    "a state's counter": (
        lambda g: setattr(g, "state", {"key": 1, "counter": -1, "children": 0}), ValueError, "counter",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_makes_no_sense_is_refused(case):
    call, error, message = WRONG[case]
    generator = Generator(1)
    with pytest.raises(error, match=message):
        call(generator)
    assert generator.state == Generator(1).state


def test_parameters_elsewhere_are_refused():
    with pytest.raises(situ.ExecutionPlacementError, match="to_device"):
        Generator(1).normal(tensor.zeros(3, sycl_queue=situ.Queue()))


@pytest.mark.skipif(not TOOL.exists(), reason="the tools are not beside the tests")
@pytest.mark.parametrize("streams", [1, 3])
def test_bits_can_be_given_to_a_battery(streams):
    command = [sys.executable, str(TOOL), "--seed", "5", "--streams", str(streams), "--bytes", "4000"]
    written = subprocess.run(command, capture_output=True, check=True).stdout
    generator = Generator(5, device="cpu")
    generators = [generator] if streams == 1 else generator.spawn(streams)
    words = [np.frombuffer(each.bytes(4000), "<u4") for each in generators]
    assert written == np.stack(words, axis=1).tobytes()[:4000]


DRAWS_WITH = {
    "uniform": lambda g, x, **k: g.uniform(x, 2000.0, **k),
    "normal": lambda g, x, **k: g.normal(x, x, **k),
    "exponential": lambda g, x, **k: g.exponential(x, **k),
    "gamma": lambda g, x, **k: g.gamma(x, x, **k),
    "beta": lambda g, x, **k: g.beta(x, x, **k),
}  # fmt: skip


@pytest.mark.parametrize("draw", DRAWS_WITH.values(), ids=DRAWS_WITH)
@pytest.mark.parametrize("shift", [0, 1, 7])
def test_out_may_hold_a_parameter(here, draw, shift):
    if not has_doubles(here):
        pytest.skip("the device has no double precision")
    values = np.linspace(1, 9, 107)
    room = tensor.asarray(values, sycl_queue=here)
    made = draw(Generator(3, sycl_queue=here), room[: 107 - shift], out=room[shift:])
    wanted = draw(Generator(3, sycl_queue=here), tensor.asarray(values[: 107 - shift], sycl_queue=here))
    assert np.array_equal(host(made), host(wanted))


def test_a_jump_takes_its_children_along():
    generator = Generator(7)
    assert generator.jump().spawn(1)[0].state != generator.spawn(1)[0].state


def test_copies_stay_on_the_queue():
    queue = situ.Queue("cpu")
    generator = Generator(1, usm_type="host", sycl_queue=queue)
    for other in (copy.copy(generator), copy.deepcopy(generator)):
        assert other.sycl_queue == queue and other.random(3).usm_type == "host"
    assert generator.state["counter"] == 0


def test_integers_between_arrays_reach_both_ends():
    low, most = -(2**63), 2**63 - 1
    generator = Generator(1)
    for first, stop, endpoint in [
        ([low], most, False),
        ([low], most + 1, False),
        ([low], most, True),
        (low, [most], True),
        (0, [most], True),
        ([-(2**62) - 5], 2**62 + 5, False),
    ]:
        drawn = host(generator.integers(first, stop, size=1000, endpoint=endpoint))
        reach = (int(np.max(stop)) + endpoint) / 2 - int(np.min(first)) / 2
        spread = drawn.max() / 2 - drawn.min() / 2
        assert 0.95 * reach < spread <= reach
    assert generator.integers([5], 5, endpoint=True).tolist() == [5]


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda g: g.integers([5], 5), ValueError, "above low"),
        (lambda g: g.integers([0], 2**200), ValueError, "high"),
        (lambda g: g.integers(0, np.array([2**63], "u8")), ValueError, "high"),
        (lambda g: g.integers(0, [2.5]), TypeError, "float64"),
        (lambda g: g.binomial([2.5], 0.5), TypeError, "float64"),
        (lambda g: g.uniform(0, 10**400), ValueError, "high"),
        (lambda g: g.choice(3000, 2, p=tensor.zeros(3000, dtype="float32")), ValueError, "sum of p"),
        (lambda g: g.random(out=tensor.empty(2), sycl_queue=situ.Queue()), situ.ExecutionPlacementError, "out"),
    ],
)
def test_what_makes_no_sense_is_named(call, error, says):
    with pytest.raises(error, match=says):
        call(Generator(1))


def test_tiny_parameters_and_shares():
    generator = Generator(1, device="cpu")
    assert set(generator.beta(1e-310, 1e-310, size=100).tolist()) == {0.0, 1.0}
    for _ in range(20):
        assert sorted(generator.choice(3, 2, replace=False, p=[0, 1e-320, 1.0]).tolist()) == [1, 2]
    assert generator.choice(4, 3, p=np.full(4, 0.25, "f2")).shape == (3,)


@pytest.mark.parametrize(("low", "high"), [(1.0, 4096.0), (-1e4, 9.0), (-6e4, 6e4)])
def test_uniform_between_numbers_with_few_digits(low, high):
    low, high = (np.array([each], "float16") for each in (low, high))
    values = host(Generator(SEED).uniform(low, high, size=100_000)).astype(np.float64)
    low, high = float(low[0]), float(high[0])
    assert low <= values.min() and values.max() < high
    # So near to the end comes one of so many numbers.
    assert high - values.max() < 5 * (high - low) / values.size
    assert distance((values - low) / (high - low), lambda share: share) < 2


def test_lengths_may_be_arrays_of_one_number():
    assert Generator(1).random(np.array(3)).shape == (3,)


def test_exponential_numbers_are_not_negative_zeros():
    assert not np.signbit(host(Generator(SEED).exponential(size=2**24, dtype="float32"))).any()
