"""`situ.tensor.fft` under the name that dpnp has for it."""

from situ.tensor.fft import *  # noqa: F403
from situ.tensor.fft import __all__ as __all__
