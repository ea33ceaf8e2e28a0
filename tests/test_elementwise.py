"""Operators, operands, orders and outputs of elementwise functions."""

import itertools
import operator

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from reference import check, expected, moderate
from strategies import DTYPES, LAYOUTS, View, elements, hosts, laid_out, operands, steps

import situ
from situ import tensor

OPERATORS = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "pow": operator.pow,
    "bitwise_left_shift": operator.lshift,
    "bitwise_right_shift": operator.rshift,
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
}
COMPARISONS = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}
IN_PLACE = {
    "add": operator.iadd,
    "subtract": operator.isub,
    "multiply": operator.imul,
    "divide": operator.itruediv,
    "floor_divide": operator.ifloordiv,
    "remainder": operator.imod,
    "pow": operator.ipow,
    "bitwise_left_shift": operator.ilshift,
    "bitwise_right_shift": operator.irshift,
    "bitwise_and": operator.iand,
    "bitwise_or": operator.ior,
    "bitwise_xor": operator.ixor,
}
SIGNS = {"negative": operator.neg, "positive": operator.pos, "abs": operator.abs, "bitwise_invert": operator.invert}
ARITHMETIC = ("add", "subtract", "multiply", "divide")

pytestmark = pytest.mark.usefixtures("quiet")


@pytest.mark.parametrize("name", [*OPERATORS, *COMPARISONS])
@given(st.data())
def test_operators_are_the_functions(place, name, data):
    (one, two), layouts = data.draw(operands(2))
    if moderate(name, one.dtype, two.dtype):
        one, two = (data.draw(hosts([host.dtype.name], shape=host.shape, moderate=True)) for host in (one, two))
    (x, one), (y, two) = (laid_out(host, layout, place) for host, layout in zip((one, two), layouts, strict=True))
    wanted = expected(name, one, two)
    apply = OPERATORS.get(name) or COMPARISONS[name]
    if wanted is None:
        with pytest.raises(ValueError, match=name):
            apply(x, y)
    else:
        check(name, apply(x, y), wanted, [one.dtype, two.dtype])


@pytest.mark.parametrize("name", SIGNS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_signs(place, name, dtype):
    host = np.array([0, 1, 2, 3], dtype)
    wanted = expected(name, host)
    x = tensor.asarray(host, sycl_queue=place)
    if wanted is None:
        with pytest.raises(ValueError, match=name):
            SIGNS[name](x)
    else:
        check(name, SIGNS[name](x), wanted, [dtype])


@pytest.mark.parametrize("dtype", DTYPES[1:])
@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 2.0, 0.5, -1.0])
def test_exponents_with_a_function_of_their_own(here, dtype, exponent):
    host = np.array([1, 2, 3], dtype)
    result = tensor.asarray(host, sycl_queue=here) ** exponent
    wanted = host**exponent
    assert result.dtype == wanted.dtype
    np.testing.assert_allclose(tensor.asnumpy(result), wanted, rtol=1e-3 if result.dtype == "f2" else 1e-6)


def test_pow_takes_no_modulus():
    with pytest.raises(TypeError, match="modulus"):
        pow(tensor.arange(3), 2, 3)


@pytest.mark.parametrize("dtype", DTYPES[1:9])
@pytest.mark.parametrize("value", [-(2**70), -(2**63), -129, -1, 0, 300, 2**63, 2**64, 2**70])
def test_comparing_with_integers_of_any_size(here, dtype, value):
    limits = np.iinfo(dtype)
    host = np.array([limits.min, 0, 1, limits.max], dtype)
    x = tensor.asarray(host, sycl_queue=here)
    for apply in COMPARISONS.values():
        wanted = [apply(int(element), value) for element in host]
        assert tensor.asnumpy(apply(x, value)).tolist() == wanted
        assert tensor.asnumpy(apply(value, x)).tolist() == [apply(value, int(element)) for element in host]


