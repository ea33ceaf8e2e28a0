"""``x[key]`` and ``x[key] = value`` against NumPy."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from strategies import DTYPES, LAYOUTS, View, assigned_one_by_one, hosts, keeps_the_last, laid_out, shapes

import situ
from situ import tensor

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


@st.composite
def index_arrays(draw, length, shape, strict=True):
    """Integers along an axis of that length, mostly inside it, of any dtype and number of bytes."""
    dtype = np.dtype(draw(st.sampled_from(INTEGERS)))
    slack = 0 if strict or draw(st.integers(0, 3)) else 1
    low = 0 if dtype.kind == "u" else -length - slack
    high = max(low, length - 1 + slack)
    limits = np.iinfo(dtype)
    values = st.integers(max(low, limits.min), min(high, limits.max))
    return draw(hnp.arrays(dtype, shape, elements=values))


@st.composite
def keys(draw, shape, strict=True):
    """Keys with every kind of part, in any order; strict ones fit the shape."""
    parts, axis = [], 0
    common = draw(hnp.array_shapes(min_dims=0, max_dims=2, min_side=0 if draw(st.booleans()) else 1, max_side=3))
    while axis < len(shape):
        kind = draw(st.sampled_from(["int", "slice", "slice", "array", "array", "mask", "none", "bool", "end"]))
        length = shape[axis]
        if kind == "int" and (length or not strict):
            slack = 0 if strict else 1
            parts.append(draw(st.integers(-length - slack, length - 1 + slack)))
            axis += 1
        elif kind == "slice":
            parts.append(draw(st.slices(length)))
            axis += 1
        elif kind == "array" and (length or 0 in common or not strict):
            part = tuple(draw(st.sampled_from([n, 1])) for n in common)
            part = part[draw(st.integers(0, len(part))) :] if part else part
            parts.append(draw(index_arrays(length, part, strict or 0 in common)))
            axis += 1
        elif kind == "mask":
            axes = draw(st.integers(1, len(shape) - axis))
            mask = np.zeros(shape[axis : axis + axes], bool)
            count = draw(st.sampled_from([common[-1] if common else 1, 1, 0]))
            places = draw(st.permutations(range(mask.size)))[:count] if mask.size <= 30 else range(count)
            mask.reshape(-1)[list(places)] = True
            parts.append(mask)
            axis += axes
        elif kind == "none":
            parts.append(None)
        elif kind == "bool":
            parts.append(draw(st.booleans()) if draw(st.booleans()) else True)
        elif kind == "end":
            break
        if len(parts) > 7:
            break
    # NumPy does not look whether an empty mask fits.
    has_empty_mask = any(isinstance(part, np.ndarray) and part.dtype == bool and not part.size for part in parts)
    if draw(st.booleans()) and not has_empty_mask:
        # What follows it moves to the last axes, which may be others than it was made for.
        parts.insert(draw(st.integers(0, len(parts))), ...)
    return parts[0] if len(parts) == 1 and draw(st.booleans()) else tuple(parts)


def on_device(key, queue, draw=None):
    """The key with its arrays on the device, or some of them left as NumPy arrays and lists."""

    def moved(part):
        if not isinstance(part, np.ndarray):
            return part
        how = draw(st.sampled_from(["device", "device", "stepped", "reversed", "numpy", "list"])) if draw else "device"
        if how == "numpy" or (how == "list" and part.size == 0):
            return part
        if how == "list":
            return part.tolist()
        if how in ("stepped", "reversed"):
            return laid_out(part, how, queue)[0]
        return tensor.asarray(part, sycl_queue=queue)

    return tuple(moved(part) for part in key) if isinstance(key, tuple) else moved(key)


def outcome(function, *errors):
    """What a function returns, or the class of error it raises."""
    try:
        return function()
    except errors as error:
        return type(error)


def check_get(host, array, key, device_key):
    expected = outcome(lambda: np.array(host[key]), IndexError)
    if expected is IndexError:
        with pytest.raises(IndexError):
            array[device_key]
        return
    result = array[device_key]
    assert isinstance(result, tensor.ndarray)
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
    assert result.sycl_queue == array.sycl_queue
    np.testing.assert_array_equal(tensor.asnumpy(result), expected)


@given(st.data(), hosts(), st.sampled_from(LAYOUTS))
def test_basic_keys_are_views(here, data, host, layout):
    key = data.draw(hnp.basic_indices(host.shape, allow_newaxis=True, allow_ellipsis=True))
    array, host = laid_out(host, layout, here)
    result = array[key]
    expected = host[key]
    if not isinstance(expected, np.ndarray):
        expected = host[(*key, ...) if isinstance(key, tuple) else (key, ...)]
    assert result.shape == expected.shape
    np.testing.assert_array_equal(tensor.asnumpy(result), expected)
    if result.size:
        assert result.usm_data._pointer == array.usm_data._pointer
        item = host.dtype.itemsize
        distance = expected.__array_interface__["data"][0] - host.__array_interface__["data"][0]
        assert result._pointer - array._pointer == distance
        steps = [s for s, n in zip(result.strides, result.shape, strict=True) if n > 1]
        assert steps == [s // item for s, n in zip(expected.strides, expected.shape, strict=True) if n > 1]


@given(st.data(), shapes(max_dims=3), st.sampled_from(LAYOUTS))
def test_integer_arrays(here, data, shape, layout):
    shape = tuple(max(n, 1) for n in shape) or (3,)
    key = data.draw(hnp.integer_array_indices(shape, dtype=np.dtype(data.draw(st.sampled_from(INTEGERS[:4])))))
    array, host = laid_out(np.arange(np.prod(shape)).reshape(shape), layout, here)
    check_get(host, array, key, on_device(key, here, data.draw))


@given(st.data(), hosts(), st.sampled_from(LAYOUTS), st.booleans())
def test_any_key(here, data, host, layout, strict):
    key = data.draw(keys(host.shape, strict))
    array, host = laid_out(host, layout, here)
    check_get(host, array, key, on_device(key, here, data.draw))


@given(st.data(), shapes(max_dims=4, max_side=4), st.sampled_from(LAYOUTS))
def test_masks(here, data, shape, layout):
    array, host = laid_out(np.arange(np.prod(shape, dtype=int)).reshape(shape), layout, here)
    mask = data.draw(hnp.arrays(bool, shape))
    device_mask, mask = laid_out(mask, data.draw(st.sampled_from(LAYOUTS)), here)
    check_get(host, array, mask, device_mask)


def assigned(value, queue, draw):
    """A value on the device with a layout of its own, or left to NumPy."""
    how = draw(st.sampled_from(["device", "reversed", "stepped", "numpy", "list"]))
    if how == "numpy":
        return value
    # Without axes it would be a number, which is not converted as an array is.
    if how == "list" and value.ndim and value.size:
        return value.tolist()
    return laid_out(value, how if how in LAYOUTS else "C", queue)[0]


@given(st.data(), st.sampled_from(DTYPES), shapes(), st.sampled_from(LAYOUTS[:-1]), st.booleans())
def test_assignment(here, data, dtype, shape, layout, strict):
    host = np.zeros(shape, dtype)
    array, host = laid_out(host, layout, here)
    key = data.draw(keys(shape, strict))
    target = outcome(lambda: np.array(host[key]), IndexError)
    value_shape = (2,) if target is IndexError else target.shape
    value_shape = tuple(data.draw(st.sampled_from([n, n, n, 1])) for n in value_shape)
    value_shape = value_shape[data.draw(st.integers(0, len(value_shape))) :]
    value = np.arange(1, 1 + np.prod(value_shape, dtype=int)).astype(data.draw(st.sampled_from(DTYPES)))
    value = value.reshape(value_shape)
    check_set(host, array, key, on_device(key, here, data.draw), value, assigned(value, here, data.draw))


def check_written(array, before, key, value):
    """Whether the array is as NumPy leaves it, or nearly so where several values went to one element."""
    host = np.array(before)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        host[key] = value
    if keeps_the_last(array.sycl_queue):
        np.testing.assert_array_equal(tensor.asnumpy(array), host)
        return
    targets = np.arange(host.size).reshape(host.shape)[key]
    # NumPy lets a value have more axes, of length 1, than there is room for.
    value = np.reshape(value, np.shape(value)[max(0, np.ndim(value) - np.ndim(targets)) :])
    assigned_one_by_one(tensor.asnumpy(array), before, targets, np.broadcast_to(value, np.shape(targets)))


def check_set(host, array, key, device_key, value, device_value):
    host = np.array(host)

    def assign():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            host[key] = value

    expected = outcome(assign, IndexError, ValueError, TypeError)
    before = tensor.asnumpy(array)
    if expected is IndexError:
        with pytest.raises(IndexError):
            array[device_key] = device_value
        np.testing.assert_array_equal(tensor.asnumpy(array), before)
        return
    if expected is not None:
        result = outcome(lambda: array.__setitem__(device_key, device_value), ValueError, TypeError, IndexError)
        # NumPy refuses a value with leading axes of length 1 for a mask, and takes it for any other key.
        assert result is not None or value.ndim > 1
        return
    array[device_key] = device_value
    check_written(array, before, key, value)


@given(st.data(), st.sampled_from(DTYPES), shapes(), st.sampled_from(LAYOUTS[:-1]))
def test_assignment_of_numbers(here, data, dtype, shape, layout):
    array, host = laid_out(np.zeros(shape, dtype), layout, here)
    key = data.draw(keys(shape))
    numbers = [True, 3, -1, 300, 2**70, 2.5, -2.5, 1e300, float("nan"), float("inf"), 1 + 2j]
    value = data.draw(st.sampled_from(numbers))
    host = np.array(host)

    def assign():
        with np.errstate(all="ignore"):
            host[key] = value

    expected = outcome(assign, IndexError, ValueError, TypeError, OverflowError)
    found = outcome(
        lambda: array.__setitem__(on_device(key, here, data.draw), value),
        IndexError, ValueError, TypeError, OverflowError,
    )  # fmt: skip
    # Where both key and value are wrong, either may be named.
    wrong_key = outcome(lambda: host[key], IndexError) is IndexError
    assert found is expected or (wrong_key and expected and found is IndexError)
    np.testing.assert_array_equal(tensor.asnumpy(array), host)


@given(st.data(), shapes(), st.sampled_from(LAYOUTS[:-1]))
def test_masked_assignment(here, data, shape, layout):
    array, host = laid_out(np.arange(np.prod(shape, dtype=int), dtype="i4").reshape(shape), layout, here)
    host = np.array(host)
    mask = data.draw(hnp.arrays(bool, shape))
    device_mask, mask = laid_out(mask, data.draw(st.sampled_from(LAYOUTS)), here)
    count = int(mask.sum())
    value = -np.arange(1, 1 + data.draw(st.sampled_from([count, 1])), dtype=data.draw(st.sampled_from(["i4", "f8"])))
    check_set(host, array, mask, device_mask, value, assigned(value, here, data.draw))


def test_the_last_of_several_values_stays(place):
    """On a processor; elsewhere one of them does, and no mixture of two."""
    rng = np.random.default_rng(1)
    for size, length in ((50, 7), (300_000, 1_000), (300_000, 400_000)):
        host = np.zeros(length)
        for dtype in ("f8", "c16"):
            indices, values = rng.integers(-length, length, size), np.arange(size) + (1j * np.arange(size))
            values = values.real.copy() if dtype == "f8" else values
            array = tensor.zeros(length, dtype=dtype, sycl_queue=place)
            array[tensor.asarray(indices, sycl_queue=place)] = tensor.asarray(values, sycl_queue=place)
            check_written(array, host.astype(dtype), indices, values)


def test_large_arrays(place):
    rng = np.random.default_rng(2)
    for dtype in ("u1", "i2", "f4", "f8", "c16"):
        host = rng.integers(0, 100, (700, 901)).astype(dtype)
        array = tensor.asarray(host, sycl_queue=place)
        mask = rng.random(host.shape) < 0.3
        rows, columns = rng.integers(-700, 700, 5_000), rng.integers(-901, 901, 5_000)
        device = {"sycl_queue": place}
        device_mask = tensor.asarray(mask, **device)
        device_rows, device_columns = tensor.asarray(rows, **device), tensor.asarray(columns, **device)
        for key, device_key in (
            (mask, device_mask),
            (mask[:, 0], device_mask[:, 0]),
            ((slice(None), mask[0]), (slice(None), device_mask[0])),
            (rows, device_rows),
            ((slice(None, None, -2), columns), (slice(None, None, -2), device_columns)),
            ((rows, columns), (device_rows, device_columns)),
            ((rows[:, None], columns[:30]), (device_rows[:, None], device_columns[:30])),
        ):
            expected = host[key]
            np.testing.assert_array_equal(tensor.asnumpy(array[device_key]), expected)
            copy, changed = tensor.copy(array), host.copy()
            value = np.arange(expected.size).reshape(expected.shape).astype(dtype)
            copy[device_key] = tensor.asarray(value, **device)
            check_written(copy, host, key, value)
            copy[device_key] = 7
            changed[key] = 7
            np.testing.assert_array_equal(tensor.asnumpy(copy), changed)


@pytest.mark.parametrize("key", [[0, 1, 2, 5], np.array([-6]), [[1, 2], [3, 99]], (slice(None), 7), np.array(-6)])
def test_indices_out_of_range(here, key):
    array, value = tensor.zeros((5, 5), sycl_queue=here), tensor.ones(5, sycl_queue=here)
    key = key if isinstance(key, tuple) else (key,)
    with pytest.raises(IndexError, match=r"index -?\d+ is out of bounds for axis [01] with size 5"):
        array[key]
    with pytest.raises(IndexError, match=r"index -?\d+ is out of bounds for axis [01] with size 5"):
        array[key] = value
    assert not tensor.asnumpy(array).any()


def test_the_first_wrong_index_is_named(here):
    array = tensor.zeros(5, sycl_queue=here)
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 5"):
        array[tensor.asarray([1, 7, -9], dtype="i2", sycl_queue=here)]
    with pytest.raises(IndexError, match=f"index {2**64 - 1} is out of bounds"):
        array[np.array([2**64 - 1], dtype="u8")]
    many = np.zeros(200_000, dtype="i8")
    many[150_000], many[199_999] = 11, 12
    with pytest.raises(IndexError, match="index 11 "):
        array[many]


@pytest.mark.parametrize(
    "key",
    [
        1.0, "a", b"a", {1}, [1.5], [None], [slice(0)], np.zeros(3), np.float64(1), object(), 2**70, [2**70], -(2**70),
        (..., ...), (0, 0, 0), [True], np.ones((4, 1), bool), ([0, 1], [0, 1, 2]), (None, [0], "a"),
    ],
    ids=lambda key: type(key).__name__,
)  # fmt: skip
def test_what_is_not_a_key(key):
    array, host = tensor.zeros((4, 4)), np.zeros((4, 4))
    with pytest.raises(IndexError):
        host[key]
    with pytest.raises(IndexError):
        array[key]
    with pytest.raises(IndexError):
        array[key] = 1
    assert not tensor.asnumpy(array).any()


def test_errors_of_slices():
    array = tensor.zeros(4)
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        array[::0]
    with pytest.raises(TypeError, match="slice indices must be integers"):
        array["a":]
    with pytest.raises(ValueError, match="inhomogeneous"):
        array[[[1, 2], [1]]]
    with pytest.raises(IndexError, match=r"too many indices: the array has 0 dimensions"):
        tensor.zeros(())[0]


def test_absurd_slices():
    array, host = tensor.arange(5), np.arange(5)
    ends = [None, 0, 3, -2, 2**62, -(2**62), 2**63 - 1, -(2**63), 2**80, -(2**80)]
    steps = [None, 1, -1, 2, 2**62, -(2**62), 2**63 - 1, -(2**63), 2**80, -(2**80)]
    for start, stop, step in itertools.product(ends, ends, steps):
        key = slice(start, stop, step)
        assert tensor.asnumpy(array[key]).tolist() == host[key].tolist(), key


def test_numbers_that_are_not_int():
    array = tensor.arange(6)
    assert array[np.int8(-1)].item() == 5
    assert array[tensor.asarray(2, dtype="u1")].item() == 2
    assert array[np.array(3)].shape == ()
    assert array[tensor.asarray(True)].shape == (1, 6)
    assert array[np.False_].shape == (0, 6)
    assert array[tensor.asarray(1) : np.int64(3)].shape == (2,)

    class Index:
        def __index__(self):
            return 4

    assert array[Index()].item() == 4


def test_views_keep_what_they_are_views_of(place):
    array = tensor.zeros((3, 4), usm_type="shared", sycl_queue=place)
    view = array[1:, ::2]
    assert (view.usm_type, view.sycl_queue) == ("shared", place)
    view[...] = 1
    assert tensor.asnumpy(array).sum() == 4
    array.flags["W"] = False
    view = array[0]
    assert not view.flags["W"]
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1


def test_copies_are_writable_and_fresh():
    array = tensor.arange(6)
    array.flags["W"] = False
    for key in ([0, 1], array > 2, np.array([True] * 6), True):
        copy = array[key]
        assert copy.flags["W"] and copy.flags["C"]
        copy[...] = -1
    assert tensor.asnumpy(array).tolist() == list(range(6))
    array.flags["W"] = True
    copy = array[[0]]
    array[0] = 9
    assert copy.item() == 0


def test_read_only_arrays_are_not_written():
    array = tensor.zeros((3, 3))
    array.flags["W"] = False
    for key in (0, slice(None), ..., [0], tensor.ones((3, 3), dtype=bool), (0, [1])):
        with pytest.raises(ValueError, match="read-only"):
            array[key] = 1
    assert not tensor.asnumpy(array).any()


def test_broadcast_arrays_are_not_written():
    base = tensor.zeros(3)
    array = tensor.asarray(View(base, shape=(4, 3), strides=(0, 1)))
    for key in (..., slice(1, None), [0], tensor.ones((4, 3), dtype=bool)):
        with pytest.raises(ValueError, match="share memory"):
            array[key] = 1
    array[0] = 5
    assert tensor.asnumpy(base).tolist() == [5, 5, 5]


def test_overlap(here):
    def device(host):
        return tensor.asarray(host, sycl_queue=here)

    for target, source in (
        (slice(1, None), slice(None, -1)),
        (slice(None, -1), slice(1, None)),
        (slice(None), slice(None, None, -1)),
        (slice(None, None, 2), slice(1, None, 2)),
    ):
        for size in (10, 100_000):
            array, host = device(np.arange(size)), np.arange(size)
            array[target] = array[source]
            host[target] = host[source].copy()
            np.testing.assert_array_equal(tensor.asnumpy(array), host)
    indices, host = np.array([3, 0, 3, 1]), np.arange(4)
    array = device(host)
    array[device(indices)] = array
    check_written(array, host, indices, host)
    array = device([1, 2, 3, 0])
    array[array] = device([10, 20, 30, 40])
    assert tensor.asnumpy(array).tolist() == [40, 10, 20, 30]
    truths = device([True, False, True])
    truths[truths] = False
    assert not tensor.asnumpy(truths).any()
    host = np.arange(9.0).reshape(3, 3)
    matrix = device(host)
    matrix[:, ::-1] = matrix.T
    host[:, ::-1] = host.T.copy()
    np.testing.assert_array_equal(tensor.asnumpy(matrix), host)


def test_in_place_operators_on_parts(here):
    host = np.arange(12.0).reshape(3, 4)
    array = tensor.asarray(host, sycl_queue=here)
    array[1] += 1
    host[1] += 1
    array[:, ::2] *= 3
    host[:, ::2] *= 3
    array[[0, 2]] -= 5
    host[[0, 2]] -= 5
    array[array > 10] += 100
    host[host > 10] += 100
    np.testing.assert_array_equal(tensor.asnumpy(array), host)


def test_placement():
    one, two = situ.Queue("cpu"), situ.Queue("cpu")
    array, other = tensor.zeros(4, sycl_queue=one), tensor.asarray([0, 1], sycl_queue=two)
    with pytest.raises(situ.ExecutionPlacementError, match="key: device memory"):
        array[other]
    with pytest.raises(situ.ExecutionPlacementError, match=r"key\[1\]"):
        array[None, other]
    with pytest.raises(situ.ExecutionPlacementError, match="value"):
        array[:2] = other
    with pytest.raises(situ.ExecutionPlacementError):
        array[other] = 1
    assert not tensor.asnumpy(array).any()
    assert array[[0, 1]].sycl_queue == one
    shared = tensor.asarray([0, 1], sycl_queue=one, usm_type="host")
    assert array[shared].usm_type == "device"
    assert tensor.zeros(4, sycl_queue=one, usm_type="shared")[shared].usm_type == "shared"
    assert tensor.zeros(4, sycl_queue=one, usm_type="host")[shared].usm_type == "host"
    assert tensor.zeros(4, sycl_queue=one, usm_type="host")[[0, 1]].usm_type == "host"


def test_values():
    array = tensor.zeros((2, 3), dtype="i4")
    array[0] = [1, 2, 3]
    array[1] = np.array([4.9, -5.9, 6])
    assert tensor.asnumpy(array).tolist() == [[1, 2, 3], [4, -5, 6]]
    array[...] = tensor.asarray(7.5)
    assert tensor.asnumpy(array).tolist() == [[7] * 3] * 2
    with pytest.raises(ValueError, match=r"shape \(2,\) cannot be broadcast to the shape \(3,\)"):
        array[0] = [1, 2]
    with pytest.raises(ValueError, match=r"shape \(2,\) cannot be broadcast"):
        array[[0, 1]] = tensor.ones(2)
    with pytest.raises(TypeError):
        array[0] = None
    with pytest.raises(TypeError):
        array[0] = "a"
    with pytest.raises(OverflowError, match="does not fit in int32"):
        array[0] = 2**200
    with pytest.raises(ValueError, match="cannot be deleted"):
        del array[0]
    floats = tensor.zeros(2)
    floats[0] = 2**200
    assert floats[0].item() == float(2**200)


class TestFaults:
    """Indexing on a device that fails."""

    SIZE = 2_000

    def scenario(self, queue):
        x = tensor.asarray(np.arange(self.SIZE), sycl_queue=queue)
        indices = tensor.asarray([1, 5, -1], sycl_queue=queue)
        mask = tensor.asarray(np.arange(self.SIZE) % 2 == 1, sycl_queue=queue)
        x[indices] = tensor.asarray([7, 8, 9], sycl_queue=queue)
        x[mask] = 3
        found = [x[indices], x[mask], tensor.nonzero(mask)[0], tensor.take(x, indices, mode="wrap")]
        return [tensor.asnumpy(array) for array in found]

    @pytest.mark.parametrize("latency", ["immediate", "on_wait"])
    @pytest.mark.parametrize("call", ["allocate", "submit", "execute"])
    def test_every_call_may_fail(self, faults, latency, call):
        faults.set_latency(latency)
        parts = situ.Device("null").create_sub_devices(partition=2)
        keep = tensor.asarray(np.arange(self.SIZE), device="null")
        queue = situ.Queue(situ.Context(parts), parts[0])
        faults.reset()
        expected = self.scenario(queue)
        assert expected[0].tolist() == [3, 3, 3] and len(expected[1]) == self.SIZE // 2
        total = faults.count(call)
        assert total >= (2 if call == "allocate" else 10)
        for nth in range(1, total + 1):
            queue = situ.Queue(situ.Context(parts), parts[0])
            faults.reset()
            faults.fail(call, nth, "device_lost")
            with pytest.raises(situ.DeviceError, match="on request"):
                self.scenario(queue)
                queue.wait()
            assert faults.reset() == 0
            assert faults.misuse() == []
            np.testing.assert_array_equal(tensor.asnumpy(keep), np.arange(self.SIZE))

    def test_a_refused_assignment_changes_nothing(self, faults):
        array = tensor.asarray(np.arange(10), device="null")
        indices = tensor.asarray([1, 2], device="null")
        mask = tensor.asarray(np.arange(10) > 4, device="null")
        for key in (indices, mask, [3], slice(2)):
            for nth in itertools.count(1):
                faults.reset()
                faults.fail("submit", nth, "device_lost")
                try:
                    array[key] = np.array([5])
                except situ.DeviceError:
                    faults.reset()
                    np.testing.assert_array_equal(tensor.asnumpy(array), np.arange(10))
                else:
                    break
            assert nth > 1
            faults.reset()
            array[...] = tensor.asarray(np.arange(10), device="null")
            array = tensor.asarray(np.arange(10), device="null")

    def test_an_index_out_of_range_is_found(self, faults):
        faults.set_latency("on_wait")
        array = tensor.asarray(np.arange(10), device="null")
        with pytest.raises(IndexError, match="index 10 is out of bounds"):
            array[[3, 10]]


@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0), (0, 0), (0, 3, 4)])
def test_a_mask_without_elements_chooses_nothing(here, shape):
    """The standard lets a length of 0 stand for any."""
    x = tensor.ones((2, 3, 4), sycl_queue=here)
    mask = tensor.ones(shape, dtype=bool, sycl_queue=here)
    assert x[mask].shape == (0, *x.shape[len(shape) :])
    x[mask] = 5
    assert tensor.all(x == 1)
    with pytest.raises(IndexError, match="does not match"):
        _ = x[tensor.ones((0, 4), dtype=bool, sycl_queue=here)]
