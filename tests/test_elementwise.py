"""Elementwise functions and operators, against NumPy."""

import operator

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import DTYPES, LAYOUTS, View, elements, hosts, laid_out, operands, steps

import situ
from situ import tensor

FUNCTIONS = dict(situ._native.elementwise_functions())
UNARY = sorted(name for name, function in FUNCTIONS.items() if function.nin == 1)
BINARY = sorted(name for name, function in FUNCTIONS.items() if function.nin == 2)
OPERATORS = {"add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv}
IN_PLACE = {"add": operator.iadd, "subtract": operator.isub, "multiply": operator.imul, "divide": operator.itruediv}
EXACT = {"add", "subtract", "multiply", "negative", "square"}
ULPS = 4

pytestmark = pytest.mark.usefixtures("quiet")


def rounds(name, dtype):
    """Whether results may differ from NumPy's in the last places."""
    if name in EXACT:
        # NumPy contracts products of complex numbers on some machines.
        return np.dtype(dtype).kind == "c" and name in ("multiply", "square")
    return not (name == "divide" and np.dtype(dtype).kind == "f")


def moderate(name, *dtypes):
    """Whether NumPy's answer for extreme values depends on the machine."""
    return any(np.dtype(dtype).kind == "c" for dtype in dtypes) and name not in ("add", "subtract", "negative")


def check(name, result, expected):
    """Dtype, shape and values; signs of zeros and NaN included where the result is exact."""
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    values = tensor.asnumpy(result)
    assert values.dtype == expected.dtype and values.shape == expected.shape
    if not rounds(name, expected.dtype):
        np.testing.assert_array_equal(values, expected, strict=True)
        if expected.dtype.kind == "f":
            finite = ~np.isnan(expected)
            np.testing.assert_array_equal(np.signbit(values)[finite], np.signbit(expected)[finite])
        return
    if expected.dtype.kind == "c":
        # Which parts of an infinite quotient are infinite and which NaN is not agreed upon.
        finite = np.isfinite(expected)
        np.testing.assert_array_equal(np.isfinite(values), finite)
        size = np.maximum(np.abs(expected[finite]), np.finfo(expected.dtype).tiny)
        assert np.all(np.abs(values[finite] - expected[finite]) <= 8 * np.finfo(expected.dtype).eps * size)
        return
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(values[~finite], expected[~finite])
    distance = np.abs(values[finite].astype("f8") - expected[finite].astype("f8"))
    allowed = ULPS * np.spacing(np.abs(expected[finite]))
    assert np.all(distance <= allowed)
    zero = finite & (expected == 0)
    np.testing.assert_array_equal(np.signbit(values[zero]), np.signbit(expected[zero]))


def refuses(name, *dtypes):
    """Whether a function has no meaning for truth values."""
    return name in ("subtract", "negative") and all(np.dtype(dtype) == bool for dtype in dtypes)


def test_every_function_is_numpys():
    for name, function in FUNCTIONS.items():
        assert getattr(tensor, name) is not None and name in tensor.__all__
        assert function.__name__ == name and function.__doc__ and repr(function) == f"<elementwise function {name}>"
        assert (function.nin, function.nout) == (getattr(np, name).nin, 1)


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
    if refuses(name, dtype):
        with pytest.raises(ValueError, match=name):
            FUNCTIONS[name](x)
        return
    expected = getattr(np, name)(view)
    result = FUNCTIONS[name](x)
    check(name, result, np.asarray(expected))
    assert result.sycl_queue == place and result.usm_type == x.usm_type


@pytest.mark.parametrize("name", BINARY)
@given(st.data())
def test_binary(place, name, data):
    (one, two), layouts = data.draw(operands(2))
    if moderate(name, one.dtype, two.dtype):
        one = data.draw(hosts([one.dtype.name], shape=one.shape, moderate=True))
        two = data.draw(hosts([two.dtype.name], shape=two.shape, moderate=True))
    (x, one), (y, two) = (laid_out(host, layout, place) for host, layout in zip((one, two), layouts, strict=True))
    if refuses(name, one.dtype, two.dtype):
        with pytest.raises(ValueError, match=name):
            FUNCTIONS[name](x, y)
        return
    expected = np.asarray(getattr(np, name)(one, two))
    check(name, FUNCTIONS[name](x, y), expected)
    if name in OPERATORS:
        check(name, OPERATORS[name](x, y), expected)


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("two", DTYPES)
@pytest.mark.parametrize("one", DTYPES)
def test_dtypes_of_pairs(name, one, two):
    x, y = tensor.ones((2, 1), dtype=one), tensor.ones(3, dtype=two)
    if refuses(name, one, two):
        with pytest.raises(ValueError, match=f"{name} does not support inputs of dtype {one}, {two}"):
            FUNCTIONS[name](x, y)
        return
    check(name, FUNCTIONS[name](x, y), getattr(np, name)(np.ones((2, 1), one), np.ones(3, two)))


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
@pytest.mark.parametrize("name", OPERATORS)
@given(st.data())
def test_python_scalars_are_weak(name, reflected, data):
    host = data.draw(hosts(DTYPES[:-2], shape=(3,)))
    scalar = data.draw(SCALARS)
    pair = (scalar, host) if reflected else (host, scalar)
    if refuses(name, host.dtype, type(scalar)):
        with pytest.raises(ValueError, match=name):
            OPERATORS[name](tensor.asarray(host), scalar)
        return
    expected = outcome(OPERATORS[name], *pair)
    x = tensor.asarray(host)
    result = outcome(OPERATORS[name], *((scalar, x) if reflected else (x, scalar)))
    if expected is OverflowError or result is OverflowError:
        assert expected is result
    else:
        check(name, result, expected)


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


@pytest.mark.parametrize("name", OPERATORS)
@given(st.data())
def test_numpy_operands_come_to_the_array(place, name, data):
    one = data.draw(hosts(DTYPES[1:-2], shape=(2, 3)))
    two = data.draw(hosts(DTYPES[1:-2], shape=data.draw(st.sampled_from([(), (3,), (2, 3)]))))
    x = tensor.asarray(one, sycl_queue=place, usm_type="shared")
    for result, expected in (
        (OPERATORS[name](x, two), OPERATORS[name](one, two)),
        (OPERATORS[name](two, x), OPERATORS[name](two, one)),
    ):
        check(name, result, expected)
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
    for function in (*OPERATORS.values(), *IN_PLACE.values()):
        with pytest.raises(TypeError):
            function(x, other)
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
    dtype = data.draw(st.sampled_from([d for d in DTYPES if name != "divide" or np.dtype(d).kind == "f"][1:]))
    extreme = not moderate(name, dtype)
    host = data.draw(hosts([dtype], shape=(3, 4), moderate=not extreme))
    other = data.draw(hosts([dtype], shape=data.draw(st.sampled_from([(), (4,), (3, 1)])), moderate=not extreme))
    x, view = laid_out(host, data.draw(st.sampled_from([each for each in LAYOUTS if each != "broadcast"])), place)
    operand, other = laid_out(other, data.draw(st.sampled_from(LAYOUTS)), place)
    pointer, expected = x._pointer, OPERATORS[name](view, other)
    y = IN_PLACE[name](x, operand)
    assert y is x and x._pointer == pointer
    check(name, x, expected)


def test_in_place_keeps_the_dtype_and_shape():
    x = tensor.ones(3, dtype="int32")
    with pytest.raises(ValueError, match="float64.*int32.*astype"):
        x += 1.5
    with pytest.raises(ValueError, match="float64.*int32.*astype"):
        x /= 2
    with pytest.raises(ValueError, match=r"\(2, 3\).*\(3,\)"):
        x += tensor.ones((2, 3), dtype="int32")
    x += True
    assert tensor.asnumpy(x).tolist() == [2, 2, 2] and x.dtype == np.int32


@pytest.mark.parametrize("dtype", DTYPES[1:])
def test_negation(place, dtype):
    host = np.array([0, 1, 2, 3], dtype)
    check("negative", -tensor.asarray(host, sycl_queue=place), -host)


@pytest.mark.parametrize("order", "CFAK")
@pytest.mark.parametrize("layout", ["C", "F", "rolled", "stepped"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 3, 4), (2, 1, 3), (2, 0, 3)])
def test_order_of_results(shape, layout, order):
    x, view = laid_out(np.ones(shape, "f4"), layout)
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


