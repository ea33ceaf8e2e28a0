"""Random arrays by rejection, orders and choices."""

import math

import numpy as np
import pytest
from test_random import SEED, SIGMAS, chi_square, distance, has_doubles, host, normal_cumulative

import situ
from situ import tensor
from situ.random import Generator

DRAWS = {
    "gamma": lambda g, n, **k: g.gamma(2.5, 2.0, n, **k),
    "small gamma": lambda g, n, **k: g.gamma(0.3, 1.0, n, **k),
    "beta": lambda g, n, **k: g.beta(0.5, 3, n, **k),
    "poisson": lambda g, n, **k: g.poisson(3.5, n, **k),
    "large poisson": lambda g, n, **k: g.poisson(1000, n, **k),
    "huge poisson": lambda g, n, **k: g.poisson(1e14, n, **k),
    "huge binomial": lambda g, n, **k: g.binomial(2**50, 1e-13, n, **k),
    "binomial": lambda g, n, **k: g.binomial(20, 0.3, n, **k),
    "large binomial": lambda g, n, **k: g.binomial(10**6, 0.7, n, **k),
    "integers": lambda g, n, **k: g.integers(0, tensor.asarray(2**62 + 1, sycl_queue=g.sycl_queue), n, **k),
    "bernoulli": lambda g, n, **k: g.bernoulli(0.3, n, **k),
}  # fmt: skip


@pytest.fixture(scope="module")
def null():
    return situ.Queue(situ.Device("null"))


@pytest.mark.parametrize("draw", DRAWS)
def test_devices_agree(draw, place, null):
    if not has_doubles(place):
        pytest.skip("without double precision")
    found, expected = (
        DRAWS[draw](Generator(SEED, sycl_queue=place), 301),
        DRAWS[draw](Generator(SEED, sycl_queue=null), 301),
    )
    assert host(found).tobytes() == host(expected).tobytes()


@pytest.mark.parametrize("draw", DRAWS)
def test_out_of_any_layout(draw):
    generator = Generator(3)
    expected = DRAWS[draw](generator, (5, 6))
    for order in "CF":
        out, other = tensor.zeros((5, 6), dtype=expected.dtype, order=order), Generator(3)
        assert DRAWS[draw](other, (5, 6), out=out) is out
        np.testing.assert_array_equal(host(out), host(expected))
        assert other.state == generator.state


def test_elements_do_not_depend_on_others():
    whole = host(Generator(8).poisson([3.0, 50.0, 4.0, 1000.0]))
    part = host(Generator(8).poisson([3.0, 9.0]))
    assert whole[0] == part[0]


def gamma_cumulative(shape):
    if shape == 0.5:
        return lambda x: np.array([math.erf(math.sqrt(each)) for each in x])
    terms = range(int(shape))
    return lambda x: 1 - np.exp(-x) * sum(x**n / math.factorial(n) for n in terms)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [0.5, 1, 2, 10])
def test_gamma(shape, dtype):
    values = host(Generator(SEED).gamma(shape, 3.0, 50_000, dtype=dtype)).astype(np.float64)
    assert distance(values / 3, gamma_cumulative(shape)) < 2


def test_gamma_of_nothing_is_nothing():
    assert host(Generator(1).gamma(0, size=3)).tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("a", "b", "cumulative"),
    [
        (0.5, 0.5, lambda x: 2 / math.pi * np.arcsin(np.sqrt(x))),
        (2, 3, lambda x: 6 * x**2 - 8 * x**3 + 3 * x**4),
        (1, 4, lambda x: 1 - (1 - x) ** 4),
    ],
)
def test_beta(a, b, cumulative):
    assert distance(host(Generator(SEED).beta(a, b, 50_000)), cumulative) < 2


def test_beta_of_tiny_parameters_is_one_or_the_other():
    values = host(Generator(SEED).beta(1e-3, 1e-3, 20_000))
    assert np.isfinite(values).all() and abs(values.mean() - 0.5) < SIGMAS * 0.5 / math.sqrt(values.size)


