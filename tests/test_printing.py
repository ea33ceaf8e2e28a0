"""Arrays as text."""

import gc
import threading
import tracemalloc

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import DTYPES, LAYOUTS, hosts, laid_out

import situ
from situ import memory, tensor

DEFAULTS = {
    "linewidth": 75, "edgeitems": 3, "threshold": 1000, "precision": 8, "floatmode": "maxprec", "suppress": False,
    "nanstr": "nan", "infstr": "inf", "sign": "-",
}  # fmt: skip

OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "linewidth": st.integers(0, 100),
        "edgeitems": st.integers(1, 4),
        "threshold": st.integers(0, 60),
        "precision": st.integers(0, 12),
        "floatmode": st.sampled_from(["fixed", "unique", "maxprec", "maxprec_equal"]),
        "suppress": st.booleans(),
        "nanstr": st.sampled_from(["nan", "?"]),
        "infstr": st.sampled_from(["inf", "lots"]),
        "sign": st.sampled_from("-+ "),
    },
)


def numpy_text(host, options, separator=" ", prefix="", suffix=""):
    """What NumPy writes for an array with these options."""
    with np.printoptions(**{**DEFAULTS, **options}):
        return np.array2string(host, separator=separator, prefix=prefix, suffix=suffix)


@pytest.fixture(autouse=True)
def defaults():
    before = tensor.get_print_options()
    assert before == DEFAULTS
    yield
    tensor.set_print_options(**before)


class TestLikeNumPy:
    """The same text as NumPy's."""

    @given(host=hosts(), layout=st.sampled_from(LAYOUTS), options=OPTIONS)
    def test_elements(self, here, host, layout, options):
        array, view = laid_out(host, layout, here)
        with tensor.print_options(**options) as seen:
            assert seen == {**DEFAULTS, **options}
            assert (
                str(array) == f"{array:}" == tensor.usm_ndarray_str(array) == numpy_text(view, options) or not host.ndim
            )
            assert tensor.usm_ndarray_str(array, separator=", ", prefix="ab(", suffix=")!") == numpy_text(
                view, options, ", ", "ab(", ")!"
            )

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_one_element_has_all_digits(self, dtype):
        for value in (0.1 + 0.2, 1 / 3, 1e-300, 12345678.9, 1e22, 3):
            with np.errstate(all="ignore"):
                host = np.array(value, dtype="float64").astype(dtype)
            array = tensor.asarray(host)
            assert str(array) == str(host)
            assert repr(array) == repr(host).replace("array(", "ndarray(")

    @given(
        shape=st.lists(st.integers(0, 40), min_size=1, max_size=3),
        dtype=st.sampled_from(DTYPES),
        scale=st.sampled_from([1, 1000, 10**9, 1 / 3]),
        linewidth=st.integers(20, 100),
        threshold=st.integers(0, 100),
    )
    @example(shape=[17], dtype="int32", scale=1, linewidth=75, threshold=1000)
    @example(shape=[40], dtype="float32", scale=1 / 3, linewidth=75, threshold=10)
    def test_breaks_are_numpys(self, shape, dtype, scale, linewidth, threshold):
        class ndarray(np.ndarray):  # noqa: N801 NumPy begins with the name of the class
            pass

        with np.errstate(all="ignore"):
            host = (np.arange(np.prod(shape)) * scale).reshape(shape).astype(dtype)
        options = {"linewidth": linewidth, "threshold": threshold}
        with np.printoptions(**{**DEFAULTS, **options}), tensor.print_options(**options):
            assert repr(tensor.asarray(host)) == repr(host.view(ndarray))

    @given(
        shape=st.lists(st.integers(1, 9), max_size=4),
        edgeitems=st.integers(1, 4),
        threshold=st.integers(0, 40),
        layout=st.sampled_from(LAYOUTS),
        dtype=st.sampled_from(DTYPES),
    )
    @example(shape=[3], edgeitems=1, threshold=0, layout="C", dtype="int64")
    @example(shape=[2], edgeitems=1, threshold=0, layout="C", dtype="int64")
    @example(shape=[7, 6, 7, 6], edgeitems=3, threshold=0, layout="F", dtype="float64")
    @example(shape=[1, 9, 1], edgeitems=0, threshold=0, layout="stepped", dtype="bool")
    @example(shape=[4, 5], edgeitems=0, threshold=0, layout="reversed", dtype="bool")
    def test_abbreviations(self, here, shape, edgeitems, threshold, layout, dtype):
        host = (np.arange(np.prod(shape)).reshape(shape) * 7 % 101).astype(dtype)
        array, view = laid_out(host, layout, here)
        options = {"edgeitems": edgeitems, "threshold": threshold}
        with tensor.print_options(**options):
            assert str(array) == (numpy_text(view, options) if shape else str(view))
        assert tensor.usm_ndarray_str(array, edge_items=edgeitems, threshold=threshold) == numpy_text(view, options)

    @pytest.mark.parametrize("shape", [1000, 1001, (1, 1001), (10, 101), (500, 600), (20, 30, 40), (6, 6, 6, 6)])
    def test_the_default_threshold(self, place, shape):
        host = np.arange(np.prod(shape)).reshape(shape)
        array = tensor.asarray(host, sycl_queue=place)
        assert str(array) == str(host)
        assert repr(array).replace(" ", "").replace("\n", "") == repr(host).replace("array", "ndarray").replace(
            " ", ""
        ).replace("\n", "")
        assert ("..." in str(array)) == (host.size > 1000 and host.shape != (6, 6, 6, 6))

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_dtypes_in_repr(self, dtype):
        for shape in ((), 4, (2, 3), 0, (2, 0)):
            host = np.ones(shape, dtype)
            assert repr(tensor.asarray(host)).split() == repr(host).replace("array", "ndarray").split()

    def test_numbers_that_are_awkward(self):
        for host in (
            np.array([np.nan, np.inf, -np.inf, -0.0]), np.array([1e-300, 1e300]), np.array([2**63, 1], "u8"),
            np.array([complex(np.nan, -np.inf), 1j]), np.array([1 / 3, 2 / 3], "f2"), np.array([-128, 127], "i1"),
        ):  # fmt: skip
            assert repr(tensor.asarray(host)) == "nd" + repr(host)


