"""A package that measures signals."""

import situ
from situ import tensor

__all__ = ["compute", "offload_to"]

offload_to = situ.utils.make_offload(__name__)


def compute(signal):
    """Return the energy of a signal under a window."""
    positions = tensor.arange(signal.shape[0], dtype=signal.dtype, device=signal.device)
    window = 1 - tensor.abs(2 * positions / (signal.shape[0] - 1) - 1)
    return tensor.sum(tensor.square(signal * window))
