"""Linear algebra against NumPy and LAPACK's own measure: a residual in units of size, order and precision below 30."""

import contextlib
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import LAYOUTS, laid_out

import situ
from situ import tensor
from situ.tensor import linalg

pytestmark = pytest.mark.usefixtures("quiet")

INEXACT = ("float32", "float64", "complex64", "complex128")


@pytest.fixture(autouse=True)
def _needs_a_library(request):
    """Leave out devices that have no library; that they say so is a test of its own."""
    for name in ("here", "place"):
        if name in request.fixturenames and request.getfixturevalue(name).sycl_device.backend.name == "opencl":
            pytest.skip("there is no library for OpenCL devices")


def numbers(rng, shape, dtype="float64"):
    dtype = np.dtype(dtype)
    if dtype.kind in "biu":
        return rng.integers(0, 2 if dtype.kind == "b" else 100, shape).astype(dtype)
    parts = rng.standard_normal((2, *shape))
    return (parts[0] + 1j * parts[1]).astype(dtype) if dtype.kind == "c" else parts[0].astype(dtype)


def adjoint(x):
    return np.swapaxes(x.conj(), -1, -2)


def wide(x):
    return np.asarray(x).astype(np.clongdouble if np.asarray(x).dtype.kind == "c" else np.longdouble)


def size(x):
    """The greatest sum of a column's magnitudes in each matrix."""
    return np.abs(wide(x)).sum(-2).max(-1, initial=0)


def holds(difference, scale, dtype):
    """Assert that each matrix of differences is small against the size of what it comes from."""
    order = max(difference.shape[-2:], default=1)
    unit = scale * order * np.finfo(dtype).eps
    ratio = size(difference) / np.where(unit == 0, 1, unit)
    assert (ratio < 30).all(), ratio.max()


def is_orthonormal(q, dtype):
    holds(adjoint(wide(q)) @ wide(q) - np.eye(q.shape[-1]), 1, dtype)


@st.composite
def stacks(draw, square=False, minimum=0):
    """A stack of matrices with any layout, and the array behind it."""
    lengths = st.sampled_from([n for n in (0, 1, 2, 3, 5, 8, 17, 33) if n >= minimum])
    rows = draw(lengths)
    columns = rows if square else draw(lengths)
    batch = draw(st.lists(st.sampled_from([0, 1, 2, 3]), max_size=2))
    dtype = draw(st.sampled_from(INEXACT))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return numbers(rng, (*batch, rows, columns), dtype), draw(st.sampled_from(LAYOUTS))


def placed(x, layout, queue):
    """The array of situ with that layout, and its elements as NumPy sees them."""
    array, view = laid_out(x, layout, queue)
    return array, np.array(view)


def has_equal_rows(x):
    """Whether a broadcast row has become a matrix, which is singular."""
    return x.ndim == 2 and len(x) > 1 and (x[0] == x[1]).all()


def host(*arrays):
    return [tensor.asnumpy(x) for x in arrays]


@given(drawn=stacks(square=True))
def test_inverses(place, drawn):
    array, x = placed(*drawn, place)
    if has_equal_rows(x):
        # Rounding may hide it from an algorithm.
        with contextlib.suppress(linalg.LinAlgError):
            linalg.inv(array)
        return
    result = linalg.inv(array)
    (inverse,) = host(result)
    assert (inverse.shape, inverse.dtype) == (x.shape, x.dtype)
    assert result.sycl_queue == array.sycl_queue
    holds(wide(x) @ wide(inverse) - np.eye(x.shape[-1]), size(x) * size(inverse), x.dtype)


@given(drawn=stacks(square=True, minimum=1), columns=st.sampled_from([None, 0, 1, 3, 20]), shared=st.booleans())
def test_solutions(place, drawn, columns, shared):
    array, x = placed(drawn[0], "F" if drawn[1] == "broadcast" else drawn[1], place)
    rng = np.random.default_rng(len(x))
    batch = () if shared else x.shape[:-2]
    right = numbers(rng, (x.shape[-1],) if columns is None else (*batch, x.shape[-1], columns), x.dtype)
    (solution,) = host(linalg.solve(array, tensor.asarray(right, sycl_queue=place)))
    column = right[:, None] if columns is None else right
    expected = np.broadcast_shapes(x.shape[:-2], column.shape[:-2])
    solution = solution[..., None] if columns is None else solution
    assert (solution.shape, solution.dtype) == ((*expected, *column.shape[-2:]), x.dtype)
    if solution.size:
        holds(wide(x) @ wide(solution) - column, size(x) * size(solution), x.dtype)


