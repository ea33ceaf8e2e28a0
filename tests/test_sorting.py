"""Sorting, searching and sets against NumPy: dtypes, shapes, layouts, axes, special values, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from strategies import DTYPES, LAYOUTS, elements, hosts, laid_out, same

import situ
from situ import tensor

pytestmark = pytest.mark.usefixtures("quiet")

LENGTHS = (0, 1, 2, 3, 15, 16, 17, 33, 64, 100, 255, 256, 257, 1000, 1023, 4096, 5000, 20000, 70000, 300000)


def stable_order(x, axis=-1, descending=False):
    """Where the elements of an array are in their order: equal ones as they come, whichever the direction."""
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    backwards = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    return np.flip(x.shape[axis] - 1 - backwards, axis)


def check_sorted(array, host, axis, descending):
    order = stable_order(host, axis, descending)
    same(tensor.argsort(array, axis=axis, descending=descending), order)
    same(tensor.sort(array, axis=axis, descending=descending), np.take_along_axis(host, order, axis))


def numbers(rng, dtype, size, how="any"):
    """Random elements of a dtype: any bits, few different ones, or in some order."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, size).astype(dtype)
    if how == "any":
        x = np.frombuffer(rng.bytes(size * dtype.itemsize), dtype).copy()
        if dtype.kind in "fc" and size:
            parts = x.view(x.real.dtype)
            special = [0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1.0]
            some = rng.integers(0, parts.size, parts.size // 3)
            parts[some] = rng.choice(np.array(special, parts.dtype), some.size)
        return x
    if how == "few":
        return rng.integers(-3, 4, size).astype(dtype) if dtype.kind != "u" else rng.integers(0, 7, size).astype(dtype)
    x = np.sort(rng.integers(0, 120, size).astype(dtype))
    return x[::-1].copy() if how == "reversed" else x


@given(st.data(), hosts(), st.sampled_from(LAYOUTS), st.booleans())
def test_sort_and_argsort(here, data, host, layout, descending):
    axis = data.draw(st.sampled_from(range(-host.ndim, host.ndim))) if host.ndim else -1
    array, host = laid_out(host, layout, here)
    if host.ndim == 0:
        same(tensor.sort(array, descending=descending), host)
        same(tensor.argsort(array, axis=0, descending=descending), np.zeros((), np.int64))
        return
    check_sorted(array, host, axis, descending)


@pytest.mark.parametrize("how", ["any", "few", "sorted", "reversed"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_length(here, dtype, how):
    rng = np.random.default_rng(3)
    for length in LENGTHS:
        host = numbers(rng, dtype, length, how)
        array = tensor.asarray(host, sycl_queue=here)
        for descending in (False, True):
            check_sorted(array, host, -1, descending)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1000, 30), (30, 1000), (3, 40000), (40000, 3), (17, 9, 260), (260, 9, 17)])
def test_many_sequences(place, shape, dtype):
    host = numbers(np.random.default_rng(4), dtype, int(np.prod(shape))).reshape(shape)
    array = tensor.asarray(host, sycl_queue=place)
    for axis in range(len(shape)):
        check_sorted(array, host, axis, axis % 2 == 1)
    check_sorted(array[::-2, ..., ::-1], host[::-2, ..., ::-1], 0, False)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32", "uint8", "float16", "complex64"])
@pytest.mark.parametrize("how", ["any", "few", "sorted", "reversed", "clustered"])
def test_long(place, dtype, how):
    rng = np.random.default_rng(5)
    size = 1_300_000
    if how == "clustered":
        # Nearly all elements share their leading bits.
        host = (rng.integers(0, 100, size) + 1000 * (rng.integers(0, 5000, size) == 0)).astype(dtype)
    else:
        host = numbers(rng, dtype, size, how)
    array = tensor.asarray(host, sycl_queue=place)
    check_sorted(array, host, 0, False)
    check_sorted(array, host, 0, True)


@pytest.mark.parametrize("dtype", DTYPES)
def test_argsort_keeps_equal_elements_in_order(here, dtype):
    host = (np.arange(50_000) % 2).astype(dtype)
    array = tensor.asarray(host, sycl_queue=here)
    expected = np.concatenate([np.arange(0, 50_000, 2), np.arange(1, 50_000, 2)])
    same(tensor.argsort(array), expected)
    same(tensor.argsort(array, descending=True), np.roll(expected, 25_000))