SCALARS = (
    st.booleans()
    | st.integers(-(2**65), 2**65)
    | st.sampled_from([-129, -128, -1, 0, 1, 127, 128, 255, 256, 65535, 65536, 2**31, 2**63, 2**64 - 1, 2**64])
    | st.floats(-1000, 1000, width=16)
    | st.sampled_from([float("nan"), float("inf"), -0.0])
)


def outcome(function, *arguments):
    """What comes out, or that a number did not fit."""
    try:
        return function(*arguments)
    except OverflowError:
        return OverflowError


@pytest.mark.parametrize("reflected", [False, True])
@pytest.mark.parametrize("name", ARITHMETIC)
@given(st.data())
def test_python_scalars_are_weak(here, name, reflected, data):
    host = data.draw(hosts(DTYPES[:-2], shape=(3,)))
    scalar = data.draw(SCALARS)
    pair = (scalar, host) if reflected else (host, scalar)
    if name == "subtract" and host.dtype == bool and isinstance(scalar, bool):
        with pytest.raises(ValueError, match=name):
            OPERATORS[name](tensor.asarray(host, sycl_queue=here), scalar)
        return
    expected = outcome(OPERATORS[name], *pair)
    x = tensor.asarray(host, sycl_queue=here)
    result = outcome(OPERATORS[name], *((scalar, x) if reflected else (x, scalar)))
    if expected is OverflowError or result is OverflowError:
        assert expected is result
    else:
        check(name, result, expected)


@pytest.mark.parametrize("name", ["hypot", "atan2", "logaddexp", "copysign", "nextafter", "divide"])
def test_integers_beside_truth_values_are_of_the_default_integer(name):
    host = np.array([True, False])
    for number in (70000, -3, 0, 2**40):
        for pair in ((host, number), (number, host)):
            with np.errstate(all="ignore"):
                expected = getattr(np, {"atan2": "arctan2"}.get(name, name))(*pair)
            given_ = [tensor.asarray(host) if operand is host else operand for operand in pair]
            result = getattr(tensor, name)(*given_)
            assert result.dtype == expected.dtype
            np.testing.assert_allclose(tensor.asnumpy(result), expected, rtol=1e-15)