@given(drawn=stacks(square=True))
def test_determinants(place, drawn):
    array, x = placed(*drawn, place)
    determinant, (sign, logarithm) = linalg.det(array), linalg.slogdet(array)
    determinant, sign, logarithm = host(determinant, sign, logarithm)
    wanted_sign, wanted_logarithm = np.linalg.slogdet(x.astype(np.complex128 if x.dtype.kind == "c" else np.float64))
    assert determinant.dtype == sign.dtype == x.dtype
    assert logarithm.dtype == np.finfo(x.dtype).dtype
    assert determinant.shape == sign.shape == logarithm.shape == x.shape[:-2]
    rtol = 1e5 * np.finfo(x.dtype).eps
    if has_equal_rows(x):
        # Singular: what is left is rounding.
        assert (np.abs(determinant) <= rtol * np.exp(x.shape[-1] * np.log(1 + size(x)))).all()
        return
    np.testing.assert_allclose(sign, wanted_sign, rtol=rtol, atol=rtol)
    np.testing.assert_allclose(logarithm, wanted_logarithm, rtol=rtol, atol=rtol)
    np.testing.assert_allclose(determinant, wanted_sign * np.exp(wanted_logarithm), rtol=10 * rtol)


@given(drawn=stacks(square=True), upper=st.booleans())
def test_cholesky_factors(place, drawn, upper):
    x = drawn[0] @ adjoint(drawn[0]) + np.eye(drawn[0].shape[-1])
    x = x.astype(drawn[0].dtype)
    array, x = placed(x, "F" if drawn[1] == "broadcast" else drawn[1], place)
    (factor,) = host(linalg.cholesky(array, upper=upper))
    assert (factor.shape, factor.dtype) == (x.shape, x.dtype)
    np.testing.assert_array_equal(factor, np.triu(factor) if upper else np.tril(factor))
    square = adjoint(wide(factor)) @ wide(factor) if upper else wide(factor) @ adjoint(wide(factor))
    holds(square - x, size(x), x.dtype)


@given(drawn=stacks(), mode=st.sampled_from(["reduced", "complete", "r"]))
def test_qr(place, drawn, mode):
    array, x = placed(*drawn, place)
    rows, columns = x.shape[-2:]
    kept = rows if mode == "complete" else min(rows, columns)
    if mode == "r":
        (r,) = host(linalg.qr(array, mode=mode))
    else:
        q, r = host(*linalg.qr(array, mode=mode))
        assert (q.shape, q.dtype) == ((*x.shape[:-2], rows, kept), x.dtype)
        is_orthonormal(q, x.dtype)
        holds(wide(q) @ wide(r) - x, size(x), x.dtype)
    assert (r.shape, r.dtype) == ((*x.shape[:-2], kept, columns), x.dtype)
    np.testing.assert_array_equal(r, np.triu(r))
    if mode == "r":
        holds(adjoint(wide(r)) @ wide(r) - adjoint(wide(x)) @ wide(x), size(x) * size(adjoint(x)), x.dtype)


@given(drawn=stacks(), full=st.booleans())
def test_svd(place, drawn, full):
    array, x = placed(*drawn, place)
    rows, columns = x.shape[-2:]
    least = min(rows, columns)
    u, s, vh = host(*linalg.svd(array, full_matrices=full))
    batch = x.shape[:-2]
    assert u.shape == (*batch, rows, rows if full else least)
    assert vh.shape == (*batch, columns if full else least, columns)
    assert (u.dtype, s.dtype, vh.dtype) == (x.dtype, np.finfo(x.dtype).dtype, x.dtype)
    is_orthonormal(u, x.dtype)
    is_orthonormal(adjoint(vh), x.dtype)
    assert (s >= 0).all() and (np.diff(s) <= 0).all()
    holds(wide(u[..., :least]) * s[..., None, :] @ wide(vh[..., :least, :]) - x, size(x), x.dtype)
    (values,) = host(linalg.svdvals(array))
    assert (values.shape, values.dtype) == (s.shape, s.dtype)
    if least:
        assert (np.abs(values - s).max(-1) <= 30 * max(rows, columns) * np.finfo(x.dtype).eps * size(x)).all()


@given(drawn=stacks(square=True))
def test_hermitian_eigenvalues(place, drawn):
    x = (drawn[0] + adjoint(drawn[0])).astype(drawn[0].dtype)
    array, x = placed(x, "F" if drawn[1] == "broadcast" else drawn[1], place)
    values, vectors = host(*linalg.eigh(array))
    assert (values.shape, values.dtype) == (x.shape[:-1], np.finfo(x.dtype).dtype)
    assert (vectors.shape, vectors.dtype) == (x.shape, x.dtype)
    is_orthonormal(vectors, x.dtype)
    assert (np.diff(values) >= 0).all()
    holds(wide(x) @ wide(vectors) - wide(vectors) * values[..., None, :], size(x), x.dtype)
    (alone,) = host(linalg.eigvalsh(array))
    if values.size:
        assert (np.abs(alone - values).max(-1) <= 30 * x.shape[-1] * np.finfo(x.dtype).eps * size(x)).all()


