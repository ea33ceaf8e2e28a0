"""Kernels from Python: what they compute, how they are launched, and what is refused."""

import pickle

import numpy as np
import pytest

import situ
from situ import kernels, tensor
from situ.kernels import NdRange, Range, get_global_id

DTYPES = ["bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]


@kernels.kernel
def vector_add(a, b, c):
    i = get_global_id(0)
    c[i] = a[i] + b[i]


@kernels.kernel
def vector_add_item(item, a, b, c):
    i = item.get_id(0)
    c[i] = a[i] + b[i]


def arrays(dtype, n=11):
    a = (np.arange(n) % 5).astype(dtype)
    return a, a[::-1].copy(), np.zeros(n, dtype)


def brought(*values, queue="cpu"):
    return [tensor.asarray(value, device=queue) for value in values]


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(dtype):
    a, b, c = arrays(dtype)
    x, y, z = brought(a, b, c)
    vector_add[11](x, y, z)
    np.testing.assert_array_equal(tensor.asnumpy(z), a + b)


@pytest.mark.parametrize(
    "launch",
    [
        lambda f, args: f[11](*args),
        lambda f, args: f[(11,)](*args),
        lambda f, args: f[Range(11)](*args),
        lambda f, args: f[NdRange((11,), (11,))](*args),
        lambda f, args: f[(11,), (11,)](*args),
        lambda f, args: f(*args),
        lambda f, args: kernels.call_kernel(f, 11, *args),
        lambda f, args: kernels.call_kernel(f, Range(11), *args),
        lambda f, args: kernels.call_kernel_async(f, Range(11), (), *args)[1].wait(),
    ],
)
@pytest.mark.parametrize("function", [vector_add])
def test_launches(launch, function):
    a, b, c = arrays("f4")
    x, y, z = brought(a, b, c)
    launch(function, (x, y, z))
    np.testing.assert_array_equal(tensor.asnumpy(z), a + b)


def test_an_item_is_the_first_parameter():
    a, b, c = arrays("i8")
    x, y, z = brought(a, b, c)
    vector_add_item[Range(11)](x, y, z)
    np.testing.assert_array_equal(tensor.asnumpy(z), a + b)


def test_situ_has_the_decorator():
    assert situ.kernel is kernels.kernel


# Placement, as the notes on "compute follows data" have it.


@kernels.kernel
def f(a, b, c):
    i = kernels.get_global_id(0)
    c[i] = a[i] * b[i]


def made(queue, usm_type="shared"):
    return tensor.asarray([1, 2, 3, 4], usm_type=usm_type, sycl_queue=queue)


def test_arrays_on_one_queue():
    queue = situ.Queue("cpu")
    a, b, c = (made(queue) for _ in range(3))
    f(a, b, c)
    assert c.tolist() == [1, 4, 9, 16] and c.sycl_queue == queue


def test_arrays_on_queues_that_are_not_equivalent():
    one, two = situ.Queue("cpu"), situ.Queue("cpu", property="in_order")
    a, b, c = made(one), made(two), made(two)
    with pytest.raises(situ.ExecutionPlacementError, match="(?s)f: the operands are on different queues.*a: shared"):
        f(a, b, c)
    with pytest.raises(situ.ExecutionPlacementError):
        f(a, b, made(situ.Queue("null")))
    # What the error says helps.
    f(a, b.to_device(a.sycl_queue), c.to_device(a.sycl_queue))
    assert c.tolist() == [1, 4, 9, 16]


def test_arrays_on_queues_that_are_equivalent():
    context = situ.Queue("cpu").sycl_context
    device = situ.Device("cpu")
    one, two = situ.Queue(context, device), situ.Queue(context, device)
    a, b, c = made(one), made(two), made(two)
    assert one != two
    f(a, b, c)
    assert c.tolist() == [1, 4, 9, 16]


def test_kinds_of_memory_mix():
    queue = situ.Queue("cpu")
    a, b, c = made(queue, "shared"), made(queue, "device"), made(queue, "host")
    f(a, b, c)
    assert c.tolist() == [1, 4, 9, 16]


def test_numpy_arrays_are_on_no_queue():
    a, b, c = np.asarray([1, 2, 3, 4]), np.asarray([1, 2, 3, 4]), np.asarray([0, 0, 0, 0])
    with pytest.raises(situ.ExecutionPlacementError, match="a is a NumPy array, which is on no queue.*offload_to_sycl"):
        f(a, b, c)
    for target in ("cpu", situ.Queue("cpu"), situ.Device("cpu")):
        c[:] = 0
        with kernels.offload_to_sycl_device(target):
            f(a, b, c)
        assert c.tolist() == [1, 4, 9, 16] and a.tolist() == [1, 2, 3, 4]
    with pytest.raises(situ.ExecutionPlacementError):
        f(a, b, c)


def test_numpy_arrays_of_any_layout_come_back():
    base = np.zeros((4, 6))
    with kernels.offload_to_sycl_device("cpu"):
        f(np.arange(4.0), np.arange(4.0), base[::-1, 3])
    assert base[:, 3].tolist() == [9, 4, 1, 0] and base.sum() == 14


def test_numpy_arrays_do_not_mix_with_others():
    queue = situ.Queue("cpu")
    a = np.asarray([1, 2, 3, 4])
    c = made(queue)
    with pytest.raises(situ.ExecutionPlacementError, match="c is an array of situ and a a NumPy array") as outside:
        f(a, a, c)
    for target in ("cpu", queue):
        with kernels.offload_to_sycl_device(target), pytest.raises(situ.ExecutionPlacementError) as inside:
            f(a, a, c)
    assert "offload_to_sycl_device says where NumPy arrays go" in str(inside.value) != str(outside.value)
    assert "a = situ.tensor.asarray(a, sycl_queue=c.sycl_queue)" in str(inside.value)


def test_without_an_array_there_is_no_place():
    @kernels.kernel
    def nothing(x):
        pass

    for arg in (1, 2.5, np.float32(1)):
        with pytest.raises(situ.ExecutionPlacementError, match="no argument is an array"):
            nothing[4](arg)


def test_offload_ends_with_its_block():
    with pytest.raises(RuntimeError), kernels.offload_to_sycl_device("cpu"):
        raise RuntimeError
    with pytest.raises(situ.ExecutionPlacementError):
        f(*(np.ones(4),) * 3)


def test_empty_ranges():
    x = tensor.ones(0)
    f(x, x, x)
    f[0](*(tensor.ones(4),) * 3)
    with kernels.offload_to_sycl_device("cpu"):
        f(*(np.ones(0),) * 3)


# What a kernel object tells.


def test_kernels_are_compiled_once_for_their_types():
    @kernels.kernel
    def g(x, n):
        x[get_global_id(0)] = n

    for shape in (3, 4, 5):
        g(tensor.ones(shape), 2)
    assert g.cache_info() == (2, 1, 1)
    g(tensor.ones(3), 2.5)
    g(tensor.ones(3, dtype="f4"), 2.5)
    g(tensor.ones(3), np.int8(1))
    assert g.cache_info().misses == 4
    assert g.signatures[:2] == [("float64[1]", "int"), ("float64[1]", "float")]
    assert g.signatures[-1] == ("float64[1]", "int8")


def test_inspect():
    text = vector_add.inspect(("f4", 1), ("f4", 1), ("f8", 1))
    assert text.startswith("kernel vector_add over 1 axis (a: float32[1], b: float32[1], c: float64[1]) {")
    assert vector_add.inspect(*brought(*arrays("f4"))) != text
    with pytest.raises(ValueError, match="kind: expected 'ir'"):
        vector_add.inspect(kind="assembly")
    assert "n %0: float64" in kernels.kernel(assign).inspect(("f4", 1), float)
    assert "n %0: float32" in kernels.kernel(assign).inspect(("f4", 1), np.float32)


def assign(x, n):
    x[0] = n


def test_kernels_keep_the_functions_names():
    assert vector_add.__name__ == "vector_add" and vector_add.py_func.__name__ == "vector_add"
    assert repr(vector_add) == "<kernel vector_add>"
    assert pickle.loads(pickle.dumps(vector_add)) is vector_add


def test_threads_may_launch_at_once():
    from concurrent.futures import ThreadPoolExecutor

    @kernels.kernel
    def g(x, y):
        i = get_global_id(0)
        y[i] = x[i] * 2

    def work(seed):
        x = tensor.asarray(np.arange(50) + seed, dtype=DTYPES[1 + seed % 8])
        y = tensor.zeros_like(x)
        g(x, y)
        return tensor.asnumpy(y == x * 2).all()

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(64)))