def of_counts(values, weight, least):
    """Compares how often integers come with their probabilities, where they are expected at least so often."""
    values = values.astype(np.int64)
    numbers = np.arange(values.max() + 50)
    expected = values.size * np.exp([weight(int(k)) for k in numbers])
    often = expected > least
    counts = np.bincount(values, minlength=len(numbers))
    seldom = values.size - expected[often].sum(), values.size - counts[often].sum()
    return chi_square(np.append(counts[often], seldom[1]), np.append(expected[often], max(seldom[0], 1)))


@pytest.mark.parametrize("mean", [0.2, 3, 9.9, 10, 60, 3000])
def test_poisson(mean):
    values = host(Generator(SEED).poisson(mean, 100_000))
    assert abs(of_counts(values, lambda k: k * math.log(mean) - mean - math.lgamma(k + 1), 20)) < SIGMAS


@pytest.mark.parametrize(
    ("n", "p"), [(1, 0.5), (10, 0.2), (20, 0.9), (100, 0.3), (1000, 0.6), (10**6, 1e-5), (10**5, 0.01)]
)
def test_binomial(n, p):
    def weight(k):
        if k > n:
            return -math.inf
        return (
            math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
            + k * math.log(p) + (n - k) * math.log1p(-p)
        )  # fmt: skip

    assert abs(of_counts(host(Generator(SEED).binomial(n, p, 100_000)), weight, 20)) < SIGMAS


def apart(values, mean, spread):
    """Kolmogorov's distance of counts from the normal distribution that many of them have."""
    deviates = (values - mean) / spread
    assert abs(deviates).max() < 6.5
    return distance(deviates, normal_cumulative)


@pytest.mark.parametrize("mean", [2.0**30 - 1, 2.0**30, 1e14, 1e16, 9e18])
def test_poisson_of_means_beyond_all_digits(mean):
    assert apart(host(Generator(SEED).poisson(mean, 200_000)), mean, math.sqrt(mean)) < 2


@pytest.mark.parametrize(("n", "p"), [(2**30, 0.5), (10**13, 0.5), (2**53, 0.5), (2**53, 1e-10), (2**53, 0.999999)])
def test_binomial_of_more_trials_than_digits(n, p):
    values = host(Generator(SEED).binomial(n, p, 200_000))
    assert apart(values, n * p, math.sqrt(n * p * (1 - p))) < 2


@pytest.mark.parametrize("n", [2**30 - 1, 2**30, 10**13, 2**53])
def test_few_successes_of_many_trials(n):
    values = host(Generator(SEED).binomial(n, 10.5 / n, 200_000))
    weight = lambda k: k * math.log(10.5) - 10.5 - math.lgamma(k + 1)  # noqa: E731
    assert abs(of_counts(values, weight, 20)) < SIGMAS


def test_beta_keeps_numbers_that_are_hardly_more_than_zero():
    values = host(Generator(SEED).beta(1e-3, 1.0, 100_000))
    for least in (0.0, 2.2e-308):
        share = max(least, 5e-324) ** 1e-3
        assert abs((values <= least).mean() - share) < SIGMAS * 0.5 / math.sqrt(values.size)


def test_certain_numbers():
    generator = Generator(1)
    assert host(generator.poisson(0, 5)).tolist() == [0] * 5
    assert host(generator.binomial([0, 7, 7], [0.5, 0, 1])).tolist() == [0, 0, 7]
    assert host(generator.bernoulli([0, 1])).tolist() == [False, True]


