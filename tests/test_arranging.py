"""Functions that arrange elements in a new array, against NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from strategies import DTYPES, KINDS, LAYOUTS, hosts, laid_out, same, shapes
from test_manipulation import AxisError, arrays, some_axes

import situ
from situ import tensor

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


def elsewhere(x):
    """The array on another queue of its device."""
    return x.to_device(situ.Queue(x.sycl_device))


def pairs(draw, here, hosts):
    """Arrays with these elements in any layout, and NumPy's."""
    return [laid_out(host, draw(st.sampled_from(LAYOUTS)), here) for host in hosts]


def promoted(*arrays):
    """The dtype that arrays are joined in."""
    return tensor.result_type(*arrays)


@given(st.data(), st.integers(1, 5))
def test_concat(here, data, count):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    lengths = [data.draw(st.integers(0, 4)) for _ in range(count)]
    shaped = [tuple(n if i == axis % len(shape) else m for i, m in enumerate(shape)) for n in lengths]
    dtypes = data.draw(st.sampled_from([DTYPES, ("float32",), ("uint8",)]))
    joined = pairs(data.draw, here, [data.draw(hosts(dtypes, shape)) for shape in shaped])
    dtype = promoted(*(array for array, _ in joined))
    expected = np.concatenate([host.astype(dtype) for _, host in joined], axis=axis)
    result = tensor.concat([array for array, _ in joined], axis=axis)
    same(result, expected)
    assert result.flags.c_contiguous and result.flags.writable


@given(st.data(), st.integers(1, 4))
def test_concat_of_anything_in_one_line(here, data, count):
    joined = pairs(data.draw, here, [data.draw(hosts()) for _ in range(count)])
    dtype = promoted(*(array for array, _ in joined))
    expected = np.concatenate([host.astype(dtype) for _, host in joined], axis=None)
    same(tensor.concat(tuple(array for array, _ in joined), axis=None), expected)


@given(st.data(), st.integers(1, 5))
def test_stack(here, data, count):
    shape = data.draw(shapes())
    axis = data.draw(st.integers(-len(shape) - 1, len(shape)))
    dtypes = data.draw(st.sampled_from([DTYPES, ("complex128",), ("int16",)]))
    joined = pairs(data.draw, here, [data.draw(hosts(dtypes, shape)) for _ in range(count)])
    dtype = promoted(*(array for array, _ in joined))
    expected = np.stack([host.astype(dtype) for _, host in joined], axis=axis)
    same(tensor.stack([array for array, _ in joined], axis=axis), expected)


@pytest.mark.parametrize("count, size", [(2, 300_000), (100, 10), (100, 5000), (1000, 3), (7, 100_003)])
@pytest.mark.parametrize("dtype", ["uint8", "float32", "complex128"])
def test_pieces_of_many_sizes(here, count, size, dtype):
    hosts = [(np.arange(size + n % 3) * (n + 1) % 251).astype(dtype) for n in range(count)]
    joined = [tensor.asarray(host, sycl_queue=here) for host in hosts]
    same(tensor.concat(joined), np.concatenate(hosts))
    even = [host[:size] for host in hosts]
    same(tensor.stack([x[:size] for x in joined], axis=1), np.stack(even, axis=1))
    mixed = [x if n % 2 else tensor.astype(x, "complex128") for n, x in enumerate(joined)]
    same(tensor.concat(mixed), np.concatenate(hosts).astype("complex128"))


def test_an_array_joined_with_itself(here):
    x = tensor.arange(4, sycl_queue=here)
    same(tensor.concat([x, x[::-1], x]), np.array([0, 1, 2, 3, 3, 2, 1, 0, 0, 1, 2, 3]))


@pytest.mark.parametrize("function", [tensor.concat, tensor.stack])
def test_kinds_of_memory(here, function):
    for a in KINDS:
        for b in KINDS:
            parts = [tensor.ones(2, sycl_queue=here, usm_type=kind) for kind in (a, b)]
            assert function(parts).usm_type == (parts[0] + parts[1]).usm_type


@given(st.data())
def test_roll(here, data):
    array, host = data.draw(arrays(here))
    far = st.integers(-12, 12) | st.sampled_from([2**62 + 3, -(2**62) - 1])
    shift = data.draw(far)
    same(tensor.roll(array, shift), np.roll(host, shift))
    axes = some_axes(data.draw, host.ndim)
    shifts = tuple(data.draw(far) for _ in axes)
    if axes:
        same(tensor.roll(array, shifts, axis=axes), np.roll(host, shifts, axes))
        same(tensor.roll(array, shift, axis=axes), np.roll(host, shift, axes))
        same(tensor.roll(array, shift, axis=axes + axes), np.roll(host, 2 * shift, axes))
    else:
        same(tensor.roll(array, shift, axis=()), host)
    result = tensor.roll(array, shifts, axis=axes)
    assert result.flags.writable and result._pointer != array._pointer


