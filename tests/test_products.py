"""Products of arrays against NumPy: dtypes, shapes, layouts, batches; what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import DTYPES, KINDS, LAYOUTS, laid_out, steps

import situ
from situ import tensor

pytestmark = pytest.mark.usefixtures("quiet")

WIDE = {"f": np.longdouble, "c": np.clongdouble}


def near(actual, x1, x2, function, dtype=None, terms=1):
    """Asserts what a sum of products comes to: of integers exactly, else up to the error of adding that many terms."""
    actual = tensor.asnumpy(actual)
    dtype = np.dtype(dtype or np.result_type(x1, x2))
    if dtype.kind not in "fc":
        wanted = np.asarray(function(x1.astype(dtype), x2.astype(dtype)))
        assert (actual.shape, actual.dtype) == (wanted.shape, wanted.dtype)
        np.testing.assert_array_equal(actual, wanted)
        return
    wide = WIDE[dtype.kind]
    # As they take part: in the dtype that is computed in.
    x1, x2 = x1.astype(dtype).astype(wide), x2.astype(dtype).astype(wide)
    wanted = np.asarray(function(x1, x2))
    assert (actual.shape, actual.dtype) == (wanted.shape, dtype)
    scale = np.asarray(function(np.abs(x1), np.abs(x2))).real
    error = np.abs(actual.astype(wide) - wanted)
    # Complex products are two sums of twice as many terms; half precision is rounded at the end.
    eps = np.finfo(np.float32 if dtype == np.float16 else dtype).eps
    limit = (2 * terms + 2) * eps * scale + np.finfo(dtype).eps * np.abs(wanted) + np.finfo(dtype).tiny
    assert (error <= limit).all(), f"errors up to {(error / limit).max()} of the limit"


def drawn(draw, dtype, shape):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.random(shape) < 0.4
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    real = rng.standard_normal(shape)
    return (real + 1j * rng.standard_normal(shape) if dtype.kind == "c" else real).astype(dtype)


@st.composite
def factors(draw):
    """Two arrays that can be multiplied, of up to four dimensions each, some of them of length 0, and their layouts."""
    lengths = st.sampled_from([0, 1, 2, 3, 5, 8, 17, 20])
    depth = draw(lengths)
    batch = draw(st.lists(st.sampled_from([0, 1, 2, 3]), max_size=2))
    shapes = []
    for own in ((draw(lengths), depth), (depth, draw(lengths))):
        if draw(st.integers(0, 4)) == 0:
            shapes.append((depth,))
            continue
        kept = batch[draw(st.integers(0, len(batch))) :]
        shapes.append((*(1 if draw(st.integers(0, 3)) == 0 else n for n in kept), *own))
    x1, x2 = (drawn(draw, draw(st.sampled_from(DTYPES)), shape) for shape in shapes)
    return x1, x2, draw(st.sampled_from(LAYOUTS)), draw(st.sampled_from(LAYOUTS))


@given(drawn=factors())
def test_matmul_is_numpys(place, drawn):
    x1, x2, layout1, layout2 = drawn
    (a, x1), (b, x2) = laid_out(x1, layout1, place), laid_out(x2, layout2, place)
    near(tensor.matmul(a, b), x1, x2, np.matmul, terms=x1.shape[-1])


@given(drawn=factors(), layout=st.sampled_from(LAYOUTS[:-1]))
def test_matmul_writes_to_any_layout(here, drawn, layout):
    x1, x2, layout1, layout2 = drawn
    (a, x1), (b, x2) = laid_out(x1, layout1, here), laid_out(x2, layout2, here)
    wanted = np.matmul(x1.astype(np.result_type(x1, x2)), x2)
    out, _ = laid_out(np.zeros_like(wanted), layout, here)
    assert tensor.matmul(a, b, out=out) is out
    near(out, x1, x2, np.matmul, terms=x1.shape[-1])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("rows", "columns", "depth"), [(61, 130, 270), (256, 48, 64), (3, 700, 3), (130, 1, 333)])
def test_matmul_of_many_blocks(place, dtype, rows, columns, depth):
    rng = np.random.default_rng(rows)
    x1, x2 = (rng.integers(0, 6, shape).astype(dtype) for shape in ((rows, depth), (depth, columns)))
    for layout1, layout2 in (("C", "C"), ("F", "C"), ("C", "F"), ("F", "F")):
        (a, x1), (b, x2) = laid_out(x1, layout1, place), laid_out(x2, layout2, place)
        near(a @ b, x1, x2, np.matmul, terms=depth)
        near(b.T @ a.T, x2.T, x1.T, np.matmul, terms=depth)


@pytest.mark.parametrize("dtype", DTYPES)
def test_batches_of_small_matrices(place, dtype):
    rng = np.random.default_rng(1)
    x1, x2 = (rng.integers(0, 3, (500, 8, 8)).astype(dtype) for _ in range(2))
    a, b = (tensor.asarray(x, sycl_queue=place) for x in (x1, x2))
    near(a @ b, x1, x2, np.matmul, terms=8)
    near(a @ b[7], x1, x2[7], np.matmul, terms=8)
    near(a[3] @ b.mT, x1[3], x2.mT, np.matmul, terms=8)


def test_numbers_that_are_none_spread(here):
    x = np.ones((5, 9), np.float32)
    x[1, 2], x[3, 3] = np.inf, np.nan
    y = np.ones((9, 7), np.float32)
    y[2, 4] = 0
    result = tensor.asnumpy(tensor.asarray(x, sycl_queue=here) @ tensor.asarray(y, sycl_queue=here))
    np.testing.assert_array_equal(result, x @ y)


@given(
    dtype=st.sampled_from(DTYPES),
    other=st.sampled_from(DTYPES),
    wanted=st.sampled_from(DTYPES),
    layout=st.sampled_from(LAYOUTS),
)
def test_another_dtype_of_the_same_kind(here, dtype, other, wanted, layout):
    x1, x2 = np.arange(12).reshape(3, 4).astype(dtype), np.arange(8).reshape(4, 2).astype(other)
    a, x1 = laid_out(x1, layout, here)
    b = tensor.asarray(x2, sycl_queue=here)
    if np.can_cast(x1, wanted, "same_kind") and np.can_cast(x2, wanted, "same_kind"):
        near(tensor.matmul(a, b, dtype=wanted), x1, x2, np.matmul, wanted, terms=4)
    else:
        with pytest.raises(ValueError, match=r"matmul: x[12] has dtype \w+, which does not become"):
            tensor.matmul(a, b, dtype=wanted)


def test_order(here):
    for order, of in (("C", "C"), ("F", "F"), ("A", "C"), ("K", "C")):
        x = tensor.ones((4, 5, 5), sycl_queue=here)
        assert steps(tensor.matmul(x, x, order=order)) == steps(np.ones((4, 5, 5), order=of))
    f = tensor.ones((4, 5), order="F", sycl_queue=here)
    for order, of in (("C", "C"), ("F", "F"), ("A", "F"), ("K", "F"), ("other", "F")):
        made = tensor.matmul(f, tensor.ones((5, 4), order="F", sycl_queue=here), order=order)
        assert steps(made) == steps(np.ones((4, 4), order=of))
    x, _ = laid_out(np.arange(100).reshape(10, 10), "reversed", here)
    assert steps(tensor.matmul(x, x)) == [-10, -1]
    near(tensor.matmul(x, x), tensor.asnumpy(x), tensor.asnumpy(x), np.matmul)
    assert steps(tensor.matmul(x.T, x.T)) == [-1, -10]
    near(tensor.matmul(x.T, x.T), tensor.asnumpy(x.T), tensor.asnumpy(x.T), np.matmul)


@pytest.mark.parametrize("dtype", ["int32", "float32", "complex128"])
def test_out_may_overlap_what_is_read(here, dtype):
    host = np.arange(49).reshape(7, 7).astype(dtype)
    for out, first, second in (
        (np.s_[:, :], np.s_[:, :], np.s_[:, :]),
        (np.s_[:3, :4], np.s_[1:4, :], np.s_[:, 2:6]),
        (np.s_[::-1, :], np.s_[:, :], np.s_[:, ::-1]),
    ):
        x = tensor.asarray(host, sycl_queue=here)
        result = tensor.matmul(x[first], x[second], out=x[out])
        near(result, host[first], host[second], np.matmul, terms=7)
    v = tensor.asarray(host[0], sycl_queue=here)
    near(tensor.matmul(v, v, out=v[2, ...]), host[0], host[0], np.matmul, terms=7)


def test_operators(here):
    x, y = (np.arange(n, n + 9).reshape(3, 3) for n in (0, 5))
    a, b = (tensor.asarray(z, sycl_queue=here) for z in (x, y))
    near(a @ b, x, y, np.matmul)
    near(a @ y, x, y, np.matmul)
    near(x @ b, x, y, np.matmul)
    c = a
    c @= b
    assert c is a
    near(c, x, y, np.matmul)
    narrow = tensor.asarray(x, dtype="float32", sycl_queue=here)
    narrow @= tensor.astype(b, "float64")
    near(narrow, x.astype(np.float32), y, np.matmul, np.float32, terms=3)
    for wrong in (3, 2.5, "x", None, [1, 2, 3]):
        with pytest.raises(TypeError):
            a @ wrong
        with pytest.raises(TypeError):
            wrong @ a
        with pytest.raises(TypeError):
            a @= wrong
    with pytest.raises(ValueError, match="without losing its kind"):
        a @= tensor.astype(b, "float64")
    with pytest.raises(ValueError, match="(?i)output array"):
        v = tensor.asarray(x[0], sycl_queue=here)
        v @= tensor.ones((3, 2), dtype="int64", sycl_queue=here)


def test_kinds_of_memory(here):
    for first in KINDS:
        for second in KINDS:
            x = tensor.ones((3, 3), usm_type=first, sycl_queue=here)
            y = tensor.ones((3, 3), usm_type=second, sycl_queue=here)
            wanted = (x + y).usm_type
            made = (x @ y, tensor.vecdot(x, y), tensor.tensordot(x, y), x[0] @ y[0], x[:, :0] @ y[:0], x[0] @ y)
            assert {array.usm_type for array in made} == {wanted}


def test_matmul_refuses(here):
    x = tensor.ones((3, 4), sycl_queue=here)
    number = tensor.ones((), sycl_queue=here)
    for wrong in ((x, number), (number, x)):
        with pytest.raises(ValueError, match=r"x[12] has no dimensions; use multiply"):
            tensor.matmul(*wrong)
    with pytest.raises(ValueError, match=r"rows of 4 elements, but x2 of shape \(3, 4\) columns of 3"):
        tensor.matmul(x, x)
    with pytest.raises(ValueError, match="cannot be broadcast"):
        tensor.matmul(tensor.ones((2, 3, 4), sycl_queue=here), tensor.ones((3, 4, 5), sycl_queue=here))
    with pytest.raises(TypeError, match="x2 must be an array of situ, got float"):
        tensor.matmul(x, 1.0)
    with pytest.raises(TypeError, match="out: expected an array"):
        tensor.matmul(x, x.T, out={})
    out = tensor.zeros((3, 3), sycl_queue=here)
    other = situ.Queue(here.sycl_device)
    with pytest.raises(situ.utils.ExecutionPlacementError):
        tensor.matmul(x, x.T, out=out.to_device(other))
    with pytest.raises(situ.utils.ExecutionPlacementError):
        tensor.matmul(x, x.T.to_device(other))
    for wrong in (tensor.zeros((3,), sycl_queue=here), tensor.zeros((3, 3), dtype="int32", sycl_queue=here)):
        with pytest.raises(ValueError, match="(?i)output array"):
            tensor.matmul(x, x.T, out=wrong)
    out.flags["W"] = False
    with pytest.raises(ValueError, match="read-only"):
        tensor.matmul(x, x.T, out=out)
    assert not tensor.any(out)


@st.composite
def contractions(draw):
    """Two arrays, and the axes of both that are summed over."""
    count = draw(st.integers(0, 2))
    lengths = st.sampled_from([0, 1, 2, 3, 4])
    common = draw(st.lists(lengths, min_size=count, max_size=count))
    arrays, axes = [], []
    for _ in range(2):
        free = draw(st.lists(lengths, max_size=2))
        order = draw(st.permutations(range(count + len(free))))
        shape = [(common + free)[n] for n in order]
        arrays.append(drawn(draw, draw(st.sampled_from(DTYPES)), shape))
        axes.append([order.index(n) - draw(st.sampled_from([0, len(shape)])) for n in range(count)])
    return *arrays, tuple(axes), [draw(st.sampled_from(LAYOUTS)) for _ in arrays]


@given(drawn=contractions())
def test_tensordot_is_numpys(place, drawn):
    x1, x2, axes, (layout1, layout2) = drawn
    (a, x1), (b, x2) = laid_out(x1, layout1, place), laid_out(x2, layout2, place)

    def function(x1, x2):
        if x1.dtype != bool:
            return np.tensordot(x1, x2, axes)
        return np.tensordot(x1.astype(int), x2.astype(int), axes) > 0

    terms = int(np.prod([x1.shape[axis] for axis in axes[0]]))
    near(tensor.tensordot(a, b, axes=axes), x1, x2, function, terms=terms)


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_tensordot_of_inner_axes(place, count):
    x1, x2 = (
        np.arange(60).reshape(5, 4, 3),
        np.arange(60).reshape({0: (60,), 1: (3, 20), 2: (4, 3, 5), 3: (5, 4, 3)}[count]),
    )
    a, b = (tensor.asarray(x, sycl_queue=place) for x in (x1, x2))
    near(tensor.tensordot(a, b, axes=count), x1, x2, lambda x, y: np.tensordot(x, y, count))
    if count == 2:
        near(tensor.tensordot(a, b), x1, x2, np.tensordot)


def test_tensordot_refuses(here):
    x = tensor.ones((3, 4, 5), sycl_queue=here)
    for axes, error, message in (
        (-1, ValueError, "must not be negative"),
        (4, ValueError, "no more axes than either has"),
        (1, ValueError, "differ in length"),
        (2.5, TypeError, "got float"),
        ([[0], [0]], TypeError, "got list"),
        ((0, 1, 2), ValueError, "two sequences, the axes of x1 and of x2, got 3"),
        (("a", "b"), TypeError, "two sequences of integers"),
        (((0,), (0, 1)), ValueError, "names 1 axes of x1, but 2 of x2"),
        (((0, 0), (0, 0)), ValueError, "axis 0 of x1 is named twice"),
        (((0,), (3,)), ValueError, "axis 3 does not exist"),
        (((0,), (1,)), ValueError, "differ in length"),
    ):
        with pytest.raises(error, match=message):
            tensor.tensordot(x, x, axes=axes)
    with pytest.raises(TypeError, match="x1 must be an array of situ"):
        tensor.tensordot(np.ones(3), x)
    with pytest.raises(situ.utils.ExecutionPlacementError):
        tensor.tensordot(x, x.to_device(situ.Queue(here.sycl_device)))


@st.composite
def vectors(draw):
    """Two arrays and an axis, counted from the end, along which they are equally long."""
    length = draw(st.sampled_from([0, 1, 2, 5, 40]))
    shape = draw(st.lists(st.sampled_from([0, 1, 2, 3]), max_size=3))
    shapes = [shape[draw(st.integers(0, len(shape))) :] for _ in range(2)]
    shapes = [[1 if draw(st.integers(0, 3)) == 0 else n for n in shape] for shape in shapes]
    axis = -1 - draw(st.integers(0, min(map(len, shapes))))
    for shape in shapes:
        shape.insert(len(shape) + axis + 1, length)
    arrays = [drawn(draw, draw(st.sampled_from(DTYPES)), shape) for shape in shapes]
    return *arrays, axis, [draw(st.sampled_from(LAYOUTS)) for _ in arrays]


@given(drawn=vectors())
def test_vecdot_is_a_sum_of_products(place, drawn):
    x1, x2, axis, (layout1, layout2) = drawn
    (a, x1), (b, x2) = laid_out(x1, layout1, place), laid_out(x2, layout2, place)

    def function(x1, x2):
        x1, x2 = (np.moveaxis(x, axis, -1) for x in (x1, x2))
        if x1.dtype == bool:
            return (x1 & x2).any(axis=-1)
        return (np.conj(x1) * x2).sum(axis=-1, dtype=x1.dtype)

    near(tensor.vecdot(a, b, axis=axis), x1, x2, function, terms=x1.shape[axis])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "int64"])
def test_long_vectors(place, dtype):
    rng = np.random.default_rng(3)
    x1, x2 = (((rng.random(300_001) - 0.5) * 8).astype(dtype) for _ in range(2))
    a, b = (tensor.asarray(x, sycl_queue=place) for x in (x1, x2))
    near(tensor.vecdot(a, b), x1, x2, np.dot, terms=300)
    near(a @ b, x1, x2, np.dot, terms=300)
    near(tensor.tensordot(a, b, axes=1), x1, x2, np.dot, terms=300)


def test_vecdot_refuses(here):
    x = tensor.ones((3, 4), sycl_queue=here)
    for axis in (0, 1, -3):
        with pytest.raises(ValueError, match="counted from the end; name one from -2 to -1"):
            tensor.vecdot(x, x, axis=axis)
    with pytest.raises(ValueError, match="x2 has no dimensions"):
        tensor.vecdot(x, tensor.ones((), sycl_queue=here))
    with pytest.raises(ValueError, match="along axis -1, x1 of shape"):
        tensor.vecdot(x, x[:, :1])
    with pytest.raises(ValueError, match="cannot be broadcast"):
        tensor.vecdot(x, tensor.ones((2, 4), sycl_queue=here))
    with pytest.raises(TypeError, match="x1 must be an array of situ"):
        tensor.vecdot({}, x)
    with pytest.raises(situ.utils.ExecutionPlacementError):
        tensor.vecdot(x, x.to_device(situ.Queue(here.sycl_device)))


def test_any_byte_but_zero_is_true(here):
    host = np.array([0, 1, 2, 255], "u1").view(bool)
    x = tensor.from_dlpack(host)
    one = tensor.asarray([[True]], sycl_queue=x.sycl_queue)
    for found in (x[:, None] @ one, (one @ x[None, :])[0, :, None]):
        np.testing.assert_array_equal(tensor.asnumpy(found).view("u1")[:, 0], [0, 1, 1, 1])


def test_an_empty_sum_lies_in_the_order_wanted(here):
    x1, x2 = tensor.zeros((2, 0), sycl_queue=here), tensor.zeros((0, 3), sycl_queue=here)
    found = tensor.matmul(x1, x2, order="F")
    assert found.flags.f_contiguous and not found.flags.c_contiguous
    np.testing.assert_array_equal(tensor.asnumpy(found), np.zeros((2, 3)))


def test_axes_of_tensordot_are_indices(here):
    x = tensor.asarray([[1, 2], [3, 4]], sycl_queue=here)
    for axis in (np.int64(0), np.array(0), 0):
        np.testing.assert_array_equal(tensor.asnumpy(tensor.tensordot(x, x, axes=(axis, axis))), [[10, 14], [14, 20]])
