"""What a run compares: situ with itself, whole expressions, and cells of the matrix."""

from __future__ import annotations

from . import (
    expressions,
    fft,
    kernels,
    linalg,
    manipulation,
    matrix,
    opencl,
    own,
    products,
    reductions,
    scaling,
    sorting,
)
from .contest import Case

QUICK, USUAL, MATRIX = "quick", "usual", "matrix"


def chosen(extent: str, only: str | None) -> list[Case]:
    """The cases of a quick run, a usual one, or one with the whole matrix; `only` those whose name contains a text.

    >>> [case.name for case in chosen("quick", "program")]
    ['program sin(2*a) * exp(a) n=10^7', 'program sin(2*a) * exp(-a*a) n=10^7']
    """
    quick = extent == QUICK
    everything = [*own.cases(), *scaling.cases(quick=quick), *expressions.cases(quick=quick)]
    if extent == MATRIX:
        everything += [*matrix.cases(), *reductions.cases(), *manipulation.cases(), *products.cases()]
        everything += [*sorting.cases(), *fft.cases(), *linalg.cases(), *kernels.cases(), *opencl.cases()]
    elif quick:
        everything += matrix.cases(matrix.SAMPLE, ["float64"], matrix.SIZES[:-1])
        everything += matrix.cases(["sin"], ["float64"], matrix.SIZES[-1:])
        everything += reductions.cases(["sum"], matrix.SIZES[:-1])
        everything += manipulation.cases(["concat"], manipulation.SIZES[:-1])
        everything += products.cases(["float64"], products.SIZES[:3])
        everything += sorting.cases(sorting.SAMPLE, sorting.SIZES[:-1])
        everything += [*fft.cases(quick=True), *linalg.cases(quick=True)]
    else:
        everything += [*matrix.cases(matrix.SAMPLE), *reductions.cases(), *manipulation.cases()]
        everything += products.cases(sizes=products.SAMPLE)
        everything += [*sorting.cases(), *fft.cases(), *linalg.cases(), *kernels.cases(), *opencl.cases()]
    found = [case for case in everything if only is None or only in case.name]
    if not found:
        names = sorted({case.name.split(" n=")[0] if case.cell is None else case.cell.function for case in everything})
        raise ValueError(f"no case's name contains {only!r}; there are: {', '.join(names)}")
    return found