def test_rolls_along_many_axes(here):
    host = np.arange(3 * 2**11, dtype="u2").reshape((2,) * 5 + (3,) + (2,) * 6)
    axes = tuple(range(host.ndim))
    for shift in (1, (1, 0, 1, 1, 1, 2, 1, 1, 1, 1, 0, 1)):
        same(tensor.roll(tensor.asarray(host, sycl_queue=here), shift, axis=axes), np.roll(host, shift, axes))
    turned = tensor.permute_dims(tensor.asarray(host, sycl_queue=here), axes[::-1])
    assert np.array_equal(tensor.asnumpy(tensor.roll(turned, 1, axis=axes)), np.roll(host.T, 1, axes))
    # As many pieces as elements, which are more than any memory.
    one = tensor.ones(1, dtype="uint8", sycl_queue=here)
    with pytest.raises((MemoryError, ValueError)):
        tensor.roll(tensor.broadcast_to(one, (2,) * 60), 1, axis=tuple(range(60)))


def test_shifts_of_any_size(here):
    x = tensor.arange(5, sycl_queue=here)
    for shift in (10**30 + 2, -(10**30) + 3, np.uint64(2**63 + 2), np.int8(-1), [3], np.array([4])):
        same(tensor.roll(x, shift), np.roll(np.arange(5), int(np.ravel(shift)[0]) % 5))


@pytest.mark.parametrize(
    "shape, shift, axis", [((1_000_003,), 7, 0), ((1000, 999), (3, -5), (0, 1)), ((99, 98, 97), 5, None)]
)
def test_rolls_of_many_elements(here, shape, shift, axis):
    host = np.arange(np.prod(shape), dtype="i4").reshape(shape)
    same(tensor.roll(tensor.asarray(host, sycl_queue=here), shift, axis=axis), np.roll(host, shift, axis))
    turned = tensor.asarray(host, sycl_queue=here)
    turned = tensor.permute_dims(turned, range(turned.ndim)[::-1])
    same(tensor.roll(turned, shift, axis=axis), np.ascontiguousarray(np.roll(host.T, shift, axis)))


@given(st.data())
def test_tile(here, data):
    array, host = data.draw(arrays(here))
    times = tuple(data.draw(st.lists(st.integers(0, 3), max_size=4)))
    same(tensor.tile(array, times), np.tile(host, times))
    same(tensor.tile(array, 2), np.tile(host, 2))


@given(st.data())
def test_repeat(here, data):
    array, host = data.draw(arrays(here))
    axis = data.draw(st.sampled_from([None, *range(-host.ndim, host.ndim)]))
    count = data.draw(st.integers(0, 4))
    same(tensor.repeat(array, count, axis=axis), np.repeat(host, count, axis))
    length = host.size if axis is None else host.shape[axis]
    dtype = data.draw(st.sampled_from(INTEGERS))
    counts = data.draw(hnp.arrays(dtype, length, elements=st.integers(0, 4)))
    expected = np.repeat(host, counts.astype("i8"), axis)
    device_counts, _ = laid_out(
        counts, data.draw(st.sampled_from([each for each in LAYOUTS if each != "broadcast"])), here
    )
    same(tensor.repeat(array, device_counts, axis=axis), expected)
    same(tensor.repeat(array, counts.tolist(), axis=axis), expected)
    same(tensor.repeat(array, np.array([count]), axis=axis), np.repeat(host, [count], axis))
    if host.ndim == 0:
        same(tensor.repeat(array, count, axis=0), np.repeat(host, count))


@pytest.mark.parametrize("shape, axis", [((1_000_003,), None), ((300, 1000), 0), ((1000, 300), 1), ((30, 40, 50), 1)])
@pytest.mark.parametrize("dtype", ["uint8", "float64", "complex128"])
def test_repeats_of_many_elements(here, shape, axis, dtype):
    host = (np.arange(np.prod(shape)) % 251).astype(dtype).reshape(shape)
    counts = np.arange(host.size if axis is None else host.shape[axis]) * 7 % 5
    x = tensor.asarray(host, sycl_queue=here)
    same(tensor.repeat(x, tensor.asarray(counts, sycl_queue=here), axis=axis), np.repeat(host, counts, axis))
    same(tensor.repeat(x, 3, axis=axis), np.repeat(host, 3, axis))
    turned = x.T if x.ndim == 2 else x
    if x.ndim == 2:
        same(
            tensor.repeat(turned, tensor.asarray(counts, sycl_queue=here), axis=1 - axis),
            np.repeat(host.T, counts, 1 - axis),
        )