@given(drawn=stacks(square=True))
def test_eigenvalues(place, drawn):
    array, x = placed(*drawn, place)
    values, vectors = host(*linalg.eig(array))
    dtype = np.result_type(x.dtype, np.complex64)
    assert (values.shape, values.dtype, vectors.shape, vectors.dtype) == (x.shape[:-1], dtype, x.shape, dtype)
    assert np.isfinite(vectors).all()
    lengths = np.sqrt((np.abs(wide(vectors)) ** 2).sum(-2))
    np.testing.assert_allclose(lengths, 1, atol=100 * np.finfo(x.dtype).eps)
    holds(wide(x) @ wide(vectors) - wide(vectors) * values[..., None, :], size(x), x.dtype)
    (alone,) = host(linalg.eigvals(array))
    assert (alone.shape, alone.dtype) == (values.shape, dtype)
    if x.size:
        trace = np.trace(wide(x), axis1=-2, axis2=-1)
        assert (np.abs(alone.sum(-1) - trace) <= 30 * x.shape[-1] * np.finfo(x.dtype).eps * size(x)).all()


@given(
    drawn=stacks(),
    order=st.sampled_from([0, 1, 2, 3, -1, 0.5, np.inf, -np.inf]),
    axis=st.sampled_from([None, 0, -1, (0, -1)]),
    keepdims=st.booleans(),
)
def test_vector_norms(here, drawn, order, axis, keepdims):
    array, x = placed(*drawn, here)
    lengths = x.shape if axis is None else [x.shape[n] for n in np.atleast_1d(axis)]
    if 0 in lengths and np.isinf(order):
        # The greatest of nothing, unless there is no place for it either.
        if 0 not in np.empty(x.shape).sum(axis).shape:
            with pytest.raises(ValueError, match="no elements"):
                linalg.vector_norm(array, axis=axis, keepdims=keepdims, ord=order)
        return
    (result,) = host(linalg.vector_norm(array, axis=axis, keepdims=keepdims, ord=order))
    wanted = np.linalg.vector_norm(wide(x), axis=axis, keepdims=keepdims, ord=order)
    assert (result.shape, result.dtype) == (wanted.shape, np.finfo(x.dtype).dtype)
    np.testing.assert_allclose(result, wanted, rtol=1000 * np.finfo(x.dtype).eps)


