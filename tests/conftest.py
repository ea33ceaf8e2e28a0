"""Settings and fixtures that several test files share."""

import os
from zlib import crc32

import numpy as np
import pytest
from hypothesis import Phase, settings
from strategies import BACKENDS, places

import situ

# Explaining a failure reruns it hundreds of times; shrinking is enough.
PHASES = (Phase.explicit, Phase.generate, Phase.shrink)
# The same examples every time, so that a change is judged by what it changed; the long profile looks for new ones.
settings.register_profile(
    "quick", deadline=None, max_examples=60, database=None, print_blob=True, phases=PHASES, derandomize=True
)
settings.register_profile("fuzz", settings.get_profile("quick"), max_examples=200, derandomize=False)
settings.register_profile("long", settings.get_profile("quick"), max_examples=3000, derandomize=False)
# Where every new combination of dtypes and layouts is compiled first, and time is short.
settings.register_profile("brief", settings.get_profile("quick"), max_examples=15)
settings.load_profile(os.environ.get("SITU_TEST_PROFILE", "quick"))

PLACES = places()
DEVICES = {name: queue for name, queue in PLACES.items() if queue.sycl_device.parent_device is None}


def pytest_collection_modifyitems(config, items):
    """Leave out what depends on no device, where only other backends than the native one are asked for.

    SITU_TEST_SHARE=16 leaves a sixteenth of the rest, always the same one. What is about OpenCL itself stays.
    """
    if "native" not in BACKENDS:
        share = int(os.environ.get("SITU_TEST_SHARE", "1"))
        chosen = {
            item
            for item in items
            if ({"here", "place"} & set(getattr(item, "fixturenames", ())) and crc32(item.nodeid.encode()) % share == 0)
            or (item.get_closest_marker("opencl") and "opencl" in BACKENDS)
        }
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = [item for item in items if item in chosen]


@pytest.fixture(scope="session", params=PLACES.values(), ids=PLACES.keys())
def place(request):
    """A queue, on each device and on a part of each that can be split."""
    return request.param


@pytest.fixture(scope="session", params=DEVICES.values(), ids=DEVICES.keys())
def here(request):
    """A queue on each device, for tests that would learn nothing from a part of one."""
    return request.param


@pytest.fixture
def quiet():
    """NumPy without warnings about overflow, division by zero and NaN."""
    with np.errstate(all="ignore"):
        yield


@pytest.fixture
def faults():
    """The null device's failures, all disarmed before and after."""
    hooks = situ._native.null_faults
    hooks.reset()
    hooks.set_latency("immediate")
    yield hooks
    hooks.set_latency("immediate")
    hooks.reset()
