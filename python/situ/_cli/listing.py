"""What there is: the table of devices, one device in full, and why a backend has none."""

from __future__ import annotations

from textwrap import wrap

import situ
from situ import _native

from .draw import size
from .table import Cell, Column, print_table
from .terminal import Terminal

_COLUMNS = (
    Column("  device"),
    Column("name", flexible=True),
    Column("type"),
    Column("units", right=True),
    Column("memory", right=True, optional=True),
    Column("vector", right=True, optional=True),
    Column("version", flexible=True, optional=True),
)
_ELEMENTS = ("char", "short", "int", "long", "half", "float", "double")


def _row(device: situ.Device, is_default: bool) -> list[Cell]:
    return [
        Cell(("• " if is_default else "  ") + device.filter_string, "bold green" if is_default else "bold"),
        Cell(" ".join(device.name.replace("(R)", "").replace("(TM)", "").split())),
        Cell(device.device_type.name),
        Cell(str(device.max_compute_units)),
        Cell(size(device.global_mem_size)),
        Cell(f"{32 * device.native_vector_width_float} bit"),
        Cell(device.driver_version),
    ]


def print_devices(terminal: Terminal) -> None:
    """Write the table of every device of every platform, the default one marked."""
    default = situ.Device()
    devices = [device for platform in situ.get_platforms() for device in platform.get_devices()]
    print_table(terminal, _COLUMNS, [_row(device, device == default) for device in devices])
    terminal.print("• the default device", "dim")


def print_missing(terminal: Terminal) -> None:
    """Write one line for each backend without a device, and for each device that is not offered, saying why."""
    reasons = situ.availability()
    missing = [(name, reason) for name, reason in reasons.items() if reason is not None]
    left_out = [(name, why) for name, reason in reasons.items() if reason is None for why in _native.left_out(name)]
    width = max((len(name) for name, _ in missing + left_out), default=0)
    for title, rows in (("No device through:", missing), ("Not offered:", left_out)):
        if rows:
            terminal.print(title, "bold")
        for name, reason in rows:
            terminal.print(f"  {name.ljust(width)}  {reason}")


def _facts(device: situ.Device) -> list[tuple[str, list[tuple[str, str]]]]:
    def listed(*names: str) -> list[tuple[str, str]]:
        return [(name, str(getattr(device, name))) for name in names]

    def in_bytes(*names: str) -> list[tuple[str, str]]:
        return [(name, size(getattr(device, name))) for name in names]

    aspects = [name[len("has_aspect_") :] for name in dir(device) if name.startswith("has_aspect_")]
    return [
        (
            "Identity",
            [
                *listed("name", "vendor", "driver_version"),
                ("backend", device.backend.name),
                ("device_type", device.device_type.name),
                ("platform", device.sycl_platform.name),
                *listed("filter_string", "default_selector_score"),
            ],
        ),
        (
            "Work",
            listed(
                "max_compute_units",
                "max_clock_frequency",
                "max_work_group_size",
                "max_work_item_sizes3d",
                "max_num_sub_groups",
                "sub_group_sizes",
                "partition_max_sub_devices",
                "profiling_timer_resolution",
            ),
        ),
        (
            "Memory",
            [
                *in_bytes("global_mem_size", "max_mem_alloc_size", "local_mem_size", "global_mem_cache_size"),
                *listed("global_mem_cache_line_size"),
            ],
        ),
        ("Elements per vector", [(name, str(getattr(device, f"native_vector_width_{name}"))) for name in _ELEMENTS]),
        (
            "Aspects",
            [
                ("has", ", ".join(name for name in aspects if getattr(device, f"has_aspect_{name}")) or "none"),
                ("has not", ", ".join(name for name in aspects if not getattr(device, f"has_aspect_{name}")) or "none"),
            ],
        ),
    ]


def print_device(terminal: Terminal, selector: str | None) -> None:
    """Write everything a device says about itself."""
    device = situ.Device() if selector is None else situ.Device(selector)
    for title, facts in _facts(device):
        terminal.heading(title)
        for name, value in facts:
            lines = wrap(value, max(20, terminal.width - 30)) or [""]
            for label, line in zip([name, *[""] * len(lines)], lines, strict=False):
                terminal.print(f"  {label.ljust(28)}{line}")
