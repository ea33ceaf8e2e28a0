"""Conversions between dtypes, and questions about them."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import DTYPES, LAYOUTS, hosts, laid_out, same, steps

import situ
from situ import tensor

RULES = ("no", "equiv", "safe", "same_kind", "unsafe")
PAIRS = list(itertools.product(DTYPES, DTYPES))


class TestConversion:
    """`astype` and `copy`."""

    @pytest.mark.parametrize("target", DTYPES)
    @pytest.mark.parametrize("source", DTYPES)
    def test_values(self, place, source, target):
        host = np.array([0, 1, 2, 100] * 40).astype(source)
        with np.errstate(all="ignore"), pytest.MonkeyPatch.context():
            expected = (host.real if host.dtype.kind == "c" and np.dtype(target).kind != "c" else host).astype(target)
        if host.dtype.kind == "c" and target == "bool":
            expected = host.astype("bool")
        same(tensor.astype(tensor.asarray(host, sycl_queue=place), target), expected)

    @given(hosts(DTYPES[1:9], shape=(7,)), st.sampled_from(DTYPES))
    def test_integers_convert_as_in_numpy(self, here, host, target):
        with np.errstate(all="ignore"):
            same(tensor.astype(tensor.asarray(host, sycl_queue=here), target), host.astype(target))

    @given(hosts(["float16", "float32", "float64"], shape=(7,)), st.sampled_from(["bool", *DTYPES[9:]]))
    def test_floats_convert_as_in_numpy(self, here, host, target):
        with np.errstate(all="ignore"):
            expected = host.astype(target)
        made = tensor.astype(tensor.asarray(host, sycl_queue=here), target)
        np.testing.assert_array_equal(tensor.asnumpy(made), expected)

    @given(hosts(DTYPES[9:], shape=(7,)), st.sampled_from(DTYPES[1:9]))
    def test_numbers_that_do_not_fit_become_the_same_everywhere(self, here, host, target):
        """What C leaves undefined, NumPy does differently from machine to machine."""
        made, cpu = (tensor.astype(tensor.asarray(host, sycl_queue=q), target) for q in (here, situ.Queue("cpu")))
        same(made, tensor.asnumpy(cpu))

    @pytest.mark.parametrize("source", ["float16", "float32", "float64", "complex64", "complex128"])
    @pytest.mark.parametrize("target", DTYPES[1:9])
    def test_numbers_that_do_not_fit_saturate(self, here, source, target):
        ends = np.iinfo(target)
        with np.errstate(over="ignore"):
            host = np.array([np.nan, np.inf, -np.inf, 1e30, -1e30, 2.9, -0.9] * 20).astype(source)
        made = tensor.astype(tensor.asarray(host, sycl_queue=here), target)
        assert tensor.asnumpy(made).tolist() == [0, ends.max, ends.min, ends.max, ends.min, 2, 0] * 20

    def test_copies_only_when_asked(self):
        array = tensor.ones((2, 3))
        assert tensor.astype(array, "f8", copy=False) is array
        assert tensor.astype(array, "f8") is not array
        assert tensor.astype(array, "f8")._pointer != array._pointer
        assert tensor.astype(array, "f4", copy=False).dtype == np.float32

    @pytest.mark.parametrize("order", "CFAK")
    @pytest.mark.parametrize("layout", LAYOUTS[:-1])
    def test_orders(self, here, layout, order):
        array, view = laid_out(np.arange(24.0).reshape(2, 3, 4), layout, here)
        for made in (tensor.copy(array, order=order), tensor.astype(array, "f4", order=order)):
            np.testing.assert_array_equal(tensor.asnumpy(made), view)
            if layout != "reversed":
                assert steps(made) == steps(np.array(view, order=order))

    def test_copy_keeps_the_place(self):
        queue = situ.Queue()
        array = tensor.ones(3, sycl_queue=queue, usm_type="host")
        copied = tensor.copy(array)
        assert (copied.sycl_queue, copied.usm_type) == (queue, "host") and copied._pointer != array._pointer
        for wrong in (np.ones(3), 1, None):
            with pytest.raises(TypeError):
                tensor.copy(wrong)

    @pytest.mark.parametrize("casting", RULES)
    def test_casting_rules(self, casting):
        for source, target in PAIRS:
            array = tensor.ones(1, dtype=source)
            if np.can_cast(source, target, casting):
                assert tensor.astype(array, target, casting=casting).dtype == target
            else:
                with pytest.raises(TypeError, match=f"astype: {source} cannot be converted to {target}.*{casting}"):
                    tensor.astype(array, target, casting=casting)

    def test_to_another_device(self):
        array, queue = tensor.arange(3), situ.Queue()
        assert tensor.astype(array, "i8", device=queue, copy=False)._pointer == array._pointer
        moved = tensor.astype(array, "f4", device=queue)
        assert (moved.sycl_queue, moved.dtype) == (queue, np.float32)
        assert tensor.astype(array, "i8", device="null", copy=False).sycl_device == situ.Device("null")
        same(tensor.astype(tensor.astype(array, "i8", device="null"), "i8", device="cpu"), np.arange(3))

    def test_wrong_arguments(self):
        array = tensor.ones(3)
        for wrong in (np.ones(3), 3, None, [1]):
            with pytest.raises(TypeError, match="astype: x must be an array of situ"):
                tensor.astype(wrong, "f4")
        for keywords, match in (({"casting": "maybe"}, "casting"), ({"order": "X"}, "order")):
            with pytest.raises(ValueError, match=match):
                tensor.astype(array, "f4", **keywords)
        with pytest.raises(TypeError, match="device"):
            tensor.astype(array, "f4", device=3)

    def test_a_read_only_array_gives_a_writable_copy(self):
        array = tensor.ones(3)
        array.flags.writable = False
        assert tensor.astype(array, "f8").flags.writable and tensor.copy(array).flags.writable
        assert tensor.asarray(array, copy=True).flags.writable
        assert tensor.asarray(array, copy=True, device="null").flags.writable


class TestCanCast:
    """`can_cast`."""

    @pytest.mark.parametrize("casting", RULES)
    def test_as_numpy(self, casting):
        for source, target in PAIRS:
            expected = np.can_cast(source, target, casting)
            assert tensor.can_cast(np.dtype(source), np.dtype(target), casting=casting) is expected
            assert tensor.can_cast(tensor.empty(1, dtype=source), target, casting=casting) is expected
        assert tensor.can_cast("i4", np.int64) and not tensor.can_cast(np.float64, "i4")

    def test_wrong_arguments(self):
        for wrong in ((1, "i4"), (None, "i4"), ("i4", None), ("i4", 2.0), ("i4", tensor.ones(1)), (object(), "i4")):
            with pytest.raises(TypeError):
                tensor.can_cast(*wrong)
        with pytest.raises(ValueError, match="casting.*'safe'.*'maybe'|casting.*'safe'.*\"maybe\""):
            tensor.can_cast("i4", "i8", casting="maybe")


class TestResultType:
    """`result_type`."""

    @given(st.lists(st.sampled_from(DTYPES), min_size=1, max_size=4), st.data())
    def test_arrays_and_dtypes_as_numpy(self, dtypes, data):
        form = st.sampled_from([np.dtype, lambda d: tensor.empty(2, dtype=d), lambda d: np.empty(2, d), str])
        given_ = [data.draw(form)(dtype) for dtype in dtypes]
        assert tensor.result_type(*given_) == np.result_type(*dtypes)

    def test_the_order_does_not_matter(self):
        for dtypes in itertools.combinations(DTYPES, 3):
            expected = np.result_type(*dtypes)
            for order in itertools.permutations(dtypes):
                arrays = [tensor.ones(1, dtype=dtype) for dtype in order]
                assert tensor.result_type(*order) == expected
                assert tensor.concat(arrays).dtype == expected and tensor.asarray(arrays).dtype == expected

    @given(st.sampled_from(DTYPES), st.lists(st.sampled_from([True, 3, 300, 2**70, 2.5, 1j]), min_size=1, max_size=3))
    def test_python_numbers_are_weak(self, dtype, numbers):
        tame = [1 if isinstance(number, int) and not isinstance(number, bool) else number for number in numbers]
        expected = np.result_type(np.dtype(dtype), *tame)
        assert tensor.result_type(tensor.empty(1, dtype=dtype), *numbers) == expected
        assert tensor.result_type(*numbers, dtype) == expected

    def test_numbers_alone_and_numpy_scalars(self):
        assert tensor.result_type(1, 2.0) == np.float64 and tensor.result_type(True) == np.bool_
        assert tensor.result_type("i1", np.int64(3)) == np.int64
        assert tensor.result_type("f4", np.float64(3)) == np.float64
        for wrong in ((), (None,), (object(),), ("f4", None), ("nothing",), ([1, 2],)):
            with pytest.raises((TypeError, ValueError)):
                tensor.result_type(*wrong)


class TestInfo:
    """`finfo`, `iinfo` and `isdtype`."""

    @pytest.mark.parametrize("dtype", DTYPES[9:])
    def test_finfo(self, dtype):
        expected = np.finfo(dtype)
        for form in (dtype, np.dtype(dtype), np.dtype(dtype).type, tensor.ones(1, dtype=dtype), np.ones(1, dtype)):
            limits = tensor.finfo(form)
            for name in ("eps", "epsneg", "max", "min", "smallest_normal", "tiny", "resolution"):
                assert type(getattr(limits, name)) is float and getattr(limits, name) == float(getattr(expected, name))
            assert (limits.bits, limits.precision, limits.dtype) == (expected.bits, expected.precision, expected.dtype)

    @pytest.mark.parametrize("dtype", DTYPES[1:9])
    def test_iinfo(self, dtype):
        limits = tensor.iinfo(tensor.ones(1, dtype=dtype))
        assert (limits.min, limits.max, limits.bits, limits.dtype) == (
            np.iinfo(dtype).min, np.iinfo(dtype).max, np.dtype(dtype).itemsize * 8, dtype,
        )  # fmt: skip

    def test_the_wrong_one(self):
        for function, dtypes in ((tensor.finfo, DTYPES[:9]), (tensor.iinfo, ("bool", *DTYPES[9:]))):
            for wrong in (*dtypes, "S3", "f16", "M8[s]"):
                with pytest.raises(ValueError):
                    function(wrong)
            for wrong in (None, object(), 3):
                with pytest.raises(TypeError):
                    function(wrong)

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_isdtype(self, dtype):
        letter = np.dtype(dtype).kind
        kinds = {
            "bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu",
            "real floating": "f", "complex floating": "c", "numeric": "iufc",
        }  # fmt: skip
        for kind, letters in kinds.items():
            assert tensor.isdtype(np.dtype(dtype), kind) is (letter in letters)
            assert tensor.isdtype(np.dtype(dtype), ("bool", kind)) is (letter in letters + "b")
        for other in DTYPES:
            assert tensor.isdtype(np.dtype(dtype), np.dtype(other)) is (dtype == other)
        assert tensor.isdtype(np.dtype(dtype), ()) is False

    def test_isdtype_refuses(self):
        for dtype, kind, error in (
            ("f4", "bool", TypeError), (np.float32, "bool", TypeError), (tensor.float32, "real", ValueError),
            (tensor.float32, 3, TypeError), (tensor.float32, ("real floating", "nothing"), ValueError),
        ):  # fmt: skip
            with pytest.raises(error, match="isdtype"):
                tensor.isdtype(dtype, kind)
