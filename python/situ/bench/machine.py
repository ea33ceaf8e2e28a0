"""The machine and the software that numbers came from."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path

import situ

from .._cli.draw import size
from . import peers

_PEERS = ("numpy", *peers.DISTRIBUTIONS)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def _load() -> str:
    load = os.getloadavg()[0]
    quiet = load < 0.5 * (os.cpu_count() or 1)
    return f"{load:.2f} in the minute before" + ("" if quiet else ": other programs were running, so trust no number")


def _device(device: situ.Device) -> str:
    text = f"{device.filter_string}, {device.max_compute_units} compute units"
    if device.is_cpu:
        return f"{text}, {32 * device.native_vector_width_float}-bit vectors"
    return f"{device.name}: {text}, driver {device.driver_version}"


def facts(device: situ.Device | None = None) -> dict[str, str]:
    """What a reader needs to judge the numbers of a device, the processor if none is named.

    >>> facts()["situ"] == situ.__version__
    True
    """
    device = situ.Device("cpu") if device is None else device
    found = {
        "processor": _processor(),
        "device": _device(device),
        "memory": size(device.global_mem_size),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "load": _load(),
        "python": platform.python_version(),
        "situ": situ.__version__,
    }
    return found | {name: version for name in _PEERS if (version := _version(name)) is not None}
