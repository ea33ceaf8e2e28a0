"""What kernels refuse: at compile time with the place in the source, with debug=True at run time with the work-item."""

import importlib
import math
import re
import types
from pathlib import Path

import numpy as np
import pytest

from situ import kernels, tensor
from situ.kernels import (
    KernelCompileError,
    KernelFault,
    NdRange,
    barrier,
    device_func,
    get_global_id,
    get_local_id,
    kernel,
    local,
)

HOST = np.ones(3)
IDENTITY = lambda x: x  # noqa: E731


class Unhashable:
    def __hash__(self):
        raise RuntimeError("no hash")


class Incomparable:
    def __hash__(self):
        return hash(abs)

    def __eq__(self, other):
        raise RuntimeError("no comparison")


class Nameless:
    def __getattr__(self, name):
        raise RuntimeError("no attributes")


#: Out of pytest's sight.
OUTSIDE = types.SimpleNamespace(unhashable=Unhashable(), incomparable=Incomparable(), nameless=Nameless())


def ordinary(x):
    return x


# Each function has a comment where it is wrong, with a part of what is said about it.


def lists(x):
    x[0] = [1, 2][0]  # lists are not supported in kernels; use a tuple


def dictionaries(x):
    y = {}  # dictionaries are not supported
    x[0] = y


def comprehensions(x):
    x[0] = sum(i for i in range(3))  # generators are not supported in kernels; write a for loop


def handlers(x):
    try:  # try is not supported in kernels
        x[0] = 1
    finally:
        pass


def raising(x):
    raise ValueError  # raise is not supported in kernels


def functions_inside(x):
    def f():  # device_func
        pass


def undefined(x):
    x[0] = nothing_of_that_name  # noqa: F821  # there is no name nothing_of_that_name


def unassigned(x):
    x[0] = y  # noqa: F821  # y is used before anything is assigned to it
    y = 3  # noqa: F841


def ordinary_functions(x):
    x[0] = ordinary(3)  # put ordinary under @situ.kernels.device_func


def host_arrays(x):
    x[0] = HOST[0]  # arrays from outside of a kernel are not seen inside


def whole_arrays(x):
    x[0] = x + 1  # kernels compute with elements, as in x[i]


def parts(x):
    x[:] += 1  # change its elements in a loop


def many_indices(x):
    x[0, 0] = 1  # has 1 axes, but there are 2 indices


def float_indices(x):
    x[x[0]] = 1  # an index must be an integer, not float64; convert it with int()


def strings(x):
    x[0] = "a"  # a number is needed here, not a str


def axes(x):
    x[get_global_id(1)] = 1  # the range has axes 0 to 0: there is no axis 1


def values(x):
    return x[0]  # kernels return nothing; store results in an array


def divisions(x):
    x[0] = 1 // 0  # division


def huge(x):
    x[0] = 10**10**10  # the result is too large


def steps(x):
    for i in range(0, 3, 0):  # the step of range() cannot be 0
        x[i] = 1


def attributes(x):
    x[0] = x.strides  # arrays have shape, ndim, size, dtype, itemsize and T in kernels, but no strides


def unpacking(x):
    a, b = 1, 2, 3  # 3 values cannot be unpacked into 2 names
    x[0] = a + b


def loops_else(x):
    for i in range(3):
        x[i] = 1
    else:
        x[0] = 2  # else after a loop is not supported


def iterables(x):
    for i in 5:  # loops go over range(), arrays and tuples
        x[i] = 1


def arguments(x):
    x[0] = abs(1, 2)  # arguments it does not take


def mixtures(x):
    if x[0] > 0:
        y = 1
    else:
        y = (1, 2)
    x[0] = y  # y is a number on one way to this place and a tuple on another


def complex_stores(x):
    x[0] = 1j * x[1]  # a complex number cannot be stored as float64; take its .real or .imag


def private_shapes(x):
    y = kernels.private.array(len(x), "f4")  # integers that are known when the kernel is compiled
    x[0] = y[0]


def bits_of_floats(x):
    x[0] = x[1] & 1  # bitwise_and cannot compute with


def overflowing(x):
    x[0] = np.uint8(1) + x.dtype.type(1) if x.ndim == 2 else np.uint8(x[0]) + 300  # 300 does not fit in uint8


