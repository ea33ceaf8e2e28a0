"""`situ.tensor.linalg` under the name that dpnp has for it."""

from situ.tensor.linalg import *  # noqa: F403
from situ.tensor.linalg import __all__ as __all__