def test_parameters_are_broadcast():
    generator = Generator(1)
    assert generator.gamma([[1], [2]], [1, 2, 3]).shape == (2, 3)
    means = host(generator.poisson(tensor.asarray([1.0, 100.0, 10000.0]), size=(2000, 3))).mean(axis=0)
    np.testing.assert_allclose(means, [1, 100, 10000], rtol=0.1)
    assert generator.binomial(np.array([3, 4]), 0.5).shape == (2,)
    assert generator.bernoulli(np.full((2, 2), 0.5), size=(3, 2, 2)).dtype == tensor.bool


def test_integers_between_arrays():
    values = host(Generator(SEED).integers([0, 10, -5], [2, 12, 5], size=(60_000, 3)))
    for column, (low, high) in zip(values.T, [(0, 2), (10, 12), (-5, 5)], strict=True):
        assert abs(chi_square(np.bincount(column - low, minlength=high - low), len(column) / (high - low))) < SIGMAS


def test_bernoulli():
    values = host(Generator(SEED).bernoulli(0.3, 100_000))
    assert abs(values.mean() - 0.3) < SIGMAS * math.sqrt(0.21 / values.size)


def test_permutations(here):
    order = host(Generator(SEED, sycl_queue=here).permutation(1000))
    assert sorted(order.tolist()) == list(range(1000)) and order.tolist() != sorted(order.tolist())
    np.testing.assert_array_equal(order, host(Generator(SEED).permutation(1000)))


def test_every_order_is_as_likely():
    generator = Generator(SEED)
    orders = [tuple(host(generator.permutation(4)).tolist()) for _ in range(4800)]
    counts = np.array([orders.count(each) for each in set(orders)])
    assert len(counts) == 24 and abs(chi_square(counts, 200)) < SIGMAS


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_parts_along_an_axis_are_put_in_order(axis):
    x = tensor.arange(60).reshape(3, 4, 5)
    expected = host(Generator(2).permutation(x, axis=axis))
    order = host(Generator(2).permutation(x.shape[axis]))
    np.testing.assert_array_equal(expected, np.take(host(x), order, axis=axis))
    Generator(2).shuffle(x, axis=axis)
    np.testing.assert_array_equal(host(x), expected)


def test_shuffle_of_a_view():
    x = tensor.arange(20)
    Generator(2).shuffle(x[::2])
    assert sorted(host(x[::2]).tolist()) == list(range(0, 20, 2))
    assert host(x[1::2]).tolist() == list(range(1, 20, 2))


def test_choices():
    generator = Generator(SEED)
    assert generator.choice(10).shape == () and generator.choice(10, (2, 3)).shape == (2, 3)
    values = host(generator.choice([10, 20, 30], 30_000))
    assert abs(chi_square(np.array([(values == each).sum() for each in (10, 20, 30)]), 10_000)) < SIGMAS
    few = host(generator.choice(50, 20, replace=False))
    assert len(set(few.tolist())) == 20
    assert generator.choice(np.zeros((4, 5)), (2, 3), axis=1).shape == (4, 2, 3)
    assert generator.choice(5, 0).shape == (0,)


def test_choices_by_probability():
    p = [0.1, 0.0, 0.6, 0.3]
    values = host(Generator(SEED).choice(4, 50_000, p=p))
    counts = np.bincount(values, minlength=4)
    assert counts[1] == 0
    assert abs(chi_square(counts[[0, 2, 3]], 50_000 * np.array([0.1, 0.6, 0.3]))) < SIGMAS


def test_choices_of_probabilities_with_few_digits():
    count = 2**25
    values = host(Generator(SEED).choice(count, 100_000, p=tensor.full(count, 2.0**-25, dtype="float32")))
    assert abs((values % 2).mean() - 0.5) < SIGMAS * 0.5 / math.sqrt(values.size)


def test_choices_by_probability_without_replacement():
    generator, p = Generator(SEED), [0.5, 0.3, 0.2]
    pairs = [tuple(host(generator.choice(3, 2, replace=False, p=p)).tolist()) for _ in range(6000)]
    kinds = [(a, b) for a in range(3) for b in range(3) if a != b]
    expected = np.array([p[a] * p[b] / (1 - p[a]) for a, b in kinds]) * len(pairs)
    assert abs(chi_square(np.array([pairs.count(each) for each in kinds]), expected)) < SIGMAS


