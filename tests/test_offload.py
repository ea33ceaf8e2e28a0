"""Packages bound to a queue: `offload_to`."""

import collections
import copy
import inspect
import pickle
import sys
import threading
import types

import numpy as np
import pytest

import situ
from situ import tensor
from situ._scope import current_queue
from situ.utils import make_offload

N = 7


@pytest.fixture
def bound(here):
    return tensor.offload_to(here)


@pytest.fixture
def other():
    """A namespace in another context than any other device's."""
    return tensor.offload_to("null")


def host(x):
    return tensor.asnumpy(x)


def tiles():
    """Queues on two parts of a device, in one context."""
    device = situ.Device("cpu")
    if device.partition_max_sub_devices < 2:
        device = situ.Device("null")
        parts = device.create_sub_devices(partition=1)
    else:
        parts = device.create_sub_devices(partition=[1, 1])
    context = situ.Context(parts[:2])
    return [situ.Queue(context, part) for part in parts[:2]]


def test_a_namespace_has_its_own_queue(here):
    for target in (here.sycl_device, *([here.sycl_device.filter_string] if here.sycl_device.is_cpu else [])):
        one, two = tensor.offload_to(target), tensor.offload_to(target)
        assert one.get_queue() != two.get_queue()
        assert one.get_queue().sycl_device == here.sycl_device
    assert tensor.offload_to(here).get_queue() is here
    assert tensor.offload_to(tensor.ones(1, sycl_queue=here).device).get_queue() == here


@pytest.mark.parametrize("target", [3, None, 1.5])
def test_other_targets_are_refused(target):
    with pytest.raises(TypeError, match="target"):
        tensor.offload_to(target)


def test_unknown_devices_are_refused():
    with pytest.raises(situ.DeviceCreationError):
        tensor.offload_to("accelerator")


def test_operands_are_brought(bound, other):
    here = bound.get_queue()
    on_host = np.arange(N, dtype="float32")
    elsewhere = other.arange(N, dtype="float32")
    again = tensor.arange(N, dtype="float32", sycl_queue=situ.Queue(here.sycl_context, here.sycl_device))
    for one in (on_host, elsewhere, again, tensor.arange(N, dtype="float32", sycl_queue=here)):
        for two in (on_host, elsewhere, again, 2, 0.5):
            result = bound.add(one, two)
            assert result.sycl_queue == here
            expected = on_host + (on_host if not isinstance(two, (int, float)) else two)
            np.testing.assert_array_equal(host(result), expected)


def test_operands_in_sequences_and_keywords(bound, other):
    parts = [np.ones(2), other.zeros(3), bound.ones(1), tensor.ones(2, sycl_queue=bound.get_queue())]
    for sequence in (parts, tuple(parts)):
        result = bound.concat(sequence)
        assert result.sycl_queue == bound.get_queue() and host(result).tolist() == [1, 1, 0, 0, 0, 1, 1, 1]
    assert host(bound.asarray([[other.ones(2), np.zeros(2)], [1, 2]][0])).tolist() == [[1, 1], [0, 0]]
    clipped = bound.clip(np.arange(5.0), min=other.ones(5), max=np.full(5, 3.0))
    assert host(clipped).tolist() == [1, 1, 2, 3, 3] and clipped.sycl_queue == bound.get_queue()
    sorter = other.argsort(other.asarray([3, 1, 2]))
    assert host(bound.searchsorted(np.asarray([3, 1, 2]), np.asarray([2]), sorter=sorter)).tolist() == [1]


def test_nothing_is_copied_inside_a_context(here):
    x = tensor.arange(N, sycl_queue=here)
    bound = tensor.offload_to(situ.Queue(here.sycl_context, here.sycl_device))
    moved = bound.asarray(x)
    assert moved._pointer == x._pointer and moved.sycl_queue == bound.get_queue()
    assert bound.flip(x)._pointer != 0 and bound.reshape(x, (N, 1))._pointer == x._pointer


