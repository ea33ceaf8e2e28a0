"""Platforms and devices as text."""

from __future__ import annotations

import warnings

from ._devices import get_platforms
from ._native import Device, Platform


def _filter_string(device: Device) -> str:
    try:
        return device.filter_string
    except ValueError:
        return "none: it is a sub-device"


def print_device(device: Device) -> None:
    """Print what a device is called.

    >>> import situ
    >>> situ.Device("cpu").print_device_info()
        Name            ...
        Driver version  ...
        Vendor          ...
        Filter string   native:cpu:0
    <BLANKLINE>
    """
    print(f"    Name            {device.name}")
    print(f"    Driver version  {device.driver_version}")
    print(f"    Vendor          {device.vendor}")
    print(f"    Filter string   {_filter_string(device)}")
    print()


def _checked(verbosity: int) -> int:
    if verbosity in (0, 1, 2):
        return verbosity
    warnings.warn(f"verbosity: expected 0, 1 or 2, got {verbosity!r}; using 0", UserWarning, stacklevel=3)
    return 0


def print_platform(platform: Platform, verbosity: int = 0) -> None:
    """Print what a platform is called: in one line, in a block, or in a block with its devices.

    >>> import situ
    >>> situ.Platform("native").print_platform_info()
    situ native ...
    """
    verbosity = _checked(verbosity)
    if verbosity == 0:
        print(f"{platform.name} {platform.version}")
        return
    devices = platform.get_devices()
    print(f"    Name        {platform.name}")
    print(f"    Version     {platform.version}")
    print(f"    Vendor      {platform.vendor}")
    print(f"    Backend     {platform.backend.name}")
    print(f"    Num Devices {len(devices)}")
    if verbosity == 1:
        return
    for number, device in enumerate(devices):
        print(f"      # {number}")
        print(f"        Name                {device.name}")
        print(f"        Version             {device.driver_version}")
        print(f"        Filter string       {_filter_string(device)}")


def lsplatform(verbosity: int = 0) -> None:
    """Print the platforms of this machine: one line each (0), a block each (1), or with their devices (2).

    >>> import situ
    >>> situ.lsplatform()
    situ native ...
    """
    verbosity = _checked(verbosity)
    for number, platform in enumerate(get_platforms()):
        if verbosity > 0:
            print(f"Platform  {number} ::")
        print_platform(platform, verbosity)