WRONG = {
    "gamma's shape": (lambda g: g.gamma(-1), ValueError, "shape"),
    "a broadcast out": (lambda g: g.gamma(1, out=tensor.broadcast_to(tensor.empty(1), 4)), ValueError, "broadcast"),
    "gamma's NaN": (lambda g: g.gamma(math.nan), ValueError, "shape"),
    "gamma's scale": (lambda g: g.gamma(1, -1), ValueError, "scale"),
    "beta's a": (lambda g: g.beta(0, 1), ValueError, "a must be above 0"),
    "beta's b": (lambda g: g.beta(1, [1, 0]), ValueError, "every element of b"),
    "poisson's mean": (lambda g: g.poisson(-1), ValueError, "lam"),
    "poisson's infinite mean": (lambda g: g.poisson(np.array([np.inf], "float16")), ValueError, "at most"),
    "no more than no choices": (lambda g: g.choice(5, -1, replace=False), ValueError, "choice: size must not be"),
    "several negative lengths": (lambda g: g.choice(5, (-1, -2)), ValueError, "choice: size must not be"),
    "a fraction of a length": (lambda g: g.random(2.0), TypeError, "random: size must be an integer"),
    "an integer of no dtype": (lambda g: g.integers(2**200), ValueError, "integers: high is .* 2\\*\\*64"),
    "bounds beyond float32": (lambda g: g.uniform(1e39, 1e39, dtype="float32"), ValueError, "low must be finite"),
    "no kind of memory": (lambda g: g.random(3, usm_type=""), ValueError, "usm_type"),
    "poisson's large mean": (lambda g: g.poisson(1e19), ValueError, "at most"),
    "binomial's n": (lambda g: g.binomial(-1, 0.5), ValueError, "n must be at least 0"),
    "binomial's fraction": (lambda g: g.binomial(1.5, 0.5), TypeError, "n must be an integer"),
    "binomial's fractions": (lambda g: g.binomial(tensor.asarray([1.5]), 0.5), TypeError, "integers"),
    "binomial's p": (lambda g: g.binomial(1, 1.5), ValueError, "from 0 to 1"),
    "bernoulli's p": (lambda g: g.bernoulli(-0.1), ValueError, "from 0 to 1"),
    "bernoulli's out": (lambda g: g.bernoulli(out=tensor.empty(3)), TypeError, "bool"),
    "integers between arrays": (lambda g: g.integers([1, 2], [2, 2]), ValueError, "above low"),
    "a permutation's length": (lambda g: g.permutation(-1), ValueError, "negative"),
    "a permutation's axis": (lambda g: g.permutation([1, 2], axis=1), ValueError, "axis 1"),
    "a list to shuffle": (lambda g: g.shuffle([1, 2]), TypeError, "permutation"),
    "a choice from nothing": (lambda g: g.choice(0, 1), ValueError, "nothing to choose from"),
    "too many": (lambda g: g.choice(3, 4, replace=False), ValueError, "without replacement"),
    "probabilities": (lambda g: g.choice(3, p=[0.5, 0.5]), ValueError, "one probability for each"),
    "a sum": (lambda g: g.choice(2, p=[0.5, 0.6]), ValueError, "sum of p"),
    "a negative probability": (lambda g: g.choice(2, p=[1.5, -0.5]), ValueError, "every element of p"),
    "too few probabilities": (lambda g: g.choice(3, 3, replace=False, p=[0.5, 0.5, 0]), ValueError, "fewer than 3"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_makes_no_sense_is_refused(case):
    call, error, message = WRONG[case]
    generator = Generator(1)
    with pytest.raises(error, match=message):
        call(generator)
    assert generator.state == Generator(1).state
