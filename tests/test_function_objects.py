"""Elementwise functions as objects, and the short ways that small calls take through them."""

import copy
import functools
import gc
import pickle
import sys
import threading

import numpy as np
import pytest

from situ import tensor


@pytest.fixture
def pair():
    return tensor.asarray(np.arange(4.0)), tensor.asarray(np.full(4, 0.5))


def test_every_way_of_calling_is_the_same_call(pair):
    x, y = pair
    out = tensor.empty(4)
    calls = [
        lambda: tensor.add(x, y),
        lambda: tensor.add(*pair),
        lambda: tensor.add(x, y, **{"order": "C"}),
        lambda: tensor.add.__call__(x, y),
        lambda: tensor.add.__call__(x, y, out=out),
        lambda: functools.partial(tensor.add, x)(y),
        lambda: functools.partial(tensor.add, out=out)(x, y),
        lambda: tensor.add(x, y, out=None, order="K"),
        lambda: tensor.add(x, y, **{"".join(["o", "ut"]): out}),
        lambda: list(map(tensor.add, [x], [y]))[0],
    ]
    for call in calls:
        assert tensor.asnumpy(call()).tolist() == [0.5, 1.5, 2.5, 3.5]
    assert tensor.add(x, y, out=out) is out


def test_functions_can_be_pickled_and_copied():
    for function in tensor.sin, tensor.add, tensor.isnan:
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            assert pickle.loads(pickle.dumps(function, protocol)) is function
        assert copy.copy(function) is function and copy.deepcopy(function) is function
    half = pickle.loads(pickle.dumps(functools.partial(tensor.multiply, 0.5)))
    assert tensor.asnumpy(half(tensor.ones(2))).tolist() == [0.5, 0.5]


def test_wrong_calls_name_the_function_and_the_argument(pair):
    x, y = pair
    with pytest.raises(TypeError, match="add takes 2 arrays, got 0"):
        tensor.add()
    with pytest.raises(TypeError, match="add takes 2 arrays, got 1"):
        tensor.add(x)
    with pytest.raises(TypeError, match="sqrt takes 1 array, got 2"):
        tensor.sqrt(x, y)
    with pytest.raises(TypeError, match="add takes no argument 'where', only out and order"):
        tensor.add(x, y, where=x)
    with pytest.raises(TypeError, match="out: expected an array of situ, got list"):
        tensor.add(x, y, out=[0.0] * 4)
    with pytest.raises(TypeError, match="add: operand 2 is a str"):
        tensor.add(x, "y")
    with pytest.raises(TypeError, match="at least one operand must be an array"):
        tensor.add(1, 2)
    with pytest.raises(TypeError):
        tensor.add(x, y, order=1)
    with pytest.raises(ValueError, match="order"):
        tensor.add(x, y, order="Q")


def test_a_function_describes_itself():
    function = tensor.add
    assert (function.nin, function.nout, function.__name__) == (2, 1, "add")
    assert "dd->d" in function.types
    assert function.__doc__
    assert repr(function) == "<elementwise function add>"
    assert callable(function)
    assert type(function).__name__ == "ElementwiseFunction" and type(function).__module__ == "situ.tensor"
    with pytest.raises(TypeError):
        type(function)()
    with pytest.raises(TypeError):
        type("Derived", (type(function),), {})
    with pytest.raises(AttributeError):
        function.nin = 3


def test_calls_leak_no_references(pair):
    x, y = pair
    out = tensor.empty(4)
    gc.collect()
    before = [sys.getrefcount(thing) for thing in (x, y, out, tensor.add)]
    for _ in range(100):
        tensor.add(x, y)
        tensor.add(x, y, out=out)
        tensor.add(x, 1.0, order="C")
        with pytest.raises(TypeError):
            tensor.add(x, y, nonsense=out)
    assert [sys.getrefcount(thing) for thing in (x, y, out, tensor.add)] == before


@pytest.mark.parametrize("function", [tensor.add, tensor.multiply])
def test_results_into_parts_of_an_operand(function):
    host = np.arange(9.0) + 1
    for source, target in [(slice(0, 8), slice(1, 9)), (slice(1, 9), slice(0, 8)), (slice(0, 9), slice(0, 9))]:
        ours, theirs = tensor.asarray(host), host.copy()
        function(ours[source], ours[source], out=ours[target])
        getattr(np, function.__name__)(theirs[source], theirs[source], out=theirs[target])
        assert np.array_equal(tensor.asnumpy(ours), theirs)


def test_one_array_in_every_role():
    x = tensor.asarray(np.arange(4.0))
    assert tensor.asnumpy(x + x).tolist() == [0, 2, 4, 6]
    tensor.add(x, x, out=x)
    assert tensor.asnumpy(x).tolist() == [0, 2, 4, 6]
    x += x
    assert tensor.asnumpy(x).tolist() == [0, 4, 8, 12]


@pytest.mark.parametrize("dtype", ["i1", "u1", "i8", "f4", "c8"])
def test_numbers_take_the_dtype_of_the_array_or_are_refused(dtype):
    x = tensor.asarray(np.array([1, 2], dtype))
    for number in (True, 3):
        assert (x + number).dtype == (number + x).dtype == np.dtype(dtype)
    if np.dtype(dtype).kind in "iu":
        with pytest.raises(OverflowError):
            x + 2**70
        # Computed in another dtype, where it fits.
        assert np.array_equal(tensor.asnumpy(x / 300), np.array([1, 2], dtype) / 300)
        assert tensor.asnumpy(x < 2**70).tolist() == [True, True]


def test_threads_that_share_an_array_see_whole_results():
    x = tensor.zeros(4)
    one = tensor.ones(4)
    failures = []

    def work():
        for _ in range(300):
            seen = tensor.asnumpy(x + one)
            if len(set(seen.tolist())) != 1:
                failures.append(seen)
            tensor.add(x, one, out=x)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert tensor.asnumpy(x).tolist() == [1200.0] * 4