HUGE = [
    sign * 2**bits + extra
    for bits in (100, 126, 127, 128, 200, 1023, 1024, 5000)
    for sign in (1, -1)
    for extra in (0, 1)
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", DTYPES)
def test_integers_of_any_length(dtype):
    host = np.ones(2, dtype)
    array = tensor.asarray(host)
    names = ["less", "greater_equal", "equal", "not_equal", "add", "multiply", "divide", "maximum"]
    for name, number, reflected in itertools.product(names, HUGE, (False, True)):
        pair, given_ = ((number, host), (number, array)) if reflected else ((host, number), (array, number))
        expected, result = outcome(getattr(np, name), *pair), outcome(getattr(tensor, name), *given_)
        if expected is OverflowError:
            assert result is OverflowError, (name, number)
        else:
            assert result.dtype == expected.dtype, (name, number)
            np.testing.assert_array_equal(tensor.asnumpy(result), expected, err_msg=f"{name} {number}")


@pytest.mark.parametrize("dtype", DTYPES)
def test_complex_scalars(dtype):
    host = np.ones(3, dtype)
    check("add", tensor.asarray(host) + (1 + 2j), host + (1 + 2j))
    check("multiply", (1 + 2j) * tensor.asarray(host), (1 + 2j) * host)


@pytest.mark.parametrize(
    ("dtype", "value"), [("int8", 128), ("int8", -129), ("uint8", -1), ("uint64", 2**64), ("int64", 2**63)]
)
def test_integers_that_do_not_fit(dtype, value):
    x = tensor.ones(3, dtype=dtype)
    for attempt in (lambda: x + value, lambda: value - x, lambda: tensor.multiply(x, value)):
        with pytest.raises(OverflowError, match=f"{value} does not fit in {dtype}"):
            attempt()
    with pytest.raises(OverflowError, match="does not fit"):
        x += value
    assert tensor.asnumpy(x).tolist() == [1, 1, 1]
    # As in NumPy, what counts is the dtype of the computation.
    np.testing.assert_array_equal(tensor.asnumpy(x / value), np.ones(3, dtype) / value)


@pytest.mark.parametrize("name", ARITHMETIC)
@given(st.data())
def test_numpy_operands_come_to_the_array(place, name, data):
    one = data.draw(hosts(DTYPES[1:-2], shape=(2, 3)))
    two = data.draw(hosts(DTYPES[1:-2], shape=data.draw(st.sampled_from([(), (3,), (2, 3)]))))
    x = tensor.asarray(one, sycl_queue=place, usm_type="shared")
    for result, wanted in (
        (OPERATORS[name](x, two), OPERATORS[name](one, two)),
        (OPERATORS[name](two, x), OPERATORS[name](two, one)),
    ):
        check(name, result, wanted)
        assert result.sycl_queue == place and result.usm_type == "shared"


@pytest.mark.parametrize("scalar", [np.float32(2), np.int8(3), np.complex64(1j), np.bool_(True), np.uint64(7)])
def test_numpy_scalars_keep_their_dtype(scalar):
    host = np.arange(4, dtype="i2")
    x = tensor.asarray(host)
    for name in ("add", "multiply"):
        check(name, OPERATORS[name](x, scalar), OPERATORS[name](host, scalar))
        check(name, OPERATORS[name](scalar, x), OPERATORS[name](scalar, host))


def test_numpy_is_not_a_way_round_asnumpy():
    x, host = tensor.ones(3), np.ones(3)
    for attempt in (lambda: np.add(host, x), lambda: np.sin(x), lambda: np.subtract(x, host)):
        with pytest.raises(TypeError, match="asnumpy"):
            attempt()
    assert host.tolist() == [1, 1, 1]


@pytest.mark.parametrize("other", [None, "1", [1, 2, 3], object(), {}])
def test_other_operands(other):
    x = tensor.ones(3)
    for function in (*OPERATORS.values(), *IN_PLACE.values(), *list(COMPARISONS.values())[2:]):
        with pytest.raises(TypeError):
            function(x, other)
    if isinstance(other, list):
        with pytest.raises(TypeError, match="asarray"):
            assert x == other
    else:
        assert (x == other) is False and (x != other) is True
    with pytest.raises(TypeError, match="operand 2 is a"):
        tensor.add(x, other)
    with pytest.raises(TypeError, match="at least one operand must be an array of situ"):
        tensor.sin(other)


def test_number_of_operands():
    x = tensor.ones(3)
    for attempt in (lambda: tensor.sin(), lambda: tensor.sin(x, x), lambda: tensor.add(x)):
        with pytest.raises(TypeError, match="takes"):
            attempt()
    with pytest.raises(TypeError):
        tensor.sin(x, where=x)


@pytest.mark.parametrize("name", IN_PLACE)
@given(st.data())
def test_in_place(place, name, data):
    dtype = data.draw(st.sampled_from(DTYPES))
    host = data.draw(hosts([dtype], shape=(3, 4), moderate=moderate(name, dtype)))
    shape = data.draw(st.sampled_from([(), (4,), (3, 1)]))
    other = data.draw(hosts([dtype], shape=shape, moderate=moderate(name, dtype)))
    x, view = laid_out(host, data.draw(st.sampled_from([each for each in LAYOUTS if each != "broadcast"])), place)
    operand, other = laid_out(other, data.draw(st.sampled_from(LAYOUTS)), place)
    pointer, wanted = x._pointer, expected(name, view, other)
    if wanted is None or not np.can_cast(wanted.dtype, dtype, "same_kind"):
        with pytest.raises(ValueError, match=name):
            IN_PLACE[name](x, operand)
        np.testing.assert_array_equal(tensor.asnumpy(x), host)
        return
    y = IN_PLACE[name](x, operand)
    assert y is x and x._pointer == pointer
    check(name, x, wanted.astype(dtype), [dtype])


@pytest.mark.parametrize("two", DTYPES)
@pytest.mark.parametrize("one", DTYPES)
def test_in_place_converts_within_a_kind(here, one, two):
    x, y = np.array([1, 2, 3], one), np.array([4, 5, 6], two)
    target, other = tensor.asarray(x, sycl_queue=here), tensor.asarray(y, sycl_queue=here)
    if np.can_cast(np.result_type(x, y), one, "same_kind"):
        target += other
        x += y
    elif np.can_cast(two, one, "same_kind"):
        # NumPy would compute in float64 and then refuse.
        target += other
        x += y.astype(one)
    else:
        with pytest.raises(ValueError, match="Output array of type .* result of add"):
            target += other
    np.testing.assert_array_equal(tensor.asnumpy(target), x)


def test_in_place_keeps_the_dtype_and_shape():
    x = tensor.ones(3, dtype="int32")
    with pytest.raises(ValueError, match="int32.*float64.*astype"):
        x += 1.5
    with pytest.raises(ValueError, match="int32.*float64.*astype"):
        x /= 2
    with pytest.raises(ValueError, match=r"\(2, 3\).*\(3,\)"):
        x += tensor.ones((2, 3), dtype="int32")
    x += True
    assert tensor.asnumpy(x).tolist() == [2, 2, 2] and x.dtype == np.int32


@pytest.mark.parametrize("order", "CFAK")
@pytest.mark.parametrize("layout", ["C", "F", "rolled", "stepped"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 3, 4), (2, 1, 3), (2, 0, 3)])
def test_order_of_results(here, shape, layout, order):
    x, view = laid_out(np.ones(shape, "f4"), layout, here)
    expected = np.negative(view, order=order)
    for result in (tensor.negative(x, order=order), tensor.add(x, x, order=order), tensor.add(x, 1, order=order)):
        if result.size:
            assert steps(result) == steps(expected)
        np.testing.assert_array_equal(np.abs(tensor.asnumpy(result)) > 0, np.ones(shape, bool))


