"""Matrices and grids of a certain form."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import DTYPES, LAYOUTS, hosts, laid_out, same, steps

import situ
from situ import tensor


class TestMatrices:
    """`eye`, `tril`, `triu` and `meshgrid`."""

    @given(
        st.integers(0, 9), st.none() | st.integers(0, 9), st.integers(-12, 12),
        st.sampled_from(DTYPES), st.sampled_from("CF"),
    )  # fmt: skip
    def test_eye(self, here, rows, columns, k, dtype, order):
        made = tensor.eye(rows, columns, k=k, dtype=dtype, order=order, sycl_queue=here)
        expected = np.eye(rows, columns, k=k, dtype=dtype, order=order)
        same(made, expected)
        if made.size:
            assert steps(made) == steps(expected)

    def test_eye_far_out_and_wrong(self, place):
        for k in (10**30, -(10**30), 2**63 - 1, -(2**63), 2**62):
            assert not tensor.asnumpy(tensor.eye(3, k=k, sycl_queue=place)).any()
        assert tensor.eye(2).dtype == np.float64 and tensor.eye(np.int64(2)).shape == (2, 2)
        for wrong in ((1.5,), ("2",), ((2, 3),), (2, 2.0), (None,)):
            with pytest.raises(TypeError):
                tensor.eye(*wrong)
        for negative in ((-1,), (2, -1)):
            with pytest.raises(ValueError, match="negative"):
                tensor.eye(*negative)
        with pytest.raises(TypeError, match="k must be an integer"):
            tensor.eye(2, k=1.0)
        with pytest.raises(ValueError, match="eye"):
            tensor.eye(2**40)

    @given(hosts(shape=None), st.sampled_from(LAYOUTS), st.integers(-7, 7), st.booleans())
    def test_triangles(self, here, host, layout, k, upper):
        array, view = laid_out(host, layout, here)
        name = "triu" if upper else "tril"
        if host.ndim < 2:
            with pytest.raises(ValueError, match=f"{name}.*two dimensions"):
                getattr(tensor, name)(array, k=k)
            return
        made = getattr(tensor, name)(array, k=k)
        same(made, getattr(np, name)(view, k=k))
        assert made.flags.writable and made.sycl_queue == array.sycl_queue

    @pytest.mark.parametrize("shape", [(1, 1), (64, 64), (63, 65), (130, 17), (17, 130), (3, 33, 31), (2, 2, 1, 9)])
    @pytest.mark.parametrize("k", [0, 1, -1, 5, -16, 31, 200, -200, 10**20, -(10**20)])
    def test_larger_triangles(self, place, shape, k):
        host = np.full(shape, np.nan) + np.arange(shape[-1])
        array = tensor.asarray(host, sycl_queue=place)
        for name in ("tril", "triu"):
            near = max(-500, min(500, k))
            same(getattr(tensor, name)(array, k=k), getattr(np, name)(host, k=near))
        same(array, host)

    def test_triangles_of_read_only_and_wrong_things(self):
        array = tensor.ones((3, 3))
        array.flags.writable = False
        assert tensor.tril(array).flags.writable
        for wrong in (np.ones((2, 2)), [[1]], None):
            with pytest.raises(TypeError, match="tril: x must be an array of situ"):
                tensor.tril(wrong)
        with pytest.raises(TypeError, match="k must be an integer"):
            tensor.triu(array, k="1")

    @given(
        st.sampled_from(DTYPES).flatmap(lambda d: st.lists(hosts([d], shape=None), max_size=4)),
        st.sampled_from(["xy", "ij"]),
    )
    def test_meshgrid(self, here, arrays, indexing):
        hosts = [np.ravel(host)[:4] if i % 2 else np.ravel(host)[::-2][:3] for i, host in enumerate(arrays)]
        made = tensor.meshgrid(*(tensor.asarray(host, sycl_queue=here) for host in hosts), indexing=indexing)
        expected = np.meshgrid(*hosts, indexing=indexing)
        assert isinstance(made, tuple) and len(made) == len(expected)
        for one, other in zip(made, expected, strict=True):
            same(one, np.ascontiguousarray(other).reshape(other.shape))

    def test_meshgrid_does_not_share_or_mix(self):
        x, y = tensor.arange(3), tensor.arange(2)
        grid = tensor.meshgrid(x, y)
        x += 10
        assert tensor.asnumpy(grid[0]).tolist() == [[0, 1, 2]] * 2 and not grid[0].flags.writable
        assert tensor.meshgrid(tensor.asarray(3))[0].shape == (1,) and tensor.meshgrid() == ()
        queues = [situ.Queue(), situ.Queue()]
        placed = tensor.meshgrid(*(tensor.arange(2, sycl_queue=q, usm_type="host") for q in queues))
        assert [g.sycl_queue for g in placed] == queues and placed[0].usm_type == "host"
        for wrong, match in (
            ((x, tensor.ones(2)), r"arrays\[1\] has dtype float64"),
            ((x, tensor.ones((2, 2), dtype="i8")), r"arrays\[1\] must be one-dimensional"),
        ):
            with pytest.raises(ValueError, match=match):
                tensor.meshgrid(*wrong)
        with pytest.raises(ValueError, match="indexing"):
            tensor.meshgrid(x, indexing="yx")
        with pytest.raises(TypeError, match=r"arrays\[1\] must be an array of situ"):
            tensor.meshgrid(x, np.arange(2))
