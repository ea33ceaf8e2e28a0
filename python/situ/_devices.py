"""Finding devices and platforms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import TypeVar
from weakref import WeakValueDictionary

from . import _native
from ._enums import backend_type, device_type
from ._native import Context, Device, Platform, Queue

_Kind = TypeVar("_Kind", bound=Enum)


def _parsed(kind: type[_Kind], value: object, what: str) -> _Kind:
    """Return the member of an enum that an argument names: itself, or by its name."""
    if isinstance(value, kind):
        return value
    if not isinstance(value, str):
        raise TypeError(f"{what}: expected a string or a {kind.__name__}, got {type(value).__name__}")
    try:
        return kind[value.strip().lower()]
    except KeyError:
        raise ValueError(f"{what}: {value!r} is not one of {', '.join(kind.__members__)}") from None


def _of_type(devices: Iterable[Device], type_: device_type | str | None) -> list[Device]:
    wanted = device_type.all if type_ is None else _parsed(device_type, type_, "device_type")
    return [device for device in devices if wanted in (device_type.all, device.device_type)]


def get_devices(
    backend: backend_type | str = backend_type.all, device_type: device_type | str = device_type.all
) -> list[Device]:
    """Return the devices of this machine, all of them or those of a backend or a type.

    >>> import situ
    >>> situ.get_devices(device_type="cpu")[0].is_cpu
    True
    >>> situ.get_devices(backend="abc")
    Traceback (most recent call last):
    ...
    ValueError: backend: 'abc' is not one of all, cuda, hip, level_zero, opencl, native, null
    """
    wanted = _parsed(backend_type, backend, "backend")
    found = _of_type(_native.devices(), device_type)
    return [device for device in found if wanted in (backend_type.all, device.backend)]


def get_num_devices(
    backend: backend_type | str = backend_type.all, device_type: device_type | str = device_type.all
) -> int:
    """Return the number of devices, of all or of those of a backend or a type.

    >>> import situ
    >>> situ.get_num_devices() == len(situ.get_devices())
    True
    """
    return len(get_devices(backend, device_type))


def get_composite_devices() -> list[Device]:
    """Return the devices that are made of component devices; none, as no backend of situ has any.

    >>> import situ
    >>> situ.get_composite_devices()
    []
    """
    return [device for device in _native.devices() if device.has_aspect_is_composite]


def has_cpu_devices() -> bool:
    """Tell whether there is a CPU. There always is, unless `SITU_DEVICE_SELECTOR` hides it.

    >>> import situ
    >>> situ.has_cpu_devices()
    True
    """
    return get_num_devices(device_type="cpu") > 0


def has_gpu_devices() -> bool:
    """Tell whether there is a GPU.

    >>> import situ
    >>> situ.has_gpu_devices() == (len(situ.get_devices(device_type="gpu")) > 0)
    True
    """
    return get_num_devices(device_type="gpu") > 0


def has_accelerator_devices() -> bool:
    """Tell whether there is an accelerator that is no GPU.

    >>> import situ
    >>> situ.has_accelerator_devices()
    False
    """
    return get_num_devices(device_type="accelerator") > 0


def select_default_device() -> Device:
    """Return the device with the best score.

    >>> import situ
    >>> situ.select_default_device() == situ.Device()
    True
    """
    return Device()


def select_cpu_device() -> Device:
    """Return the best CPU, or raise `DeviceCreationError`.

    >>> import situ
    >>> situ.select_cpu_device().device_type
    <device_type.cpu: 4>
    """
    return _native.device_of_type("cpu")


def select_gpu_device() -> Device:
    """Return the best GPU, or raise `DeviceCreationError`.

    >>> import situ
    >>> try:
    ...     gpu = situ.select_gpu_device().is_gpu
    ... except situ.DeviceCreationError:
    ...     gpu = situ.has_gpu_devices()
    >>> gpu == situ.has_gpu_devices()
    True
    """
    return _native.device_of_type("gpu")


def select_accelerator_device() -> Device:
    """Return the best accelerator that is no GPU, or raise `DeviceCreationError`.

    >>> import situ
    >>> situ.select_accelerator_device()
    Traceback (most recent call last):
    ...
    situ.DeviceCreationError: no device fits device type accelerator: visible devices: ...
    """
    return _native.device_of_type("accelerator")


def select_device_with_aspects(
    required_aspects: str | Sequence[str], excluded_aspects: str | Sequence[str] | None = None
) -> Device:
    """Return the best device that has every required aspect and none of the excluded ones.

    >>> import situ
    >>> situ.select_device_with_aspects(["cpu", "fp64"], excluded_aspects="gpu").is_cpu
    True
    """
    return _native.device_with_aspects(required_aspects, excluded_aspects)


def get_platforms() -> list[Platform]:
    """Return the platforms that have a device.

    >>> import situ
    >>> situ.Device().sycl_platform in situ.get_platforms()
    True
    """
    return _native.platforms()


def availability() -> dict[str, str | None]:
    """Return for each backend the reason why it has no device here, or None where it has one.

    >>> import situ
    >>> situ.availability()["native"] is None
    True
    """
    return _native.availability()


# The queues themselves live in their contexts; this gives each one the same Python object every time.
_cached: WeakValueDictionary[int, Queue] = WeakValueDictionary()


def get_device_cached_queue(key: Device | str | tuple[Context, Device], /) -> Queue:
    """Return *the* queue of a device that everything uses where no queue is given.

    The key is a device, a selector string or a (context, device) pair. Every thread gets the same queue.

    >>> import situ
    >>> situ.get_device_cached_queue("cpu") is situ.get_device_cached_queue(situ.Device("cpu"))
    True
    """
    queue = _native.cached_queue(key)
    return _cached.setdefault(queue.addressof_ref(), queue)