def test_host_data_does_not_decide_the_kind_of_memory(bound):
    x = bound.ones(3, usm_type="shared")
    assert bound.add(x, np.ones(3)).usm_type == "shared"
    assert bound.add(np.ones(3), np.ones(3)).usm_type == "device"
    assert bound.multiply(x, bound.ones(3, usm_type="host")).usm_type == "shared"


CREATION = {
    "arange": (N,),
    "asarray": ([1, 2],),
    "empty": (N,),
    "eye": (3,),
    "from_numpy": (np.ones(3),),
    "full": ((2, 2), 5),
    "linspace": (0, 1, N),
    "ones": (N,),
    "zeros": (N,),
    "zeros_like": (np.ones(3),),
    "full_like": (np.ones(3), 2),
}


@pytest.mark.parametrize("name", CREATION)
def test_new_arrays_are_there(bound, name):
    result = getattr(bound, name)(*CREATION[name])
    assert result.sycl_queue == bound.get_queue() and result.__array_module__ is bound
    assert getattr(bound, name)(*CREATION[name], usm_type="shared").usm_type == "shared"


def test_another_place_is_refused(bound, other):
    queue = bound.get_queue()
    assert bound.zeros(2, sycl_queue=queue).__array_module__ is bound
    assert bound.zeros(2, device=bound.ones(1).device).sycl_queue == queue
    assert bound.zeros(2, device=queue.sycl_device).sycl_queue == queue
    for options in ({"device": "null"}, {"sycl_queue": other.get_queue()}, {"queue": other.ones(1).device}):
        with pytest.raises(situ.ExecutionPlacementError, match="zeros: .*is not where this namespace computes"):
            bound.zeros(2, **options)


def test_dlpack_comes_here(bound):
    assert bound.from_dlpack(np.arange(3)).sycl_queue == bound.get_queue()


def test_results_are_bound(bound):
    x = bound.arange(4)
    assert x.__array_module__ is x.__array_namespace__() is x.__array_namespace__(api_version="2024.12") is bound
    unique = bound.unique_all(np.asarray([3, 1, 3]))
    assert isinstance(unique, tensor.UniqueAllResult)
    for each in (*unique, *bound.unstack(np.ones((2, 2))), *bound.meshgrid(np.ones(2), np.ones(3))):
        assert each.__array_module__ is bound
    assert isinstance(bound.asnumpy(x), np.ndarray)
    assert bound.result_type(x, np.float32(1)) == tensor.result_type(x, np.float32(1))


UNARY = {
    "-x": lambda x: -x,
    "+x": lambda x: +x,
    "abs": abs,
    "~x": lambda x: ~x,
    "x ** 2": lambda x: x**2,
    "2 ** x": lambda x: 2**x,
    "x + 1": lambda x: x + 1,
    "1 - x": lambda x: 1 - x,
    "x == 1": lambda x: x == 1,
    "x < x": lambda x: x < x,
    "x @ x": lambda x: x @ x.T,
    "x[0]": lambda x: x[0],
    "x[mask]": lambda x: x[x > 1],
    "T": lambda x: x.T,
    "mT": lambda x: x.mT,
    "real": lambda x: x.real,
    "imag": lambda x: x.imag,
    "reshape": lambda x: x.reshape(-1),
    "astype": lambda x: x.astype("float32"),
    "same dtype": lambda x: x.astype(x.dtype, copy=False),
    "copy": lambda x: x.copy(),
    "copy module": copy.copy,
    "iteration": lambda x: next(iter(x)),
    "numpy beside": lambda x: x + np.ones((2, 2)),
    "numpy before": lambda x: np.ones((2, 2)) * x,
}


@pytest.mark.parametrize("way", UNARY)
def test_operators_and_methods_keep_the_binding(bound, way):
    x = bound.asarray([[1, 2], [3, 4]])
    result = UNARY[way](x)
    assert result.__array_module__ is bound and result.sycl_queue == bound.get_queue()
    plain = UNARY[way](tensor.asarray([[1, 2], [3, 4]], sycl_queue=bound.get_queue()))
    assert plain.__array_module__ is tensor
    np.testing.assert_array_equal(host(result), host(plain))


