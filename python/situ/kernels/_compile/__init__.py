"""Compiles Python functions to kernels.

`_source` reads a function, `_analysis` looks at its names, `_scope` keeps track of them, `_views`, `_conditions`,
`_expressions`, `_calls` and `_statements` lower the tree to the IR through the native builder, which knows all about
dtypes. `_elementwise`, `_math`, `_functions` and `_language` say which objects can be called.
"""

from __future__ import annotations

from ._calls import DeviceSource
from ._kernel import Parameter, compile_kernel
from ._source import Source

__all__ = ["DeviceSource", "Parameter", "Source", "compile_kernel"]