def test_zeros_and_what_is_not_a_number_keep_bits_and_order(here):
    nans = np.array([0x7FF8000000000001, 0xFFF8000000000002, 0x7FF0000000000003], np.uint64).view(np.float64)
    host = np.tile(np.concatenate([[0.0, -0.0, 1.0], nans, [-0.0, 0.0, -1.0]]), 500)
    array = tensor.asarray(host, sycl_queue=here)
    for part in (slice(None, 9), slice(None, 45), slice(None)):
        check_sorted(array[part], host[part], 0, False)
        check_sorted(array[part], host[part], 0, True)


def test_complex_numbers_with_parts_that_are_not_numbers(here):
    parts = [-np.inf, -1.0, -0.0, 0.0, 2.0, np.inf, np.nan]
    host = np.array([complex(re, im) for re in parts for im in parts])
    np.random.default_rng(6).shuffle(host)
    for dtype in ("complex64", "complex128"):
        array = tensor.asarray(host.astype(dtype), sycl_queue=here)
        check_sorted(array, host.astype(dtype), 0, False)
        same(tensor.sort(array), np.sort(host.astype(dtype), kind="stable"))


@given(st.data(), hosts(), st.sampled_from(LAYOUTS), st.sampled_from(["largest", "smallest"]))
def test_top_k(here, data, host, layout, mode):
    axis = data.draw(st.sampled_from([None, *range(-host.ndim, host.ndim)]))
    array, host = laid_out(host, layout, here)
    line = host.reshape(-1) if axis is None else host
    along = 0 if axis is None else axis
    k = data.draw(st.integers(0, line.shape[along]))
    order = np.take(stable_order(line, along, mode == "largest"), np.arange(k), axis=along)
    found = tensor.top_k(array, k, axis=axis, mode=mode)
    assert type(found) is tensor.TopKResult and found._fields == ("values", "indices")
    shape = () if host.ndim == 0 and k else order.shape
    same(found.indices, order.reshape(shape))
    same(found.values, np.take_along_axis(line, order, along).reshape(shape))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("how", ["any", "few", "sorted", "reversed"])
def test_top_k_of_many(place, dtype, how):
    rng = np.random.default_rng(7)
    for size, ks in ((1000, (1, 10, 999)), (200_000, (1, 100, 5000, 150_000))):
        host = numbers(rng, dtype, size, how)
        array = tensor.asarray(host, sycl_queue=place)
        for mode in ("largest", "smallest"):
            order = stable_order(host, 0, mode == "largest")
            for k in ks:
                found = tensor.top_k(array, k, mode=mode)
                same(found.indices, order[:k])
                same(found.values, host[order[:k]])
    host = numbers(rng, dtype, 60_000, how).reshape(20, 3000)
    array = tensor.asarray(host, sycl_queue=place)
    order = stable_order(host, 1, True)[:, :7]
    same(tensor.top_k(array, 7, axis=1).indices, order)
    order = stable_order(host, 0, False)[:3]
    same(tensor.top_k(array, 3, axis=0, mode="smallest").indices, order)


@given(st.data(), hosts(), st.sampled_from(LAYOUTS), st.sampled_from(["left", "right"]))
def test_searchsorted(here, data, needles, layout, side):
    sorted_ = np.sort(data.draw(hnp.arrays(needles.dtype, st.integers(0, 40), elements=elements(needles.dtype))))
    array, needles = laid_out(needles, layout, here)
    x1, sorted_ = laid_out(sorted_, data.draw(st.sampled_from(LAYOUTS[:-1])), here)
    expected = np.asarray(np.searchsorted(sorted_, needles, side=side))
    same(tensor.searchsorted(x1, array, side=side), expected)
    shuffled = np.random.default_rng(sorted_.size).permutation(sorted_.size)
    sorter = np.argsort(shuffled)
    mixed = tensor.asarray(sorted_[shuffled], sycl_queue=here)
    for dtype in ("int64", "uint8"):
        with_sorter = tensor.asarray(sorter.astype(dtype), sycl_queue=here)
        same(tensor.searchsorted(mixed, array, side=side, sorter=with_sorter), expected)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_searchsorted_in_many(place, dtype, side):
    rng = np.random.default_rng(8)
    for size in (5, 1000, 300_000):
        sorted_ = np.sort(numbers(rng, dtype, size), kind="stable")
        needles = np.concatenate([numbers(rng, dtype, 40_000), rng.choice(sorted_, 2000)])
        x1, x2 = (tensor.asarray(each, sycl_queue=place) for each in (sorted_, needles))
        same(tensor.searchsorted(x1, x2, side=side), np.searchsorted(sorted_, needles, side=side))


