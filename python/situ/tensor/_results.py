"""The named tuples that functions with several results return.

>>> from situ import tensor
>>> values, counts = tensor.unique_counts(tensor.asarray([3, 1, 3]))
>>> counts
ndarray([1, 2])
"""

from typing import NamedTuple

from .._native import ndarray

__all__ = [
    "EigResult",
    "EighResult",
    "LstsqResult",
    "QRResult",
    "SVDResult",
    "SlogdetResult",
    "TopKResult",
    "UniqueAllResult",
    "UniqueCountsResult",
    "UniqueInverseResult",
]


class EigResult(NamedTuple):
    """Eigenvalues and eigenvectors of matrices.

    >>> from situ import tensor
    >>> tensor.linalg.eig(tensor.eye(2)).eigenvalues
    ndarray([1.+0.j, 1.+0.j])
    """

    eigenvalues: ndarray
    """The eigenvalues, complex."""
    eigenvectors: ndarray
    """The eigenvectors, complex columns of length 1."""


class EighResult(NamedTuple):
    """Eigenvalues and eigenvectors of matrices that are Hermitian.

    >>> from situ import tensor
    >>> tensor.linalg.eigh(tensor.eye(2)).eigenvalues
    ndarray([1., 1.])
    """

    eigenvalues: ndarray
    """The eigenvalues, in ascending order."""
    eigenvectors: ndarray
    """The eigenvectors, orthonormal columns."""


class LstsqResult(NamedTuple):
    """What solving equations in the sense of least squares gives.

    >>> from situ import tensor
    >>> tensor.linalg.lstsq(tensor.eye(2), tensor.ones(2)).rank
    ndarray(2)
    """

    x: ndarray
    """The solution; of several the shortest."""
    residuals: ndarray
    """The squared lengths of what is left of each right side, where there are more equations than unknowns."""
    rank: ndarray
    """How many singular values do not count as zero."""
    s: ndarray
    """The singular values."""


class QRResult(NamedTuple):
    """Matrices as products of orthonormal columns and an upper triangle.

    >>> from situ import tensor
    >>> tensor.linalg.qr(tensor.ones((3, 2))).R.shape
    (2, 2)
    """

    Q: ndarray
    """Orthonormal columns."""
    R: ndarray
    """An upper triangle."""


class SVDResult(NamedTuple):
    """Singular values and vectors of matrices.

    >>> from situ import tensor
    >>> tensor.linalg.svd(tensor.eye(2)).S
    ndarray([1., 1.])
    """

    U: ndarray
    """Orthonormal columns."""
    S: ndarray
    """The singular values, in descending order."""
    Vh: ndarray
    """Orthonormal rows."""


class SlogdetResult(NamedTuple):
    """Determinants of matrices that do not overflow.

    >>> from situ import tensor
    >>> tensor.linalg.slogdet(tensor.eye(2)).sign
    ndarray(1.)
    """

    sign: ndarray
    """The sign of each, or the phase of complex ones."""
    logabsdet: ndarray
    """The logarithm of its magnitude."""


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
