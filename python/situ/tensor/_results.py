"""The named tuples that functions with several results return.

>>> from situ import tensor
>>> values, counts = tensor.unique_counts(tensor.asarray([3, 1, 3]))
>>> counts
ndarray([1, 2])
"""

from typing import NamedTuple

from .._native import ndarray

__all__ = ["TopKResult", "UniqueAllResult", "UniqueCountsResult", "UniqueInverseResult"]


class TopKResult(NamedTuple):
    """The greatest or least elements of an array.

    >>> from situ import tensor
    >>> tensor.top_k(tensor.asarray([3, 1, 4]), 1).values
    ndarray([4])
    """

    values: ndarray
    """The elements, the greatest or least first."""
    indices: ndarray
    """Where they are."""


class UniqueAllResult(NamedTuple):
    """The distinct elements of an array, and all that can be said about them.

    >>> from situ import tensor
    >>> tensor.unique_all(tensor.asarray([3, 1, 3])).inverse_indices
    ndarray([1, 0, 1])
    """

    values: ndarray
    """The distinct elements, in their order."""
    indices: ndarray
    """Where each occurs first."""
    inverse_indices: ndarray
    """Which of them each element of the array is."""
    counts: ndarray
    """How often each occurs."""


class UniqueCountsResult(NamedTuple):
    """The distinct elements of an array and how often each occurs.

    >>> from situ import tensor
    >>> tensor.unique_counts(tensor.asarray([3, 1, 3])).values
    ndarray([1, 3])
    """

    values: ndarray
    """The distinct elements, in their order."""
    counts: ndarray
    """How often each occurs."""


class UniqueInverseResult(NamedTuple):
    """The distinct elements of an array and which of them each element is.

    >>> from situ import tensor
    >>> unique = tensor.unique_inverse(tensor.asarray([3, 1, 3]))
    >>> unique.values[unique.inverse_indices]
    ndarray([3, 1, 3])
    """

    values: ndarray
    """The distinct elements, in their order."""
    inverse_indices: ndarray
    """Which of them each element of the array is."""