def test_unknown_order():
    with pytest.raises(ValueError, match="order"):
        tensor.sin(tensor.ones(3), order="Q")


def test_shapes_that_do_not_broadcast():
    for one, two in (((2, 3), (2,)), ((0,), (2,)), ((4, 1, 3), (4, 2, 2))):
        with pytest.raises(ValueError, match="add: shapes .* cannot be broadcast"):
            tensor.ones(one) + tensor.ones(two)


def test_results_too_large_to_address(place):
    x = tensor.ones(1, sycl_queue=place)
    endless = tensor.asarray(View(x, shape=(2**59, 1), strides=(0, 0)))
    wide = tensor.asarray(View(x, shape=(1, 2**3), strides=(0, 0)))
    with pytest.raises(ValueError, match="add: shape .* more elements than can be addressed"):
        endless + wide
    with pytest.raises(MemoryError, match="allocate"):
        endless + tensor.asarray(View(x, shape=(1,), strides=(0,)))
    assert tensor.asnumpy(x + x).tolist() == [2]


@pytest.mark.parametrize("dtype", DTYPES[1:9])
def test_integers_wrap_around(place, dtype):
    limits = np.iinfo(dtype)
    host = np.array([limits.min, limits.max, limits.max // 2 + 1] * 50, dtype)
    x = tensor.asarray(host, sycl_queue=place)
    for name in ("add", "subtract", "multiply"):
        check(name, OPERATORS[name](x, x), OPERATORS[name](host, host))
        check(name, OPERATORS[name](x, 2), OPERATORS[name](host, host.dtype.type(2)))
    check("negative", -x, -host)


class TestOut:
    """`out=`: who may be written into."""

    @given(st.data())
    def test_written_and_returned(self, here, data):
        dtype = data.draw(st.sampled_from(DTYPES))
        one, two = (data.draw(hosts([dtype], shape=(3, 4))) for _ in range(2))
        out, view = laid_out(np.zeros((3, 4), dtype), data.draw(st.sampled_from(LAYOUTS[:-1])), here)
        before = out.strides
        assert tensor.add(*(tensor.asarray(host, sycl_queue=here) for host in (one, two)), out=out) is out
        assert out.strides == before
        check("add", out, np.add(one, two))

    @pytest.mark.parametrize("anonymous", [False, True])
    @pytest.mark.parametrize("shift", [-3, -1, 0, 1, 3])
    def test_may_overlap_an_input(self, here, shift, anonymous):
        host = np.arange(2000.0)
        x = tensor.asarray(host, sycl_queue=here)

        def part(start, **how):
            return tensor.asarray(View(x, shape=(1990,), strides=(1,), offset=start, **how))

        source, target = part(3, anonymous=anonymous), part(3 + shift)
        tensor.add(source, tensor.ones(1990, sycl_queue=here), out=target)
        x.sycl_queue.wait()
        expected = host[3:1993] + 1
        host[3 + shift : 1993 + shift] = expected
        np.testing.assert_array_equal(tensor.asnumpy(x), host)

    def test_may_be_the_input_reversed(self, here):
        x = tensor.asarray(np.arange(100.0), sycl_queue=here)
        backwards = tensor.asarray(View(x, strides=(-1,), offset=99))
        tensor.add(backwards, 0, out=x)
        np.testing.assert_array_equal(tensor.asnumpy(x), np.arange(100.0)[::-1])

    def test_must_fit(self):
        x = tensor.ones(3)
        with pytest.raises(ValueError, match="float32.*float64"):
            tensor.sin(x, out=tensor.empty(3, dtype="f4"))
        with pytest.raises(ValueError, match=r"\(3,\).*\(4,\)"):
            tensor.sin(x, out=tensor.empty(4))
        with pytest.raises(ValueError, match=r"\(3,\).*\(1, 3\)"):
            tensor.sin(x, out=tensor.empty((1, 3)))
        for wrong in (np.empty(3), [0, 0, 0], 1):
            with pytest.raises(TypeError, match="out: expected an array of situ"):
                tensor.sin(x, out=wrong)

    def test_must_be_writable(self):
        x = tensor.ones(3)
        pointer, _ = x.__sycl_usm_array_interface__["data"]
        fixed = tensor.asarray(View(x, data=(pointer, True)))
        with pytest.raises(ValueError, match="read-only"):
            tensor.sin(tensor.ones(3), out=fixed)
        with pytest.raises(ValueError, match="read-only"):
            fixed += 1
        assert tensor.asnumpy(fixed + 1).tolist() == [2, 2, 2]

    def test_must_be_on_the_same_queue(self):
        x = tensor.ones(3)
        elsewhere = tensor.ones(3, sycl_queue=situ.Queue())
        with pytest.raises(situ.ExecutionPlacementError, match="out"):
            tensor.sin(x, out=elsewhere)
        assert tensor.asnumpy(elsewhere).tolist() == [1, 1, 1]


@example(dtype="float16", data=None)
@given(st.sampled_from(["float16", "float32", "float64"]), st.data())
def test_special_values_survive_a_round_trip(here, dtype, data):
    values = [0.0, -0.0, np.inf, -np.inf, np.nan] if data is None else data.draw(st.lists(elements(dtype)))
    host = np.array(values, dtype)
    back = tensor.asnumpy(tensor.asarray(host, sycl_queue=here))
    assert back.tobytes() == host.tobytes()


@pytest.mark.parametrize("order", ["A", "K", "C", "F"])
@pytest.mark.parametrize("layouts", ["CC", "CF", "FC", "FF"])
def test_order_of_results_follows_all_operands(order, layouts):
    host = [np.asarray(np.arange(6.0).reshape(2, 3), order=layout) for layout in layouts]
    device = [tensor.asarray(array) for array in host]
    wanted = np.add(*host, order=order)
    result = tensor.add(*device, order=order)
    assert tensor.asnumpy(result).strides == wanted.strides


def test_a_broadcast_output_is_refused():
    x = tensor.ones(4)
    target = tensor.asarray(View(x, shape=(4,), strides=(0,)))
    with pytest.raises(ValueError, match="share memory"):
        tensor.add(x, x, out=target)
