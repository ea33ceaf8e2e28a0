"""A folder for `sys.path` and `PYTHONPATH`: in it, `dpctl` is `situ.dpctl`, and so are its modules; others likewise."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

__all__ = ["install", "stand_in"]

#: The packages that situ has under its own name. Each has a folder here.
PACKAGES = ("dpctl", "dpnp", "numba_dpex", "numba_dppy")


class _Alias(MetaPathFinder, Loader):
    """Finds `dpctl.x` as the very module `situ.dpctl.x`: a second one would have exceptions of its own."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how to find a module that situ has, unless it is the one that Python runs."""
        package, _, rest = name.partition(".")
        if package not in PACKAGES or not rest or name.endswith(".__main__"):
            return None
        return None if importlib.util.find_spec(f"situ.{name}") is None else ModuleSpec(name, self)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return situ's own module, which remembers what it was found by."""
        module = importlib.import_module(f"situ.{spec.name}")
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Leave the module as it is but for what importing it under the other name has changed."""
        spec = module.__spec__
        if spec is not None and spec.loader is self:
            module.__spec__ = spec.loader_state


def install() -> None:
    """Let `import dpctl.x` mean `situ.dpctl.x` from now on, and the same for the other packages."""
    if not any(isinstance(finder, _Alias) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Alias())


def stand_in(name: str) -> None:
    """Let situ's package be what an import statement returns that is importing one of the packages here."""
    if name in PACKAGES:
        install()
        # The import statement returns what stands here in the end.
        sys.modules[name] = importlib.import_module(f"situ.{name}")
