"""Traced functions against the same functions called as they are, bit for bit."""

import math
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import DTYPES, KINDS

import situ
from situ import tensor
from situ.tensor import sqrt

SHAPES = [((5, 7), (5, 7)), ((5, 7), (7,)), ((5, 1), (1, 7)), ((), (3,)), ((0, 4), (4,)), ((1, 3), (1, 3))]
SCALE = 3


def bits(x):
    return tensor.asnumpy(x).tobytes()


def same(one, two):
    assert (one.dtype, one.shape, one.usm_type, one.sycl_queue) == (two.dtype, two.shape, two.usm_type, two.sycl_queue)
    assert bits(one) == bits(two)


def check(function, *args, again=None, **options):
    """Calls a function as it is, traced for the first time, and as it was traced."""
    traced = situ.njit(function)
    expected = function(*args, **options)
    for _ in range(3):
        result = traced(*args, **options)
        for one, two in zip(flat(result), flat(expected), strict=True):
            same(one, two)
    if again is not None:
        for one, two in zip(flat(traced(*again)), flat(function(*again)), strict=True):
            same(one, two)
    return traced


def flat(result):
    if isinstance(result, dict):
        result = list(result.values())
    return [each for part in result for each in flat(part)] if isinstance(result, (tuple, list)) else [result]


def values(shape, dtype, seed=0):
    random = np.random.default_rng(seed)
    if dtype == "bool":
        return random.integers(0, 2, shape).astype(bool)
    if dtype.startswith("complex"):
        return (random.uniform(-3, 3, shape) + 1j * random.uniform(-3, 3, shape)).astype(dtype)
    if dtype.startswith("float"):
        return random.uniform(-3, 3, shape).astype(dtype)
    return random.integers(1, 20, shape).astype(dtype)


def chain(x, y):
    z = x * y + 2
    return tensor.where(z != y, z * x, x) * 3


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("other", ["int8", "uint64", "float32", "complex64"])
def test_dtypes(here, dtype, other):
    x = tensor.asarray(values((4, 5), dtype), sycl_queue=here)
    y = tensor.asarray(values((4, 5), other, 1), sycl_queue=here)
    check(chain, x, y)
    check(lambda x, y: (x == y, x + 0.5, tensor.square(y) + x), x, y)


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_shapes(here, shapes):
    x, y = (tensor.asarray(values(shape, "float64", n), sycl_queue=here) for n, shape in enumerate(shapes))

    def function(x, y):
        a = tensor.exp(-x) + 1
        b = tensor.sin(2 * y) * y
        return a, b, a * b, tensor.sum(a * b), a - 1

    check(function, x, y)


@pytest.mark.parametrize("one", KINDS)
@pytest.mark.parametrize("two", KINDS)
def test_kinds(here, one, two):
    x, y = (tensor.ones(5, usm_type=kind, sycl_queue=here) for kind in (one, two))
    check(lambda x, y: (x * 2 + 1, y * 3 + 1, (x + y) * 2, tensor.sum((x + y) * 2)), x, y)


def test_layouts(here):
    x = tensor.asarray(values((6, 8), "float64"), sycl_queue=here)

    def function(x, y):
        z = tensor.square(x - y) + 1
        return z * 2, tensor.sum(z * 3, axis=0), tensor.max(z / 2, axis=1, keepdims=True), tensor.mean(z + y)

    for a, b in ((x, x), (x.T, x.T), (x[::2], x[1::2]), (x[:, ::-1], x), (x[:1], x), (x, x[:, :1])):
        traced = situ.njit(function)
        for _ in range(2):
            for one, two in zip(traced(a, b), function(a, b), strict=True):
                assert one.shape == two.shape and one.dtype == two.dtype
                np.testing.assert_array_equal(tensor.asnumpy(one), tensor.asnumpy(two))


@st.composite
def functions(draw):
    """A function of two arrays and a number, made of random steps over what it has so far."""
    steps = draw(
        st.lists(st.tuples(st.sampled_from(sorted(STEPS)), st.integers(0, 99), st.integers(0, 99)), max_size=12)
    )
    wanted = draw(st.lists(st.integers(0, 99), min_size=1, max_size=3))

    def function(x, y, n):
        values = [x, y]
        for name, one, two in steps:
            values.append(STEPS[name](values[one % len(values)], values[two % len(values)], n))
        return [values[each % len(values)] for each in wanted]

    function.__doc__ = str(steps)
    return function


