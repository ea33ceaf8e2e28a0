"""Division by a Python number that is wider than the array's dtype.

>>> from situ.dpctl import tensor
>>> from situ.dpctl.tensor import _tensor_elementwise_impl
>>> out = tensor.empty(2, dtype="f4")
>>> _, done = _tensor_elementwise_impl._divide_by_scalar(tensor.ones(2, dtype="f4"), 2**128, out, out.sycl_queue)
>>> done.wait(); out
ndarray([0., 0.], dtype=float32)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from situ import Event, Queue, tensor


def _divide_by_scalar(
    src: Any, scalar: float, dst: Any, sycl_queue: Queue, depends: Sequence[Event] = ()
) -> tuple[Event, Event]:
    """Divide an array by a number, which may be infinite in the array's dtype; the order of commands is the arrays'."""
    divisor = tensor.astype(tensor.asarray(float(scalar), sycl_queue=sycl_queue), src.dtype)
    tensor.divide(src, divisor, out=dst)
    done = sycl_queue.submit_barrier()
    return done, done