@pytest.mark.parametrize("size", [1, 63, 64, 65, 1000, 4097, 100_003])
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["int32", "float16", "float32", "float64", "complex64"])
def test_lengths(place, name, dtype, size):
    random = np.random.default_rng(size)
    hosts = [(random.random(size) * 20 - 10).astype(dtype) for _ in range(FUNCTIONS[name].nin)]
    for layout in ("C", "stepped", "reversed"):
        arrays, views = zip(*(laid_out(host, layout, place) for host in hosts), strict=True)
        check(name, FUNCTIONS[name](*arrays), getattr(np, name)(*views))


class TestOut:
    """`out=`: who may be written into."""

    @given(st.data())
    def test_written_and_returned(self, data):
        dtype = data.draw(st.sampled_from(DTYPES))
        one, two = (data.draw(hosts([dtype], shape=(3, 4))) for _ in range(2))
        out, view = laid_out(np.zeros((3, 4), dtype), data.draw(st.sampled_from(LAYOUTS[:-1])))
        before = out.strides
        assert tensor.add(tensor.asarray(one), tensor.asarray(two), out=out) is out
        assert out.strides == before
        check("add", out, np.add(one, two))

    @pytest.mark.parametrize("anonymous", [False, True])
    @pytest.mark.parametrize("shift", [-3, -1, 0, 1, 3])
    def test_may_overlap_an_input(self, shift, anonymous):
        host = np.arange(2000.0)
        x = tensor.asarray(host)

        def part(start, **how):
            return tensor.asarray(View(x, shape=(1990,), strides=(1,), offset=start, **how))

        source, target = part(3, anonymous=anonymous), part(3 + shift)
        tensor.add(source, tensor.ones(1990), out=target)
        x.sycl_queue.wait()
        expected = host[3:1993] + 1
        host[3 + shift : 1993 + shift] = expected
        np.testing.assert_array_equal(tensor.asnumpy(x), host)

    def test_may_be_the_input_reversed(self):
        x = tensor.asarray(np.arange(100.0))
        backwards = tensor.asarray(View(x, strides=(-1,), offset=99))
        tensor.add(backwards, 0, out=x)
        np.testing.assert_array_equal(tensor.asnumpy(x), np.arange(100.0)[::-1])

    def test_must_fit(self):
        x = tensor.ones(3)
        with pytest.raises(ValueError, match="float64.*float32"):
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
def test_special_values_survive_a_round_trip(dtype, data):
    values = [0.0, -0.0, np.inf, -np.inf, np.nan] if data is None else data.draw(st.lists(elements(dtype)))
    host = np.array(values, dtype)
    back = tensor.asnumpy(tensor.asarray(host))
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