STEPS = {
    "add": lambda x, y, n: x + y,
    "multiply": lambda x, y, n: x * y,
    "scaled": lambda x, y, n: n * x - 1,
    "quotient": lambda x, y, n: x / 3,
    "square": lambda x, y, n: tensor.square(x),
    "compared": lambda x, y, n: x <= y,
    "chosen": lambda x, y, n: tensor.where(x != 0, y, n),
    "narrowed": lambda x, y, n: tensor.astype(x, "float32"),
    "wider": lambda x, y, n: x.astype("complex128"),
    "sum": lambda x, y, n: tensor.sum(x * 2, axis=0, keepdims=True) if x.ndim else tensor.sum(x),
    "count": lambda x, y, n: tensor.count_nonzero(x + n),
    "flip": lambda x, y, n: tensor.flip(x) + 1,
    "first": lambda x, y, n: x[..., :1] if x.ndim else x,
}


@given(
    function=functions(),
    dtypes=st.tuples(st.sampled_from(DTYPES), st.sampled_from(DTYPES)),
    shapes=st.sampled_from(SHAPES),
    kinds=st.tuples(st.sampled_from(KINDS), st.sampled_from(KINDS)),
    n=st.sampled_from([2, 0, 0.5, True, 1j]),
)
def test_any_function(here, function, dtypes, shapes, kinds, n):
    x, y = (
        tensor.asarray(values(shape, dtype, k), usm_type=kind, sycl_queue=here)
        for k, (shape, dtype, kind) in enumerate(zip(shapes, dtypes, kinds, strict=True))
    )
    traced = situ.njit(function)
    try:
        expected = function(x, y, n)
    except Exception as error:
        with pytest.raises(type(error)):
            traced(x, y, n)
        return
    for _ in range(2):
        for one, two in zip(traced(x, y, n), expected, strict=True):
            same(one, two)


REDUCTIONS = "sum prod max min mean argmax argmin any all count_nonzero logsumexp reduce_hypot std".split()


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_reductions(here, name, axis):
    x = tensor.asarray(values((30, 40), "float32"), sycl_queue=here)
    row = tensor.asarray(values(40, "float64"), sycl_queue=here)
    reduction = getattr(tensor, name)

    def function(x, row):
        return reduction(tensor.square(x - row) + 1, axis=axis), reduction(x * 2, axis=axis, keepdims=True)

    traced = check(function, x, row, again=(x[:7], row))
    assert ("of program" in traced.inspect()) == (name != "std")


def test_what_is_run():
    @situ.njit
    def function(x, y):
        z = tensor.sin(x) * 2 + y
        return z, tensor.sum(tensor.square(z) - 1), z @ z, -z

    x = tensor.ones(5)
    function(x, x)
    lines = function.inspect().splitlines()
    assert lines[0] == "(float64[:] device, float64[:] device)"
    assert sorted(lines[1:]) == [
        "  call: matmul",
        "  program: sin multiply add negative",
        "  sum of program: square subtract",
    ]


def test_long_chains_are_divided():
    def function(x):
        for _ in range(150):
            x = x * 0.5 + 1
        return x

    traced = check(function, tensor.ones(10))
    assert traced.inspect().count("program:") > 3


def test_programs_of_many_operands_are_divided(here):
    arrays = [tensor.asarray(values((5,), "float32") * n, sycl_queue=here) for n in range(50)]

    def function(*arrays):
        total = arrays[0]
        for n, array in enumerate(arrays):
            total = total * (1 + n) + array
        return total, tensor.sum(sum(arrays[1:], arrays[0]) * 2)

    traced = check(function, *arrays)
    assert traced.inspect().count("program:") > 4


def test_ordinary_calls(here):
    x = tensor.asarray(values((4, 4), "float64"), sycl_queue=here)

    def function(x):
        y = tensor.sort(x + 1, axis=0)
        unique = tensor.unique_counts(tensor.round(y))
        z = tensor.concat([y, x * 2]).T[1:, ::-1]
        mask = z[z > 1] + 1
        return y @ x, unique.values * 2, z.reshape(-1) + 1, mask * 2, tensor.ones(3, device=x.device) + x[0, :3]

    check(function, x)


def test_results_whose_length_becomes_one():
    def function(x):
        y = x[x > 0]
        return y * 2 + 1, (y + x[:1]) * 2

    traced = situ.njit(function)
    for host in ([1.0, 2.0, -1.0], [1.0, -2.0, -1.0], [3.0, 4.0, 5.0], [1.0, 2.0, -1.0]):
        x = tensor.asarray(host)
        for one, two in zip(traced(x), function(x), strict=True):
            same(one, two)


def test_lengths_that_depend_on_values():
    def function(x):
        y = x[x > 0]
        count = tensor.nonzero(x)[0].shape[0]
        return tensor.sum(y * 2) / (y + 1).size + count

    traced = situ.njit(function)
    for host in ([1.0, 2.0, -1.0], [1.0, -2.0, -1.0], [3.0, 0.0, 5.0], [1.0, 2.0, -1.0], [2.0, 1.0, 3.0]):
        same(traced(tensor.asarray(host)), function(tensor.asarray(host)))


