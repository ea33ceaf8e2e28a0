"""The arguments of launches: defaults and keywords, the item, NumPy arrays that share memory."""

import numpy as np
import pytest

import situ
from situ import kernel, tensor
from situ.kernels import KernelCompileError, LocalAccessor, NdRange, get_global_id, offload_to_sycl_device


@kernel
def scaled(x, factor=3, shift=0):
    i = get_global_id(0)
    x[i] = x[i] * factor + shift


@kernel
def by_item(item, x, factor=3):
    i = item.get_id(0)
    x[i] = x[i] * factor


@kernel
def unused(item, x):
    x[get_global_id(0)] = 7


@kernel
def sums(x, y, out):
    i = get_global_id(0)
    out[i] = x[i] + y[i]


@kernel
def both(x, y):
    i = get_global_id(0)
    x[i] = x[i] + 1
    y[i] = y[i] * 2


def launched(function, *args, **named):
    """What a kernel makes of ones, launched in every way."""
    results = []
    for launch in (function, function[3]):
        x = tensor.ones(3)
        launch(x, *args, **named)
        results.append(x.tolist())
    x = np.ones(3)
    function.simulate(3, x, *args, **named)
    assert results == [x.tolist()] * 2
    return results[0][0]


def test_parameters_have_defaults():
    assert launched(scaled) == 3 and launched(scaled, 2) == 2 and launched(scaled, 2, 1) == 3
    assert launched(by_item) == 3 and launched(by_item, 2) == 2 and launched(unused) == 7


def test_arguments_may_have_names():
    assert launched(scaled, shift=1) == 4 and launched(scaled, shift=1, factor=5) == 6
    assert launched(by_item, factor=5) == 5
    x = tensor.ones(3)
    scaled(factor=4, x=x)
    scaled[3](x=x)
    assert x.tolist() == [12] * 3


@pytest.mark.parametrize(
    "function, count, named, message",
    [
        (sums, 2, {}, "kernel sums: missing a required argument: 'out'"),
        (sums, 1, {"out": 1}, "kernel sums: missing a required argument: 'y'"),
        (sums, 3, {"y": 1}, "kernel sums has 3 parameters and was given 4 arguments"),
        (sums, 2, {"y": 1}, "kernel sums: multiple values for argument 'y'"),
        (sums, 2, {"z": 1}, "kernel sums: missing a required argument: 'out'"),
        (scaled, 1, {"z": 1}, "kernel scaled: got an unexpected keyword argument 'z'"),
        (by_item, 0, {}, "kernel by_item: missing a required argument: 'x'"),
        (by_item, 3, {}, "kernel by_item: too many positional arguments"),
        (unused, 0, {}, "kernel unused: missing a required argument: 'item'"),
    ],
)
def test_wrong_arguments_are_named(function, count, named, message):
    args = [tensor.ones(3) for _ in range(count)]
    with pytest.raises(TypeError, match=message):
        function[3](*args, **named)
    with pytest.raises(ValueError, match=message):
        function.simulate(3, *args, **named)
    if not named:
        with pytest.raises(TypeError, match=message):
            function.inspect(*args)


def test_an_item_is_not_guessed_where_there_are_defaults():
    @kernel
    def f(item, x, n=3):
        x[get_global_id(0)] = n

    x = tensor.ones(3)
    f[3](0, x, 4)
    for args in ((x,), (x, 4)):
        with pytest.raises(TypeError, match="kernel f: neither its use nor .* tells whether item is the work-item"):
            f[3](*args)
    assert x.tolist() == [4] * 3


def test_parameters_are_positional():
    @kernel
    def f(x, *, y):
        x[get_global_id(0)] = y

    with pytest.raises(KernelCompileError, match="kernel f: parameter y is not positional"):
        f[3](tensor.ones(3), y=1)
    with pytest.raises(ValueError, match="kernel f: parameter y is not positional"):
        f.simulate(3, np.ones(3), y=1)


def test_kernels_have_no_elements():
    for attempt in (list, lambda each: [*each], lambda each: 1 in each):
        with pytest.raises(TypeError):
            attempt(scaled)


def test_one_array_given_twice_is_one_array():
    for again in (lambda x: x, lambda x: x[:]):
        x = np.arange(4)
        with offload_to_sycl_device("cpu"):
            both(x, again(x))
        assert x.tolist() == [2, 4, 6, 8]


def test_numpy_arrays_that_share_some_memory():
    x = np.zeros(5)
    with offload_to_sycl_device("cpu"):
        with pytest.raises(ValueError, match="kernel sums: out is written to and shares some of its memory with x"):
            sums(x[:4], np.ones(4), x[1:])
        assert x.tolist() == [0] * 5
        # Nobody writes to what is shared, or nothing is.
        out = np.zeros(4)
        sums(x[:4], x[1:], out)
        sums(x[::2], np.ones(3), np.zeros(6)[1::2])
        table = np.ones((3, 2))
        sums(table[:, 0], np.ones(3), table[:, 1])
    assert table.tolist() == [[1, 2]] * 3


def test_numpy_arrays_that_are_read_only():
    x = np.ones(3)
    x.flags.writeable = False
    out = np.zeros(3)
    with offload_to_sycl_device("cpu"):
        sums(x, x, out)
        with pytest.raises(ValueError, match="kernel both, argument y: the NumPy array is read-only"):
            both(out, x)
    assert out.tolist() == [2] * 3


def test_inspect_takes_what_launches_take():
    assert "x: float64[1], factor %0: float64" in scaled.inspect(np.ones(3), 3.0)
    assert "factor %0: int64" in scaled.inspect(("f4", 1))

    @kernel
    def f(x, held):
        i = get_global_id(0)
        held[0] = x[i]
        x[i] = held[0]

    assert "held" in f.inspect(tensor.ones(4), LocalAccessor(3, "f4"), index_space=NdRange(4, 2))


def test_a_property_may_launch_the_kernel_that_reads_it():
    class Settings:
        @property
        def value(self):
            if not launches:
                launches.append(1)
                f[3](tensor.ones(3))
            return 5

    launches = []
    settings = Settings()

    @kernel
    def f(x):
        x[get_global_id(0)] = settings.value

    x = tensor.ones(3)
    f[3](x)
    assert x.tolist() == [5] * 3 and f.cache_info().currsize == 1 and isinstance(x.sycl_queue, situ.Queue)


def test_launches_with_local_accessors_find_their_kernel(monkeypatch):
    @kernel
    def f(x, held):
        i = get_global_id(0)
        held[0] = x[i]
        x[i] = held[0] + 1

    x = tensor.zeros(4)
    f[NdRange(4, 1)](x, LocalAccessor(3, "f8"))
    with monkeypatch.context() as patch:
        patch.setattr(f, "_launch_new", None)
        f[NdRange(4, 1)](x, LocalAccessor(5, "f8"))
    f[NdRange(4, 1)](x, held=LocalAccessor(3, "f8"))
    assert x.tolist() == [3] * 4 and f.cache_info() == (2, 1, 1)
