"""Fourier transforms against NumPy's and against their definition in extended precision, and what is refused.

On a GPU, `python -m pytest tests/test_fft.py` covers them: what asks for `here` or `place` runs on every device.
"""

import inspect
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import DTYPES, LAYOUTS, laid_out

import situ
from situ import tensor

pytestmark = pytest.mark.usefixtures("quiet")

ALONG = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
OVER = ("fftn", "ifftn", "rfftn", "irfftn")
MATRICES = ("fft2", "ifft2", "rfft2", "irfft2")
NORMS = ("backward", "ortho", "forward")
FROM_REAL = ("rfft", "ihfft", "rfftn", "rfft2")
PRIMES = (2, 3, 5, 7, 11, 13, 17, 29, 31, 37, 97, 101, 127, 211, 251, 293)


@pytest.fixture(autouse=True)
def _needs_transforms(request):
    """Leave out devices that have no transforms; that they say so is a test of its own."""
    for name in ("here", "place"):
        if name in request.fixturenames and request.getfixturevalue(name).sycl_device.backend.name == "opencl":
            pytest.skip("there are no transforms for OpenCL devices")


def numbers(rng, shape, dtype):
    dtype = np.dtype(dtype)
    if dtype.kind in "biu":
        return rng.integers(0, 2 if dtype.kind == "b" else 100, shape).astype(dtype)
    parts = rng.standard_normal((2, *shape))
    return (parts[0] + 1j * parts[1]).astype(dtype) if dtype.kind == "c" else parts[0].astype(dtype)


def precision(dtype):
    """The dtypes of the real and the complex numbers that an array is transformed in."""
    single = np.dtype(dtype) in (np.float16, np.float32, np.complex64)
    return (np.float32, np.complex64) if single else (np.float64, np.complex128)


def close(result, expected, dtype, size):
    """Assert that a result is NumPy's in double precision, but for what rounding makes of all elements."""
    real, complex_ = precision(dtype)
    found = tensor.asnumpy(result)
    assert found.shape == expected.shape
    assert found.dtype == (complex_ if expected.dtype.kind == "c" else real)
    scale = np.linalg.norm(expected.ravel()) / np.sqrt(max(expected.size, 1)) if expected.size else 1.0
    limit = 4 * np.finfo(real).eps * (3 + np.log2(max(size, 2)))
    np.testing.assert_allclose(found, expected, rtol=0, atol=limit * max(scale, 1e-300) * 4)


def wide(host):
    """An array with the same elements in double precision."""
    return host.astype(np.complex128 if host.dtype.kind == "c" else np.float64)


def test_names():
    standard = {
        *ALONG, *OVER, "fftfreq", "rfftfreq", "fftshift", "ifftshift",
    }  # fmt: skip
    assert set(tensor.fft.__all__) == standard | set(MATRICES)
    for name in ALONG:
        assert str(inspect.signature(getattr(tensor.fft, name))) == "(x, /, *, n=None, axis=-1, norm='backward')"
    for name in OVER:
        assert str(inspect.signature(getattr(tensor.fft, name))) == "(x, /, *, s=None, axes=None, norm='backward')"
    assert tensor.arange(3).__array_namespace__().fft is tensor.fft


@given(
    st.data(),
    st.sampled_from(ALONG),
    st.sampled_from(DTYPES),
    st.sampled_from(LAYOUTS),
    st.lists(st.integers(1, 6), min_size=0, max_size=2),
    st.one_of(st.integers(1, 300), st.sampled_from(PRIMES), st.sampled_from([64, 128, 256, 1024, 1031, 2187])),
)
def test_along_any_axis(here, data, name, dtype, layout, others, length):
    if name in FROM_REAL and dtype.startswith("complex"):
        return
    axis = data.draw(st.integers(0, len(others)))
    shape = (*others[:axis], length, *others[axis:])
    n = data.draw(st.none() | st.integers(1, 2 * length + 3))
    if n is None and length == 1 and name in ("irfft", "hfft"):
        n = 1
    norm = data.draw(st.sampled_from(NORMS))
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    array, host = laid_out(numbers(rng, shape, dtype), layout, here)
    before = np.array(host)
    signed = data.draw(st.sampled_from([axis, axis - len(shape)]))
    result = getattr(tensor.fft, name)(array, n=n, axis=signed, norm=norm)
    close(result, getattr(np.fft, name)(wide(host), n=n, axis=axis, norm=norm), dtype, max(n or 0, length))
    assert result.sycl_queue == here and result.usm_type == array.usm_type
    np.testing.assert_array_equal(tensor.asnumpy(array), before)