def test_it_is_traced_once_per_type():
    calls = []

    @situ.njit
    def function(x, n=1):
        calls.append(n)
        return x * n + 1

    x = tensor.ones(4)
    for n in (1, 2, 3):
        assert tensor.asnumpy(function(x, n)).tolist() == [n + 1] * 4
        assert tensor.asnumpy(function(x[:2], n)).tolist() == [n + 1] * 2
    assert len(calls) == 1
    assert function(x, 2.5).dtype == np.float64 and len(calls) == 2
    function(x.astype("int8"), 1)
    function(tensor.ones((2, 2)))
    function(tensor.ones(4, usm_type="shared"))
    assert len(calls) == 5
    function(tensor.ones(1))
    assert len(calls) == 6


def test_numbers_that_decide(here):
    calls = []

    def function(x, n, flag):
        calls.append(n)
        for _ in range(n):
            x = x * 2
        return x + (0.5 * n - 1 if flag else n)

    x = tensor.ones(3, sycl_queue=here)
    traced = situ.njit(function)
    for n, flag in ((1, True), (2, True), (1, False), (2, True), (1, True)):
        same(traced(x, n, flag), function(x, n, flag))
    assert len(calls) == 5 + 3


def test_signs_of_zeros_are_kept():
    traced = situ.njit(lambda x, n: x / n * 1.0)
    x = tensor.ones(2)
    for n in (0.0, -0.0, 0.0):
        assert tensor.asnumpy(traced(x, n)).tolist() == [math.copysign(math.inf, n)] * 2
    traced = situ.njit(lambda x, n: x / (n if n == 0 else 1) * 1.0)
    for n in (0.0, -0.0, 0.0):
        assert tensor.asnumpy(traced(x, n)).tolist() == [math.copysign(math.inf, n)] * 2


def test_shapes_and_places_that_decide(here):
    def function(x):
        n = x.shape[0]
        positions = tensor.arange(n, dtype=x.dtype, device=x.device)
        return x * positions + n + len(x)

    traced = situ.njit(function)
    for n in (3, 5, 3):
        for queue in (here, situ.Queue(here.sycl_context, here.sycl_device)):
            x = tensor.ones(n, sycl_queue=queue)
            same(traced(x), function(x))


@pytest.mark.parametrize("exponent", [2, 3, 0.5, -1, 2.0, 0, 1])
def test_powers(here, exponent):
    for dtype in ("float32", "int32", "complex64"):
        if dtype == "int32" and isinstance(exponent, int) and exponent < 0:
            continue
        x = tensor.asarray(values(6, dtype), sycl_queue=here)
        check(lambda x: (x**exponent + 1, tensor.pow(x, exponent) * 2), x)
        check(lambda x, n: x**n + 1, x, exponent)


def test_integers_beyond_the_dtype():
    x = tensor.asarray([1, 2], dtype="uint8")
    check(lambda x: (x < 300) & (x > -1), x)
    traced = situ.njit(lambda x, n: x + n + 1)
    traced(x, 3)
    with pytest.raises(OverflowError):
        traced(x, 300)


def helper(x):
    return sqrt(x * x + SCALE)


def test_helpers_closures_and_imports():
    captured, inner = tensor.arange(3.0), situ.njit(lambda x: x + 10)

    def function(x, *, scale=2.0):
        from situ import tensor as local

        def nested(y):
            return local.exp(-y) * captured

        return helper(x) + nested(x) * scale, inner(x), captured * x, situ.tensor.cos(x), captured

    x = tensor.asarray([0.5, 1.5, 2.5])
    traced = check(function, x)
    assert "exp" in traced.inspect() and "cos" in traced.inspect()
    check(lambda x: x.__array_namespace__().sin(x) * 2, x)


def test_numpys_numbers_and_arrays_beside():
    x = tensor.asarray([1, 2], dtype="float32")
    check(lambda x: (x * np.float64(2) + 1, np.asarray([1.0, 2.0]) * x + 1, x + np.asarray([1, 2])), x)


def test_structures():
    x = tensor.ones(3)
    check(lambda pair, n: {"sum": pair[0] + pair[1] * n, "both": [pair[0] * 2, (pair[1],)]}, (x, x + 1), 2)

    @situ.njit
    def function(x, n):
        return x + n, n * 2 + 1, None, "text"

    for n in (1, 2):
        assert function(x, n)[1:] == (2 * n + 1, None, "text")