def test_more_than_two_gibibytes(here):
    if here.sycl_device.global_mem_size < 2**35 or here.sycl_device.is_cpu:
        pytest.skip("takes 10 GiB and some time")
    x = tensor.zeros(2**31 + 8, dtype="uint8", sycl_queue=here)
    x[-1] = 7
    for result in (tensor.roll(x, 1), tensor.concat([x[-1:], x[:-1]])):
        assert int(result[0]) == 7 and int(tensor.count_nonzero(result)) == 1
    assert int(tensor.repeat(x, 2)[-2]) == 7


class Endless:
    """Something that looks like an array, and holds itself."""

    def __len__(self):
        return 1

    def tolist(self):
        return self


@pytest.mark.parametrize(
    "call, exception, words",
    [
        (lambda x: tensor.concat([]), TypeError, "concat: no arrays were given"),
        (lambda x: tensor.concat(x[0, 0]), TypeError, "arrays must be a sequence of arrays, got ndarray"),
        (lambda x: tensor.concat([x, 1]), TypeError, r"arrays\[1\] must be an array of situ"),
        (lambda x: tensor.concat([x, x[0]]), ValueError, r"arrays\[1\] has shape \(3,\)"),
        (lambda x: tensor.concat([x, x[:, :2]]), ValueError, r"does not match \(2, 3\) of arrays\[0\] off axis 0"),
        (lambda x: tensor.concat([x, x], axis=2), AxisError, "concat: axis 2"),
        (lambda x: tensor.concat([x[0, 0], x[0, 0]]), AxisError, "axis 0 does not exist"),
        (lambda x: tensor.stack([]), TypeError, "stack: no arrays were given"),
        (lambda x: tensor.stack([x, x[0]]), ValueError, r"arrays\[1\] has shape \(3,\) and arrays\[0\] shape \(2, 3\)"),
        (lambda x: tensor.stack([x, x], axis=3), AxisError, "stack: axis 3"),
        (lambda x: tensor.concat([x, elsewhere(x)]), situ.ExecutionPlacementError, r"arrays\[1\]"),
        (lambda x: tensor.stack([x, elsewhere(x)]), ValueError, "different queues"),
        (lambda x: tensor.roll(x, (1, 2), axis=(0, 1, 0)), ValueError, "2 shifts were given for 3 axes"),
        (lambda x: tensor.roll(x, 1, axis=2), AxisError, "roll: axis 2"),
        (lambda x: tensor.roll(x, 1.5), TypeError, "shift must be an integer"),
        (lambda x: tensor.roll(x, {1}), TypeError, "roll: shift must be an integer .*got set"),
        (lambda x: tensor.roll(x, "12"), TypeError, "roll: shift must be an integer .*got str"),
        (lambda x: tensor.roll(x, Endless()), TypeError, "roll: shift must be an integer .*got Endless"),
        (lambda x: tensor.roll(x, 1, axis=Endless()), TypeError, "roll: axis must be an integer .*got Endless"),
        (lambda x: tensor.tile(x, Endless()), TypeError, "tile: repetitions must be an integer .*got Endless"),
        (lambda x: tensor.concat([x, x], axis=10**30), ValueError, "concat: axis 1000"),
        (lambda x: tensor.concat([x, x], axis=1.0), TypeError, "concat: axis must be an integer"),
        (lambda x: tensor.stack([x, x], axis=10**30), ValueError, "stack: axis 1000"),
        (lambda x: tensor.stack([x, x], axis=None), TypeError, "stack: axis must be an integer"),
        (lambda x: tensor.repeat(x, 10**30), ValueError, "repeat: repeats 1000"),
        (lambda x: tensor.repeat(x, None), TypeError, "repeat: repeats: "),
        (lambda x: tensor.repeat(x, np.array([2**63 - 1, 2**63 + 5], dtype="u8"), axis=0), ValueError, "addressed"),
        (lambda x: tensor.roll(x, ((1, 2), (3, 4)), axis=(0, 1)), ValueError, "flat sequence"),
        (lambda x: tensor.tile(x, -1), ValueError, "repetitions must not be negative"),
        (lambda x: tensor.tile(x, 1.5), TypeError, "repetitions must be"),
        (lambda x: tensor.tile(x, {}), TypeError, "repetitions must be"),
        (lambda x: tensor.tile(x, 2**62), ValueError, "tile: .*can be addressed"),
        (lambda x: tensor.repeat(x, -1), ValueError, "repeats must not be negative"),
        (lambda x: tensor.repeat(x, 2.0), TypeError, "repeats must be integers"),
        (lambda x: tensor.repeat(x, 2**62), ValueError, "repeat: .*can be addressed"),
        (lambda x: tensor.repeat(x, [1, 2]), ValueError, "2 repeats were given for 6 elements"),
        (lambda x: tensor.repeat(x, [1, -2], axis=0), ValueError, "must not be negative"),
        (lambda x: tensor.repeat(x, [2**62, 2**62], axis=0), ValueError, "more elements than can be addressed"),
        (lambda x: tensor.repeat(x, np.array([2**64 - 1, 2], dtype="u8"), axis=0), ValueError, "must not be negative"),
        (lambda x: tensor.repeat(x, [[1, 2]], axis=0), ValueError, "one dimension at most"),
        (lambda x: tensor.repeat(x, [1.0, 2.0], axis=0), TypeError, "repeats must be integers, not float64"),
        (lambda x: tensor.repeat(x, elsewhere(x[0]), axis=1), situ.ExecutionPlacementError, "repeats"),
        (lambda x: tensor.repeat(x, 2, axis=2), AxisError, "repeat: axis 2"),
        (lambda x: tensor.repeat(x[0, 0], 2, axis=1), ValueError, "repeat: axis 1"),
    ],
)  # fmt: skip
def test_errors(here, call, exception, words):
    with pytest.raises(exception, match=words):
        call(tensor.reshape(tensor.arange(6, sycl_queue=here), (2, 3)))


