"""Shapes and axes: views of arrays against NumPy's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from strategies import LAYOUTS, hosts, laid_out, same, steps

from situ import tensor

AxisError = np.exceptions.AxisError if hasattr(np, "exceptions") else np.AxisError


def is_view(array, of):
    """Whether an array lies in another's memory."""
    return array.usm_data.nbytes == of.usm_data.nbytes and array.usm_data._pointer == of.usm_data._pointer


def check_view(result, array, host, expected):
    """Asserts that a result is a view of an array, where NumPy's is one of `host`: elements, strides, first element."""
    expected = np.asarray(expected)
    same(result, expected)
    assert is_view(result, array) and result.flags.writable == array.flags.writable
    if expected.ndim and expected.size:
        assert steps(result) == steps(expected)
        assert result._pointer - array._pointer == expected.ctypes.data - host.ctypes.data


@st.composite
def arrays(draw, here, layouts=LAYOUTS):
    """An array of any dtype, shape and layout, and NumPy's with the same elements and strides."""
    array, host = laid_out(draw(hosts()), draw(st.sampled_from(layouts)), here)
    array.flags.writable = draw(st.booleans())
    return array, host


def some_axes(draw, ndim, least=0):
    """Some axes, each once, counted from either end."""
    order = draw(st.permutations(range(ndim)))[: draw(st.integers(min(least, ndim), ndim))]
    return tuple(axis - ndim if draw(st.booleans()) else axis for axis in order)


@given(st.data())
def test_permute_dims(here, data):
    array, host = data.draw(arrays(here))
    axes = some_axes(data.draw, host.ndim, least=host.ndim)
    check_view(tensor.permute_dims(array, axes), array, host, np.transpose(host, axes))


@given(st.data())
def test_moveaxis_and_swapaxes(here, data):
    array, host = data.draw(arrays(here))
    source = some_axes(data.draw, host.ndim)
    destination = some_axes(data.draw, host.ndim, least=host.ndim)[: len(source)]
    check_view(tensor.moveaxis(array, source, destination), array, host, np.moveaxis(host, source, destination))
    if host.ndim:
        a, b = (data.draw(st.integers(-host.ndim, host.ndim - 1)) for _ in range(2))
        check_view(tensor.moveaxis(array, a, b), array, host, np.moveaxis(host, a, b))
        check_view(tensor.swapaxes(array, a, b), array, host, np.swapaxes(host, a, b))


@given(st.data())
def test_matrix_transpose(here, data):
    array, host = data.draw(arrays(here))
    if host.ndim < 2:
        for transpose in (tensor.matrix_transpose, lambda x: x.mT):
            with pytest.raises(ValueError, match="at least 2 dimensions"):
                transpose(array)
    else:
        check_view(tensor.matrix_transpose(array), array, host, np.swapaxes(host, -1, -2))
        check_view(array.mT, array, host, np.swapaxes(host, -1, -2))


@given(st.data())
def test_expand_dims_and_squeeze(here, data):
    array, host = data.draw(arrays(here))
    new = data.draw(st.integers(0, 2))
    axes = some_axes(data.draw, host.ndim + new, least=host.ndim + new)[:new]
    expanded, wide = tensor.expand_dims(array, axes), np.expand_dims(host, axes)
    check_view(expanded, array, host, wide)
    check_view(tensor.squeeze(expanded, axis=axes), array, host, np.squeeze(wide, axes))
    check_view(tensor.squeeze(expanded), array, host, np.squeeze(wide))
    assert (tensor.squeeze(array) is array) == (1 not in host.shape)


@given(st.data())
def test_flip(here, data):
    array, host = data.draw(arrays(here))
    for axis in (None, some_axes(data.draw, host.ndim), *range(-host.ndim, host.ndim)):
        check_view(tensor.flip(array, axis=axis), array, host, np.flip(host, axis))