def matching(x):
    match x[0]:  # match is not supported in kernels; write if and elif
        case 0:
            pass


def printing(x):
    print(x[0])  # print cannot be called in a kernel: write what is to be seen into an array


def enumerating(x):
    for i, each in enumerate(x):  # loop over range(len(x)), and take x[i] inside
        x[i] = each


def zipping(x):
    for one, other in zip(x, x, strict=True):  # loop over range(len(x)), and take x[i] and y[i] inside
        x[0] = one + other


def error_functions(x):
    x[0] = math.erf(x[0])  # there is no such function on devices yet


def calling_lambdas(x):
    x[0] = IDENTITY(x[0])  # write this function with def, and put it under @situ.kernels.device_func


def clipping(x):
    x[0] = tensor.clip(get_global_id(0), 0.5, 2)  # clip keeps the dtype int64, which does not hold the limits


def unhashable(x):
    x[0] = OUTSIDE.unhashable(3)  # a Unhashable cannot be called in a kernel


def incomparable(x):
    x[0] = OUTSIDE.incomparable(3)  # a Incomparable cannot be called in a kernel


def comparing(x):
    x[0] = OUTSIDE.incomparable == 1  # RuntimeError: no comparison


def nameless(x):
    x[0] = OUTSIDE.nameless  # a number is needed here, not a Nameless


def long_tuples(x):
    a = (1, 2, 3, 4, 5, 6, 7, 8) * 100
    x[0] = len(a + a)  # a tuple has at most 1024 elements in kernels


def parts_on_two_ways(x):
    v = x
    if x[0] > 0:
        v = x[1:]
    x[0] = v[0]  # v is a part of the array x on one way to this place and the array x on another


def two_parts(x):
    v = x[:2]
    if x[0] > 0:
        v = x[1:]
    x[0] = v[0]  # v is a part of the array x on one way to this place and a different one on another


def shapes_beyond_integers(x):
    y = kernels.private.array(2**70, "f4")  # an array of a kernel's own cannot have the shape
    x[0] = y[0]