@given(
    drawn=stacks(minimum=1),
    order=st.sampled_from(["fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf]),
    keepdims=st.booleans(),
)
def test_matrix_norms(here, drawn, order, keepdims):
    array, x = placed(*drawn, here)
    (result,) = host(linalg.matrix_norm(array, ord=order, keepdims=keepdims))
    double = x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)
    wanted = np.linalg.matrix_norm(double, ord=order, keepdims=keepdims)
    assert (result.shape, result.dtype) == (wanted.shape, np.finfo(x.dtype).dtype)
    scale = size(x)[..., None, None] if keepdims else size(x)
    assert (np.abs(result - wanted) <= 100 * x.shape[-1] * np.finfo(x.dtype).eps * scale).all()
    (norm,) = host(linalg.norm(array, ord=order, axis=(-2, -1), keepdims=keepdims))
    np.testing.assert_array_equal(norm, result)


@pytest.mark.parametrize("dtype", INEXACT)
def test_ranks_and_pseudo_inverses(here, dtype):
    rng = np.random.default_rng(3)
    for rows, columns, rank in [(6, 4, 3), (4, 6, 4), (5, 5, 0), (9, 9, 8), (1, 1, 1)]:
        x = (numbers(rng, (2, rows, rank), dtype) @ numbers(rng, (2, rank, columns), dtype)).astype(dtype)
        array = tensor.asarray(x, sycl_queue=here)
        ranks, inverse = host(linalg.matrix_rank(array), linalg.pinv(array))
        assert (ranks.tolist(), ranks.dtype) == ([rank] * 2, np.int64)
        scale = size(x) ** 2 * size(inverse)
        holds(wide(x) @ wide(inverse) @ wide(x) - x, np.where(scale == 0, 1, scale), dtype)
        assert host(linalg.matrix_rank(array, rtol=2.0))[0].tolist() == [0, 0]
        each = tensor.asarray(np.array([2.0, 1e-4], np.finfo(dtype).dtype), sycl_queue=here)
        assert host(linalg.matrix_rank(array, rtol=each))[0].tolist() == [0, rank]


@pytest.mark.parametrize("dtype", INEXACT)
def test_least_squares(here, dtype):
    rng = np.random.default_rng(4)
    for rows, columns in [(8, 3), (3, 8), (5, 5), (1, 1)]:
        a = numbers(rng, (rows, columns), dtype)
        for b in (numbers(rng, (rows,), dtype), numbers(rng, (rows, 2), dtype)):
            found = linalg.lstsq(tensor.asarray(a, sycl_queue=here), tensor.asarray(b, sycl_queue=here))
            x, residuals, rank, s = host(*found)
            wanted = np.linalg.lstsq(a, b, rcond=None)
            tolerance = 1000 * np.finfo(dtype).eps
            np.testing.assert_allclose(x, wanted[0], rtol=tolerance, atol=tolerance)
            np.testing.assert_allclose(residuals, wanted[1], rtol=tolerance, atol=tolerance)
            np.testing.assert_allclose(s, wanted[3], rtol=tolerance, atol=tolerance)
            assert rank == wanted[2]
    deficient = linalg.lstsq(tensor.ones((4, 2), dtype=dtype, sycl_queue=here), tensor.ones(4, sycl_queue=here))
    np.testing.assert_allclose(host(deficient.x)[0], [0.5, 0.5], rtol=1e-5)
    assert (int(deficient.rank), deficient.residuals.shape) == (1, (0,))


def test_condition_numbers(here):
    x = numbers(np.random.default_rng(5), (3, 6, 6))
    array = tensor.asarray(x, sycl_queue=here)
    for p in (None, 2, -2, 1, -1, np.inf, -np.inf, "fro", "nuc"):
        np.testing.assert_allclose(host(linalg.cond(array, p))[0], np.linalg.cond(x, p), rtol=1e-9)


@given(drawn=stacks(), offset=st.integers(-40, 40))
def test_diagonals_and_traces(here, drawn, offset):
    array, x = placed(*drawn, here)
    view = linalg.diagonal(array, offset=offset)
    np.testing.assert_array_equal(host(view)[0], np.linalg.diagonal(x, offset=offset))
    np.testing.assert_allclose(
        host(linalg.trace(array, offset=offset))[0], np.linalg.trace(x, offset=offset), rtol=1e-4, atol=1e-4
    )


def test_a_diagonal_is_a_view(here):
    x = tensor.zeros((2, 3, 3), sycl_queue=here)
    linalg.diagonal(x)[...] = 7
    np.testing.assert_array_equal(host(x)[0], np.broadcast_to(7 * np.eye(3), (2, 3, 3)))


def test_powers_products_and_crosses(here):
    rng = np.random.default_rng(6)
    x = numbers(rng, (2, 4, 4))
    array = tensor.asarray(x, sycl_queue=here)
    for n in (-3, -1, 0, 1, 2, 5, 10):
        np.testing.assert_allclose(host(linalg.matrix_power(array, n))[0], np.linalg.matrix_power(x, n), rtol=1e-8)
    whole = tensor.asarray([[1, 2], [3, 4]], sycl_queue=here)
    assert host(linalg.matrix_power(whole, 0))[0].tolist() == [[1, 0], [0, 1]]
    chain = [numbers(rng, shape) for shape in [(10, 3), (3, 50), (50, 2), (2, 9)]]
    arrays = [tensor.asarray(each, sycl_queue=here) for each in chain]
    np.testing.assert_allclose(host(linalg.multi_dot(arrays))[0], np.linalg.multi_dot(chain), rtol=1e-10)
    vectors = [chain[0][0] @ chain[1], *chain[2:3], chain[3][:, 0]]
    moved = [tensor.asarray(each, sycl_queue=here) for each in vectors]
    np.testing.assert_allclose(host(linalg.multi_dot(moved))[0], np.linalg.multi_dot(vectors), rtol=1e-10)
    a, b = rng.integers(-9, 9, (5, 3)), rng.integers(-9, 9, (1, 3))
    crossed = linalg.cross(tensor.asarray(a, sycl_queue=here), tensor.asarray(b, sycl_queue=here))
    np.testing.assert_array_equal(host(crossed)[0], np.cross(a, b))
    first = linalg.cross(
        tensor.asarray(a.T.copy(), sycl_queue=here), tensor.asarray(b.T.copy(), sycl_queue=here), axis=0
    )
    np.testing.assert_array_equal(host(first)[0], np.cross(a, b).T)
    outer = linalg.outer(tensor.asarray(a[0], sycl_queue=here), tensor.asarray(b[0], sycl_queue=here))
    np.testing.assert_array_equal(host(outer)[0], np.outer(a[0], b[0]))


def test_equations_over_several_axes(here):
    rng = np.random.default_rng(7)
    a, b = numbers(rng, (2, 3, 6)), numbers(rng, (2, 3))
    solved = linalg.tensorsolve(tensor.asarray(a, sycl_queue=here), tensor.asarray(b, sycl_queue=here))
    np.testing.assert_allclose(host(solved)[0], np.linalg.tensorsolve(a, b), rtol=1e-9)
    a = numbers(rng, (4, 6, 8, 3))
    inverse = linalg.tensorinv(tensor.asarray(a, sycl_queue=here))
    np.testing.assert_allclose(host(inverse)[0], np.linalg.tensorinv(a), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "int32"])