def test_events_are_waited_for():
    x = tensor.zeros(4)

    @kernels.kernel
    def step(item, x, factor):
        i = item.get_id(0)
        x[i] = x[i] * factor + i

    event = situ.Event()
    for _ in range(3):
        host, event = kernels.call_kernel_async(step, Range(4), (event,), x, 2)
    event.wait()
    host.wait()
    assert x.tolist() == [0, 7, 14, 21]


def test_simulate():
    a, b, c = arrays("f4")
    vector_add.simulate(11, a, b, c)
    np.testing.assert_array_equal(c, a + b)


class TestRoom:
    """Groups that do not fit a device are refused before anything is allocated."""

    @pytest.mark.parametrize("debug", [False, True])
    def test_too_large(self, here, debug):
        @kernels.kernel(debug=debug)
        def touch(x, held):
            held[0] = 1
            x[get_global_id(0)] = 1

        @kernels.kernel(debug=debug)
        def hoard(x):
            own = kernels.private.array(2**15, "f8")
            own[0] = 1
            x[get_global_id(0)] = own[0]

        x = tensor.zeros(8, sycl_queue=here)
        largest = here.sycl_device.max_work_group_size
        for size in (2 * largest, 2**40, 2**62):
            with pytest.raises(ValueError, match=f"a group of {size} work-items is too large .* {largest}"):
                touch[NdRange(size, size)](x, kernels.LocalAccessor(1, "f8"))
        for shape in (2**45, (2**32, 2**32)):
            with pytest.raises(ValueError, match="local arrays of a group take .* bytes"):
                touch[NdRange(8, 8)](x, kernels.LocalAccessor(shape, "f8"))
        if largest >= 2048:
            with pytest.raises(ValueError, match="private arrays of a group take"):
                hoard[NdRange(2048, 2048)](x)
        assert tensor.all(x == 0)