def test_searchsorted_takes_numbers_and_mixed_dtypes(here):
    x = tensor.asarray(np.array([1, 2, 2, 5], "i4"), sycl_queue=here)
    for needle, side, wanted in ((2, "left", 1), (2, "right", 3), (2.5, "left", 3), (True, "left", 0), (9, "left", 4)):
        found = tensor.searchsorted(x, needle, side=side)
        assert (found.shape, found.dtype, int(found)) == ((), np.int64, wanted)
    assert int(tensor.searchsorted(x, np.float32(4.5))) == 3
    found = tensor.searchsorted(x, tensor.asarray([1.5, 5.0, 7.0], sycl_queue=here), side="right")
    assert tensor.asnumpy(found).tolist() == [1, 4, 4]


def check_unique(array, host):
    flat = host.reshape(-1)
    values, indices, inverse, counts = np.unique(
        flat, return_index=True, return_inverse=True, return_counts=True, equal_nan=False
    )
    # NumPy sorts by other means, and may name another of several zeros; what comes first is what counts.
    order = stable_order(flat)
    by_key = flat[order]
    starts = np.flatnonzero(np.concatenate([np.ones(min(flat.size, 1), bool), by_key[1:] != by_key[:-1]]))
    assert starts.size == values.size
    wanted_inverse = np.empty(flat.size, np.int64)
    wanted_inverse[order] = np.searchsorted(starts, np.arange(flat.size), side="right") - 1
    wanted_counts = np.diff(np.append(starts, flat.size))
    found = tensor.unique_all(array)
    assert type(found) is tensor.UniqueAllResult
    same(found.values, by_key[starts])
    same(found.indices, order[starts])
    same(found.inverse_indices, wanted_inverse.reshape(host.shape))
    same(found.counts, wanted_counts.astype(np.int64))
    same(tensor.unique_values(array), by_key[starts])
    by_counts, by_inverse = tensor.unique_counts(array), tensor.unique_inverse(array)
    assert type(by_counts) is tensor.UniqueCountsResult and type(by_inverse) is tensor.UniqueInverseResult
    same(by_counts.values, by_key[starts])
    same(by_counts.counts, wanted_counts.astype(np.int64))
    same(by_inverse.values, by_key[starts])
    same(by_inverse.inverse_indices, wanted_inverse.reshape(host.shape))
    if not np.isnan(flat).any():
        np.testing.assert_array_equal(indices, order[starts])
        np.testing.assert_array_equal(inverse.reshape(-1), wanted_inverse)
        np.testing.assert_array_equal(counts, wanted_counts)


@given(hosts(), st.sampled_from(LAYOUTS))
def test_unique(here, host, layout):
    check_unique(*laid_out(host, layout, here))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("how", ["any", "few", "sorted", "reversed"])
def test_unique_of_many(place, dtype, how):
    for size in (2, 300, 30_000, 250_000):
        host = numbers(np.random.default_rng(9), dtype, size, how)
        check_unique(tensor.asarray(host, sycl_queue=place), host)


def test_each_nan_is_distinct(here):
    x = tensor.asarray(np.array([np.nan, 1.0, np.nan, 1.0]), sycl_queue=here)
    values, indices, inverse, counts = tensor.unique_all(x)
    assert tensor.asnumpy(values)[0] == 1.0 and np.isnan(tensor.asnumpy(values)[1:]).all()
    assert tensor.asnumpy(indices).tolist() == [1, 0, 2]
    assert tensor.asnumpy(inverse).tolist() == [1, 0, 2, 0]
    assert tensor.asnumpy(counts).tolist() == [2, 1, 1]


@given(st.data(), hosts(), st.sampled_from(LAYOUTS), st.booleans())
def test_isin(here, data, host, layout, invert):
    test_dtype = data.draw(st.sampled_from([host.dtype.name, *DTYPES]))
    others = data.draw(hosts(dtypes=[test_dtype]))
    array, host = laid_out(host, layout, here)
    test, others = laid_out(others, data.draw(st.sampled_from(LAYOUTS)), here)
    # Integers are compared as numbers, others in their common dtype.
    integers = host.dtype.kind in "iu" and others.dtype.kind in "iu"
    common = object if integers else np.result_type(host, others)
    lines = (host.astype(common)[..., None] == others.astype(common).reshape(-1)).astype(bool)
    found = tensor.isin(array, test, invert=invert)
    same(found, lines.any(axis=-1) != invert)
    assert found.flags.c_contiguous