@given(st.data())
def test_unstack(here, data):
    array, host = data.draw(arrays(here))
    if host.ndim == 0:
        with pytest.raises(AxisError, match="axis 0 does not exist"):
            tensor.unstack(array)
        return
    axis = data.draw(st.integers(-host.ndim, host.ndim - 1))
    parts = tensor.unstack(array, axis=axis)
    assert isinstance(parts, tuple) and len(parts) == host.shape[axis]
    for n, part in enumerate(parts):
        expected = np.moveaxis(host, axis, 0)[n, ...]
        check_view(part, array, host, expected)


@given(st.data())
def test_broadcasting(here, data):
    shaped = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=data.draw(st.integers(1, 3)), min_side=0))
    pairs = [
        laid_out(data.draw(hosts(shape=shape)), data.draw(st.sampled_from(LAYOUTS)), here)
        for shape in shaped.input_shapes
    ]
    assert tensor.broadcast_shapes(*shaped.input_shapes) == np.broadcast_shapes(*shaped.input_shapes)
    stretched = tensor.broadcast_arrays(*(array for array, _ in pairs))
    assert isinstance(stretched, tuple)
    for (array, host), result in zip(pairs, stretched, strict=True):
        expected = np.broadcast_to(host, shaped.result_shape)
        check_view(result, array, host, expected)
        check_view(tensor.broadcast_to(array, shaped.result_shape), array, host, expected)
        assert (result is array) == (array.shape == shaped.result_shape)


def test_broadcast_elements_are_not_written(here):
    x = tensor.broadcast_to(tensor.zeros(1, sycl_queue=here), 3)
    with pytest.raises(ValueError, match="share memory"):
        x[...] = 1


@st.composite
def regrouped(draw, shape):
    """A shape of as many elements, with one length perhaps left open."""
    size = int(np.prod(shape, dtype=int))
    if size == 0:
        return tuple(draw(st.permutations(shape)))
    lengths = []
    rest = size
    while rest > 1 and draw(st.integers(0, 3)):
        factor = draw(st.sampled_from([n for n in range(1, rest + 1) if rest % n == 0]))
        lengths.append(factor)
        rest //= factor
    lengths.append(rest)
    if draw(st.booleans()):
        lengths[draw(st.integers(0, len(lengths) - 1))] = -1
    return tuple(lengths)


@given(st.data(), st.sampled_from("CFA"), st.sampled_from([None, True, False]))
def test_reshape(here, data, order, copy):
    array, host = data.draw(arrays(here))
    shape = data.draw(regrouped(host.shape))
    expected = host.reshape(shape, order=order)
    needs_copy = bool(host.size) and not np.may_share_memory(expected, host)
    if needs_copy and copy is False:
        with pytest.raises(ValueError, match="leave out copy=False"):
            tensor.reshape(array, shape, order=order, copy=copy)
        return
    result = tensor.reshape(array, shape, order=order, copy=copy)
    same(result, np.asarray(expected))
    if needs_copy or copy:
        assert not is_view(result, array) and result.flags.writable
    else:
        check_view(result, array, host, expected)
    if order == "C":
        same(array.reshape(shape), np.asarray(expected))
        same(array.reshape(*shape), np.asarray(expected))


def test_namespaces_follow_views(here):
    x = tensor.arange(6, sycl_queue=here)
    x._set_namespace(np)
    for view in (x.reshape(2, 3), tensor.flip(x), *tensor.unstack(x)):
        assert view.__array_namespace__() is np