def test_integers_become_floating_point_numbers(here, dtype):
    x = np.array([[1, 0], [1, 1]], dtype)
    array = tensor.asarray(x, sycl_queue=here)
    floating = tensor.ones(1, sycl_queue=here).dtype
    assert linalg.inv(array).dtype == linalg.svdvals(array).dtype == linalg.det(array).dtype == floating
    assert linalg.solve(array, tensor.ones(2, dtype="float32", sycl_queue=here)).dtype == floating
    np.testing.assert_array_equal(host(linalg.inv(array))[0], [[1, 0], [-1, 1]])


def test_which_matrix_of_a_stack_has_no_answer(here):
    x = np.broadcast_to(np.eye(3), (2, 4, 3, 3)).copy()
    x[1, 2, 1, 1] = 0
    array = tensor.asarray(x, sycl_queue=here)
    with pytest.raises(linalg.LinAlgError, match=r"inv: the matrix at \[1, 2\] is singular"):
        linalg.inv(array)
    with pytest.raises(linalg.LinAlgError, match=r"solve: the matrix at \[1, 2\] is singular"):
        linalg.solve(array, tensor.ones(3, sycl_queue=here))
    x[1, 2, 1, 1] = -1
    with pytest.raises(linalg.LinAlgError, match=r"cholesky: the matrix at \[1, 2\] is not positive definite"):
        linalg.cholesky(tensor.asarray(x, sycl_queue=here))
    x[1, 2, 1, 1] = np.nan
    array = tensor.asarray(x, sycl_queue=here)
    for function in (linalg.svd, linalg.svdvals, linalg.eigh, linalg.eigvalsh, linalg.eig, linalg.eigvals):
        with pytest.raises(linalg.LinAlgError, match=r"\[1, 2\] has elements that are NaN or infinite"):
            function(array)
    np.testing.assert_array_equal(host(array)[0], x)
    assert issubclass(linalg.LinAlgError, ValueError)


def test_errors_name_the_function_that_was_called(here):
    def asarray(x):
        return tensor.asarray(x, sycl_queue=here)

    singular, undefined, nothing = asarray(np.zeros((2, 2))), asarray(np.full((2, 2), np.nan)), asarray(np.zeros(0))
    right = asarray(np.ones(2))
    for function, error, match in [
        (lambda: linalg.pinv(undefined), linalg.LinAlgError, "pinv: .* NaN or infinite"),
        (lambda: linalg.lstsq(undefined, right), linalg.LinAlgError, "lstsq: .* NaN or infinite"),
        (lambda: linalg.norm(undefined, 2), linalg.LinAlgError, "^norm: .* NaN or infinite"),
        (lambda: linalg.matrix_power(singular, -1), linalg.LinAlgError, "matrix_power: .* singular"),
        (lambda: linalg.tensorinv(singular, 1), linalg.LinAlgError, "tensorinv: .* singular"),
        (lambda: linalg.tensorsolve(singular, right), linalg.LinAlgError, "tensorsolve: .* singular"),
        (lambda: linalg.vector_norm(nothing, ord=np.inf), ValueError, "vector_norm: .* no elements"),
        (lambda: linalg.norm(nothing, -np.inf), ValueError, "^norm: .* no elements"),
        (lambda: linalg.solve(singular, asarray(np.ones((2, 0)))), linalg.LinAlgError, "solve: .* singular"),
        (lambda: linalg.pinv(right[:, None], rtol=asarray(1j)), TypeError, "pinv: rtol .* real"),
        (lambda: linalg.tensorinv(singular, -1), ValueError, "tensorinv: ind is -1"),
        (lambda: linalg.inv(tensor.broadcast_to(right[0], (2**30, 2**30))), ValueError, "inv: x of shape .* addressed"),
    ]:
        with pytest.raises(error, match=match):
            function()
    assert linalg.matrix_power(asarray(np.zeros((0, 2**20, 2**20))), 0).shape == (0, 2**20, 2**20)


def test_determinants_of_singular_and_undefined_matrices(here):
    x = np.array([np.zeros((3, 3)), np.ones((3, 3)), np.full((3, 3), np.nan), np.eye(3)])
    determinant, (sign, logarithm) = (linalg.det(tensor.asarray(x, sycl_queue=here)), linalg.slogdet(tensor.asarray(x)))
    np.testing.assert_array_equal(host(determinant)[0], [0, 0, np.nan, 1])
    np.testing.assert_array_equal(host(sign)[0], [0, 0, np.nan, 1])
    np.testing.assert_array_equal(host(logarithm)[0], [-np.inf, -np.inf, np.nan, 0])


@pytest.mark.parametrize("name", ["cholesky", "det", "inv", "slogdet", "eig", "eigh", "eigvals", "eigvalsh"])
def test_square_matrices_are_asked_for(name):
    function = getattr(linalg, name)
    with pytest.raises(
        linalg.LinAlgError, match=f"{name}: the matrices of x must be square, but it has shape \\(2, 3\\)"
    ):
        function(tensor.ones((2, 3)))
    with pytest.raises(linalg.LinAlgError, match=f"{name}: x must have at least 2 dimensions"):
        function(tensor.ones(3))
    with pytest.raises(TypeError, match="float16"):
        function(tensor.ones((2, 2), dtype="float16"))
    with pytest.raises(TypeError, match="ndarray"):
        function(np.ones((2, 2)))