FUNCTIONS = [
    lists, dictionaries, comprehensions, handlers, raising, functions_inside, undefined, unassigned, ordinary_functions,
    host_arrays, whole_arrays, parts, many_indices, float_indices, strings, axes, values, divisions, huge, steps,
    attributes, unpacking, loops_else, iterables, arguments, mixtures, complex_stores, private_shapes, bits_of_floats,
    overflowing, matching, printing, enumerating, zipping, error_functions, calling_lambdas, clipping, unhashable,
    incomparable, comparing, nameless, long_tuples, parts_on_two_ways, two_parts, shapes_beyond_integers,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_errors_point_at_the_line(function):
    lines = Path(__file__).read_text(encoding="utf-8").split("\n")
    first = function.__code__.co_firstlineno
    number = next(n for n in range(first, first + 10) if "  # " in lines[n - 1])
    wanted = lines[number - 1].rsplit("  # ", 1)[1]
    with pytest.raises(KernelCompileError) as raised:
        kernel(function)(tensor.ones(3))
    message = str(raised.value)
    head, quoted, caret = message.split("\n")[:3]
    assert re.match(rf"{re.escape(__file__)}:{number}:\d+: ", head), message
    assert wanted in head, message
    assert quoted.strip() == lines[number - 1].strip() and caret.strip() == "^"
    error = raised.value
    assert (error.filename, error.lineno) == (__file__, number) and error.offset >= 1


def test_the_caret_is_below_the_column():
    @kernel
    def f(x):
        x[0] = "ä" if x.ndim == 2 else [1]

    with pytest.raises(KernelCompileError) as raised:
        f(tensor.ones(3))
    _, quoted, caret = str(raised.value).split("\n")
    assert quoted[caret.index("^")] == "[" and raised.value.offset == 40


def test_errors_in_device_functions_say_who_called():
    @device_func
    def inner(x):
        return x.nothing

    @device_func
    def outer(x):
        return inner(x) + 1

    @kernel
    def f(x):
        x[0] = outer(x[0])

    with pytest.raises(KernelCompileError) as raised:
        f(tensor.ones(3))
    lines = str(raised.value).split("\n")
    assert "numbers have real, imag" in lines[0] and len(lines) == 5
    assert all(line.startswith(f"  called from {__file__}:") for line in lines[3:])


def test_recursion_is_refused():
    @device_func
    def f(x):
        return f(x - 1) if x > 0 else 0

    @kernel
    def g(x):
        x[0] = f(x[0])

    with pytest.raises(KernelCompileError, match="f calls itself; kernels have no recursion"):
        g(tensor.ones(3))


def test_calls_that_nest_too_deeply_point_at_a_line():
    def around(inner):
        @device_func
        def f(x):
            return inner(x)

        return f

    innermost = device_func(ordinary)
    for _ in range(300):
        innermost = around(innermost)

    @kernel
    def g(x):
        x[0] = innermost(x[0])

    with pytest.raises(KernelCompileError, match="return inner.x.(.|\n)*called from") as raised:
        g(tensor.ones(3))
    assert "nested too deeply to be compiled" in str(raised.value)


def test_device_functions_return_on_every_way():
    @device_func
    def f(x):
        if x > 0:
            return 1

    @kernel
    def g(x):
        x[0] = f(x[0])

    with pytest.raises(KernelCompileError, match="not every way through f returns a value"):
        g(tensor.ones(3))


def test_views_that_differ_by_branch_are_refused():
    @kernel
    def f(x, y):
        row = x
        if x[0] > 0:
            row = y
        x[0] = row[0]

    with pytest.raises(
        KernelCompileError, match="row is the array [xy] on one way to this place and the array [xy] on another"
    ):
        f(tensor.ones(3), tensor.ones(3))

    @kernel
    def g(x, y):
        row = x
        for _ in range(3):
            x[0] += row[0]
            row = y

    with pytest.raises(KernelCompileError, match="row is the array x before the loop"):
        g(tensor.ones(3), tensor.ones(3))


def test_functions_without_source():
    names = {}
    exec("def f(x):\n    x[0] = 1", names)
    with pytest.raises(KernelCompileError, match="cannot be read from '<string>'; define the function in a file"):
        kernel(names["f"])(tensor.ones(3))
    with pytest.raises(KernelCompileError, match="written with def"):
        kernel(lambda x: None)(tensor.ones(3))
    with pytest.raises(KernelCompileError, match="written with def"):
        kernel(abs)(tensor.ones(3))
    with pytest.raises(ValueError, match="a kernel is made of a function, not of a int"):
        kernel(3)


@pytest.mark.parametrize(
    "module", ["random", "statistics", "heapq", "colorsys", "textwrap", "numpy.polynomial.polyutils"]
)
def test_any_function_gives_a_kernel_or_a_clear_error(module):
    found = vars(importlib.import_module(module)).values()
    found = [each for each in found if isinstance(each, types.FunctionType)]
    assert found
    for function in found:
        code = function.__code__
        for arg in (("f4", 1), ("i4", 2), 3, 2.5):
            try:
                kernel(function).inspect(*[arg] * (code.co_argcount + code.co_kwonlyargcount))
            except KernelCompileError as error:
                assert "supported" in str(error) or ":" in str(error)


# Launches.


@kernel
def fill(x):
    x[get_global_id(0)] = 1


def test_bare_launches_need_one_shape():
    @kernel
    def f(x, y):
        x[get_global_id(0)] = y[get_global_id(0)]

    with pytest.raises(ValueError, match=r"different shapes \(\(3,\), \(4,\)\); give a range: f\[range\]"):
        f(tensor.ones(3), tensor.ones(4))
    with pytest.raises(ValueError, match="have 4 axes, and a range has 1 to 3; give a range"):
        fill(tensor.ones((1, 1, 1, 1)))


def test_ranges_are_checked():
    x = tensor.ones(3)
    for wrong, error, text in [
        ((), ValueError, "1 to 3 axes, not 0"),
        ((1, 1, 1, 1), ValueError, "1 to 3 axes, not 4"),
        (-1, ValueError, "not a number of work-items"),
        ("a", TypeError, "an int or a tuple of 1 to 3 ints"),
        (2.5, TypeError, "an int or a tuple of 1 to 3 ints"),
        (2**70, ValueError, "not a number of work-items"),
    ]:
        with pytest.raises(error, match=text):
            fill[wrong](x)


def test_groups_need_an_ndrange():
    @kernel
    def f(x):
        held = local.array(4, "f4")
        held[get_local_id(0)] = 1
        barrier()
        x[get_global_id(0)] = held[0]

    with pytest.raises(ValueError, match="uses work-groups: launch it over an NdRange"):
        f[4](tensor.ones(4))


def test_arguments_are_checked():
    with pytest.raises(TypeError, match="kernel fill has 1 parameters and was given 3 arguments"):
        fill[3](tensor.ones(3), 1, 2)
    with pytest.raises(TypeError, match="argument y is a list; kernels take arrays of situ"):

        @kernel
        def f(x, y):
            x[0] = y[0]

        f[3](tensor.ones(3), [1])
    with pytest.raises(TypeError, match="kernel_fn: expected a function under @situ.kernel"):
        kernels.call_kernel(ordinary, 3)
    with pytest.raises(TypeError, match="dependent_events"):
        kernels.call_kernel_async(fill, 3, 5, tensor.ones(3))


def test_read_only_arrays_are_not_written_to():
    x = tensor.ones(3)
    x.flags.writable = False
    with pytest.raises(ValueError, match="kernel fill, argument x"):
        fill[3](x)


# Faults.


def faulty(function, *args, space):
    with pytest.raises(KernelFault) as raised:
        kernel(debug=True)(function)[space](*args)
    return str(raised.value)


def test_indices_are_reported():
    def vector_add(a, b):
        i, j = get_global_id(0), get_global_id(1)
        b[i, j] = a[i, j + 1]

    a, b = tensor.ones((2, 3)), tensor.zeros((2, 3))
    line = vector_add.__code__.co_firstlineno + 2
    where = f"kernel vector_add, work-item (0, 2): test_kernel_errors.py:{line}"
    assert faulty(vector_add, a, b, space=(2, 3)) == f"{where}: index 3 of axis 1 is outside of a, which has 3"


def test_negative_indices_are_reported_unless_they_are_constants():
    def f(x):
        x[-1] = 5
        x[get_global_id(0) - 1] = 1

    x = tensor.zeros(3)
    assert "work-item (0): " in faulty(f, x, space=3)
    assert "index -1 of axis 0 is outside of x, which has 3" in faulty(f, x, space=3)


def test_parts_are_guarded_by_their_own_lengths():
    def f(x):
        part = x[1:3]
        part[get_global_id(0)] = 1

    assert "index 2 of axis 0 is outside of x, which has 2" in faulty(f, tensor.zeros(5), space=3)


def test_divisions_by_zero_are_reported():
    for dtype in ("i4", "u8", "bool"):

        def f(x):
            x[0] = 5 % (x[0] - x[0] * 1)

        if dtype != "bool":
            assert faulty(f, tensor.ones(1, dtype=dtype), space=1).endswith("integer division by zero")

    def g(x):
        x[0] = 5 // (x[0] - 1)

    kernel(debug=True)(g)[1](tensor.ones(1))


def test_steps_of_zero_are_reported():
    def f(x, n):
        for i in range(0, 5, n):
            x[i] = 1

    assert faulty(f, tensor.ones(5), 0, space=1).endswith("the step of range() is 0")


def test_missed_barriers_are_reported():
    def f(x):
        if get_local_id(0) < 2:
            barrier()
        x[get_global_id(0)] = 1

    assert "not all work-items of the group reach this barrier" in faulty(f, tensor.ones(4), space=NdRange(4, 4))


def test_guards_keep_to_what_is_evaluated():
    @kernel(debug=True)
    def f(x):
        i = get_global_id(0)
        if i + 1 < len(x) and x[i + 1] > 0:
            x[i] = x[i + 1] if i + 2 < len(x) else 0
        n = len(x) - 3
        x[i] += 0 if n == 0 else 7 // n
        if n != 0 and 7 // n > 2:
            x[i] = -1

    x = tensor.ones(3)
    f(x)
    assert tensor.asnumpy(x).tolist() == [1, 0, 1]