def test_operators_bring_operands(bound, other):
    x, y = bound.arange(3), tensor.arange(3, sycl_queue=other.get_queue())
    for result in (x + y, y + x, x * y, y - x, x @ y, y @ x, x == y, y < x):
        assert result.__array_module__ is bound and result.sycl_queue == bound.get_queue()
    x += y
    x[1:] = y[:2]
    x[y[:1]] = 9
    assert host(x).tolist() == [9, 0, 1] and host(x[y[::-1]]).tolist() == [1, 0, 9]


def test_two_bindings_are_ambiguous(bound, other):
    if bound.get_queue().sycl_device == other.get_queue().sycl_device:
        other = tensor.offload_to("cpu")
    x, y = bound.ones(2), other.ones(2)
    for attempt in (lambda: x + y, lambda: y * x, lambda: x @ y, lambda: x < y):
        with pytest.raises(situ.ExecutionPlacementError):
            attempt()
    assert bound.add(x, y).__array_module__ is bound and other.add(x, y).__array_module__ is other
    same = tensor.offload_to(bound.get_queue())
    assert (x + same.ones(2)).__array_module__ is bound and (same.ones(2) + x).__array_module__ is same


def test_leaving_the_queue_ends_the_binding(bound, other):
    x = bound.ones(3)
    for moved in (x.to_device("null"), x.to("null"), x.copy_to("null"), x.asarray("null", usm_type="host")):
        expected = bound if moved.sycl_queue == bound.get_queue() else tensor
        assert moved.__array_module__ is expected
    assert x.__array_module__ is bound
    assert x.make_available(other.get_queue()) is x
    assert x.sycl_queue == other.get_queue() and x.__array_module__ is tensor
    assert other.add(x, 1).__array_module__ is other


def test_other_peoples_arrays_stay_as_they_are(here):
    one, two = tensor.offload_to(here), tensor.offload_to(here)
    x = tensor.ones(3, sycl_queue=here)
    y = one.asarray(x)
    assert y._pointer == x._pointer and y.__array_module__ is one
    assert x.__array_module__ is tensor
    z = two.asarray(y)
    assert z.__array_module__ is two and y.__array_module__ is one
    assert one.asarray(y) is y


def test_what_is_written_is_seen(bound, other):
    queue = bound.get_queue()
    sibling = tensor.zeros(3, sycl_queue=situ.Queue(queue.sycl_context, queue.sycl_device))
    bound.put(sibling, np.asarray([1]), 5.0)
    bound.add(np.ones(3), np.ones(3), out=bound.empty(3))
    assert host(sibling).tolist() == [0, 5, 0]
    bound.place(sibling, np.asarray([True, False, False]), np.asarray([7.0]))
    assert host(sibling).tolist() == [7, 5, 0]
    out = bound.empty(3)
    assert bound.matmul(np.eye(3), np.ones(3), out) is out and host(out).tolist() == [1, 1, 1]
    if queue.sycl_device == other.get_queue().sycl_device:
        other = tensor.offload_to("cpu")
    there = other.zeros(3)
    for attempt in (
        lambda: bound.put(there, [1], 5.0),
        lambda: bound.put(np.zeros(3), [1], 5.0),
        lambda: bound.add(out, out, out=there),
        lambda: bound.matmul(np.eye(3), out, there),
        lambda: bound.put_along_axis(there, np.asarray([0]), np.ones(1)),
    ):
        with pytest.raises(situ.ExecutionPlacementError, match="written to"):
            attempt()