@pytest.mark.parametrize(
    "call, exception, words",
    [
        (lambda x: tensor.reshape(x, (4, 2)), ValueError, r"6 elements do not fill the shape \(4, 2\)"),
        (lambda x: tensor.reshape(x, (4, -1)), ValueError, "do not fill"),
        (lambda x: tensor.reshape(x, (-1, -1)), ValueError, "only one length can be -1"),
        (lambda x: tensor.reshape(x, (-2, 3)), ValueError, "cannot be -2"),
        (lambda x: tensor.reshape(x[:0], (0, -1)), ValueError, "could be anything"),
        (lambda x: tensor.reshape(x, (2**62, 4)), ValueError, "do not fill"),
        (lambda x: tensor.reshape(x, 2.0), TypeError, "shape must be an integer"),
        (lambda x: tensor.reshape(x, (2, 3), order="K"), ValueError, "order"),
        (lambda x: tensor.reshape([1], 1), TypeError, "x must be an array of situ"),
        (lambda x: tensor.permute_dims(x, (0, 0)), ValueError, "named twice"),
        (lambda x: tensor.permute_dims(x, (0,)), ValueError, "axes names 1 axes of an array of 2"),
        (lambda x: tensor.permute_dims(x, (0, 2)), AxisError, "axis 2 does not exist"),
        (lambda x: tensor.permute_dims(x, None), TypeError, "axes must be an integer or a sequence"),
        (lambda x: tensor.permute_dims(x, "01"), TypeError, "axes must be an integer"),
        (lambda x: tensor.moveaxis(x, 0, (0, 1)), ValueError, "must have the same number of axes, not 1 and 2"),
        (lambda x: tensor.moveaxis(x, 2, 0), AxisError, "source axis 2 is out of bounds"),
        (lambda x: tensor.moveaxis(x, 0, -3), AxisError, "destination axis -3 is out of bounds"),
        (lambda x: tensor.moveaxis(x, (0, -2), (0, 1)), ValueError, "repeated axis in `source`"),
        (lambda x: tensor.swapaxes(x, 0, 2), AxisError, "swapaxes: axis 2"),
        (lambda x: tensor.expand_dims(x, 4), AxisError, "axis 4 does not exist in an array of 3"),
        (lambda x: tensor.expand_dims(x, (0, -4)), ValueError, "named twice"),
        (lambda x: tensor.squeeze(x, 0), ValueError, "axis 0 has length 2"),
        (lambda x: tensor.squeeze(x, 3), AxisError, "axis 3"),
        (lambda x: tensor.squeeze(x[:1], (0, 0)), ValueError, "named twice"),
        (lambda x: tensor.flip(x, axis=2), AxisError, "flip: axis 2"),
        (lambda x: tensor.flip(x, axis=(0, -2)), ValueError, "named twice"),
        (lambda x: tensor.broadcast_to(x, (3, 3)), ValueError, r"shape \(2, 3\) cannot be stretched to \(3, 3\)"),
        (lambda x: tensor.broadcast_to(x, (3,)), ValueError, "cannot be stretched"),
        (lambda x: tensor.broadcast_to(x, (-1, 3)), ValueError, "negative"),
        (lambda x: tensor.broadcast_to(x, (2**40, 2**40, 2, 3)), ValueError, "more elements than can be addressed"),
        (lambda x: tensor.broadcast_arrays(), ValueError, "no arrays were given"),
        (lambda x: tensor.broadcast_arrays(x, 1), TypeError, r"arrays\[1\] must be an array"),
        (lambda x: tensor.broadcast_arrays(x, x[:, :2]), ValueError, "operand 1 has shape"),
        (lambda x: tensor.broadcast_shapes((2, 3), (2, 2)), ValueError, "operand 1 has shape"),
        (lambda x: tensor.broadcast_shapes((2, 3), 1.5), TypeError, "shape"),
        (lambda x: tensor.unstack(tensor.broadcast_to(x[0, 0], (2**31,))), ValueError, "unstack: axis 0 has length"),
        (lambda x: tensor.unstack(x, axis=2), AxisError, "unstack: axis 2"),
        (lambda x: tensor.unstack(x, axis=1.0), TypeError, "axis must be an integer"),
    ],
)
def test_errors(here, call, exception, words):
    with pytest.raises(exception, match=words):
        call(tensor.reshape(tensor.arange(6, sycl_queue=here), (2, 3)))
