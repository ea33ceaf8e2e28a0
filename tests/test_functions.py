"""Every elementwise function against NumPy: dtypes, shapes, layouts, special values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import BINARY, FUNCTIONS, NUMPY_NAMES, UNARY, check, expected, moderate
from strategies import DTYPES, LAYOUTS, hosts, laid_out, operands, places

import situ
from situ import tensor

pytestmark = pytest.mark.usefixtures("quiet")


def test_every_function_has_its_names():
    assert len(FUNCTIONS) == 71
    for name, function in FUNCTIONS.items():
        assert getattr(tensor, name) is function and name in tensor.__all__
        assert function.__name__ == name and function.__doc__ and repr(function) == f"<elementwise function {name}>"
        assert function.nout == 1
        reference = getattr(np, NUMPY_NAMES.get(name, name), None)
        if isinstance(reference, np.ufunc):
            assert function.nin == reference.nin


@pytest.mark.parametrize("name", FUNCTIONS)
def test_types_are_what_the_function_returns(name):
    function = FUNCTIONS[name]
    for signature in function.types:
        inputs, output = signature.split("->")
        assert function(*(tensor.ones(3, dtype=letter) for letter in inputs)).dtype == np.dtype(output)


@pytest.mark.parametrize("name", UNARY)
@given(st.data())
def test_unary(place, name, data):
    dtype = data.draw(st.sampled_from(DTYPES))
    host = data.draw(hosts([dtype], moderate=moderate(name, dtype)))
    x, view = laid_out(host, data.draw(st.sampled_from(LAYOUTS)), place)
    wanted = expected(name, view)
    if wanted is None:
        with pytest.raises(ValueError, match=name):
            FUNCTIONS[name](x)
        return
    result = FUNCTIONS[name](x)
    check(name, result, wanted, [dtype])
    assert result.sycl_queue == place and result.usm_type == x.usm_type


@pytest.mark.parametrize("name", BINARY)
@given(st.data())
def test_binary(place, name, data):
    (one, two), layouts = data.draw(operands(2))
    if moderate(name, one.dtype, two.dtype):
        one, two = (data.draw(hosts([host.dtype.name], shape=host.shape, moderate=True)) for host in (one, two))
    (x, one), (y, two) = (laid_out(host, layout, place) for host, layout in zip((one, two), layouts, strict=True))
    wanted = expected(name, one, two)
    if wanted is None:
        with pytest.raises(ValueError, match=name):
            FUNCTIONS[name](x, y)
        return
    check(name, FUNCTIONS[name](x, y), wanted, [one.dtype, two.dtype])


@pytest.mark.parametrize("name", BINARY)
def test_dtypes_of_pairs(name):
    for one in DTYPES:
        for two in DTYPES:
            x, y = tensor.ones((2, 1), dtype=one), tensor.ones(3, dtype=two)
            wanted = expected(name, np.ones((2, 1), one), np.ones(3, two))
            if wanted is None:
                with pytest.raises(ValueError, match=f"{name} does not support inputs of dtype {one}, {two}"):
                    FUNCTIONS[name](x, y)
            else:
                check(name, FUNCTIONS[name](x, y), wanted, [one, two])


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("size", [1, 63, 64, 65, 1000, 20_003])
def test_lengths(place, name, size):
    random = np.random.default_rng(size)
    for dtype in ("int32", "float16", "float32", "float64", "complex64"):
        inputs = [(random.random(size) * 20 - 10).astype(dtype) for _ in range(FUNCTIONS[name].nin)]
        for layout in ("C", "stepped", "reversed") if size < 10_000 else ("stepped",):
            arrays, views = zip(*(laid_out(host, layout, place) for host in inputs), strict=True)
            wanted = expected(name, *views)
            if wanted is not None:
                check(name, FUNCTIONS[name](*arrays), wanted, [dtype])


SPECIAL = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 2.0, -2.0, 2.5, 3.0, -3.0, np.inf, -np.inf, np.nan, 1e-30, -1e30]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_special_values(place, name, dtype):
    limits = np.finfo(dtype)
    values = np.array([*SPECIAL, limits.max, limits.min, limits.tiny, -limits.tiny, limits.smallest_subnormal], dtype)
    inputs = [values] if FUNCTIONS[name].nin == 1 else [values[:, None], values[None, :]]
    if name == "nextafter" and dtype == "float16":
        inputs[1] = inputs[1][inputs[1] != 0][None, :]  # NumPy does not go from one zero to the other
    wanted = expected(name, *inputs)
    if wanted is not None:
        arrays = [tensor.asarray(np.ascontiguousarray(host), sycl_queue=place) for host in inputs]
        check(name, FUNCTIONS[name](*arrays), wanted, [dtype])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_angles_of_any_size(here, name, dtype):
    """A few huge angles among ordinary ones: neither spoils the other."""
    host = np.linspace(-10, 10, 3001).astype(dtype)
    host[::97] = np.logspace(5, 37, len(host[::97])).astype(dtype)
    values = tensor.asnumpy(FUNCTIONS[name](tensor.asarray(host, sycl_queue=here)))
    # NumPy's float64 functions are right for any angle.
    reference = getattr(np, name)(host.astype("f8")).astype(dtype)
    assert np.all(np.abs(values - reference) <= 2 * np.spacing(np.abs(reference)))


OTHERS = [queue for queue in places().values() if not queue.sycl_device.is_cpu]


def bits(array):
    """The numbers behind an array's real and imaginary parts, with one and the same for every NaN."""
    parts = array.view(array.real.dtype)
    numbers = parts.view(f"u{parts.itemsize}").copy()
    if parts.dtype.kind == "f":
        numbers[np.isnan(parts)] = np.array(np.nan, parts.dtype).view(numbers.dtype)
    return numbers