def test_which_arguments_are_special():
    """The docstrings say the same: who returns nothing writes to the first argument, and who takes anything says so."""
    from situ._offload import _special_arguments

    names = dir(tensor.offload_to("cpu"))
    functions = [getattr(tensor, name) for name in names if inspect.isroutine(getattr(tensor, name, None))]
    assert len(functions) > 50
    for function in functions:
        parameters, text = list(inspect.signature(function).parameters), function.__doc__
        writes = "\nParameters:\n" in text and "\nReturns:\n" not in text
        taken = [f"    {each} (ArrayLike)" in text for each in parameters]
        written = [each == "out" or n == 0 and writes for n, each in enumerate(parameters)]
        expected = tuple(sum(1 << n for n, is_set in enumerate(each) if is_set) for each in (written, taken))
        assert _special_arguments(function, True) == expected, function.__name__


def test_constants_and_classes_are_the_packages(bound):
    for name in tensor.__all__:
        member = getattr(tensor, name)
        if member is tensor.ndarray:
            assert issubclass(getattr(bound, name), member) and isinstance(tensor.ones(1), getattr(bound, name))
        elif inspect.ismodule(member):
            assert getattr(bound, name).get_queue() == bound.get_queue()
        elif not callable(member) or isinstance(member, type):
            assert getattr(bound, name) is member
    assert isinstance(bound.ones(1), bound.ndarray)
    assert bound.finfo(bound.float32).eps == tensor.finfo("float32").eps
    assert bound.__array_api_version__ == tensor.__array_api_version__
    info = bound.__array_namespace_info__()
    assert info.capabilities() == tensor.__array_namespace_info__().capabilities()
    assert info.default_device() == bound.get_queue()


def test_it_looks_like_the_module(bound):
    assert set(tensor.__all__) <= set(dir(bound)) and "get_queue" in dir(bound)
    for name in ("add", "sin", "zeros", "concat", "unique_all", "allclose"):
        one, two = getattr(bound, name), getattr(tensor, name)
        assert one is getattr(bound, name)
        assert one.__doc__ == two.__doc__ and one.__name__ == name and one.__wrapped__ is two
        assert inspect.signature(one) == inspect.signature(two)
    assert bound.add.nin == 2 and bound.sin.types == tensor.sin.types
    label = repr(bound.get_queue()).partition(" on ")[2].rstrip(">")
    assert repr(bound).startswith(f"<situ.tensor on {label}, queue 0x")
    for name in ("nothing", "_functions"):
        with pytest.raises(AttributeError, match=name):
            getattr(bound, name)
    with pytest.raises(AttributeError, match="fixed"):
        bound.add = tensor.add


def test_pickles_come_back_on_the_device(here):
    queue = situ.Queue(here.sycl_device, property="enable_profiling")
    bound = tensor.offload_to(queue)
    again = pickle.loads(pickle.dumps(bound))
    assert again.get_queue().sycl_device == here.sycl_device and again.get_queue().has_enable_profiling
    assert again.ones(2).__array_module__ is again
    assert copy.copy(bound) is bound and copy.deepcopy(bound) is bound


def test_parts_of_devices_have_no_name():
    part = situ.Device("null").create_sub_devices(partition=1)[0]
    with pytest.raises(pickle.PicklingError, match="part of a device"):
        pickle.dumps(tensor.offload_to(part))


def test_the_global_queue_is_left_alone(bound):
    seen = []
    package = types.ModuleType("package")
    package.peek = lambda: seen.append(current_queue())
    sys.modules["package"] = package
    make_offload(package)(bound.get_queue()).peek()
    assert seen == [bound.get_queue()] and current_queue() is None
    with pytest.raises(ValueError), situ.device_context("null") as outer:
        try:
            bound.zeros(-1)
        finally:
            assert current_queue() is outer
            assert tensor.zeros(1).sycl_queue == outer
    assert current_queue() is None