def test_what_does_not_fit_is_refused():
    square, other = tensor.ones((2, 2)), tensor.ones((2, 2)).to_device(situ.Queue())
    with pytest.raises(ValueError, match="have 2 rows, but x2"):
        linalg.solve(square, tensor.ones(3))
    with pytest.raises(situ.ExecutionPlacementError, match="solve"):
        linalg.solve(square, other)
    with pytest.raises(ValueError, match="mode must be"):
        linalg.qr(square, mode="raw")
    with pytest.raises(ValueError, match="ord is 3"):
        linalg.matrix_norm(square, ord=3)
    with pytest.raises(ValueError, match="'fro' or 'nuc'"):
        linalg.matrix_norm(square, ord="other")
    with pytest.raises(TypeError, match="ord must be a number"):
        linalg.vector_norm(square, ord="fro")
    with pytest.raises(ValueError, match="must have 3 elements"):
        linalg.cross(square, square)
    with pytest.raises(ValueError, match="must have 1 dimension"):
        linalg.outer(square, square)
    with pytest.raises(ValueError, match="at least two arrays"):
        linalg.multi_dot([square])
    with pytest.raises(ValueError, match="array 0 has shape"):
        linalg.multi_dot([square, tensor.ones((3, 3))])
    with pytest.raises(linalg.LinAlgError, match="as many equations as unknowns"):
        linalg.tensorsolve(tensor.ones((2, 3)), tensor.ones(2))
    with pytest.raises(ValueError, match="ind is -1"):
        linalg.tensorinv(square, ind=-1)
    with pytest.raises(linalg.LinAlgError, match="lstsq"):
        linalg.lstsq(tensor.ones((2, 2, 2)), tensor.ones(2))


@pytest.mark.parametrize("kind", ["device", "shared", "host"])
def test_results_keep_the_kind_of_memory(here, kind):
    x = tensor.eye(3, sycl_queue=here, usm_type=kind)
    results = [linalg.inv(x), linalg.det(x), *linalg.slogdet(x), *linalg.qr(x), *linalg.svd(x), *linalg.eigh(x)]
    results += [*linalg.eig(x), linalg.cholesky(x), linalg.pinv(x), linalg.solve(x, tensor.ones_like(x[0]))]
    assert {each.usm_type for each in results} == {kind}


@pytest.mark.parametrize("order", [300, 1100])
def test_large_matrices(place, order):
    x = numbers(np.random.default_rng(order), (order, order))
    array = tensor.asarray(x, sycl_queue=place)
    inverse, q, r = linalg.inv(array), *linalg.qr(array)
    unit = tensor.eye(order, sycl_queue=place)
    holds(tensor.asnumpy(array @ inverse - unit), size(x) * size(host(inverse)[0]), x.dtype)
    holds(tensor.asnumpy(q @ r - array), size(x), x.dtype)
    symmetric = array + array.T
    values, vectors = linalg.eigh(symmetric)
    holds(tensor.asnumpy(symmetric @ vectors - vectors * values), size(x), x.dtype)
    u, s, vh = linalg.svd(array)
    holds(tensor.asnumpy((u * s) @ vh - array), size(x), x.dtype)


def test_memory_is_given_back(here):
    x = tensor.asarray(numbers(np.random.default_rng(8), (50, 20, 20)), sycl_queue=here)

    def work():
        linalg.svd(x), linalg.eigh(x + x.mT), linalg.inv(x), linalg.qr(x), linalg.eig(x)
        here.wait()
        return situ.memory.pool_stats(here.sycl_device)["total"]["in_use_bytes"]

    work()
    before = work()
    assert work() == before


def test_a_device_without_a_library_says_so(faults):
    x = tensor.ones((2, 2), device="null")
    with pytest.raises(ValueError, match=r"inv on null:.*no library.*to_device"):
        linalg.inv(x)


def test_a_failure_leaves_arrays_as_they_were(faults):
    x = tensor.ones((2, 2), device="null")
    faults.fail("submit", 1, "out_of_memory")
    with pytest.raises(MemoryError):
        linalg.svd(x)
    faults.reset()
    assert tensor.asnumpy(x).tolist() == [[1, 1], [1, 1]]


def test_what_is_above_the_diagonal_is_not_looked_at(here):
    if not here.sycl_device.has_aspect_fp64:
        pytest.skip("the device has no double precision")
    x = np.array([[1 + 5j, np.nan], [0.5, 2 + 3j]])
    wanted = np.linalg.eigvalsh(np.array([[1, 0.5], [0.5, 2]]))
    values, vectors = linalg.eigh(tensor.asarray(x, sycl_queue=here))
    for found in (values, linalg.eigvalsh(tensor.asarray(x, sycl_queue=here))):
        assert np.allclose(tensor.asnumpy(found), wanted)
    assert np.all(np.isfinite(tensor.asnumpy(vectors)))


