"""Every elementwise function, one for each row of the op table.

>>> from situ import tensor
>>> tensor.asnumpy(tensor.square(tensor.arange(4)))
array([0, 1, 4, 9])
>>> tensor.add.nin, tensor.add.types[-1]
(2, 'DD->D')
"""

from .._native import elementwise_functions

_functions = dict(elementwise_functions())
globals().update(_functions)

__all__ = list(_functions)
