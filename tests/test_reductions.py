"""Reductions, scans and differences against NumPy: dtypes, shapes, layouts, axes; and the order of combining."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import DTYPES, LAYOUTS, View, elements, laid_out, shapes

import situ
from situ import tensor

pytestmark = pytest.mark.usefixtures("quiet")

TYPED = ("sum", "prod")
REDUCTIONS = (
    "sum",
    "prod",
    "max",
    "min",
    "any",
    "all",
    "count_nonzero",
    "mean",
    "std",
    "var",
    "logsumexp",
    "reduce_hypot",
)
WITH_OUT = ("sum", "prod", "max", "min", "count_nonzero", "logsumexp", "reduce_hypot", "argmax", "argmin")
REAL_ONLY = ("std", "var", "logsumexp", "reduce_hypot")
REFUSE_NOTHING = ("max", "min", "argmax", "argmin")
SCANS = {"cumulative_sum": np.cumsum, "cumulative_prod": np.cumprod}


def accumulated(x):
    """The dtype that sums and products of an array have."""
    return {"b": np.int64, "i": np.int64, "u": np.uint64}.get(x.dtype.kind, x.dtype)


def floating(x):
    return x.astype(np.float64) if x.dtype.kind in "biu" else x


def wide(x):
    """As half precision is combined: in single."""
    return x.astype(np.float32) if x.dtype == np.float16 else x


def expected(name, x, axis, keepdims, correction=0.0):
    how = {"axis": axis, "keepdims": keepdims}
    match name:
        case "sum" | "prod":
            dtype = accumulated(x)
            return getattr(np, name)(wide(x.astype(dtype)), **how).astype(dtype)
        case "any" | "all" | "max" | "min":
            return getattr(np, name)(x, **how)
        case "count_nonzero":
            return np.asarray(np.count_nonzero(x, **how), np.int64)
        case "mean":
            x = floating(x)
            return np.mean(wide(x), **how).astype(x.dtype)
        case "std" | "var":
            x = floating(x)
            return getattr(np, name)(wide(x), ddof=correction, **how).astype(x.dtype)
        case "logsumexp":
            x = floating(x)
            return np.logaddexp.reduce(wide(x), **how).astype(x.dtype)
        case "reduce_hypot":
            x = floating(x)
            return np.hypot.reduce(np.abs(wide(x)), **how).astype(x.dtype)


def near(actual, wanted, scale=None):
    """Asserts equality: of shape and dtype exactly, of inexact numbers up to some last places of their scale."""
    actual, wanted = tensor.asnumpy(actual), np.asarray(wanted)
    assert (actual.shape, actual.dtype) == (wanted.shape, wanted.dtype)
    if wanted.dtype.kind not in "fc":
        np.testing.assert_array_equal(actual, wanted)
        return
    places = 64 if wanted.dtype != np.float16 else 2
    eps = np.finfo(wanted.dtype).eps * places
    scale = np.abs(wanted) if scale is None else scale
    same = (actual == wanted) | (np.isnan(actual) & np.isnan(wanted))
    close = np.abs(actual - wanted) <= eps * np.maximum(scale, np.abs(wanted))
    assert np.all(same | close), (actual, wanted)


@st.composite
def reduced(draw, dtypes=DTYPES, moderate=True, sizes=None):
    """An array with a layout, and axes of it."""
    dtype = draw(st.sampled_from(dtypes))
    shape = draw(shapes(max_dims=4, max_side=6) if sizes is None else sizes)
    count = math.prod(shape)
    values = draw(st.lists(elements(dtype, moderate), min_size=min(count, 40), max_size=min(count, 40)))
    host = np.resize(np.array(values, dtype), shape) if count else np.zeros(shape, dtype)
    axis = draw(
        st.none()
        | (st.integers(-len(shape), len(shape) - 1) if shape else st.none())
        | st.sets(st.integers(0, max(len(shape) - 1, 0)), max_size=len(shape)).map(tuple)
        if shape
        else st.sampled_from([None, ()])
    )
    return host, draw(st.sampled_from(LAYOUTS)), axis


def length_of(shape, axis):
    axes = range(len(shape)) if axis is None else (axis if isinstance(axis, tuple) else (axis,))
    return math.prod(shape[axis] for axis in axes)


@pytest.mark.parametrize("name", REDUCTIONS)
@given(data=st.data(), keepdims=st.booleans())
def test_reductions(place, name, data, keepdims):
    dtypes = [dtype for dtype in DTYPES if not (name in REAL_ONLY and dtype.startswith("complex"))]
    host, layout, axis = data.draw(reduced(dtypes))
    x, host = laid_out(host, layout, place)
    length = length_of(host.shape, axis)
    function = getattr(tensor, name)
    if name in REFUSE_NOTHING and length == 0 and 0 not in np.sum(host, axis=axis).shape:
        with pytest.raises(ValueError, match=name):
            function(x, axis=axis, keepdims=keepdims)
        return
    result = function(x, axis=axis, keepdims=keepdims)
    assert result.sycl_queue == place and result.usm_type == x.usm_type
    if length == 0 and name in ("mean", "std", "var"):
        wanted = np.full(np.sum(host, axis=axis, keepdims=keepdims).shape, np.nan, floating(host).dtype)
    elif length == 0 and name in REFUSE_NOTHING:
        wanted = np.zeros(np.sum(host, axis=axis, keepdims=keepdims).shape, host.dtype)
    else:
        wanted = expected(name, host, axis, keepdims)
    absolute = np.abs(floating(host)).astype(np.float64)
    scale = None
    if name in ("sum", "mean", "std"):
        scale = np.sum(absolute, axis=axis, keepdims=keepdims)
    elif name == "var":
        scale = np.sum(absolute, axis=axis, keepdims=keepdims) ** 2
    elif name == "prod":
        scale = np.prod(np.maximum(absolute, 1e-30), axis=axis, keepdims=keepdims)
    elif name == "logsumexp":
        scale = np.sum(absolute + 1, axis=axis, keepdims=keepdims)
    near(result, wanted, scale)


@pytest.mark.parametrize("name", ["sum", "max", "min", "any", "all", "count_nonzero"])
@given(data=st.data())
def test_special_values(here, name, data):
    host, layout, axis = data.draw(reduced(moderate=False))
    x, host = laid_out(host, layout, here)
    if length_of(host.shape, axis) == 0:
        return
    result, wanted = tensor.asnumpy(getattr(tensor, name)(x, axis=axis)), expected(name, host, axis, False)
    if name == "sum" and host.dtype.kind in "fc":
        # Where finite numbers overflow depends on the order; what is not finite from the start does not.
        finite = np.isfinite(host).all(axis=axis)
        assert np.all(finite | ~np.isfinite(result))
        return
    np.testing.assert_array_equal(result, wanted)
    assert result.dtype == wanted.dtype


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@given(data=st.data(), keepdims=st.booleans(), moderate=st.booleans())
def test_positions(place, name, data, keepdims, moderate):
    host, layout, axis = data.draw(reduced(moderate=moderate))
    x, host = laid_out(host, layout, place)
    axis = axis[0] if isinstance(axis, tuple) and axis else (None if isinstance(axis, tuple) else axis)
    function = getattr(tensor, name)
    if length_of(host.shape, axis) == 0:
        if 0 not in np.sum(host, axis=axis).shape:
            with pytest.raises(ValueError, match=name):
                function(x, axis=axis)
        return
    near(function(x, axis=axis, keepdims=keepdims), getattr(np, name)(host, axis=axis, keepdims=keepdims))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "complex64", "float16"])
@pytest.mark.parametrize(
    "shape", [(1,), (17,), (129,), (4097,), (70_001,), (1_000_003,), (3, 5000), (5000, 3), (300, 300)]
)
@pytest.mark.parametrize("layout", ["C", "F", "stepped", "reversed"])
def test_longer_sequences(here, dtype, shape, layout):
    count = math.prod(shape)
    host = (np.arange(count) * 7919 % 1009 / 1009 - 0.25).reshape(shape)
    host = (host * 50).astype(dtype) if dtype == "int32" else host.astype(dtype)
    x, host = laid_out(host, layout, here)
    for axis in (None, *range(len(shape))):
        exact = np.sum(host.astype(np.complex128 if host.dtype.kind == "c" else np.float64), axis=axis)
        scale = np.sum(np.abs(host).astype(np.float64), axis=axis)
        near(tensor.sum(x, axis=axis), exact.astype(accumulated(host)), scale)
        near(tensor.max(x, axis=axis), np.max(host, axis=axis))
        near(tensor.argmin(x, axis=axis), np.argmin(host, axis=axis))
        near(tensor.count_nonzero(x, axis=axis), np.asarray(np.count_nonzero(host, axis=axis), np.int64))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
@pytest.mark.parametrize("shape", [(1000,), (200_000,), (700, 300), (3, 70_000), (70_000, 3), (40, 30, 50)])
def test_results_do_not_depend_on_the_place(dtype, shape):
    rng = np.random.default_rng(5)
    host = rng.normal(size=shape).astype(dtype) + (1j * rng.normal(size=shape) if dtype == "complex128" else 0)
    host = host.astype(dtype)
    queues = [situ.get_device_cached_queue(device) for device in situ.get_devices()]
    for device in situ.get_devices():
        if device.partition_max_sub_devices > 1:
            queues.append(situ.Queue(device.create_sub_devices(partition=[1])[0]))
    names = (
        ("sum", "prod", "mean")
        if dtype == "complex128"
        else ("sum", "prod", "mean", "var", "std", "logsumexp", "reduce_hypot")
    )
    for name in (*names, "cumulative_sum"):
        for axis in (None, *range(len(shape))):
            if name == "cumulative_sum" and axis is None:
                continue
            results = []
            for queue in queues:
                x = tensor.asarray(host, sycl_queue=queue)
                results.append(tensor.asnumpy(getattr(tensor, name)(x, axis=axis)).tobytes())
            assert len(set(results)) == 1, (name, axis)


def test_errors_grow_slowly(here):
    x = tensor.full(10_000_000, 0.1, dtype="float32", sycl_queue=here)
    exact = 1e7 * float(np.float32(0.1))
    assert abs(float(tensor.sum(x)) / exact - 1) < 1e-6
    assert abs(float(tensor.sum(tensor.asarray(x), dtype="float64")) / exact - 1) < 1e-12
    assert abs(float(tensor.cumulative_sum(x)[-1]) / exact - 1) < 2e-6
    half = tensor.ones(100_000, dtype="float16", sycl_queue=here)
    assert float(tensor.mean(half)) == 1.0


@pytest.mark.parametrize("name", TYPED)
@given(data=st.data(), dtype=st.sampled_from(DTYPES))
def test_dtype_is_computed_in(here, name, data, dtype):
    host, layout, axis = data.draw(reduced(["bool", "int8", "uint16", "int64", "float32"]))
    x, host = laid_out(host, layout, here)
    result = getattr(tensor, name)(x, axis=axis, dtype=dtype)
    assert result.dtype == dtype
    if np.dtype(dtype).kind in "iu" and host.dtype.kind != "f":
        near(result, getattr(np, name)(host.astype(dtype), axis=axis, dtype=dtype))


@pytest.mark.parametrize("name", WITH_OUT)
@given(data=st.data())
def test_out(here, name, data):
    host, layout, axis = data.draw(reduced(["int32", "float32"]))
    x, host = laid_out(host, layout, here)
    if isinstance(axis, tuple) and name.startswith("arg") or length_of(host.shape, axis) == 0:
        return
    function = getattr(tensor, name)
    wanted = function(x, axis=axis)
    for out_layout in ("C", "F", "stepped", "reversed"):
        out, _ = laid_out(np.zeros(wanted.shape, wanted.dtype), out_layout, here)
        assert function(x, axis=axis, out=out) is out
        np.testing.assert_array_equal(tensor.asnumpy(out), tensor.asnumpy(wanted))


def test_out_may_share_memory_with_the_array(here):
    x = tensor.asarray(np.arange(12).reshape(3, 4), sycl_queue=here)
    wanted = np.arange(12).reshape(3, 4).sum(axis=0)
    tensor.sum(x, axis=0, out=x[0])
    np.testing.assert_array_equal(tensor.asnumpy(x[0]), wanted)


@given(data=st.data(), correction=st.sampled_from([0.0, 1.0, 0.5, 100.0]))
def test_correction(here, data, correction):
    host, layout, axis = data.draw(reduced(["float64", "int16"]))
    x, host = laid_out(host, layout, here)
    length = length_of(host.shape, axis)
    for name in ("std", "var"):
        result = getattr(tensor, name)(x, axis=axis, correction=correction)
        if length <= correction:
            assert np.isnan(tensor.asnumpy(result)).all()
        else:
            scale = np.sum(np.abs(host).astype(float) + 1, axis=axis) ** 2
            near(result, expected(name, host, axis, False, correction), scale)


SPREADS = {
    "noise": lambda n: np.random.default_rng(3).normal(size=n),
    "alternating": lambda n: (-1.0) ** np.arange(n),
    "rising": lambda n: np.arange(n) / n,
    "an outlier first": lambda n: np.where(np.arange(n) == 0, 1e4, np.arange(n) % 7),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("offset", [0.0, 1e3, -1e6, 1e8])
@pytest.mark.parametrize("spread", SPREADS)
def test_deviations_keep_their_digits_far_from_zero(here, dtype, offset, spread):
    """Differences of elements are exact where these are close to each other, and nothing else is summed. The longest
    way of an element goes through 31 + 7 + 15 + 15 additions of numbers that are not negative, half an ulp off each; 64
    ulps are that, and as much for what is added."""
    for shape in [(7,), (4097,), (300_001,), (5, 9001), (9001, 5), (500, 601)]:
        host = (SPREADS[spread](math.prod(shape)) + offset).astype(dtype).reshape(shape)
        distances = host.astype(np.longdouble) - np.longdouble(offset)
        x = tensor.asarray(host, sycl_queue=here)
        for axis in (None, *range(len(shape))):
            near(tensor.var(x, axis=axis), np.var(distances, axis=axis).astype(dtype))
            near(tensor.std(x, axis=axis, correction=1), np.std(distances, axis=axis, ddof=1).astype(dtype))


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32"])
@pytest.mark.parametrize("shape", [(1,), (3,), (129,), (70_001,), (3, 5000), (5000, 3), (300, 300)])
@pytest.mark.parametrize("layout", ["C", "F", "stepped", "reversed"])
def test_deviations_of_longer_sequences(here, dtype, shape, layout):
    host = ((np.arange(math.prod(shape)) * 7919 % 1009 - 250) / (1 if dtype == "int32" else 1009)).reshape(shape)
    x, host = laid_out(host.astype(dtype), layout, here)
    for axis in (None, *range(len(shape))):
        near(tensor.var(x, axis=axis), np.var(host.astype(np.longdouble), axis=axis).astype(floating(host).dtype))


@pytest.mark.parametrize("value", [0.1, -1e8, 3e38, 1e-45])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_equal_elements_do_not_deviate(here, value, dtype):
    x = tensor.full((130, 1700), value, dtype=dtype, sycl_queue=here)
    for axis in (None, 0, 1):
        assert not tensor.asnumpy(tensor.std(x, axis=axis)).any()


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place_of_it", [0, 1, 5000, 9999])
def test_deviations_of_what_is_no_finite_number(here, odd, place_of_it):
    host = np.arange(10_000.0)
    host[place_of_it] = odd
    x = tensor.asarray(host, sycl_queue=here)
    assert np.isnan(float(tensor.std(x)))
    columns = np.isnan(tensor.asnumpy(tensor.std(tensor.asarray(host.reshape(100, 100), sycl_queue=here), axis=0)))
    assert columns.sum() == 1 and columns[place_of_it % 100]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16"])
@pytest.mark.parametrize("shape", [(1,), (70_001,), (3, 5000), (5000, 3), (20, 7, 90)])
def test_deviations_are_those_of_the_interpreter(here, dtype, shape):
    host = (np.random.default_rng(9).normal(size=shape) * 100 + 1000).astype(dtype)
    null = situ.Queue(situ.Device("null"))
    for axis in (None, *range(len(shape))):
        results = [tensor.var(tensor.asarray(host, sycl_queue=queue), axis=axis) for queue in (here, null)]
        assert len({tensor.asnumpy(result).tobytes() for result in results}) == 1


@pytest.mark.parametrize("name", SCANS)
@given(data=st.data(), initial=st.booleans())
def test_scans(place, name, data, initial):
    sizes = st.lists(st.integers(0, 40), min_size=1, max_size=3).map(tuple)
    host, layout, axis = data.draw(reduced(sizes=sizes))
    x, host = laid_out(host, layout, place)
    axis = axis[0] if isinstance(axis, tuple) and axis else axis
    axis = 0 if axis is None or isinstance(axis, tuple) else axis
    result = getattr(tensor, name)(x, axis=axis, include_initial=initial)
    dtype = accumulated(host)
    wanted = SCANS[name](wide(host.astype(dtype)), axis=axis).astype(dtype)
    if initial:
        first = np.full_like(
            np.take(wanted, [0], axis)
            if wanted.shape[axis]
            else np.zeros([1 if n == axis % host.ndim else side for n, side in enumerate(host.shape)], dtype),
            name == "cumulative_prod",
        )
        wanted = np.concatenate([first.astype(dtype), wanted], axis=axis)
    absolute = np.abs(host).astype(np.float64)
    scale = np.sum(absolute, axis=axis, keepdims=True) if name == "cumulative_sum" else None
    if name == "cumulative_prod" and host.dtype.kind in "fc":
        assert result.shape == wanted.shape and result.dtype == wanted.dtype
        return
    near(result, wanted, scale)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "float16", "complex128"])
@pytest.mark.parametrize(
    "shape", [(1,), (16,), (17,), (255,), (4097,), (300_001,), (3, 70_000), (70_000, 3), (99, 500)]
)
@pytest.mark.parametrize("layout", ["C", "F", "stepped", "reversed"])
def test_long_scans(here, dtype, shape, layout):
    host = (np.arange(math.prod(shape)) * 7919 % 101 - 50).reshape(shape)
    host = (host / 64).astype(dtype) if dtype != "int64" else host
    x, host = laid_out(host, layout, here)
    for axis in range(len(shape)):
        exact = np.cumsum(host.astype(np.complex128 if host.dtype.kind == "c" else np.float64), axis=axis)
        scale = np.cumsum(np.abs(host).astype(np.float64), axis=axis)
        near(tensor.cumulative_sum(x, axis=axis), exact.astype(accumulated(host)), scale)
        out, _ = laid_out(np.zeros(shape, accumulated(host)), "stepped", here)
        assert tensor.cumulative_sum(x, axis=axis, out=out) is out
        near(out, exact.astype(accumulated(host)), scale)


def test_cumulative_logsumexp(here):
    host = np.linspace(-5, 5, 300).reshape(3, 100)
    x = tensor.asarray(host, sycl_queue=here)
    for axis in (0, 1):
        np.testing.assert_allclose(
            tensor.asnumpy(tensor.cumulative_logsumexp(x, axis=axis)),
            np.logaddexp.accumulate(host, axis=axis),
            rtol=1e-13,
        )
    initial = tensor.cumulative_logsumexp(x[0], include_initial=True)
    assert initial.shape == (101,) and float(initial[0]) == -np.inf


def test_scans_in_place(here):
    x = tensor.arange(5000, sycl_queue=here)
    assert tensor.cumulative_sum(x, out=x) is x
    np.testing.assert_array_equal(tensor.asnumpy(x), np.cumsum(np.arange(5000)))
    # Elements that are read after their place has been written would be wrong.
    y = tensor.arange(5000, sycl_queue=here)
    tensor.cumulative_sum(y[:-1], out=y[1:])
    np.testing.assert_array_equal(tensor.asnumpy(y[1:]), np.cumsum(np.arange(4999)))


def test_scans_without_axes(here):
    x = tensor.asarray(3, sycl_queue=here)
    assert tensor.cumulative_sum(x).shape == () and int(tensor.cumulative_sum(x)) == 3
    with pytest.raises(ValueError, match="axis"):
        tensor.cumulative_sum(tensor.zeros((2, 2), sycl_queue=here))


@given(data=st.data(), n=st.integers(0, 3))
def test_diff(here, data, n):
    sizes = st.lists(st.integers(1, 6), min_size=1, max_size=3).map(tuple)
    host, layout, axis = data.draw(reduced(["bool", "int32", "uint8", "float64"], sizes=sizes))
    x, host = laid_out(host, layout, here)
    axis = axis if isinstance(axis, int) else -1
    np.testing.assert_array_equal(tensor.asnumpy(tensor.diff(x, axis=axis, n=n)), np.diff(host, axis=axis, n=n))
    joined = tensor.diff(x, axis=axis, prepend=host.dtype.type(1), append=x)
    np.testing.assert_array_equal(
        tensor.asnumpy(joined), np.diff(host, axis=axis, prepend=host.dtype.type(1), append=host)
    )


def test_ends_of_differences_promote(here):
    x = tensor.asarray([1, 2, 3], sycl_queue=here)
    result = tensor.asnumpy(tensor.diff(x, prepend=0.5, append=np.float32(9)))
    np.testing.assert_array_equal(result, np.diff([1, 2, 3], prepend=0.5, append=np.float32(9)))


def test_more_rows_than_four_levels(here):
    """Beyond 16^5 rows a scan has a fifth level above its groups, and a reduction several within a part."""
    host = np.random.default_rng(3).integers(-100, 100, ((1 << 20) + 40, 2))
    x = tensor.asarray(host, sycl_queue=here)
    np.testing.assert_array_equal(tensor.asnumpy(tensor.cumulative_sum(x, axis=0)), np.cumsum(host, axis=0))
    np.testing.assert_array_equal(tensor.asnumpy(tensor.sum(x, axis=0)), np.sum(host, axis=0))


def test_what_is_settled_needs_no_memory():
    """A view of one element repeated a quadrillion times, of which the first tells all."""
    x = tensor.asarray(View(tensor.ones(1, dtype="bool"), shape=(1 << 50,), strides=(0,)))
    assert bool(tensor.any(x)) and bool(tensor.all(x)) and int(tensor.max(x)) == int(tensor.min(x)) == 1


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_products_along_an_axis(here, dtype):
    host = np.exp(np.random.default_rng(4).normal(size=(40, 300)) / 20).astype(dtype)
    x = tensor.asarray(host, sycl_queue=here)
    for axis in (0, 1):
        found = tensor.asnumpy(tensor.cumulative_prod(x, axis=axis))
        np.testing.assert_allclose(found, np.cumprod(host, axis=axis), rtol=1e-4 if dtype == "float32" else 1e-12)


class TestBadInput:
    @pytest.mark.parametrize("name", REDUCTIONS)
    @pytest.mark.parametrize("axis", [2, -3, (0, 5)])
    def test_axes_that_do_not_exist(self, name, axis):
        x = tensor.ones((2, 3))
        with pytest.raises(np.exceptions.AxisError, match=f"{name}: axis .* does not exist"):
            getattr(tensor, name)(x, axis=axis)

    @pytest.mark.parametrize("name", REDUCTIONS)
    def test_repeated_axes(self, name):
        with pytest.raises(ValueError, match="twice"):
            getattr(tensor, name)(tensor.ones((2, 3)), axis=(0, -2))

    @pytest.mark.parametrize("axis", ["0", 1.0, [0], (0.5,)])
    def test_axes_of_the_wrong_type(self, axis):
        with pytest.raises(TypeError, match="axis must be an integer"):
            tensor.sum(tensor.ones((2, 3)), axis=axis)

    def test_several_axes_for_a_position(self):
        with pytest.raises(TypeError, match="argmax: axis"):
            tensor.argmax(tensor.ones((2, 3)), axis=(0, 1))

    @pytest.mark.parametrize("name", REAL_ONLY)
    def test_complex_numbers(self, name):
        x = tensor.ones(3, dtype="complex128")
        with pytest.raises(ValueError, match=f"{name} does not support dtype complex128"):
            getattr(tensor, name)(x)
        if name in ("logsumexp", "reduce_hypot"):
            with pytest.raises(ValueError, match=f"{name} does not support dtype complex128"):
                getattr(tensor, name)(x, dtype="float64")

    @pytest.mark.parametrize("name", ["logsumexp", "reduce_hypot"])
    def test_dtypes_that_values_are_not_combined_in(self, here, name):
        x = tensor.asarray([[3.0, 4.0], [6.0, 8.0]], sycl_queue=here)
        function, usual = getattr(tensor, name), getattr(tensor, name)(x, axis=1, keepdims=True)
        for dtype in ("int8", "uint64", "complex64"):
            converted = function(x, axis=1, keepdims=True, dtype=dtype)
            assert converted.dtype == dtype and tensor.all(converted == tensor.astype(usual, dtype))
            out = tensor.empty((2, 1), dtype=dtype, sycl_queue=here)
            assert function(x, axis=1, keepdims=True, dtype=dtype, out=out) is out
            assert tensor.all(out == converted)
        with pytest.raises(ValueError, match="Output array of type float64"):
            function(x, dtype="int8", out=tensor.empty((), sycl_queue=here))

    def test_complex_numbers_of_a_scan(self):
        with pytest.raises(ValueError, match="cumulative_logsumexp does not support"):
            tensor.cumulative_logsumexp(tensor.ones(3, dtype="complex64"))

    def test_axes_beyond_all_integers(self):
        with pytest.raises(ValueError, match="sum: axis 1180591620717411303424 is out of range"):
            tensor.sum(tensor.ones(3), axis=2**70)

    @pytest.mark.parametrize("end", ["a", [1], None.__class__])
    def test_ends_of_a_difference(self, end):
        with pytest.raises(TypeError, match="diff: prepend must be an array or a number"):
            tensor.diff(tensor.ones(3), prepend=end)

    def test_ends_of_another_shape(self):
        with pytest.raises(ValueError, match="diff: append has shape"):
            tensor.diff(tensor.ones((2, 3)), append=tensor.ones((3, 1)))

    def test_out_of_another_shape_dtype_or_place(self):
        x = tensor.ones((2, 3))
        with pytest.raises(ValueError, match="shape"):
            tensor.sum(x, axis=0, out=tensor.zeros(2))
        with pytest.raises(ValueError, match="type int32"):
            tensor.sum(x, axis=0, out=tensor.zeros(3, dtype="int32"))
        with pytest.raises(TypeError, match="out must be an array of situ"):
            tensor.sum(x, axis=0, out=np.zeros(3))
        with pytest.raises(situ.ExecutionPlacementError):
            tensor.sum(x, axis=0, out=tensor.zeros(3, sycl_queue=situ.Queue()))
        read_only = tensor.zeros(3)
        read_only.flags.writable = False
        with pytest.raises(ValueError, match="read-only"):
            tensor.sum(x, axis=0, out=read_only)

    def test_other_things_than_arrays(self):
        with pytest.raises(TypeError, match="sum: x must be an array of situ, got list"):
            tensor.sum([1, 2])

    def test_negative_times(self):
        with pytest.raises(ValueError, match="n must not be negative"):
            tensor.diff(tensor.ones(3), n=-1)


@settings(max_examples=10)
@given(st.integers(2, 400))
def test_sieve(here, n):
    """Primes by masks, minima and assignments."""
    s = tensor.concat(
        (
            tensor.arange(2, 3, dtype="int32", sycl_queue=here),
            tensor.arange(3, n + 1, 2, dtype="int32", sycl_queue=here),
        )
    )
    lb = tensor.zeros((), dtype="int32", sycl_queue=here)
    while lb * lb < n + 1 and tensor.any(s > lb):
        m = tensor.min(s[s > lb])
        s[(s > m) & (s % m == 0)] = 0
        lb = m
    primes = [p for p in range(2, n + 1) if all(p % d for d in range(2, p))]
    assert s[s > 0].shape == (len(primes),) and tensor.asnumpy(s[s > 0]).tolist() == primes


@pytest.mark.parametrize("at", [None, 0, 5000, 70_000, 999_999])
def test_truth_is_known_early(here, at):
    """Looking may stop at the first element that settles the answer, wherever it is."""
    some, every = np.zeros(1_000_000, np.float32), np.ones((2, 500_000), np.int16)
    if at is not None:
        some[at] = 2
        every.reshape(-1)[at] = 0
    x, y = tensor.asarray(some, sycl_queue=here), tensor.asarray(every, sycl_queue=here)
    assert bool(tensor.any(x)) is (at is not None) and bool(tensor.all(y)) is (at is None)
    np.testing.assert_array_equal(tensor.asnumpy(tensor.all(y, axis=1)), every.all(axis=1))
    np.testing.assert_array_equal(tensor.asnumpy(tensor.any(x[::2])), some[::2].any())
