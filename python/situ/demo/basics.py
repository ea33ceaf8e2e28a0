"""Devices, arrays, and the error that says where data lives."""

from __future__ import annotations

import situ

from .._cli import listing
from .stage import Stage


def devices(stage: Stage) -> None:
    """Show what the machine has."""
    stage.title("There is always a device")
    stage.code("devices = situ.get_devices()")
    listing.print_devices(stage.terminal)
    stage.say("Each can be named by the string in its row, or by a part of it: situ.Device('cpu').")


def arrays(stage: Stage) -> None:
    """Compute something."""
    stage.title("An array knows its place")
    stage.code(
        """
        x = tensor.linspace(0.0, 1.0, num=5)
        y = tensor.sin(x) * 2 + x / 3
        """
    )
    y = stage.names["y"]
    stage.result(f"y      = {y!r}\ndevice = {y.device!r}, {y.usm_type} memory")
    stage.say("It was computed where x lives, and that is where y lives.")


def placement(stage: Stage) -> None:
    """Provoke the placement error and follow its advice."""
    stage.title("Nothing moves behind your back")
    stage.code(
        """
        a = tensor.ones(4)
        b = tensor.ones(4, sycl_queue=situ.Queue("cpu"))
        """
    )
    try:
        stage.code("c = a + b")
    except situ.ExecutionPlacementError as error:
        stage.result(f"{type(error).__name__}: {error}", "red")
    stage.say("Its last line is the remedy. The operands are called x1 and x2 there; here that is b:")
    stage.code(
        """
        b = b.to_device(a.sycl_queue)
        c = a + b
        """
    )
    stage.result(f"c = {stage.names['c']!r}")
