"""The libraries that are compared: how each is given data, called, and waited for.

Everything a library cannot do raises in its own way; whoever asks leaves that library out and says why.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeVar

import numpy

import situ
from situ import memory, tensor

from ..contest import Snippet

_Kept = TypeVar("_Kept")
_DRAWN = 2**24


@lru_cache(maxsize=3)
def random(dtype: str, n: int, seed: int = 0) -> Any:
    """Random elements between 0.5 and 2; beyond some number they repeat, because drawing takes long."""
    drawn = numpy.random.default_rng(seed).random(min(n, _DRAWN)) * 1.5 + 0.5
    return numpy.resize(drawn.astype(dtype), n)


def forget(libraries: Sequence[Library]) -> None:
    """Let go of every operand made so far."""
    random.cache_clear()
    for library in libraries:
        library.forget()


class Library(ABC):
    """A library with arrays of its own on the device that is measured."""

    name: str
    module: Any
    finish = "wait()"
    """What ends a batch: the clock stops when everything has been computed."""

    def __init__(self) -> None:
        self._kept: dict[str, Any] = {}

    @abstractmethod
    def array(self, host: Any) -> Any:
        """A copy of a NumPy array on the device."""

    @abstractmethod
    def numpy(self, array: Any) -> Any:
        """A copy of an array as NumPy has it."""

    @abstractmethod
    def wait(self, *_: Any) -> None:
        """Return when everything submitted has been computed."""

    def function(self, name: str) -> Callable[..., Any]:
        """The library's function of that name."""
        found: Callable[..., Any] = getattr(self.module, name)
        return found

    def keep(self, key: str, make: Callable[[], _Kept]) -> _Kept:
        """What `make` returns, made once until `forget` is called."""
        if key not in self._kept:
            self._kept[key] = make()
        found: _Kept = self._kept[key]
        return found

    def forget(self) -> None:
        """Let go of everything kept, and of memory kept for reuse, which other libraries could need."""
        self._kept.clear()

    def operand(self, dtype: str, n: int, seed: int = 0) -> Any:
        """Random elements on the device."""
        return self.keep(f"{dtype} {n} {seed}", lambda: self.array(random(dtype, n, seed)))

    def snippet(self, statement: str, **names: Any) -> Snippet:
        """A statement to time. It may bind `r`, whose computation is then waited for."""
        return Snippet(statement, names | {"wait": self.wait}, finish=self.finish)


class Situ(Library):
    """situ on one of its devices."""

    name = "situ"

    def __init__(self, device: situ.Device) -> None:
        super().__init__()
        self.module = tensor
        self.device = device
        self.queue = situ.get_device_cached_queue(device)

    def array(self, host: Any) -> Any:
        """A copy of a NumPy array on the device."""
        return tensor.asarray(host, sycl_queue=self.queue)

    def numpy(self, array: Any) -> Any:
        """A copy of an array as NumPy has it."""
        return tensor.asnumpy(array)

    def wait(self, *_: Any) -> None:
        """Return when everything submitted has been computed."""
        self.queue.wait()

    def forget(self) -> None:
        """Let go of everything kept, and of memory kept for reuse, which other libraries could need."""
        super().forget()
        memory.trim(self.queue)


class Torch(Library):
    """PyTorch on a GPU."""

    name = "PyTorch"

    def __init__(self, number: int) -> None:
        super().__init__()
        self.module = import_module("torch")
        self.place = f"cuda:{number}"
        self.module.cuda.set_device(number)
        self.module.cuda.init()

    def array(self, host: Any) -> Any:
        """A copy of a NumPy array on the device."""
        return self.module.from_numpy(host).to(self.place)

    def numpy(self, array: Any) -> Any:
        """A copy of an array as NumPy has it."""
        return array.cpu().numpy()

    def wait(self, *_: Any) -> None:
        """Return when everything submitted has been computed."""
        self.module.cuda.synchronize()

    def forget(self) -> None:
        """Let go of everything kept, and of memory kept for reuse, which other libraries could need."""
        super().forget()
        self.module.cuda.empty_cache()


class Cupy(Library):
    """CuPy on a GPU."""

    name = "CuPy"

    def __init__(self, number: int) -> None:
        super().__init__()
        self.module = import_module("cupy")
        self._device = self.module.cuda.Device(number)
        self._device.use()
        self.array(numpy.zeros(1))

    def array(self, host: Any) -> Any:
        """A copy of a NumPy array on the device."""
        return self.module.asarray(host)

    def numpy(self, array: Any) -> Any:
        """A copy of an array as NumPy has it."""
        return self.module.asnumpy(array)

    def wait(self, *_: Any) -> None:
        """Return when everything submitted has been computed."""
        self._device.synchronize()

    def forget(self) -> None:
        """Let go of everything kept, and of memory kept for reuse, which other libraries could need."""
        super().forget()
        self.module.get_default_memory_pool().free_all_blocks()


class Jax(Library):
    """JAX on a GPU."""

    name = "JAX"
    finish = "wait(r)"

    def __init__(self, number: int) -> None:
        super().__init__()
        # Else it takes most of the device's memory for itself.
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        jax = import_module("jax")
        jax.config.update("jax_enable_x64", True)
        # Products as exact as everybody else's: left to itself it rounds factors to ten bits.
        jax.config.update("jax_default_matmul_precision", "highest")
        self.jit = jax.jit
        self.module = import_module("jax.numpy")
        self._put = jax.device_put
        self._device = jax.devices("gpu")[number]

    def array(self, host: Any) -> Any:
        """A copy of a NumPy array on the device."""
        return self._put(host, self._device)

    def numpy(self, array: Any) -> Any:
        """A copy of an array as NumPy has it."""
        return numpy.asarray(array)

    def wait(self, *results: Any) -> None:
        """Return when the results have been computed."""
        for result in results:
            result.block_until_ready()


class NumPy(Library):
    """NumPy, which stands in for the others where situ's device is the processor."""

    name = "NumPy"

    def __init__(self) -> None:
        super().__init__()
        self.module = numpy

    def array(self, host: Any) -> Any:
        """A copy of a NumPy array."""
        return host.copy()

    def numpy(self, array: Any) -> Any:
        """The array itself."""
        return array

    def wait(self, *_: Any) -> None:
        """Return at once: nothing is ever left to compute."""


def found(device: situ.Device) -> tuple[list[Library], dict[str, str]]:
    """The libraries that can use a device, situ first, and why others that are installed cannot."""
    libraries: list[Library] = [Situ(device)]
    if device.is_cpu:
        return [*libraries, NumPy()], {}
    number = int(device.filter_string.rpartition(":")[2])
    refused = {}
    makers: dict[str, Callable[[int], Library]] = {"torch": Torch, "cupy": Cupy, "jax": Jax}
    for module, make in makers.items():
        if find_spec(module) is None:
            continue
        try:
            libraries.append(make(number))
        except Exception as error:  # Each library has its own reasons.
            refused[module] = f"{type(error).__name__}: {error}"
    return libraries, refused
