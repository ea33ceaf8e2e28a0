"""The promises about accuracy, kept with few points; `make accuracy` measures with many."""

import importlib.util
import math
import sys
from pathlib import Path

import numpy as np
import pytest

from situ import tensor

pytest.importorskip("mpmath")

_PATH = Path(__file__).parent.parent / "tools/accuracy.py"
_SPEC = importlib.util.spec_from_file_location("accuracy", _PATH)
accuracy = sys.modules["accuracy"] = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(accuracy)

pytestmark = pytest.mark.usefixtures("quiet")


def ulps(found, exact, dtype):
    return accuracy._error(found, accuracy.mp.mpf(exact), np.finfo(dtype))


@pytest.mark.parametrize("dtype", accuracy.DTYPES)
@pytest.mark.parametrize("name", accuracy.FUNCTIONS)
def test_errors_are_within_what_is_promised(name, dtype):
    measured = accuracy.measure(name, dtype, 300)
    assert measured.points >= 100
    assert measured.greatest <= measured.promised, measured


def test_every_promise_is_about_a_function():
    assert all(callable(getattr(tensor, name)) for name in accuracy.FUNCTIONS)
    # Whatever is neither rounded once nor exact by nature has a promise.
    assert set(accuracy.ROUNDED) < set(accuracy.FUNCTIONS)


@pytest.mark.parametrize("dtype", accuracy.DTYPES)
class TestTheMeasure:
    def test_neighbours_are_one_ulp_apart(self, dtype):
        info = np.finfo(dtype)
        for value in (1.0, 1.5, float(info.tiny), float(info.smallest_subnormal), float(info.max) / 2):
            number = np.asarray(value, dtype)
            above = float(np.nextafter(number, np.asarray(np.inf, dtype)))
            assert ulps(above, float(number), dtype) == 1
            assert ulps(float(number), float(number), dtype) == 0

    def test_the_spacing_is_that_at_the_exact_value(self, dtype):
        # Below 1 the numbers are twice as dense as above.
        eps = float(np.finfo(dtype).eps)
        assert ulps(1 - eps / 2, 1, dtype) == 0.5
        assert ulps(1, 1 - eps / 2, dtype) == 1

    def test_overflow_is_right_where_rounding_makes_it(self, dtype):
        mp, info = accuracy.mp, np.finfo(dtype)
        limit = mp.ldexp(1, int(info.maxexp))
        half = mp.ldexp(1, int(info.maxexp) - int(info.nmant) - 2)
        assert ulps(math.inf, limit * 100, dtype) == 0
        assert ulps(math.inf, limit - half / 2, dtype) < 0.5
        assert ulps(math.inf, limit - 4 * half, dtype) == 2
        assert ulps(float(info.max), limit * 2, dtype) > 1000
        assert ulps(-math.inf, limit * 2, dtype) > 1000

    def test_nan_and_a_missed_zero_are_infinitely_wrong(self, dtype):
        assert ulps(math.nan, 1, dtype) == math.inf
        assert ulps(float(np.finfo(dtype).tiny), 0, dtype) == math.inf
        assert ulps(0.0, 0, dtype) == 0

    def test_points_cover_the_range(self, dtype):
        generator = np.random.default_rng(1)
        info = np.finfo(dtype)
        points = accuracy.unary_points("sin", dtype, 8000, generator).astype(np.float64)
        sizes = abs(points[np.isfinite(points) & (points != 0)])
        exponents = np.unique(np.floor(np.log2(sizes)))
        wanted = np.arange(info.minexp - info.nmant, info.maxexp)
        assert np.isin(wanted, exponents).all()
        assert sizes.min() == float(info.smallest_subnormal) and sizes.max() == float(info.max)
        assert (points < 0).mean() == pytest.approx(0.5, abs=0.1)


def test_a_wrong_result_is_found(monkeypatch):
    right = tensor.exp
    monkeypatch.setattr(tensor, "exp", lambda x: right(x) * (1 + 2**-50))
    measured = accuracy.measure("exp", "float64", 300)
    assert measured.greatest > 4
    assert "**" in accuracy.page([accuracy.line(measured)])