@pytest.mark.skipif(not OTHERS, reason="there is no device but the processor")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_device_rounds_alike(name):
    """Every bit of every result is the same wherever it is computed, but for the sign and the payload of a NaN."""
    function, cpu = FUNCTIONS[name], situ.get_device_cached_queue("cpu")
    random = np.random.default_rng(1)
    for dtype in {signature[0] for signature in function.types} & set("efdFD"):
        # Every pattern of bits is a number: all magnitudes, subnormal numbers, infinities, NaN. And some ordinary ones.
        wild = [np.frombuffer(random.bytes(np.dtype(dtype).itemsize * 5000), dtype) for _ in range(2)]
        tame = [(random.random(5000) * 20 - 10).astype(dtype) for _ in range(2)]
        for inputs in (wild, tame, [wild[0], tame[0]]):

            def computed(queue, inputs=inputs[: function.nin]):
                return bits(tensor.asnumpy(function(*(tensor.asarray(host, sycl_queue=queue) for host in inputs))))

            wanted = computed(cpu)
            for other in OTHERS:
                np.testing.assert_array_equal(computed(other), wanted, err_msg=f"{name} of {np.dtype(dtype)}")


@given(st.data())
def test_comparisons_are_exact_across_signs(here, data):
    """int64 and uint64 have no common integer dtype; comparing them in float64 would lie near 2^63."""
    edges = [0, 1, 2**53, 2**53 + 1, 2**63 - 1, 2**63 - 2]
    signed = data.draw(st.sampled_from(["int8", "int16", "int32", "int64"]))
    low = np.iinfo(signed)
    values = [value for value in (*edges, -1, -(2**53) - 1, -(2**63)) if low.min <= value <= low.max]
    one = np.array(data.draw(st.lists(st.sampled_from(values), min_size=1, max_size=5)), signed)[:, None]
    two = np.array(data.draw(st.lists(st.sampled_from([*edges, 2**63, 2**64 - 1]), min_size=1, max_size=5)), "u8")
    x, y = tensor.asarray(one, sycl_queue=here), tensor.asarray(two, sycl_queue=here)
    pure = np.array([[(int(a) > int(b)) - (int(a) < int(b)) for b in two] for a in one[:, 0]])
    for name, test in (
        ("equal", pure == 0),
        ("not_equal", pure != 0),
        ("less", pure < 0),
        ("less_equal", pure <= 0),
        ("greater", pure > 0),
        ("greater_equal", pure >= 0),
    ):
        np.testing.assert_array_equal(tensor.asnumpy(FUNCTIONS[name](x, y)), test)
        mirrored = {"less": "greater", "greater": "less", "less_equal": "greater_equal", "greater_equal": "less_equal"}
        np.testing.assert_array_equal(tensor.asnumpy(FUNCTIONS[mirrored.get(name, name)](y, x)), test)