def on_cpu(x):
    return tensor.asarray(x, device="cpu")


def test_nan_stays_nan():
    x = on_cpu([[0.0, np.nan], [1.0, 1.0]])
    assert np.isnan(float(linalg.det(x))) and np.isnan(float(linalg.slogdet(x).logabsdet))
    assert np.all(np.isnan(tensor.asnumpy(linalg.inv(x))[:, 0]))


def test_determinants_do_not_leave_the_range_on_their_way():
    scales = [1e200, 1e-200, 1e200, 1e-200]
    for order in itertools.permutations(range(4)):
        x = np.diag(np.array(scales)[list(order)])
        assert abs(float(linalg.det(on_cpu(x))) - 1) < 1e-12
    assert float(linalg.det(on_cpu([[1.0, 2.0], [3.0, 5.0]]))) == pytest.approx(-1)
    assert float(linalg.det(on_cpu([[1e200, 0.0], [0.0, 1e200]]))) == np.inf
    assert float(linalg.det(on_cpu([[-1e200, 0.0], [0.0, 1e200]]))) == -np.inf


@pytest.mark.parametrize(
    ("dtype", "exponents"), [(np.float64, [-157, 196, 29, 98, -166]), (np.float32, [-29, 35, 12, -2, -16])]
)
def test_determinants_do_not_lose_digits_on_their_way(dtype, exponents):
    # A product of the first ones, or of the last ones, is smaller than any normal number.
    x = np.diag(dtype(1.25) * dtype(10.0) ** np.array(exponents, dtype))
    wanted = np.prod(np.diag(x).astype(np.longdouble))
    assert float(linalg.det(on_cpu(x))) == pytest.approx(float(wanted), rel=1000 * float(np.finfo(dtype).eps))


@pytest.mark.parametrize(
    ("dtype", "scale"),
    [(np.float32, 1e-39), (np.float32, 1e37), (np.complex64, 1e37), (np.float64, 1e-309), (np.float64, 3e306)],
)
@pytest.mark.parametrize("order", [2, 20, 40, 120])
def test_equations_near_the_ends_of_the_range(dtype, scale, order):
    rng = np.random.default_rng(order)
    wide = np.clongdouble if np.dtype(dtype).kind == "c" else np.longdouble
    a, x = (rng.standard_normal((order, order)) * scale).astype(dtype), rng.standard_normal((order, 2))
    b = (a.astype(wide) @ x / 16).astype(dtype)
    found = tensor.asnumpy(linalg.solve(on_cpu(a), on_cpu(b)))
    # Numbers that are not normal have fewer digits.
    assert np.allclose(found * 16, x, rtol=0, atol=2e-2 if scale < 1 else 1e-3)


def test_the_right_sides_of_equations_may_be_far_from_each_other():
    b = np.array([[1e30, 1e-30], [2e30, 0]], np.float32)
    found = tensor.asnumpy(linalg.solve(on_cpu(np.diag(np.float32([1e5, 2e5]))), on_cpu(b)))
    assert np.allclose(found / np.float32([1e25, 1e-35]), [[1, 1], [1, 0]])


def test_inverses_at_the_ends_of_the_range():
    tiny = on_cpu([[1e-310, 0.0], [0.0, 1.0]])
    assert np.array_equal(tensor.asnumpy(linalg.inv(tiny)), [[np.inf, 0], [0, 1]])


@pytest.mark.parametrize("units", [1, 3, 17, 1000, 2212])
def test_eigenvalues_of_turns_that_are_not_quite_right_angles(units):
    x = np.array([[0, 1], [-1, units * 2.0**-149]], np.float32)
    assert np.allclose(tensor.asnumpy(linalg.eigvals(on_cpu(x))), [1j, -1j], rtol=0, atol=1e-6)


def test_real_eigenvalues_have_no_negative_zero():
    found = tensor.asnumpy(linalg.eigvals(on_cpu([[0.0, 1.0], [4.0, 0.0]])))
    assert not np.signbit(found.imag).any()


@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
def test_vectors_of_matrices_whose_values_are_far_apart(dtype):
    """Vectors that the library loses in single precision, and larger ones of Frank, whose balance shows it."""
    rng = np.random.default_rng(1)
    i = np.arange(1, 301)
    frank = np.triu(301 - np.maximum(i[:, None], i), -1).astype(dtype)
    rows = (rng.standard_normal((200, 200)) * np.exp(3 * rng.standard_normal((200, 1)))).astype(dtype)
    for x in (frank, rows):
        values, vectors = map(tensor.asnumpy, linalg.eig(on_cpu(x)))
        left_over = np.linalg.norm(x.astype(complex) @ vectors - vectors * values)
        assert left_over < 30 * np.finfo(dtype).eps * len(x) * np.linalg.norm(x)