@pytest.mark.parametrize("counts", [[2], [2, 1]])
def test_kind_of_memory_of_repeats(here, counts):
    x = tensor.ones(2, sycl_queue=here, usm_type="shared")
    counts = tensor.asarray(counts, sycl_queue=here, usm_type="device")
    assert tensor.repeat(x, counts).usm_type == "device"


@given(st.data())
def test_allclose(here, data):
    dtype = data.draw(st.sampled_from(DTYPES))
    shape = data.draw(shapes(max_side=3))
    (a, x), (b, y) = pairs(data.draw, here, [data.draw(hosts((dtype,), shape, moderate=True)) for _ in range(2)])
    assert bool(tensor.allclose(a, a))
    atol, rtol = (data.draw(st.sampled_from([0.0, 1e-5, 1.0])) for _ in range(2))
    if x.dtype.kind in "fc":
        wide = x.astype("c16"), y.astype("c16")
        distance = np.abs(wide[0] - wide[1])
        allowed = np.maximum(atol, rtol * np.maximum(*map(np.abs, wide)))
        # Where it is a matter of the last places, either answer will do.
        if np.any(np.isclose(distance, allowed, rtol=1e-2, atol=0) & (distance > 0)):
            return
        expected = np.all((distance <= allowed) | (x == y))
    else:
        expected = np.array_equal(x, y)
    result = tensor.allclose(a, b, atol=atol, rtol=rtol)
    assert result.shape == () and result.dtype == np.bool_ and bool(result) == expected


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
def test_allclose_of_what_is_not_finite(here, dtype):
    def close(x, y, **how):
        return bool(tensor.allclose(*(tensor.asarray([each], dtype=dtype, sycl_queue=here) for each in (x, y)), **how))

    inf, nan = np.inf, np.nan
    assert close(inf, inf) and close(-inf, -inf)
    assert not close(inf, -inf, rtol=10.0) and not close(inf, 1.0, rtol=10.0) and not close(1.0, -inf, atol=1e30)
    assert not close(nan, nan) and close(nan, nan, equal_nan=True) and not close(nan, 1.0, equal_nan=True)
    if dtype.startswith("complex"):
        assert close(complex(inf, 1), complex(inf, 1 + 1e-6)) and not close(complex(inf, 1), complex(inf, 2))
        assert close(complex(nan, 1), complex(nan, 1), equal_nan=True)
        assert not close(complex(nan, 1), complex(1, nan), equal_nan=True)


def test_wrong_tolerances(here):
    x = tensor.ones(3, sycl_queue=here)
    for how in ({"atol": -1.0}, {"rtol": -1.0}, {"atol": np.nan}):
        with pytest.raises(ValueError, match="tolerances must be numbers that are not negative"):
            tensor.allclose(x, x, **how)
    with pytest.raises(TypeError, match="a2 must be an array of situ"):
        tensor.allclose(x, 1.0)
    for dtype in ("int64", "float64"):
        with pytest.raises(ValueError, match="^allclose: "):
            tensor.allclose(x, tensor.ones(2, dtype=dtype, sycl_queue=here))
