"""A package that makes signals."""

import situ
from situ import tensor

__all__ = ["compute", "offload_to"]

offload_to = situ.utils.make_offload(__name__)


def compute(count=1000):
    """Return a damped oscillation."""
    x = tensor.linspace(0, 1, num=count)
    return tensor.sin(2 * x) * tensor.exp(-tensor.square(x))