def test_threads_do_not_disturb_each_other():
    namespaces = [tensor.offload_to("cpu"), tensor.offload_to("null")]
    failures = []

    def work(namespace):
        for n in range(200):
            x = namespace.sum(namespace.ones(n % 5 + 1) * 2)
            if x.__array_module__ is not namespace or float(x) != 2 * (n % 5 + 1):
                failures.append(n)

    threads = [threading.Thread(target=work, args=(each,)) for each in namespaces * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_memory_of_one_tile_is_used_from_the_others_queue():
    first, second = tiles()
    x, y = tensor.arange(4, sycl_queue=first), tensor.ones(4, dtype="int64", sycl_queue=second)
    with pytest.raises(situ.ExecutionPlacementError):
        x + y
    bound = tensor.offload_to(first)
    before = y._pointer
    result = bound.concat((x, y))
    assert result.sycl_queue == first and host(result).tolist() == [0, 1, 2, 3, 1, 1, 1, 1]
    assert bound.asarray(y)._pointer == before and y.sycl_queue == second
    assert host(bound.add(x, y)).tolist() == [1, 2, 3, 4]
    y = y.copy_to(first)
    assert host(x + y).tolist() == [1, 2, 3, 4] and y._pointer != before


def test_arrays_are_made_there_by_their_class(bound):
    for cls in (bound.ndarray, bound.usm_ndarray):
        x = cls((3,), dtype="float32")
        assert type(x) is tensor.ndarray and x.sycl_queue == bound.get_queue() and x.__array_module__ is bound
        with pytest.raises(situ.ExecutionPlacementError, match="is not where this namespace computes"):
            cls((3,), buffer_ctor_kwargs={}, sycl_queue=situ.Queue("cpu"))
        assert not isinstance(np.ones(1), cls)

        class Own(cls):
            pass

        assert type(Own((2,))) is Own and Own((2,)).sycl_queue == bound.get_queue()
        assert not isinstance(x, Own)


@pytest.mark.parametrize("module, error", [(3, TypeError), (None, TypeError), ("no_such", ValueError)])
def test_only_modules_are_offloaded(module, error):
    with pytest.raises(error, match="module: "):
        make_offload(module)


@pytest.fixture
def package(tmp_path):
    source = '''
import enum

from situ import kernel, tensor
from situ.kernels import device_func, get_global_id
from situ.utils import make_offload

offload_to = make_offload(__name__)
limit = 3


class Broken(ValueError):
    pass


class Colour(enum.Enum):
    red = 1


class Model:
    """Adds."""

    def __init__(self, start):
        self.start = start
        self.ones = tensor.ones(3)

    def compute(self, x, *, scale=1):
        """Compute."""
        return self.start + x * scale + self._more()

    def _more(self):
        return tensor.zeros(3)

    @property
    def created(self):
        return tensor.ones(2)

    @staticmethod
    def still(x):
        return x

    @classmethod
    def of(cls, start):
        return cls(start)


class Other(Model):
    def __call__(self, x):
        return super().compute(x)


def fresh(n):
    """New ones."""
    return tensor.ones(n)


def failing():
    raise Broken


def identity(x):
    return x


def copied(x, out):
    out[:] = x


@kernel
def doubled(x):
    i = get_global_id(0)
    x[i] = double(x[i])


@device_func
def double(x):
    return 2 * x


def _hidden():
    pass
'''
    module = types.ModuleType("offloaded")
    sys.modules["offloaded"] = module
    # Kernels are compiled from their text.
    path = tmp_path / "offloaded.py"
    path.write_text(source)
    exec(compile(source, str(path), "exec"), vars(module))
    yield module
    del sys.modules["offloaded"]


def test_any_package_has_it_in_one_line(package, here):
    bound = package.offload_to(here)
    assert bound.fresh(2).sycl_queue == here and bound.fresh(n=2).sycl_queue == here
    assert package.fresh(2).sycl_queue == situ.get_device_cached_queue(situ.Device())
    assert bound.limit == 3 and bound.Broken is package.Broken and bound.Colour is package.Colour
    with pytest.raises(package.Broken):
        bound.failing()
    assert current_queue() is None
    assert "fresh" in dir(bound) and "_hidden" not in dir(bound) and bound.fresh.__doc__ == "New ones."
    # It is no namespace of arrays, so arrays are not its own.
    assert bound.fresh(2).__array_module__ is tensor


def test_classes_work_there(package, here):
    bound = package.offload_to(here)
    assert issubclass(bound.Model, package.Model) and bound.Model is bound.Model and bound.Model.__doc__ == "Adds."
    model = bound.Model(np.ones(3))
    assert isinstance(model, package.Model) and model.start.sycl_queue == here and model.ones.sycl_queue == here
    result = model.compute(tensor.ones(3, device="null"), scale=np.full(3, 2.0))
    assert result.sycl_queue == here and host(result).tolist() == [3, 3, 3]
    assert model.created.sycl_queue == here and model.still(np.ones(2)).sycl_queue == here
    assert bound.Model.of(np.ones(3)).ones.sycl_queue == here
    assert host(bound.Other(np.ones(3))(np.ones(3))).tolist() == [2, 2, 2]
    assert inspect.signature(bound.Model.compute) == inspect.signature(package.Model.compute)
    assert type(package.Model(1)) is package.Model


def test_packages_do_not_disturb_each_other(package):
    one, two = package.offload_to("cpu"), package.offload_to("null")
    first, second = one.Model(np.ones(3)), two.Model(np.ones(3))
    for _ in range(2):
        assert first.compute(np.ones(3)).sycl_queue == one.get_queue()
        assert second.compute(np.ones(3)).sycl_queue == two.get_queue()


def test_kernels_run_where_their_arrays_are(package, here):
    bound = package.offload_to(here)
    assert bound.doubled is package.doubled and bound.double is package.double
    x = tensor.ones(3, sycl_queue=here)
    bound.doubled(x)
    bound.doubled[2](x)
    assert host(x).tolist() == [4, 4, 2]
    with pytest.raises(situ.ExecutionPlacementError, match="NumPy array, which is on no queue"):
        bound.doubled(np.ones(3))


def test_operands_in_dicts_and_tuples_with_names(package, here):
    Pair = collections.namedtuple("Pair", "one two")
    bound = package.offload_to(here)
    far = np.ones(2)
    found = bound.identity({"a": far, "b": [Pair(far, {"c": (far, 3)})]})
    assert type(found["b"][0]) is Pair and found["b"][0].two["c"][1] == 3
    for each in (found["a"], found["b"][0].one, found["b"][0].two["c"][0]):
        assert each.sycl_queue == here
    for near in ({"a": 1}, Pair(tensor.ones(1, sycl_queue=here), 2), [{"a": None}]):
        assert bound.identity(near) is near
    assert bound.identity(x={"a": far})["a"].sycl_queue == here
    assert bound.Model(1).still({"a": far})["a"].sycl_queue == here


def test_what_packages_write_is_seen(package, here):
    bound = package.offload_to(here)
    out = tensor.zeros(2, sycl_queue=here)
    bound.copied(1, out)
    assert host(out).tolist() == [1, 1]
    far = tensor.zeros(2, sycl_queue=situ.Queue(situ.Context([here.sycl_device]), here.sycl_device))
    for attempt in (
        lambda: bound.copied(1, far),
        lambda: bound.copied(1, out=far),
        lambda: bound.copied(1, np.ones(2)),
    ):
        with pytest.raises(situ.ExecutionPlacementError, match="written to"):
            attempt()


def test_sequences_without_an_end_are_refused():
    namespace = tensor.offload_to("cpu")
    endless = []
    endless.append(endless)
    deep = 1
    for _ in range(100_000):
        deep = [deep]
    x = namespace.ones(3)
    for given in (endless, deep):
        for call in (
            lambda given=given: namespace.asarray(given),
            lambda given=given: namespace.concat(given),
            lambda given=given: namespace.sum(x, axis=given),
            lambda given=given: x + given,
            lambda given=given: x[given],
        ):
            with pytest.raises(ValueError, match="nested deeper than 64 levels"):
                call()
    assert namespace.asarray([[[1, 2]]]).shape == (1, 1, 2)
