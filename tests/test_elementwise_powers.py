"""Powers known beforehand, which have programs of their own, and conversions to integers."""

import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import LAYOUTS, hosts, laid_out

from situ import tensor

FLOATS = ("float16", "float32", "float64")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
KNOWN = (-1, -1.0, 0, -0.0, False, 1, 1.0, True, 2, 2.0)

pytestmark = pytest.mark.usefixtures("quiet")


def wanted_power(x, exponent):
    """What one rounding makes of the exact power, with the special values that IEEE 754 gives powers."""
    powers = {
        -1: lambda: x.dtype.type(1) / x,
        0: lambda: np.ones_like(x),
        1: lambda: x.copy(),
        2: lambda: np.multiply(x, x),
    }
    return powers[int(exponent)]()


def assert_same_numbers(array, wanted):
    """Asserts equal dtypes, shapes and numbers, signs of zeros included."""
    host = tensor.asnumpy(array)
    assert array.dtype == wanted.dtype
    np.testing.assert_array_equal(host, wanted, strict=True)
    if wanted.dtype.kind == "f":
        numbers = ~np.isnan(wanted)
        np.testing.assert_array_equal(np.signbit(host)[numbers], np.signbit(wanted)[numbers])


@pytest.mark.parametrize("exponent", KNOWN, ids=repr)
@given(st.data())
def test_known_exponents(place, exponent, data):
    whole = exponent in (0, 1, 2) and not isinstance(exponent, float)
    host = data.draw(hosts((*FLOATS, *INTEGERS) if whole else FLOATS))
    x, view = laid_out(host, data.draw(st.sampled_from(LAYOUTS)), place)
    wanted = wanted_power(view, exponent)
    assert_same_numbers(x**exponent, wanted)
    assert_same_numbers(tensor.pow(x, exponent), wanted)
    out = tensor.empty_like(x)
    assert tensor.pow(x, exponent, out=out) is out
    assert_same_numbers(out, wanted)
    target = tensor.copy(x)
    assert operator.ipow(target, exponent) is target
    assert_same_numbers(target, wanted)


@pytest.mark.parametrize("exponent", [-1, 0, 1, 2])
@given(st.data())
def test_known_exponents_agree_with_arrays_of_them(here, exponent, data):
    host = data.draw(hosts(FLOATS))
    x = tensor.asarray(host, sycl_queue=here)
    one, many = x**exponent, tensor.pow(x, tensor.full_like(x, exponent))
    one, many = tensor.asnumpy(one), tensor.asnumpy(many)
    assert one.dtype == many.dtype
    np.testing.assert_array_equal(np.isnan(one), np.isnan(many))
    numbers = ~np.isnan(one)
    np.testing.assert_array_equal(np.signbit(one)[numbers], np.signbit(many)[numbers])
    numbers &= np.isfinite(one) & np.isfinite(many)
    np.testing.assert_array_max_ulp(one[numbers], many[numbers], 2)


@given(hosts(FLOATS))
def test_the_operator_takes_square_roots_and_the_function_powers(here, host):
    x = tensor.asarray(host, sycl_queue=here)
    assert_same_numbers(x**0.5, np.sqrt(host))
    powers, roots = tensor.asnumpy(tensor.pow(x, 0.5)), np.where(host == -np.inf, np.inf, np.abs(np.sqrt(host)))
    np.testing.assert_array_equal(np.isnan(powers), np.isnan(roots))
    numbers = ~np.isnan(roots)
    assert not np.signbit(powers)[numbers].any()
    np.testing.assert_array_max_ulp(powers[numbers], roots.astype(host.dtype)[numbers], 2)


@given(hosts(FLOATS), st.sampled_from([2, 2.0]))
def test_powers_of_two(here, host, base):
    x = tensor.asarray(host, sycl_queue=here)
    assert_same_numbers(base**x, tensor.asnumpy(tensor.exp2(x)))
    assert_same_numbers(tensor.pow(base, x), tensor.asnumpy(tensor.exp2(x)))


def test_known_powers_in_overlapping_memory(here):
    flat = tensor.arange(1, 8, dtype="float64", sycl_queue=here)
    tensor.pow(flat[:-1], 2, out=flat[1:])
    assert tensor.asnumpy(flat).tolist() == [1, 1, 4, 9, 16, 25, 36]


def test_known_powers_are_called_pow_in_messages(here):
    x = tensor.ones(3, dtype="float32", sycl_queue=here)
    with pytest.raises(ValueError, match=r"Output array of type float64 cannot take the result of pow: "):
        tensor.pow(x, 2, out=tensor.empty(3, dtype="float64", sycl_queue=here))
    with pytest.raises(ValueError, match=r"^pow: .*\(4,?\)"):
        tensor.pow(x, 0.5, out=tensor.empty(4, dtype="float32", sycl_queue=here))
    x.flags.writable = False
    with pytest.raises(ValueError, match=r"^pow: .*read-only"):
        x **= 2


@pytest.mark.parametrize("dtype", FLOATS[1:])
@pytest.mark.parametrize("size", [100, 255, 1000, 5000])
def test_rare_powers_among_usual_ones(here, dtype, size):
    generator = np.random.default_rng(size)
    x, y = (generator.uniform(0.1, 10, size).astype(dtype), generator.uniform(-3, 3, size).astype(dtype))
    for places in ([], [0], [size // 2], [size - 1], range(0, size, 37)):
        x[places] = generator.choice([0, -0.0, np.inf, -np.inf, np.nan, 1e-40, -7], len(places))
        result = tensor.pow(*(tensor.asarray(host, sycl_queue=here) for host in (x, y)))
        np.testing.assert_allclose(tensor.asnumpy(result), np.power(x, y), rtol=4 * np.finfo(dtype).eps, atol=0)


@pytest.mark.parametrize("dtype", INTEGERS)
@given(st.data())
def test_numbers_outside_an_integers_range_become_its_ends(here, dtype, data):
    limits = np.iinfo(dtype)
    ends = [float(limits.min), float(limits.max), limits.min - 1.0, limits.max + 1.0, limits.max - 0.5, -0.9, np.nan]
    host = data.draw(hosts(FLOATS))
    host = np.concatenate([host.reshape(-1), np.array(ends).astype(host.dtype)])
    numbers = [0.0 if np.isnan(value) else value for value in host.tolist()]
    wanted = [limits.max if n >= limits.max else limits.min if n <= limits.min else int(n) for n in numbers]
    x, _ = laid_out(host, data.draw(st.sampled_from(["C", "reversed", "stepped"])), here)
    assert tensor.asnumpy(tensor.astype(x, dtype)).tolist() == wanted