@pytest.mark.parametrize("dtype", DTYPES)
def test_isin_many(place, dtype):
    rng = np.random.default_rng(10)
    for size, others in ((10, 10), (50_000, 1), (50_000, 5), (50_000, 40), (1000, 50_000), (70_000, 3000)):
        host, test = numbers(rng, dtype, size), numbers(rng, dtype, others)
        test[: others // 2] = rng.choice(host, others // 2)
        expected = np.isin(host, test[test == test])
        array, other = (tensor.asarray(each, sycl_queue=place) for each in (host, test))
        same(tensor.isin(array, other), expected)
        same(tensor.isin(array, other, invert=True), ~expected)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int64", "uint64"])
@pytest.mark.parametrize("end", ["least", "middle", "greatest"])
@pytest.mark.parametrize("invert", [False, True])
def test_isin_of_integers_close_together(place, dtype, end, invert):
    limits = np.iinfo(dtype)
    low = {"least": int(limits.min), "middle": 0, "greatest": int(limits.max) - 120}[end]
    values = (np.random.default_rng(0).integers(0, 120, 3000, dtype="u8") + np.uint64(low % 2**64)).astype(dtype)
    others = values[values % 3 == 0][:50]
    x = np.concatenate([values, np.array([limits.min, limits.max, 0], dtype)])
    found = tensor.isin(tensor.asarray(x, sycl_queue=place), tensor.asarray(others, sycl_queue=place), invert=invert)
    same(found, np.isin(x, others, invert=invert))


def test_isin_compares_integers_exactly(here):
    unsigned = np.array([0, 2**53 + 1, 2**63, 2**64 - 1, 5], "u8")
    signed = np.array([2**53, -(2**63), -1, 5, 0])
    for host, others in ((unsigned, signed), (signed, unsigned), (unsigned, signed[2:].astype("i1"))):
        x, test = tensor.asarray(host, sycl_queue=here), tensor.asarray(others, sycl_queue=here)
        expected = np.array([int(each) in others.tolist() for each in host])
        same(tensor.isin(x, test), expected)
        same(tensor.isin(x, test, invert=True), ~expected)


def test_searchsorted_of_numbers_beyond_the_dtype(here):
    for dtype, number, position in (
        ("i1", 300, 3),
        ("i1", -300, 0),
        ("u1", -1, 0),
        ("u8", 2**70, 3),
        ("i8", -(2**200), 0),
    ):
        x = tensor.asarray(np.array([1, 2, 3], dtype), sycl_queue=here)
        for side in ("left", "right"):
            same(tensor.searchsorted(x, number, side=side), np.array(position))


def test_isin_takes_numbers(here):
    x = tensor.asarray(np.array([[0, 1], [2, 255]], "u1"), sycl_queue=here)
    for number in (1, 1.0, True, 300, -1, 1 + 0j, 2**70, np.int16(255)):
        expected = np.isin(tensor.asnumpy(x), [int(number.real)])
        same(tensor.isin(x, number), expected)
        same(tensor.isin(number, x), np.asarray(expected.any()))
        same(tensor.isin(number, x, invert=True), np.asarray(not expected.any()))


def test_named_tuples_are_tuples(here):
    x = tensor.asarray([2, 1, 2], sycl_queue=here)
    assert tensor.unique_all(x)._fields == ("values", "indices", "inverse_indices", "counts")
    assert tensor.unique_counts(x)._fields == ("values", "counts")
    assert tensor.unique_inverse(x)._fields == ("values", "inverse_indices")


@pytest.mark.parametrize("function", [tensor.sort, tensor.argsort])
def test_what_sorting_refuses(here, function):
    x = tensor.asarray(np.ones((2, 3), "c8"), sycl_queue=here)
    for kind in ("invalid", ..., 3):
        with pytest.raises(ValueError, match="kind must be None, 'stable', 'mergesort' or 'radixsort'"):
            function(x, kind=kind)
    with pytest.raises(ValueError, match="not for dtype complex64; leave it out"):
        function(x, kind="radixsort")
    with pytest.raises(np.exceptions.AxisError, match="axis 2 does not exist .* name one from -2 to 1"):
        function(x, axis=2)
    with pytest.raises(np.exceptions.AxisError):
        function(tensor.asarray(1, sycl_queue=here), axis=1)
    with pytest.raises(TypeError, match="axis must be an integer"):
        function(x, axis=1.5)
    with pytest.raises(TypeError, match="axis must be an integer"):
        function(x, axis=None)
    with pytest.raises(TypeError, match="x"):
        function([1, 2])
    for kind in (None, "stable", "mergesort"):
        assert function(x, kind=kind, stable=False).shape == (2, 3)


def test_what_top_k_refuses(here):
    x = tensor.asarray(np.ones((2, 5)), sycl_queue=here)
    for k, axis in ((11, None), (6, 1), (3, 0)):
        with pytest.raises(ValueError, match="ask for at most as many"):
            tensor.top_k(x, k, axis=axis)
    with pytest.raises(ValueError, match="k must not be negative"):
        tensor.top_k(x, -1)
    with pytest.raises(ValueError, match="mode must be 'largest' or 'smallest'"):
        tensor.top_k(x, 1, mode="most")
    with pytest.raises(TypeError, match="k must be an integer"):
        tensor.top_k(x, 1.0)
    with pytest.raises(np.exceptions.AxisError):
        tensor.top_k(x, 1, axis=2)


def test_what_searchsorted_refuses(here):
    x = tensor.asarray([1, 2, 3], sycl_queue=here)
    with pytest.raises(ValueError, match="side must be 'left' or 'right'"):
        tensor.searchsorted(x, x, side="middle")
    with pytest.raises(ValueError, match="x1 must have one dimension"):
        tensor.searchsorted(x[None], x)
    with pytest.raises(ValueError, match="sorter must be of an integer dtype, not float64"):
        tensor.searchsorted(x, x, sorter=x.astype("f8") if hasattr(x, "astype") else tensor.astype(x, "f8"))
    with pytest.raises(ValueError, match="one index for each of the 3 elements"):
        tensor.searchsorted(x, x, sorter=x[:-1])
    with pytest.raises(IndexError):
        tensor.searchsorted(x, x, sorter=x + 5)
    for x2 in (None, [1, 2]):
        with pytest.raises(TypeError, match="x2 must be an array or a number"):
            tensor.searchsorted(x, x2)
    with pytest.raises(TypeError, match="sorter"):
        tensor.searchsorted(x, x, sorter={})
    elsewhere = tensor.asarray([1, 2, 3], sycl_queue=situ.Queue(here.sycl_device))
    for arguments, options in (((x, elsewhere), {}), ((x, x), {"sorter": elsewhere})):
        with pytest.raises(situ.ExecutionPlacementError):
            tensor.searchsorted(*arguments, **options)


def test_what_isin_refuses(here):
    x = tensor.asarray([1, 2, 3], sycl_queue=here)
    with pytest.raises(situ.ExecutionPlacementError, match="must be an array of situ"):
        tensor.isin(1, 1)
    with pytest.raises(situ.ExecutionPlacementError):
        tensor.isin(x, tensor.asarray([1], sycl_queue=situ.Queue(here.sycl_device)))
    with pytest.raises(TypeError):
        tensor.isin(x, x, invert={})
    with pytest.raises(TypeError, match="test_elements must be an array or a number, got list"):
        tensor.isin(x, [1])


@pytest.mark.parametrize(
    "function",
    [
        tensor.sort,
        tensor.argsort,
        tensor.unique_all,
        lambda x: tensor.top_k(x, 2),
        lambda x: tensor.searchsorted(x, x),
        lambda x: tensor.isin(x, x),
    ],
    ids=["sort", "argsort", "unique_all", "top_k", "searchsorted", "isin"],
)
def test_memory_that_is_not_there_leaves_everything_intact(faults, function):
    host = np.repeat(np.arange(30_000.0), 2)
    reached = 0
    for nth in range(1, 20):
        queue = situ.Queue("null")
        x = tensor.asarray(host, sycl_queue=queue)
        situ.memory.trim(queue)
        # A pool that gets nothing gives back what it can spare, and asks again.
        for time in (nth, nth + 1):
            faults.fail("allocate", time, "out_of_memory")
        try:
            function(x)
        except MemoryError:
            reached += 1
        armed = faults.reset()
        same(x, host)
        if armed == 2:
            break
    assert reached >= 1 and armed == 2
    function(x)
