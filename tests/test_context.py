"""`situ.Context`."""

import ctypes

import pytest

import situ


@pytest.fixture
def parts():
    return situ.Device("null").create_sub_devices(partition=2)


def test_the_default_context_of_a_platform():
    context = situ.Context()
    assert context == situ.Queue().sycl_context == situ.Platform().default_context
    assert hash(context) == hash(situ.Context(situ.Device()))
    assert situ.Context(context) == context
    assert context != "context"


def test_lists_and_sub_devices_get_new_contexts(parts):
    device = situ.Device("cpu")
    assert situ.Context([device]) != situ.Context(device)
    assert situ.Context(parts[0]) != situ.Context(parts[0])
    both = situ.Context(tuple(parts))
    assert both.device_count == 2 and both.get_devices() == parts
    assert "for 2 devices" in repr(both)
    assert repr(situ.Context(parts[0])).startswith("<situ.Context at 0x")


@pytest.mark.parametrize("wrong", [1, [], [1], (), {}])
def test_wrong_arguments(wrong):
    with pytest.raises(TypeError):
        situ.Context(wrong)


def test_impossible_contexts():
    with pytest.raises(situ.ContextCreationError, match="malformed"):
        situ.Context("CPU")
    with pytest.raises(situ.ContextCreationError, match="visible devices"):
        situ.Context("accelerator")
    with pytest.raises(situ.ContextCreationError, match="different platforms"):
        situ.Context([situ.Device("cpu"), situ.Device("null")])


def test_a_failing_driver_is_a_context_that_cannot_be_created(parts):
    faults = situ._native.null_faults
    faults.reset()
    faults.fail("create_context", 1, "device_lost")
    with pytest.raises(situ.ContextCreationError, match="on request"):
        situ.Context(parts)
    assert faults.reset() == 0
    situ.Context(parts)


def test_capsules_open_once(parts):
    context = situ.Context(parts)
    capsule = context._get_capsule()
    assert '"SyclContextRef"' in repr(capsule)
    assert situ.Context(capsule) == context
    assert '"used_SyclContextRef"' in repr(capsule)
    with pytest.raises(TypeError, match="has been used"):
        situ.Context(capsule)
    with pytest.raises(TypeError, match="another capsule"):
        situ.Context(situ.Queue()._get_capsule())


def test_a_foreign_capsule_of_the_same_name_is_not_opened():
    name = ctypes.c_char_p(b"SyclContextRef")
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    with pytest.raises(TypeError, match="another capsule"):
        situ.Context(new(id(name), name, None))


def test_an_unopened_capsule_keeps_its_context(parts):
    context = situ.Context(parts)
    capsule = context._get_capsule()
    del context
    assert situ.Context(capsule).get_devices() == parts