class TestRepr:
    """What is put around the elements."""

    def test_examples(self):
        assert repr(tensor.asarray([1, 2, 3])) == "ndarray([1, 2, 3])"
        assert repr(tensor.asarray(1.5)) == "ndarray(1.5)"
        assert repr(tensor.asarray([1.5, 2], dtype="f4")) == "ndarray([1.5, 2. ], dtype=float32)"
        assert repr(tensor.ones((9, 0), dtype="i4")) == "ndarray([], shape=(9, 0), dtype=int32)"
        assert repr(tensor.ones(0)) == "ndarray([], dtype=float64)"
        matrix = tensor.asarray(np.arange(9, dtype="i4").reshape(3, 3))
        assert repr(matrix) == "ndarray([[0, 1, 2],\n         [3, 4, 5],\n         [6, 7, 8]], dtype=int32)"
        with tensor.print_options(threshold=0, edgeitems=1):
            assert repr(tensor.arange(9)) == "ndarray([0, ..., 8], shape=(9,))"
            assert repr(matrix) == (
                "ndarray([[0, ..., 2],\n         ...,\n         [6, ..., 8]], shape=(3, 3), dtype=int32)"
            )

    def test_what_does_not_fit_goes_to_the_next_line(self):
        array = tensor.arange(4, dtype="i4")
        line = "ndarray([0, 1, 2, 3], dtype=int32)"
        assert tensor.usm_ndarray_repr(array, line_width=len(line)) == line
        assert tensor.usm_ndarray_repr(array, line_width=len(line) - 1) == line.replace(" dtype", "\n        dtype")
        with tensor.print_options(linewidth=1, threshold=0, edgeitems=1):
            assert repr(array) == ("ndarray([0,\n         ...,\n         3],\n        shape=(4,), dtype=int32)")

    def test_arguments(self):
        array = tensor.asarray([1 / 3, 1e-12])
        assert tensor.usm_ndarray_repr(array, precision=2, suppress=True, prefix="x") == "x([0.33, 0.  ])"
        assert tensor.usm_ndarray_repr(tensor.asarray([[1], [2]]), prefix="test") == "test([[1],\n      [2]])"


