"""Evenly spaced values."""

import numpy as np
import pytest
from strategies import DTYPES, same

from situ import tensor


class TestRanges:
    """`arange` and `linspace`."""

    @pytest.mark.parametrize(
        "arguments",
        [
            (5,), (0,), (-3,), (2, 7), (7, 2), (7, 2, -1), (7, 2, -2), (0, 10, 3), (1, 1), (5, 5, -1), (2, 7, 100),
            (2.5,), (0, 1, 0.25), (1, 0, -0.25), (0.5, 3), (0, 5.5, 1.5), (-1.0, 1), (2**40, 2**40 + 5),
            (-(2**63), -(2**63) + 3), (2**63 - 3, 2**63 - 1), (2**63, 2**63 + 4), (True,), (False, 2),
        ],
    )  # fmt: skip
    def test_arange(self, place, arguments):
        same(tensor.arange(*arguments, sycl_queue=place), np.arange(*arguments))

    @pytest.mark.parametrize("dtype", DTYPES[1:])
    def test_arange_dtypes(self, place, dtype):
        for arguments in ((100,), (100, 0, -3), (3, 3)):
            same(tensor.arange(*arguments, dtype=dtype, sycl_queue=place), np.arange(*arguments, dtype=dtype))

    def test_arange_of_truth_values(self):
        for arguments in (
            (2,), (1,), (0,), (0, 1, 0.5), (0.5, 1, 0.3), (1, 0, -1), (-1, 1), (1, 3, 2), (0.25, 0.5), (-0.5, 0.5, 0.5),
        ):  # fmt: skip
            same(tensor.arange(*arguments, dtype="bool"), np.arange(*arguments, dtype="bool"))
        with pytest.raises(ValueError, match="at most two"):
            tensor.arange(3, dtype="bool")

    def test_arange_is_accurate_far_out(self, here):
        step = 0.1
        host = tensor.asnumpy(tensor.arange(0, 10_000, step, sycl_queue=here))
        assert host.shape == (100_000,)
        np.testing.assert_allclose(host, np.arange(100_000) * step, rtol=1e-15)

    @pytest.mark.parametrize(
        "arguments", [(0, 1, 0), (0, 1, 0.0), (0, float("inf")), (0, float("nan")), (float("nan"), 1), (1 << 62,),
                      (0, 1, 1e-300), (-(2**126), 2**126), ("1",), ([1],), (0, None, [1])],
    )  # fmt: skip
    def test_arange_refuses(self, arguments):
        with pytest.raises((ValueError, OverflowError), match="arange|address"):
            tensor.arange(*arguments)

    def test_arange_too_large_for_memory(self):
        with pytest.raises(MemoryError):
            tensor.arange(2**50)

    @pytest.mark.parametrize("endpoint", [True, False])
    @pytest.mark.parametrize("num", [0, 1, 2, 3, 50, 1001])
    @pytest.mark.parametrize("limits", [(0, 1), (1, 0), (-2.5, 7), (3, 3), (0, 1 + 2j)])
    def test_linspace(self, place, limits, num, endpoint):
        array = tensor.linspace(*limits, num, endpoint=endpoint, sycl_queue=place)
        expected = np.linspace(*limits, num, endpoint=endpoint)
        assert array.dtype == expected.dtype and array.shape == (num,)
        np.testing.assert_allclose(tensor.asnumpy(array), expected, rtol=1e-14, atol=1e-14)
        if endpoint and num > 1:
            assert tensor.asnumpy(array)[-1] == limits[1]

    @pytest.mark.parametrize("dtype", ["int32", "uint8", "float16", "float32", "complex64"])
    def test_linspace_dtypes(self, here, dtype):
        array = tensor.linspace(0, 10, 6, dtype=dtype, sycl_queue=here)
        same(array, np.linspace(0, 10, 6, dtype=dtype))

    @pytest.mark.parametrize("limits", [(-2.5, 2.5), (-1e-9, 1), (-7, -3), (0.1, 9.9)])
    @pytest.mark.parametrize("endpoint", [True, False])
    def test_linspace_of_integers_rounds_down(self, here, limits, endpoint):
        same(
            tensor.linspace(*limits, 7, endpoint=endpoint, dtype="i4", sycl_queue=here),
            np.linspace(*limits, 7, endpoint=endpoint, dtype="i4"),
        )

    @pytest.mark.parametrize(
        "limits", [(-1.5e308, 1.5e308), (1.5e308, -1.5e308), (-1.5e308 - 1e308j, 1.5e308 + 1e308j)]
    )
    def test_linspace_over_the_whole_range_is_finite(self, here, limits):
        host = tensor.asnumpy(tensor.linspace(*limits, 5, sycl_queue=here))
        assert np.isfinite(host).all() and (host[0], host[-1]) == limits and abs(host[2]) < 1e293

    @pytest.mark.parametrize(
        ("num", "error"), [(-1, ValueError), (2.0, TypeError), ("3", TypeError), (1 << 61, ValueError)]
    )
    def test_linspace_refuses(self, num, error):
        with pytest.raises(error):
            tensor.linspace(0, 1, num)


@pytest.mark.parametrize(
    "arguments",
    [(0.5, 3, 0.5), (0.5, 5, 1.5), (10, 0, -2.5), (-1.5, 3, 1)],
)
def test_arange_of_integers_with_fractional_steps(arguments):
    np.testing.assert_array_equal(
        tensor.asnumpy(tensor.arange(*arguments, dtype="i8")), np.arange(*arguments, dtype="i8")
    )


def test_arange_of_unsigned_integers_does_not_wrap_its_start():
    assert tensor.asnumpy(tensor.arange(5, 0, -2, dtype="u8")).tolist() == [5, 3, 1]
    assert tensor.asnumpy(tensor.arange(2**64 - 2, 2**64, dtype="u8")).tolist() == [2**64 - 2, 2**64 - 1]
    for arguments in [(2**64, 2**64 + 3), (0, 2**66, 2**64), (-1, 3)]:
        with pytest.raises(OverflowError):
            tensor.arange(*arguments, dtype="u8")