def test_offloaded_arrays():
    bound = tensor.offload_to("cpu")
    x = bound.ones(3)
    traced = situ.njit(lambda x: x.__array_namespace__().exp(x) * 2)
    assert all(bits(traced(x)) == bits(bound.exp(x) * 2) for _ in range(2))


HERE = tensor.offload_to("cpu")


@situ.kernel
def add_one(a, b):
    i = situ.kernels.get_global_id(0)
    b[i] = a[i] + 1


def branching(x):
    if tensor.sum(x) > 0:
        return x
    return -x


REFUSED = {
    "branch": (branching, r"if tensor.sum\(x\) > 0:\n.*a branch depends on an array.*situ.tensor.where"),
    "while": (lambda x: x if x.real[0] else x, "branch"),
    "and": (lambda x: x[0] > 0 and x, "branch"),
    "float": (lambda x: float(x[0]), r"float\(\)"),
    "math": (lambda x: math.sin(x[0]), r"float\(\)"),
    "item": (lambda x: x[0].item(), "item"),
    "asnumpy": (lambda x: tensor.asnumpy(x) + 1, "asnumpy copies to the host"),
    "text": (lambda x: tensor.usm_ndarray_str(x), "copies to the host"),
    "offloaded": (lambda x: HERE.asnumpy(x), "copies to the host"),
    "kernel": (lambda x: add_one(x, x), "kernel add_one writes to arrays"),
    "kernel with a range": (lambda x: add_one[3](x, x), "kernel add_one writes to arrays"),
    "method": (lambda x: HERE.put(x, [0], 1), "put writes to an array|put returns nothing"),
    "numpy": (lambda x: np.asarray(x), "NumPy"),
    "assignment": (lambda x: x.__setitem__(0, 1), "assignment"),
    "put": (lambda x: tensor.put(x, [0], 1), "put writes"),
    "out": (lambda x: tensor.add(x, x, out=x), "add writes"),
    "in": (lambda x: 3 in x, "`in`"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_depends_on_values_is_refused(name):
    function, message = REFUSED[name]
    with pytest.raises(situ.TracingError, match=message) as caught:
        situ.njit(function)(tensor.ones(3))
    assert "test_njit.py, line" in str(caught.value)


def test_changes_are_refused():
    @situ.njit
    def function(x):
        x += 1
        return x

    with pytest.raises(situ.TracingError, match=r"x \+= 1\n.*write x = x \+ y"):
        function(tensor.ones(3))


def test_numpys_functions_are_refused():
    with pytest.raises(TypeError):
        situ.njit(lambda x: np.sin(x))(tensor.ones(3))


def test_arguments_that_are_refused():
    function = situ.njit(lambda x: x)
    with pytest.raises(TypeError, match="array of NumPy"):
        function(np.ones(3))
    with pytest.raises(TypeError, match="an argument is a object"):
        function(object())
    with pytest.raises(TypeError, match="expected a Python function"):
        situ.njit(len)(tensor.ones(3))


def test_other_queues_are_an_error():
    function = situ.njit(lambda x, y: x * 2 + y)
    x = tensor.ones(3, device="cpu")
    function(x, x)
    with pytest.raises(situ.ExecutionPlacementError):
        function(x, tensor.ones(3, device="null"))


def test_two_queues_side_by_side():
    function = situ.njit(lambda x, y: (x * 2 + 1, y * 2 + 1))
    x, y = tensor.ones(3, device="cpu"), tensor.ones(3, device="null")
    for _ in range(2):
        one, two = function(x, y)
        assert one.sycl_queue == x.sycl_queue and two.sycl_queue == y.sycl_queue


def test_every_input_of_a_program_has_its_place():
    x = tensor.ones(3, device="cpu")
    expression = situ._native.Expression([x.dtype] * 4, [("add", [0, 1], None), ("add", [4, 3], None)], [5])
    assert tensor.asnumpy(expression.run([x] * 4, [])[0]).tolist() == [3, 3, 3]
    elsewhere = tensor.ones(3, device="null")
    for attempt in (expression.run, lambda *given: expression.reduce("sum", *given, None, False, None)):
        with pytest.raises(situ.ExecutionPlacementError):
            attempt([x, x, x, elsewhere], [])


def test_threads():
    function, failures = situ.njit(lambda x, n: tensor.sum(x * n + 1)), []

    def work(n):
        for size in range(1, 50):
            if float(function(tensor.ones(size), n)) != size * (n + 1):
                failures.append((size, n))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_nothing_reaches_the_host():
    x = tensor.ones(1000)
    function = situ.njit(lambda x: tensor.sum(tensor.sort(x * 2 + 1)[::-1] - x))
    function(x)
    before = situ.memory.transfer_stats()
    function(x)
    assert situ.memory.transfer_stats() == before