class TestOptions:
    """`set_print_options` and its like."""

    def test_set_and_get(self):
        tensor.set_print_options(precision=3, sign="+")
        assert tensor.get_print_options() == {**DEFAULTS, "precision": 3, "sign": "+"}
        assert str(tensor.asarray([1 / 3])) == "[+0.333]"
        tensor.get_print_options()["precision"] = 5
        assert tensor.get_print_options()["precision"] == 3
        tensor.set_print_options(suppress=True)
        tensor.set_print_options(suppress=False)
        assert tensor.get_print_options()["suppress"] is False

    def test_the_context_manager_restores(self):
        with pytest.raises(RuntimeError), tensor.print_options(precision=4) as options:
            assert options["precision"] == 4 and str(tensor.asarray([1.234567])) == "[1.2346]"
            tensor.set_print_options(precision=2)
            raise RuntimeError
        assert tensor.get_print_options() == DEFAULTS

    def test_numpy_first(self):
        with np.printoptions(precision=2, linewidth=40):
            tensor.set_print_options(numpy=True, linewidth=50)
            assert tensor.get_print_options() == {**DEFAULTS, "precision": 2, "linewidth": 50}
            assert tensor.usm_ndarray_str(tensor.asarray([1 / 3]), numpy=True, sign="+") == "[+0.33]"

    def test_other_threads_do_not_see_them(self):
        seen = []
        with tensor.print_options(precision=1):
            thread = threading.Thread(target=lambda: seen.append(tensor.get_print_options()))
            thread.start()
            thread.join()
        assert seen == [DEFAULTS]

    def test_numpy_keeps_its_own(self):
        before = np.get_printoptions()
        with tensor.print_options(precision=1, threshold=0):
            str(tensor.arange(10))
            assert str(np.array([1 / 3])) == "[0.33333333]"
        assert np.get_printoptions() == before

    @pytest.mark.parametrize(
        ("arguments", "error"),
        [
            ({"linewidth": "I"}, TypeError), ({"edgeitems": 1.5}, TypeError), ({"threshold": "I"}, TypeError),
            ({"precision": "I"}, TypeError), ({"nanstr": np.nan}, TypeError), ({"infstr": 1}, TypeError),
            ({"floatmode": "I"}, ValueError), ({"sign": "I"}, ValueError), ({"edgeitems": -1}, ValueError),
            ({"precision": -1}, ValueError), ({"threshold": -1}, ValueError), ({"linewidth": -1}, ValueError),
        ],
    )  # fmt: skip
    def test_refusals(self, arguments, error):
        (name,) = arguments
        with pytest.raises(error, match=name):
            tensor.set_print_options(**arguments)
        with pytest.raises(error, match=name), tensor.print_options(**arguments):
            pass
        assert tensor.get_print_options() == DEFAULTS
        spelled = {"linewidth": "line_width", "edgeitems": "edge_items"}.get(name, name)
        if name not in ("nanstr", "infstr"):
            with pytest.raises(error, match=name):
                tensor.usm_ndarray_str(tensor.arange(4), **{spelled: arguments[name]})

    def test_refused_arguments(self):
        for function in (tensor.usm_ndarray_str, tensor.usm_ndarray_repr):
            for wrong in ({}, np.ones(3), None):
                with pytest.raises(TypeError, match=f"{function.__name__}: expected an array"):
                    function(wrong)
            with pytest.raises(TypeError, match="prefix"):
                function(tensor.arange(4), prefix=4)
        for name in ("separator", "suffix"):
            with pytest.raises(TypeError, match=name):
                tensor.usm_ndarray_str(tensor.arange(4), **{name: 4})


class TestWhatIsCopied:
    """Only the elements that are shown leave the device."""

    @pytest.mark.parametrize("layout", ["C", "F", "stepped", "reversed", "broadcast"])
    @pytest.mark.parametrize("shape", [(3_000_000,), (1500, 2000), (100, 100, 100)])
    def test_little(self, place, shape, layout):
        array, view = laid_out(np.arange(np.prod(shape), dtype="f4").reshape(shape), layout, place)
        repr(array)  # Whatever is loaded or cached the first time is not counted.
        del view
        gc.collect()
        # A pool's peak is never forgotten, so a second context that has seen nothing else tells how much was needed.
        fresh = situ.Queue(situ.Context([array.sycl_device]), array.sycl_device)
        there = array.copy_to(fresh)
        peak = memory.pool_stats(fresh)["total"]["peak_bytes"]
        tracemalloc.start()
        try:
            text = repr(there)
            _, host_peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert text == repr(array) and "..." in text
        assert memory.pool_stats(fresh)["total"]["peak_bytes"] - peak < 100_000
        assert host_peak < 200_000

    def test_the_null_device_counts(self, faults):
        array = tensor.zeros((1000, 1000), device="null")
        faults.reset()
        repr(array)
        # One command gathers the corners, one brings them to the host.
        assert faults.count("submit") == 2


class TestFailures:
    """Printing an array that the device lost."""

    @pytest.mark.parametrize("write", [repr, str, "{}".format, tensor.usm_ndarray_str])
    @pytest.mark.parametrize("size", [10, 5000])
    def test_the_failure_is_raised(self, faults, write, size):
        faults.set_latency("on_wait")
        source = tensor.asarray(np.zeros(size), sycl_queue=situ.Queue("null"))
        faults.reset()
        faults.fail("execute", 1, "device_lost")
        array = tensor.negative(source)
        for _ in range(2):
            with pytest.raises(situ.DeviceError, match="on request|lost"):
                write(array)
        assert write(source).count("0.") == 10 or size == 5000 and "..." in write(source)

    @pytest.mark.parametrize("call", ["submit", "execute", "allocate"])
    def test_printing_itself_may_fail(self, faults, call):
        array = tensor.zeros(5000, sycl_queue=situ.Queue("null"))
        memory.trim(array.device)
        faults.reset()
        faults.fail(call, 1, "device_lost")
        with pytest.raises(situ.DeviceError, match="on request"):
            repr(array)
        assert faults.reset() == 0 and faults.misuse() == []
        assert repr(array).endswith("shape=(5000,))")


def test_options_that_nothing_reaches():
    with tensor.print_options(threshold=2**70, precision=2**31, linewidth=2**80, edgeitems=2**70):
        assert repr(tensor.asarray([0.5, 0.25])) == "ndarray([0.5 , 0.25])"