class TestClip:
    """`clip`: limits, and numbers that the dtype does not hold."""

    @given(st.data())
    def test_against_numpy(self, here, data):
        dtype = data.draw(st.sampled_from(DTYPES))
        host = data.draw(hosts([dtype], shape=(3, 4)))
        bounds = [
            data.draw(st.none() | hosts([dtype], shape=data.draw(st.sampled_from([(), (4,), (3, 1)])))) for _ in "ab"
        ]
        x, view = laid_out(host, data.draw(st.sampled_from(LAYOUTS)), here)
        low, high = (None if bound is None else tensor.asarray(bound, sycl_queue=here) for bound in bounds)
        wanted = view
        if bounds[0] is not None:
            wanted = np.maximum(wanted, bounds[0])
        if bounds[1] is not None:
            wanted = np.minimum(wanted, bounds[1])
        check("maximum", tensor.clip(x, low, high), np.asarray(wanted))

    def test_numbers(self):
        x = tensor.arange(6, dtype="int8")
        assert tensor.asnumpy(tensor.clip(x, 2, 4)).tolist() == [2, 2, 2, 3, 4, 4]
        assert tensor.asnumpy(tensor.clip(x, min=-300, max=300)).tolist() == [0, 1, 2, 3, 4, 5]
        assert tensor.asnumpy(tensor.clip(x, max=-300)).tolist() == [-128] * 6
        assert tensor.asnumpy(tensor.clip(x, min=300)).tolist() == [127] * 6
        y = tensor.clip(tensor.asarray([1.0, np.nan, 3.0]), 2, 2.5)
        np.testing.assert_array_equal(tensor.asnumpy(y), [2, np.nan, 2.5])
        np.testing.assert_array_equal(tensor.asnumpy(tensor.clip(x * 1.0, np.nan)), [np.nan] * 6)

    def test_no_bounds_is_a_copy(self):
        x = tensor.arange(3)
        y = tensor.clip(x)
        y += 1
        assert tensor.asnumpy(x).tolist() == [0, 1, 2]

    def test_out(self):
        x = tensor.arange(6)
        out = tensor.zeros(6, dtype=x.dtype)
        assert tensor.clip(x, 1, 2, out=out) is out
        assert tensor.asnumpy(out).tolist() == [0 + 1, 1, 2, 2, 2, 2]
        assert tensor.clip(x, None, 3, out=x) is x
        assert tensor.asnumpy(x).tolist() == [0, 1, 2, 3, 3, 3]

    def test_refusals(self):
        x = tensor.arange(3)
        with pytest.raises(ValueError, match="min is 0.5"):
            tensor.clip(x, 0.5)
        with pytest.raises(ValueError, match="max is float64"):
            tensor.clip(x, max=tensor.ones(3))
        with pytest.raises(TypeError, match="min is a str"):
            tensor.clip(x, "1")
        with pytest.raises(TypeError, match="x must be an array of situ, got list"):
            tensor.clip([1, 2, 3], 1)
        with pytest.raises(ValueError, match="broadcast"):
            tensor.clip(x, tensor.arange(2))


class TestWhere:
    """`where`: a choice, element by element."""

    @given(st.data())
    def test_against_numpy(self, here, data):
        (condition, one, two), layouts = data.draw(operands(3))
        pairs = [laid_out(host, layout, here) for host, layout in zip((condition, one, two), layouts, strict=True)]
        (c, x, y), views = zip(*pairs, strict=True)
        result = tensor.where(c, x, y)
        wanted = np.where(*views)
        assert result.dtype == wanted.dtype
        np.testing.assert_array_equal(tensor.asnumpy(result), wanted)

    def test_numbers_are_weak(self):
        condition = tensor.asarray([True, False])
        assert tensor.where(condition, tensor.ones(2, dtype="f4"), 2.5).dtype == np.float32
        assert tensor.where(condition, 1, tensor.ones(2, dtype="i1")).dtype == np.int8
        assert tensor.asnumpy(tensor.where(condition, 1, 2)).tolist() == [1, 2]
        assert tensor.where(condition, 1, 2.0).dtype == np.float64

    def test_out(self):
        condition = tensor.asarray([True, False])
        x = tensor.asarray([1, 2])
        assert tensor.where(condition, x, 0, out=x) is x
        assert tensor.asnumpy(x).tolist() == [1, 0]
        with pytest.raises(ValueError, match="Output array of type .* result of where"):
            tensor.where(condition, x, 0.5, out=x)

    def test_refusals(self):
        with pytest.raises(TypeError, match="condition must be an array of situ, got list"):
            tensor.where([True], 1, 2)
        with pytest.raises(OverflowError, match="does not fit"):
            tensor.where(tensor.asarray([True]), tensor.ones(1, dtype="u1"), -1)
