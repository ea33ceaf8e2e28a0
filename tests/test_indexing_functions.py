"""``take``, ``put`` and their relatives against NumPy."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from strategies import DTYPES, LAYOUTS, assigned_one_by_one, hosts, keeps_the_last, laid_out, shapes
from test_indexing import INTEGERS, index_arrays, outcome

import situ
from situ import tensor

MODES = ("raise", "wrap", "clip")


@st.composite
def axes(draw, ndim, whole=True):
    """An axis, from either end, or none."""
    choices = list(range(-ndim, ndim)) + ([None] if whole else [])
    return draw(st.sampled_from(choices)) if choices else None


def filled(shape, dtype="i4"):
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


def positions(shape):
    """Where each element of an array is, as NumPy counts."""
    return np.arange(np.prod(shape, dtype=int)).reshape(shape)


def check_put(array, before, host, targets, values):
    """Whether the array is as NumPy left `host`, or nearly so where several values went to one element."""
    if keeps_the_last(array.sycl_queue):
        check(array, host)
    else:
        assigned_one_by_one(tensor.asnumpy(array), before, targets, values)


def check(result, expected):
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_array_equal(tensor.asnumpy(result), expected)


@given(st.data(), hosts(), st.sampled_from(LAYOUTS), st.sampled_from(MODES), st.booleans())
def test_take(here, data, host, layout, mode, strict):
    axis = data.draw(axes(host.ndim))
    length = host.size if axis is None else host.shape[axis]
    # NumPy never comes back from an axis of length 0 that it is to wrap around.
    assume(length or mode != "wrap")
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=3))
    indices = data.draw(index_arrays(length, shape, strict))
    array, host = laid_out(host, layout, here)
    device_indices, indices = laid_out(indices, data.draw(st.sampled_from(LAYOUTS)), here)
    expected = outcome(lambda: np.take(host, indices.astype("i8"), axis=axis, mode=mode), IndexError)
    if expected is IndexError:
        with pytest.raises(IndexError):
            tensor.take(array, device_indices, axis=axis, mode=mode)
        return
    expected = np.asarray(expected)
    check(tensor.take(array, device_indices, axis=axis, mode=mode), expected)
    out, _ = laid_out(np.zeros(expected.shape, expected.dtype), data.draw(st.sampled_from(LAYOUTS[:-1])), here)
    assert tensor.take(array, device_indices, axis=axis, mode=mode, out=out) is out
    check(out, expected)
    if indices.size:
        check(tensor.take(array, indices.tolist(), axis=axis, mode=mode), expected)


def test_modes(here):
    array = tensor.arange(5, sycl_queue=here)
    assert tensor.asnumpy(tensor.take(array, [7, -7, -1], mode="wrap")).tolist() == [2, 3, 4]
    assert tensor.asnumpy(tensor.take(array, [7, -7, -1], mode="clip")).tolist() == [4, 0, 0]
    huge = np.array([2**64 - 1, 2**63, 3], dtype="u8")
    assert tensor.asnumpy(tensor.take(array, huge, mode="clip")).tolist() == [4, 4, 3]
    assert tensor.asnumpy(tensor.take(array, huge, mode="wrap")).tolist() == [(2**64 - 1) % 5, 2**63 % 5, 3]
    low = np.array([-(2**63)])
    assert tensor.asnumpy(tensor.take(array, low, mode="wrap")).tolist() == [-(2**63) % 5]
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 5"):
        tensor.take(array, [7, -7])
    for function in (
        lambda mode: tensor.take(array, [0], mode=mode),
        lambda mode: tensor.put(array, [0], 1, mode=mode),
        lambda mode: tensor.take_along_axis(array, [0], mode=mode),
        lambda mode: tensor.put_along_axis(array, [0], 1, mode=mode),
    ):
        with pytest.raises(ValueError, match="mode must be 'raise', 'wrap' or 'clip', not 'edge'"):
            function("edge")


@pytest.mark.parametrize("mode", MODES)
def test_an_empty_axis_has_no_indices(here, mode):
    empty = tensor.zeros((3, 0), sycl_queue=here)
    with pytest.raises(IndexError):
        tensor.take(empty, [0], axis=1, mode=mode)
    with pytest.raises(IndexError):
        tensor.put(empty, [0], 1, axis=1, mode=mode)
    assert tensor.take(empty, [], axis=1, mode=mode).shape == (3, 0)
    assert tensor.take(empty, [2], axis=0, mode=mode).shape == (1, 0)
    with pytest.raises(IndexError):
        tensor.take_along_axis(empty, np.zeros((3, 1), int), mode=mode)


def test_output_of_take():
    array = tensor.asarray(filled((3, 4)))
    cases = (
        (tensor.zeros((2, 4), dtype="i8"), "one of type int32 is needed"),
        (tensor.zeros((4, 2), dtype="i4"), r"shape \(2, 4\), but the output array has shape \(4, 2\)"),
    )
    for out, message in cases:
        with pytest.raises(ValueError, match=message):
            tensor.take(array, [0, 1], axis=0, out=out)
    out = tensor.zeros((2, 4), dtype="i4")
    out.flags["W"] = False
    with pytest.raises(ValueError, match="read-only"):
        tensor.take(array, [0, 1], axis=0, out=out)
    with pytest.raises(TypeError, match="out must be an array of situ"):
        tensor.take(array, [0, 1], axis=0, out=np.zeros((2, 4), "i4"))
    out = tensor.zeros((2, 4), dtype="i4", sycl_queue=situ.Queue("cpu"))
    with pytest.raises(situ.ExecutionPlacementError, match="out"):
        tensor.take(array, [0, 1], axis=0, out=out)
    out = tensor.zeros((2, 4), dtype="i4")
    with pytest.raises(IndexError):
        tensor.take(array, [0, 3], axis=0, out=out)
    assert not tensor.asnumpy(out).any()
    # Into itself.
    tensor.take(array, [2, 0, 1], axis=0, out=array)
    check(array, filled((3, 4))[[2, 0, 1]])
    indices = tensor.asarray([2, 0, 1])
    tensor.take(tensor.asarray([5, 6, 7]), indices, out=indices)
    assert tensor.asnumpy(indices).tolist() == [7, 5, 6]


@given(st.data(), shapes(), st.sampled_from(DTYPES), st.sampled_from(LAYOUTS[:-1]), st.sampled_from(MODES))
def test_put(here, data, shape, dtype, layout, mode):
    array, host = laid_out(np.zeros(shape, dtype), layout, here)
    before, host = host, np.array(host)
    indices = data.draw(index_arrays(host.size, data.draw(shapes(max_dims=2, max_side=3)), data.draw(st.booleans())))
    values = 1 + filled(data.draw(shapes(max_dims=2, max_side=3)), data.draw(st.sampled_from(DTYPES)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = outcome(lambda: np.put(host, indices.astype("i8"), values, mode=mode), IndexError, ValueError)
    given_indices = data.draw(st.sampled_from([indices, laid_out(indices, "C", here)[0]]))
    given_values = laid_out(values, data.draw(st.sampled_from(LAYOUTS)), here)
    if values.size and not np.array_equal(given_values[1], values):
        given_values = laid_out(values, "C", here)
    found = outcome(lambda: tensor.put(array, given_indices, given_values[0], mode=mode), IndexError)
    if expected is ValueError:
        expected = IndexError
    assert found is expected
    if expected is None and values.size:
        targets = np.take(positions(shape), indices.astype("i8"), mode=mode)
        check_put(array, before, host, targets, np.resize(values, targets.shape))
    elif expected is None:
        check(array, host)


@given(st.data(), shapes(), st.sampled_from(LAYOUTS[:-1]), st.sampled_from(MODES))
def test_put_along_one_axis(here, data, shape, layout, mode):
    shape = tuple(max(n, 1) for n in shape) or (2,)
    array, host = laid_out(np.zeros(shape, "f4"), layout, here)
    before, host = host, np.array(host)
    axis = data.draw(axes(host.ndim, whole=False))
    indices = data.draw(index_arrays(host.shape[axis], data.draw(hnp.array_shapes(max_dims=2, max_side=3))))
    inside = {"raise": indices, "wrap": indices, "clip": np.maximum(indices.astype("i8"), 0)}[mode]
    key = (slice(None),) * (axis % host.ndim) + (inside,)
    values = 1 + filled(host[key].shape)
    host[key] = values
    tensor.put(array, indices, tensor.asarray(values, sycl_queue=here), axis=axis, mode=mode)
    check_put(array, before, host, positions(shape)[key], values)


@given(st.data(), shapes(), st.sampled_from(LAYOUTS), st.sampled_from(INTEGERS))
def test_along_an_axis(here, data, shape, layout, dtype):
    shape = tuple(max(n, 1) for n in shape) or (3,)
    array, host = laid_out(filled(shape), layout, here)
    axis = data.draw(axes(host.ndim, whole=False))
    count = data.draw(st.integers(0, 3))
    index_shape = [data.draw(st.sampled_from([n, 1])) for n in shape]
    index_shape[axis] = count
    strict = data.draw(st.booleans())
    indices = data.draw(index_arrays(shape[axis], tuple(index_shape), strict))
    expected = outcome(lambda: np.take_along_axis(host, indices, axis), IndexError)
    device_indices = tensor.asarray(indices, sycl_queue=here)
    if expected is IndexError:
        with pytest.raises(IndexError):
            tensor.take_along_axis(array, device_indices, axis=axis)
        return
    check(tensor.take_along_axis(array, device_indices, axis=axis), expected)
    if layout == "broadcast":
        return
    values = -1 - filled([data.draw(st.sampled_from([n, 1])) for n in expected.shape], "f8")
    before, host = host, np.array(host)
    np.put_along_axis(host, indices, values, axis)
    tensor.put_along_axis(array, device_indices, tensor.asarray(values, sycl_queue=here), axis=axis)
    targets = np.take_along_axis(positions(shape), indices, axis)
    check_put(array, before, host, targets, np.broadcast_to(values, targets.shape))


def test_along_a_large_axis(place):
    rng = np.random.default_rng(3)
    host = rng.random((500, 300))
    order = np.argsort(host, axis=1)
    array, device_order = tensor.asarray(host, sycl_queue=place), tensor.asarray(order, sycl_queue=place)
    check(tensor.take_along_axis(array, device_order), np.sort(host, axis=1))
    back = tensor.zeros((500, 300), sycl_queue=place)
    tensor.put_along_axis(back, device_order, tensor.asarray(np.sort(host, axis=1), sycl_queue=place))
    check(back, host)


@given(st.data(), hosts(), st.sampled_from(LAYOUTS))
def test_extract_and_place(here, data, host, layout):
    condition = data.draw(hnp.arrays("i4", host.shape, elements=st.integers(0, 2)))
    condition = condition.astype(data.draw(st.sampled_from(["?", "i4", "f8"])))
    array, host = laid_out(host, layout, here)
    device_condition, condition = laid_out(condition, data.draw(st.sampled_from(LAYOUTS)), here)
    check(tensor.extract(device_condition, array), np.extract(condition, host))
    flat = tensor.asarray(condition.ravel(), sycl_queue=here)
    check(tensor.extract(flat, array), np.extract(condition, host))
    if layout == "broadcast":
        return
    host = np.array(host)
    values = filled(data.draw(st.integers(1, 5)), host.dtype)
    np.place(host, condition, values)
    tensor.place(array, device_condition, tensor.asarray(values, sycl_queue=here))
    check(array, host)


def test_extract_and_place_disagree_about_sizes():
    array = tensor.arange(4)
    assert tensor.asnumpy(tensor.extract([0, 1], array)).tolist() == [1]
    assert tensor.asnumpy(tensor.extract([0, 1, 0, 1, 0], array)).tolist() == [1, 3]
    with pytest.raises(IndexError):
        tensor.extract([0, 0, 0, 0, 1], array)
    with pytest.raises(ValueError, match="the mask has 3 elements, the array 4"):
        tensor.place(array, [1, 1, 1], [9])
    with pytest.raises(ValueError, match="no values to insert"):
        tensor.place(array, [1, 0, 0, 0], [])
    tensor.place(array, [0, 0, 0, 0], [])
    tensor.place(array, tensor.asarray([[1, 0], [0, 1]]), 8)
    assert tensor.asnumpy(array).tolist() == [8, 1, 2, 8]
    square = tensor.zeros((2, 2))
    tensor.place(square, [1, 0, 1, 1], [1, 2])
    assert tensor.asnumpy(square).tolist() == [[1, 0], [2, 1]]


@given(hosts(), st.sampled_from(LAYOUTS))
def test_nonzero(here, host, layout):
    array, host = laid_out(host, layout, here)
    if host.ndim == 0:
        with pytest.raises(ValueError, match="without dimensions"):
            tensor.nonzero(array)
        return
    found, expected = tensor.nonzero(array), np.nonzero(host)
    assert isinstance(found, tuple) and len(found) == host.ndim
    for one, other in zip(found, expected, strict=True):
        check(one, other)
        assert one.sycl_queue == array.sycl_queue and one.usm_type == array.usm_type


def test_nonzero_of_large_arrays(place):
    rng = np.random.default_rng(4)
    for shape in ((300_001,), (600, 500), (300_000, 1), (7, 5, 3, 2000), (100_000, 3)):
        for share in (0.5, 0.001, 1.0):
            host = rng.random(shape) < share
            found = tensor.nonzero(tensor.asarray(host, sycl_queue=place))
            for one, other in zip(found, np.nonzero(host), strict=True):
                check(one, other)


FUNCTIONS = {
    "take": lambda x, i: tensor.take(x, i),
    "put": lambda x, i: tensor.put(x, i, 1),
    "take_along_axis": lambda x, i: tensor.take_along_axis(x, i),
    "put_along_axis": lambda x, i: tensor.put_along_axis(x, i, 1),
    "extract": lambda x, i: tensor.extract(i, x),
    "place": lambda x, i: tensor.place(x, i, 1),
    "nonzero": lambda x, i: tensor.nonzero(x),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arguments(name):
    call = FUNCTIONS[name]
    with pytest.raises(TypeError, match=f"{name}: .* must be an array of situ, got list"):
        call([1, 2], tensor.asarray([0, 1]))
    if name != "nonzero":
        other = tensor.asarray([0, 1], sycl_queue=situ.Queue("cpu"))
        with pytest.raises(situ.ExecutionPlacementError, match=name):
            call(tensor.arange(2), other)
    if name in ("put", "put_along_axis", "place"):
        array = tensor.zeros(3)
        array.flags["W"] = False
        with pytest.raises(ValueError, match="read-only"):
            call(array, [0, 1, 0])
    if name in ("take", "put", "take_along_axis", "put_along_axis"):
        for wrong in ([1.5], [True], np.zeros(1)):
            with pytest.raises(IndexError, match=f"{name}: indices must have an integer dtype"):
                call(tensor.arange(3), wrong)
        with pytest.raises(IndexError, match="index 3 is out of bounds for axis 0 with size 3"):
            call(tensor.arange(3), [3])


@pytest.mark.parametrize("axis", [2, -3, 100])
def test_axes_that_do_not_exist(axis):
    array = tensor.zeros((2, 2))
    for call in (
        lambda: tensor.take(array, [0], axis=axis),
        lambda: tensor.put(array, [0], 1, axis=axis),
        lambda: tensor.take_along_axis(array, [[0]], axis=axis),
        lambda: tensor.put_along_axis(array, [[0]], 1, axis=axis),
    ):
        with pytest.raises(ValueError, match=f"axis {axis} does not exist in an array of 2 dimensions"):
            call()


def test_shapes_that_do_not_match():
    array = tensor.zeros((2, 3))
    with pytest.raises(ValueError, match="same number of dimensions, not 2 and 1"):
        tensor.take_along_axis(array, [0])
    with pytest.raises(IndexError, match="do not match off axis 1"):
        tensor.take_along_axis(array, np.zeros((4, 1), int))
    with pytest.raises(ValueError, match="cannot be broadcast"):
        tensor.put_along_axis(array, np.zeros((2, 1), int), tensor.ones((3, 1)))
    with pytest.raises(ValueError, match="cannot be broadcast"):
        tensor.put(array, [0], tensor.ones(4), axis=0)


def test_kinds_of_results():
    host = tensor.arange(4, usm_type="host")
    shared = tensor.asarray([1, 2], usm_type="shared")
    assert tensor.take(host, shared).usm_type == "shared"
    assert tensor.take(host, [1, 2]).usm_type == "host"
    assert tensor.take_along_axis(host, shared).usm_type == "shared"
    assert tensor.nonzero(host)[0].usm_type == "host"
    assert tensor.extract(tensor.asarray([1, 0, 1, 0], usm_type="shared"), host).usm_type == "shared"


def test_values_of_put_share_memory_with_the_array(here):
    array = tensor.arange(5, sycl_queue=here)
    tensor.put(array, [1, 2, 3, 4], array[:4])
    assert tensor.asnumpy(array).tolist() == [0, 0, 1, 2, 3]
    array = tensor.asarray([2, 0, 1], sycl_queue=here)
    tensor.put(array, array, [7, 8, 9])
    assert tensor.asnumpy(array).tolist() == [8, 9, 7]