def test_condition_numbers_beyond_the_squares_of_small_values():
    assert float(linalg.cond(on_cpu(np.diag(np.float32([1, 1e-25]))))) == pytest.approx(1e25)
    assert float(linalg.cond(on_cpu(np.diag([1, 1e-200])))) == pytest.approx(1e200)


def test_eigenvalues_of_an_upper_triangle_are_its_diagonal():
    x = np.triu(np.ones((20, 20)))
    assert np.all(tensor.asnumpy(linalg.eigvals(on_cpu(x))) == 1)


def test_singular_matrices_have_an_infinite_condition():
    stack = on_cpu([[[1.0, 2.0], [2.0, 4.0]], [[1.0, 0.0], [0.0, 2.0]]])
    for p in (1, -1, np.inf, -np.inf, "fro"):
        found, wanted = tensor.asnumpy(linalg.cond(stack, p)), np.linalg.cond(tensor.asnumpy(stack)[1], p)
        assert found[0] == np.inf and np.allclose(found[1], wanted)
    for p in (None, 2, -2):
        assert np.linalg.cond(np.zeros((2, 2)), p) == float(linalg.cond(on_cpu(np.zeros((2, 2))), p)) == np.inf
    assert linalg.cond(on_cpu(np.zeros((0, 3, 3)))).shape == linalg.cond(on_cpu(np.zeros((0, 3, 3))), 1).shape == (0,)


def test_a_negative_tolerance_is_the_precision_itself():
    x, residuals, rank, _ = linalg.lstsq(on_cpu([[1.0, 0.0]] * 3), on_cpu([1.0, 2.0, 3.0]), rcond=-1)
    assert np.allclose(tensor.asnumpy(x), [2, 0]) and int(rank) == 1 and residuals.shape == (0,)
    # Of so many rows, the usual one leaves singular values out.
    powers = np.vander(np.linspace(0, 1, 100_000), 6).astype(np.float32)
    right, usual = on_cpu(powers.sum(1)), np.linalg.matrix_rank(powers)
    assert usual < 6
    assert [int(linalg.lstsq(on_cpu(powers), right, rcond=rcond).rank) for rcond in (None, -1)] == [usual, 6]
    assert [int(linalg.matrix_rank(on_cpu(powers), rtol=rtol)) for rtol in (None, 1e-5)] == [usual, 6]


@pytest.mark.parametrize("rcond", [0, 1, 2, -1, np.inf, 0.5])
def test_tolerances_that_are_no_parts_are_the_precision(rcond):
    for values in ([1, 1e-16, 3e-16], [1.5e-16, 1, 0.7]):
        wanted = np.linalg.lstsq(np.diag(values), np.ones(3), rcond=rcond)[2]
        assert int(linalg.lstsq(on_cpu(np.diag(values)), on_cpu(np.ones(3)), rcond=rcond).rank) == wanted


def test_a_tolerance_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match="lstsq: rcond is NaN"):
        linalg.lstsq(on_cpu(np.eye(2)), on_cpu(np.ones(2)), rcond=np.nan)


@pytest.mark.parametrize(
    "shapes", [((3, 0), (3,)), ((3, 0), (3, 2)), ((0, 3), (0, 2)), ((3, 0), (3, 0)), ((0, 0), (0,))]
)
def test_least_squares_of_nothing(shapes):
    a, b = map(np.ones, shapes)
    for found, wanted in zip(linalg.lstsq(on_cpu(a), on_cpu(b)), np.linalg.lstsq(a, b), strict=True):
        assert found.shape == wanted.shape and np.array_equal(tensor.asnumpy(found), wanted)


def test_no_column_of_many_rows_is_left_out(here):
    powers = np.vander(np.linspace(0, 1, 100_000), 6).astype(np.float32)
    array = tensor.asarray(powers, sycl_queue=here)
    (q, r), (u, s, vh) = host(*linalg.qr(array)), host(*linalg.svd(array, full_matrices=False))
    for product in (q.astype(float) @ r, u * s.astype(float) @ vh):
        error = np.linalg.norm(product - powers, axis=0) / np.linalg.norm(powers, axis=0)
        assert (error < 1000 * np.finfo(np.float32).eps).all()


def test_lstsq_looks_at_places_first():
    other = situ.Queue("cpu")
    with pytest.raises(situ.ExecutionPlacementError, match="lstsq"):
        linalg.lstsq(tensor.zeros((0, 3), sycl_queue=other), tensor.zeros(0, device="cpu"))


def test_sequences_need_not_be_as_long_as_they_say():
    for function in (linalg.multi_dot, tensor.concat):
        with pytest.raises(TypeError, match=r"arrays\[0\]"):
            function(range(10**15))


def test_products_of_many_matrices():
    ones = [on_cpu(np.eye(2) * (-1) ** n) for n in range(601)]
    assert np.array_equal(tensor.asnumpy(linalg.multi_dot(ones)), np.eye(2))