def test_a_loop_keeps_to_the_work_items_inside_of_it(here):
    """Work-items that leave a loop move apart from the others, whose variables stay as they are."""

    @kernels.kernel
    def uneven(x, out):
        i = get_global_id(0)
        v = x[i] * 0 + 1
        if i % 2 == 0:
            k = 1 + i % 48 % 3
            while k > 0:
                k -= 1
                v = x[i]
            v = x[i] * 3
        out[i] = v

    host = np.arange(2400)
    x = tensor.asarray(host, sycl_queue=here)
    out = tensor.empty_like(x)
    uneven(x, out)
    np.testing.assert_array_equal(tensor.asnumpy(out), np.where(host % 2 == 0, host * 3, 1))


def test_a_packed_loop_reads_what_a_variable_was_before_it(here):
    @kernels.device_func
    def first_difference(a, b):
        for _ in range(3):
            if b != a:
                return b - a
        return a

    @kernels.kernel
    def compare(x, out):
        i = get_global_id(0)
        b = x[i] * 2
        b += out[i]
        out[i] = first_difference(x[i] * 2, b) if i % 2 == 0 else x[i]

    host = np.arange(2400)
    more = np.where(host % 7 == 0, 0, 5)
    x, out = (tensor.asarray(each, sycl_queue=here) for each in (host, more))
    compare(x, out)
    expected = np.where(host % 2 == 0, np.where(more == 0, host * 2, 5), host)
    np.testing.assert_array_equal(tensor.asnumpy(out), expected)


def test_a_simulation_writes_to_arrays_where_they_are(here):
    @kernels.kernel
    def double(x, out):
        i = get_global_id(0)
        out[i] = 2 * x[i]

    x = tensor.arange(10, sycl_queue=here)
    double.simulate(5, x[::2], x[::-2])
    np.testing.assert_array_equal(tensor.asnumpy(x), [0, 16, 2, 12, 4, 8, 6, 4, 8, 0])