@given(
    st.data(),
    st.sampled_from(OVER),
    st.sampled_from(["float32", "float64", "complex64", "complex128", "int16"]),
    st.sampled_from(LAYOUTS),
    st.lists(st.integers(1, 9), min_size=1, max_size=4),
)
def test_over_any_axes(here, data, name, dtype, layout, shape):
    if name in FROM_REAL and dtype.startswith("complex"):
        return
    axes = data.draw(st.none() | st.permutations(range(len(shape))).map(lambda all_: all_[: 1 + len(all_) // 2]))
    count = len(shape) if axes is None else len(axes)
    s = data.draw(st.none() | st.lists(st.integers(1, 12), min_size=count, max_size=count))
    if s is None and name == "irfftn":
        s = [3] * count
    norm = data.draw(st.sampled_from(NORMS))
    array, host = laid_out(numbers(np.random.default_rng(1), shape, dtype), layout, here)
    result = getattr(tensor.fft, name)(array, s=s, axes=axes, norm=norm)
    # NumPy wants axes beside lengths.
    expected = getattr(np.fft, name)(wide(host), s=s, axes=range(len(shape)) if axes is None else axes, norm=norm)
    close(result, expected, dtype, expected.size)


@pytest.mark.parametrize("name", MATRICES)
def test_matrices(here, name):
    host = numbers(np.random.default_rng(2), (3, 8, 6), "float64")
    array = tensor.asarray(host, sycl_queue=here)
    for options in ({}, {"s": (4, 5)}, {"axes": (0, 1)}, {"s": (2, 10), "axes": (2, 0), "norm": "ortho"}):
        close(getattr(tensor.fft, name)(array, **options), getattr(np.fft, name)(host, **options), "float64", 64)


def definition(x, is_inverse):
    """The transform by its definition, in extended precision."""
    n = x.shape[-1]
    powers = np.outer(np.arange(n), np.arange(n)) % n
    angles = 2 * np.arctan2(np.longdouble(0), np.longdouble(-1)) * powers / np.longdouble(n)
    matrix = np.cos(angles) + (1j if is_inverse else -1j) * np.sin(angles)
    return x.astype(np.clongdouble) @ matrix


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("length", [1, 2, 3, 4, 8, 13, 30, 64, 97, 128, 211, 243, 500, 512, 1009])
def test_errors_against_the_definition(here, length, dtype):
    host = numbers(np.random.default_rng(length), (3, length), dtype)
    array = tensor.asarray(host, sycl_queue=here)
    exact = definition(host, False)

    def error(found, wanted):
        return np.linalg.norm(tensor.asnumpy(found) - wanted) / np.linalg.norm(wanted)

    # Long primes are transformed by way of other transforms.
    is_smooth = length not in (13, 97, 211, 1009)
    limit = (0.6 if is_smooth else 3) * (1 + np.log2(length)) * np.finfo(dtype).eps
    assert error(tensor.fft.fft(array), exact) < limit
    assert error(tensor.fft.ifft(array, norm="forward"), definition(host, True)) < limit
    real = tensor.asarray(host.real.copy(), sycl_queue=here)
    half = definition(host.real, False)[:, : length // 2 + 1]
    assert error(tensor.fft.rfft(real), half) < limit
    assert error(tensor.fft.fft(real), definition(host.real, False)) < limit
    back = tensor.fft.irfft(tensor.asarray(half.astype(dtype), sycl_queue=here), n=length)
    assert error(back, host.real) < 2 * limit


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("length", [2**16, 3 * 2**15, 10**5, 2**17, 2**18, 65537, 2 * 65537, 3**11])
def test_long_sequences(place, length, dtype):
    host = numbers(np.random.default_rng(3), (2, length), dtype)
    array = tensor.asarray(host, sycl_queue=place)
    close(tensor.fft.fft(array), np.fft.fft(wide(host)), dtype, length)
    close(tensor.fft.ifft(array), np.fft.ifft(wide(host)), dtype, length)
    columns = tensor.asarray(np.ascontiguousarray(host.T), sycl_queue=place)
    close(tensor.fft.fft(columns, axis=0), np.fft.fft(wide(host).T, axis=0), dtype, length)
    short = length - 1001
    close(tensor.fft.fft(array[:, :short], n=length), np.fft.fft(wide(host)[:, :short], n=length), dtype, length)
    if np.dtype(dtype).kind == "f":
        close(tensor.fft.rfft(array), np.fft.rfft(wide(host)), dtype, length)
        close(tensor.fft.rfft(columns, axis=0), np.fft.rfft(wide(host).T, axis=0), dtype, length)
        close(tensor.fft.rfft(array[:, :short], n=length), np.fft.rfft(wide(host)[:, :short], n=length), dtype, length)
    else:
        close(tensor.fft.irfft(array[0]), np.fft.irfft(wide(host)[0]), dtype, length)
        close(tensor.fft.irfft(columns, n=length, axis=0), np.fft.irfft(wide(host).T, n=length, axis=0), dtype, length)


def test_a_million(here):
    host = numbers(np.random.default_rng(4), (2**20,), "float64")
    array = tensor.asarray(host, sycl_queue=here)
    half = tensor.fft.rfft(array)
    close(half, np.fft.rfft(host), "float64", host.size)
    close(tensor.fft.irfft(half), host, "float64", host.size)
    close(tensor.fft.fft(array), np.fft.fft(host), "float64", host.size)


@pytest.mark.parametrize("shape", [(1000, 64), (64, 1000), (33, 31, 17), (5, 2000), (2000, 5), (300, 3, 128)])
def test_many_sequences(place, shape):
    host = numbers(np.random.default_rng(5), shape, "complex64")
    array = tensor.asarray(host, sycl_queue=place)
    for axis in range(len(shape)):
        close(tensor.fft.fft(array, axis=axis), np.fft.fft(wide(host), axis=axis), "complex64", shape[axis])
        real = tensor.real(array)
        close(tensor.fft.rfft(real, axis=axis), np.fft.rfft(wide(host.real), axis=axis), "float32", shape[axis])
        close(tensor.fft.irfft(array, axis=axis), np.fft.irfft(wide(host), axis=axis), "complex64", shape[axis])
    close(tensor.fft.fftn(array), np.fft.fftn(wide(host)), "complex64", host.size)


def test_threads_do_not_matter():
    device = situ.Device("cpu")
    if device.partition_max_sub_devices < 2:
        pytest.skip("there is one core")
    part = situ.Queue(device.create_sub_devices(partition=[1])[0])
    rng = np.random.default_rng(6)
    for shape in ((400, 100), (2**17,), (3, 2**16), (4, 2**16), (101, 211)):
        host = numbers(rng, shape, "float64")
        for name in ("fft", "rfft", "irfft", "ifft"):
            for axis in range(len(shape)):
                everywhere, alone = (
                    tensor.asnumpy(getattr(tensor.fft, name)(tensor.asarray(host, sycl_queue=queue), axis=axis))
                    for queue in (situ.Queue(device), part)
                )
                assert everywhere.tobytes() == alone.tobytes(), (name, shape, axis)


def test_kinds_of_memory_and_flags(here):
    host = numbers(np.random.default_rng(7), (4, 6), "float32")
    for kind in ("device", "shared", "host"):
        array = tensor.asarray(host, sycl_queue=here, usm_type=kind)
        array.flags["W"] = False
        result = tensor.fft.fftn(array)
        assert result.usm_type == kind and result.flags["W"]
        close(result, np.fft.fftn(host), "float32", 24)
        close(tensor.fft.irfftn(array), np.fft.irfftn(host), "float32", 24)
        np.testing.assert_array_equal(tensor.asnumpy(array), host)


def test_empty(here):
    empty = tensor.zeros((3, 0, 4), sycl_queue=here)
    assert tensor.fft.fft(empty).shape == (3, 0, 4)
    assert tensor.fft.rfft(empty, axis=0).shape == (2, 0, 4)
    assert tensor.fft.irfft(empty).shape == (3, 0, 6)
    assert tensor.fft.fftn(empty, axes=(0, 2)).shape == (3, 0, 4)
    # Nothing but zeros that are put in.
    assert tensor.asnumpy(tensor.fft.fft(empty, n=5, axis=1)).tobytes() == np.zeros((3, 5, 4), complex).tobytes()
    assert not tensor.asnumpy(tensor.fft.irfftn(empty, s=(2, 3), axes=(1, 2))).any()
    with pytest.raises(ValueError, match="fft: n is 0 for axis 1 of length 0"):
        tensor.fft.fft(empty, axis=1)
    close(tensor.fft.fftn(tensor.ones((2, 3), sycl_queue=here), axes=()), np.ones((2, 3), complex), "float64", 6)
    for x in (tensor.ones((2, 3), dtype="complex64", sycl_queue=here), tensor.asarray(3j, sycl_queue=here)):
        assert tensor.fft.ifftn(x, axes=()).usm_data._pointer != x.usm_data._pointer


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
def test_special_values_spread(here, special):
    host = np.ones((3, 40))
    host[1, 7] = special
    for name in ("fft", "rfft", "ifft"):
        found = tensor.asnumpy(getattr(tensor.fft, name)(tensor.asarray(host, sycl_queue=here)))
        assert np.isfinite(found[[0, 2]]).all()
        assert not np.isfinite(found[1]).any()


def test_imaginary_parts_that_do_not_count(here):
    rng = np.random.default_rng(8)
    for n in (1, 2, 5, 8, 2**16, 2**17):
        host = numbers(rng, (3, n // 2 + 1), "complex128")
        array = tensor.asarray(host, sycl_queue=here)
        close(tensor.fft.irfft(array, n=n), np.fft.irfft(host, n=n), "complex128", n)
        np.testing.assert_array_equal(tensor.asnumpy(array), host)


def test_round_trips(here):
    rng = np.random.default_rng(9)
    for shape in ((1,), (7,), (64,), (5, 30), (4, 9, 31)):
        host = numbers(rng, shape, "complex128")
        array = tensor.asarray(host, sycl_queue=here)
        for norm in NORMS:
            close(tensor.fft.ifftn(tensor.fft.fftn(array, norm=norm), norm=norm), host, "complex128", 1000)
            real = tensor.real(array)
            half = tensor.fft.rfftn(real, norm=norm)
            close(tensor.fft.irfftn(half, s=shape, axes=range(len(shape)), norm=norm), host.real, "float64", 1000)
            lone = tensor.fft.ihfft(real, norm=norm)
            close(tensor.fft.hfft(lone, n=shape[-1], norm=norm), host.real, "float64", 1000)


@pytest.mark.parametrize("n", [1, 2, 7, 8, 1001])
def test_frequencies(here, n):
    for d in (1.0, 0.1, -3.0):
        for name in ("fftfreq", "rfftfreq"):
            found = getattr(tensor.fft, name)(n, d=d, sycl_queue=here, usm_type="shared")
            assert found.sycl_queue == here and found.usm_type == "shared"
            np.testing.assert_array_equal(tensor.asnumpy(found), getattr(np.fft, name)(n, d))
            single = getattr(tensor.fft, name)(n, d=d, sycl_queue=here, dtype="float32")
            np.testing.assert_array_equal(tensor.asnumpy(single), getattr(np.fft, name)(n, d).astype("float32"))


@given(st.data(), st.lists(st.integers(0, 5), min_size=0, max_size=3), st.sampled_from(LAYOUTS))
def test_shifts(here, data, shape, layout):
    array, host = laid_out(np.arange(np.prod(shape, dtype=int)).reshape(shape), layout, here)
    axes = data.draw(st.none() | st.lists(st.integers(0, len(shape) - 1), unique=True) if shape else st.none())
    for name in ("fftshift", "ifftshift"):
        # NumPy cannot shift along no axes.
        shifts = host.ndim > 0 and axes != []
        expected = getattr(np.fft, name)(host, axes=axes if axes is None else tuple(axes)) if shifts else host
        np.testing.assert_array_equal(tensor.asnumpy(getattr(tensor.fft, name)(array, axes=axes)), expected)


X = tensor.ones((3, 4), device="cpu")
Z = tensor.ones((3, 4), dtype="complex64", device="cpu")
REFUSED = [
    (lambda: tensor.fft.fft(X, n=0), ValueError, "fft: n is 0 .* give n of 1 or more"),
    (lambda: tensor.fft.fft(X, n=-3), ValueError, "fft: n is -3"),
    (lambda: tensor.fft.fft(X, n=2.0), TypeError, "fft: n must be an integer or None, got float"),
    (lambda: tensor.fft.fft(X, n=10**30), ValueError, "fft: n .* is out of range"),
    (lambda: tensor.fft.fft(X, axis=2), IndexError, "fft: axis 2 does not exist .* name one from -2 to 1"),
    (lambda: tensor.fft.fft(X, axis=None), TypeError, "axis"),
    (lambda: tensor.fft.fft(X, norm="both"), ValueError, "norm must be 'backward', 'ortho' or 'forward', got 'both'"),
    (lambda: tensor.fft.fft(X, norm=1), TypeError, "norm must be .* got int"),
    (lambda: tensor.fft.fft(np.ones(3)), TypeError, r"fft: x must be an array of situ, .*tensor\.asarray"),
    (lambda: tensor.fft.fft(tensor.asarray(1.0)), IndexError, "fft: axis -1 does not exist"),
    (lambda: tensor.fft.rfft(Z), TypeError, "rfft: x has dtype complex64, but must be real; use fft"),
    (lambda: tensor.fft.ihfft(Z), TypeError, "ihfft: x has dtype complex64, but must be real; use ifft"),
    (lambda: tensor.fft.rfftn(Z), TypeError, "rfftn: x has dtype complex64, but must be real; use fftn"),
    (lambda: tensor.fft.irfft(Z[:, :1]), ValueError, "irfft: n is 0"),
    (lambda: tensor.fft.hfft(Z[:, :1]), ValueError, "hfft: n is 0"),
    (lambda: tensor.fft.fftn(X, s=(2,), axes=(0, 1)), ValueError, "fftn: s has 1 lengths for 2 axes"),
    (lambda: tensor.fft.fftn(X, s=(2, 2, 2)), ValueError, "fftn: s has 3 lengths, but the array has 2 dimensions"),
    (lambda: tensor.fft.fftn(X, axes=(0, -2)), ValueError, "fftn: axis -2 is named twice"),
    (lambda: tensor.fft.fftn(X, axes=(5,)), IndexError, "fftn: axis 5 does not exist"),
    (lambda: tensor.fft.fftn(X, s=(0, 2)), ValueError, "fftn: s is 0 for axis 0"),
    (lambda: tensor.fft.fftn(X, s=(2, "a")), TypeError, "fftn: s must be an integer, got str"),
    (lambda: tensor.fft.rfftn(X, axes=()), ValueError, "rfftn: there is no axis"),
    (lambda: tensor.fft.irfft2(tensor.ones(3)), IndexError, "axis -2 does not exist"),
    (lambda: tensor.fft.fftfreq(0), ValueError, "fftfreq: n is 0, .* give n of 1 or more"),
    (lambda: tensor.fft.fftfreq(3, dtype="int32"), TypeError, "fftfreq: dtype is int32, .* floating-point"),
    (lambda: tensor.fft.rfftfreq(3, d=0.0), ValueError, "rfftfreq: d is 0"),
    (lambda: tensor.fft.fftfreq(2.5), TypeError, "fftfreq: n must be an integer"),
    (lambda: tensor.fft.fftshift(X, axes=(0, 0)), ValueError, "fftshift: axis 0 is named twice"),
    (lambda: tensor.fft.fftshift(X, axes=3), IndexError, "fftshift: axis 3"),
    (lambda: tensor.fft.fft(X, n=2**62), ValueError, "fft: shape .* has more elements than can be addressed"),
    (lambda: tensor.fft.fft(X, n=2**45), MemoryError, "out of memory"),
    (lambda: tensor.fft.fftn(X, s=(2**40, 2**40)), ValueError, "fftn"),
]


@pytest.mark.parametrize(("call", "kind", "match"), REFUSED)
def test_refused(call, kind, match):
    with pytest.raises(kind, match=match):
        call()


def test_lengths_of_minus_one_are_the_whole_axis():
    host = numbers(np.random.default_rng(10), (3, 4), "float64")
    array = tensor.asarray(host, device="cpu")
    close(tensor.fft.fftn(array, s=(-1, 6), axes=(0, 1)), np.fft.fftn(host, s=(3, 6), axes=(0, 1)), "float64", 18)
    assert tensor.fft.irfftn(array, s=(-1, -1), axes=(0, 1)).shape == (3, 6)


def test_devices_without_transforms_say_so():
    without = [device for device in situ.get_devices() if device.backend.name == "opencl"]
    if not without:
        pytest.skip("there is no OpenCL device")
    for device in without:
        with pytest.raises(ValueError, match=r"rfft on opencl.*to_device.*native:cpu"):
            tensor.fft.rfft(tensor.ones(8, dtype="float32", device=device))


def test_the_null_device_and_its_faults(faults):
    host = numbers(np.random.default_rng(11), (3, 5), "float64")
    array = tensor.asarray(host, device="null")
    for name in ALONG:
        close(getattr(tensor.fft, name)(array), getattr(np.fft, name)(host), "float64", 8)
    close(tensor.fft.rfftn(array, s=(4, 7), axes=(0, 1)), np.fft.rfftn(host, s=(4, 7), axes=(0, 1)), "float64", 28)
    for call in ("allocate", "submit"):
        # As many calls as a transform makes may fail, one after another.
        failed = 0
        while True:
            faults.reset()
            faults.fail(call, failed + 1, "out_of_memory")
            try:
                result = tensor.fft.irfftn(tensor.fft.fft2(array, s=(6, 9)), s=(6, 9), axes=(0, 1))
            except MemoryError:
                failed += 1
                assert failed < 50
                continue
            break
        faults.reset()
        assert failed > 0 or call == "allocate"
        padded = np.zeros((6, 9))
        padded[:3, :5] = host
        close(tensor.fft.irfftn(tensor.fft.fft2(array, s=(6, 9)), s=(6, 9), axes=(0, 1)), padded, "complex128", 54)
        np.testing.assert_array_equal(tensor.asnumpy(array), host)
        del result


@pytest.mark.parametrize("name", ["fft2", "ifft2", "rfft2", "irfft2"])
def test_errors_of_transforms_of_matrices_name_them(name):
    function = getattr(tensor.fft, name)
    with pytest.raises(IndexError, match=f"^{name}: axis -2 does not exist"):
        function(tensor.ones(4))
    with pytest.raises(ValueError, match=f"^{name}: s is -3"):
        function(tensor.ones((4, 4)), s=(4, -3))


def test_namespaces_on_a_queue():
    queue = situ.Queue("cpu")
    here = tensor.offload_to(queue)
    x = here.fft.fft(np.arange(4.0))
    assert x.sycl_queue == queue and x.__array_namespace__() is here
    assert here.fft.fftfreq(5).sycl_queue == queue and here.fft.fftfreq(5).__array_namespace__() is here
    assert sorted(set(dir(here.fft)) - {"get_queue"}) == sorted(tensor.fft.__all__)
    with pytest.raises(situ.ExecutionPlacementError):
        here.fft.fftfreq(5, device="null")


def test_inside_a_traced_function():
    @situ.njit
    def smooth(x):
        return tensor.fft.irfft(tensor.fft.rfft(x) * 0.5, n=x.shape[0]) + x

    x = tensor.arange(8, dtype="float64")
    for _ in range(3):
        np.testing.assert_allclose(tensor.asnumpy(smooth(x)), 1.5 * np.arange(8.0), atol=1e-14)


SHORT_OF_MEMORY = """
import resource, sys
from situ import tensor
n, room = map(int, sys.argv[1:])
x = tensor.ones(n, dtype="complex128", device="cpu")
tensor.fft.fft(tensor.ones(8, dtype="complex128", device="cpu"))
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + room * 2**20,) * 2)
try:
    tensor.fft.fft(x)
except MemoryError:
    print("refused")
else:
    print("done")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit is Linux's")
@pytest.mark.parametrize("n", [40009, 1000003, 2**22])
def test_missing_memory_is_an_error(n):
    outcomes = set()
    # Neither drivers of OpenCL nor the C library's heaps for threads are to take addresses once the limit is set.
    alone = os.environ | {"SITU_DEVICE_SELECTOR": "!opencl:*", "MALLOC_ARENA_MAX": "1"}
    for room in (20, 60, 120, 300, 450, 900):
        command = [sys.executable, "-c", SHORT_OF_MEMORY, str(n), str(room)]
        outcomes.add(subprocess.run(command, capture_output=True, text=True, check=True, env=alone).stdout.strip())
    assert outcomes <= {"done", "refused"} and "done" in outcomes
