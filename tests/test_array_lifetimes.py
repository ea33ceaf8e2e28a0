"""Arrays as Python objects: weak references, subclasses, and cycles that the collector finds."""

import copy
import gc
import pickle
import types
import weakref

import numpy as np
import pytest

from situ import memory, tensor


class Exporter:
    """Memory of situ's that is handed on by its address alone, by somebody who has to be kept."""

    def __init__(self, size=10):
        self.array = tensor.ones(size)

    @property
    def __sycl_usm_array_interface__(self):
        entries = dict(self.array.__sycl_usm_array_interface__)
        del entries["situ_memory"]
        return entries


def collected(make):
    """Whether what `make` returns is found by the collector, and by nothing earlier."""
    gc.collect()
    gc.disable()
    try:
        watched = weakref.ref(make())
        assert watched() is not None
        gc.collect()
        return watched() is None
    finally:
        gc.enable()


class TestWeakReferences:
    """`weakref.ref(x)`."""

    @pytest.mark.parametrize(
        "make", [lambda: tensor.ones(3), lambda: tensor.ones(3) + 1, lambda: tensor.ones((2, 3)).T]
    )
    def test_they_end_with_the_array(self, make):
        array, seen = make(), []
        watched = weakref.ref(array, seen.append)
        assert watched() is array and weakref.getweakrefcount(array) == 1
        del array
        assert watched() is None and seen == [watched]

    def test_many_arrays(self):
        cache = weakref.WeakValueDictionary()
        arrays = [tensor.full(4, n) + 1 for n in range(1000)]
        cache.update(enumerate(arrays))
        assert len(cache) == 1000 and cache[7] is arrays[7]
        del arrays[500:]
        assert len(cache) == 500

    def test_finalizers(self):
        seen = []
        array = tensor.ones(3) * 2
        weakref.finalize(array, seen.append, 1)
        array += 1
        assert not seen
        del array
        assert seen == [1]


class Named(tensor.ndarray):
    """An array with a name."""

    def __new__(cls, shape, name, **keywords):
        array = super().__new__(cls, shape, **keywords)
        array.name = name
        return array

    def doubled(self):
        return self + self


class TestSubclasses:
    """Classes derived from `ndarray`."""

    def test_they_are_arrays(self):
        array = Named(4, "a", dtype="f4")
        array[:] = 2
        assert isinstance(array, tensor.ndarray) and array.name == "a" and array.shape == (4,)
        for result in (array.doubled(), tensor.add(array, 2), 2 * array, tensor.ones(4) * array * 2, array[:] + 2):
            assert type(result) is tensor.ndarray and tensor.asnumpy(result).tolist() == [4] * 4
        tensor.add(array, 1, out=array)
        assert tensor.asnumpy(array).tolist() == [3] * 4
        assert type(tensor.asarray(array, copy=True)) is tensor.ndarray
        assert tensor.asnumpy(pickle.loads(pickle.dumps(array))).tolist() == [3] * 4
        assert tensor.asnumpy(copy.copy(array)).tolist() == [3] * 4
        assert np.from_dlpack(array, device="cpu").tolist() == [3] * 4

    def test_they_have_weak_references_and_cycles(self):
        def cycle():
            array = Named(4, "a")
            array.itself = array
            return array

        assert collected(cycle)

    def test_slots(self):
        class Slotted(tensor.ndarray):
            __slots__ = ("extra",)

        array = Slotted(3)
        array.extra = [array]
        with pytest.raises(AttributeError):
            array.other = 1
        watched = weakref.ref(array)
        del array
        gc.collect()
        assert watched() is None


class TestCycles:
    """What refers to itself by way of an array."""

    def test_through_an_exporter(self):
        def cycle():
            exporter = Exporter()
            exporter.view = tensor.asarray(exporter)
            return exporter

        assert collected(cycle)

    def test_through_several_views_of_an_exporter(self):
        def cycle():
            exporter = Exporter()
            exporter.view = view = tensor.asarray(exporter)
            exporter.others = [view[2:], view[::2] if view.size else None, view.usm_data, iter(view), view.flags]
            view.shape = (5, 2)
            view.shape = (2, 5)
            return exporter

        assert collected(cycle)

    def test_a_view_that_is_used_elsewhere_keeps_everything(self):
        kept = []

        def cycle():
            exporter = Exporter()
            exporter.view = tensor.asarray(exporter)
            exporter.other = exporter.view[2:]
            kept.append(exporter.view[1:])
            return exporter

        assert not collected(cycle)
        assert tensor.asnumpy(kept[0] + 1).tolist() == [2] * 9
        watched = weakref.ref(kept[0])
        kept.clear()
        assert watched() is None
        gc.collect()

    def test_a_capsule_keeps_everything(self):
        kept = []

        def cycle():
            exporter = Exporter()
            exporter.view = tensor.asarray(exporter)
            kept.append(exporter.view.__dlpack__())
            return exporter

        assert not collected(cycle)
        kept.clear()
        gc.collect()

    def test_nothing_is_left_in_the_pool(self):
        gc.collect()
        before = memory.pool_stats()["device"]["in_use_blocks"]
        for _ in range(20):
            exporter = Exporter(1000)
            exporter.view = tensor.asarray(exporter)
            exporter.half = exporter.view[:500]
        del exporter
        gc.collect()
        assert memory.pool_stats()["device"]["in_use_blocks"] == before

    @pytest.mark.parametrize("make", [lambda: tensor.ones(3), lambda: tensor.ones(3) + 1])
    def test_through_a_namespace(self, make):
        def cycle():
            space = types.ModuleType("space")
            space.array = make()
            space.array._set_namespace(space)
            space.row = space.array[1:]
            return space

        assert collected(cycle)

    def test_through_a_namespace_that_cannot_be_cleared(self):
        def cycle():
            array = tensor.ones(3) + 1
            array._set_namespace((array,))
            return array

        assert collected(cycle)

    def test_memory_objects(self):
        class Holder:
            pass

        def cycle():
            holder = Holder()
            holder.exporter = Exporter()
            holder.exporter.holder = holder
            holder.memory = memory.as_usm_memory(holder.exporter)
            return holder

        assert collected(cycle)
