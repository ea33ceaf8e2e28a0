"""Small calls take a short way on most queues, and the general one on queues that record times: both give the same."""

import gc
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import BINARY, FUNCTIONS, UNARY
from strategies import DTYPES, LAYOUTS, hosts, laid_out, operands

import situ
from situ import tensor

pytestmark = pytest.mark.usefixtures("quiet")

NUMBERS = st.one_of(
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([127, -129, 2**31, -(2**63), 2**63, 2**64 - 1, 2**70]),
    st.floats(-3, 3),
    st.sampled_from([0.5, float("inf"), float("nan"), 1e300]),
    st.complex_numbers(max_magnitude=3),
)


@pytest.fixture(scope="module")
def ways():
    """A queue that runs small work at once, and one that never does."""
    return situ.get_device_cached_queue("cpu"), situ.Queue("cpu", property="enable_profiling")


def outcome(function, *args):
    """Everything about a result, or what was raised."""
    try:
        result = function(*args)
    except (ValueError, OverflowError, TypeError) as error:
        return type(error), str(error)
    flags = result.flags
    return (
        (result.dtype, result.shape, result.strides, result.usm_type, result._element_offset),
        (flags.c_contiguous, flags.f_contiguous, flags.writable),
        tensor.asnumpy(result).tobytes(),
    )


def agree(function, way_of, ways):
    """Compare the two ways; `way_of` makes the arguments for a queue."""
    short, general = (outcome(function, *way_of(queue)) for queue in ways)
    assert short == general


@pytest.mark.parametrize("name", UNARY)
@given(st.data())
def test_one_array(ways, name, data):
    host = data.draw(hosts(DTYPES))
    layout = data.draw(st.sampled_from(LAYOUTS))
    kind = data.draw(st.sampled_from(["device", "shared", "host"]))
    agree(FUNCTIONS[name], lambda queue: [laid_out(host, layout, queue, kind)[0]], ways)


@pytest.mark.parametrize("name", BINARY)
@given(st.data())
def test_two_arrays(ways, name, data):
    pair, layouts = data.draw(operands(2))
    kinds = data.draw(st.tuples(*[st.sampled_from(["device", "shared", "host"])] * 2))

    def arrays(queue):
        given = zip(pair, layouts, kinds, strict=True)
        return [laid_out(host, layout, queue, kind)[0] for host, layout, kind in given]

    agree(FUNCTIONS[name], arrays, ways)


@pytest.mark.parametrize("name", BINARY)
@given(st.data())
def test_an_array_and_a_number(ways, name, data):
    host, number = data.draw(hosts(DTYPES)), data.draw(NUMBERS)
    layout, is_first = data.draw(st.sampled_from(LAYOUTS)), data.draw(st.booleans())

    def args(queue):
        array = laid_out(host, layout, queue)[0]
        return [number, array] if is_first else [array, number]

    agree(FUNCTIONS[name], args, ways)


@given(st.data())
def test_conversions(ways, data):
    host, dtype = data.draw(hosts(DTYPES)), data.draw(st.sampled_from(DTYPES))
    layout = data.draw(st.sampled_from(LAYOUTS))
    agree(lambda array: tensor.astype(array, dtype), lambda queue: [laid_out(host, layout, queue)[0]], ways)


@given(st.data())
def test_choices(ways, data):
    given, layouts = data.draw(operands(3))
    if data.draw(st.booleans()) and given[1].size:
        given[2] = np.resize(given[1], given[2].shape)
    if data.draw(st.booleans()):
        given[0] = given[0] != 0
    kinds = data.draw(st.tuples(*[st.sampled_from(["device", "shared", "host"])] * 3))
    numbers = data.draw(st.tuples(*[st.one_of(st.none(), NUMBERS)] * 2))

    def args(queue):
        parts = zip(given, layouts, kinds, strict=True)
        condition, *choices = [laid_out(host, layout, queue, kind)[0] for host, layout, kind in parts]
        return [condition, *(array if n is None else n for array, n in zip(choices, numbers, strict=True))]

    agree(tensor.where, args, ways)


@pytest.mark.parametrize("count", [4096, 4097, 2**17 - 1, 2**17, 2**17 + 1])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64"])
@pytest.mark.parametrize("function", [tensor.isnan, tensor.isinf, tensor.isfinite])
def test_answers_known_beforehand(ways, count, dtype, function):
    host = np.arange(2 * count).astype(dtype)
    for view in (slice(count), slice(None, None, 2), slice(None, None, -2)):
        agree(function, lambda queue, view=view: [tensor.asarray(host, sycl_queue=queue)[view]], ways)
        found, want = function(tensor.asarray(host)[view]), getattr(np, function.__name__)(host[view])
        assert found.dtype == want.dtype and np.array_equal(tensor.asnumpy(found), want)


@pytest.mark.parametrize("count", [31, 32, 33, 247, 248, 249, 4095, 4096, 4097])
@pytest.mark.parametrize("dtype", ["int8", "float16", "int32", "float64", "complex128"])
def test_sizes_where_the_way_changes(ways, count, dtype):
    host = np.arange(2 * count).astype(dtype)
    columns = next(n for n in (7, 3, 2, 1) if count % n == 0)

    def views(queue):
        x = tensor.asarray(host, sycl_queue=queue)
        square = tensor.asarray(host[:count].reshape(-1, columns), sycl_queue=queue)
        turned = tensor.asarray(np.ascontiguousarray(host[:count].reshape(-1, columns).T), sycl_queue=queue).T
        return x[:count], x[::2], x[::-2], square, turned, square[:, :1], square[:1], x[3]

    pairs = [(0, 0), (0, 1), (1, 2), (2, 7), (3, 3), (3, 4), (4, 3), (3, 5), (6, 3), (3, 7)]
    for function in (tensor.add, tensor.divide, tensor.equal):
        for one, two in pairs:
            agree(function, lambda queue, one=one, two=two: [views(queue)[one], views(queue)[two]], ways)
    for view in range(8):
        agree(tensor.sqrt, lambda queue, view=view: [views(queue)[view]], ways)
    for one, two in pairs:
        for chosen in (one, two):
            three = (chosen, one, two)
            agree(tensor.where, lambda queue, three=three: [views(queue)[n] for n in three], ways)
            agree(
                tensor.where,
                lambda queue, three=three: [views(queue)[three[0]] > 3, *(views(queue)[n] for n in three[1:])],
                ways,
            )


def test_memory_of_small_results_comes_back():
    queue = situ.get_device_cached_queue("cpu")
    gc.collect()
    before = situ.memory.pool_stats("cpu")["device"]["in_use_blocks"]
    kept, made = [], threading.Barrier(5)

    def work(number):
        x = tensor.full(10, float(number), sycl_queue=queue)
        mine = [x + i for i in range(200)]
        for i, array in enumerate(mine):
            assert tensor.asnumpy(array * 2.0).tolist() == [2.0 * (number + i)] * 10
        situ.memory.trim()
        kept.append(mine)
        made.wait()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    made.wait()
    for thread in threads:
        thread.join()
    # What the threads made is let go here, after they have ended.
    assert len(kept) == 4
    kept.clear()
    assert situ.memory.pool_stats("cpu")["device"]["in_use_blocks"] == before
