"""Linear regression that runs wherever one likes.

Nothing in here names a device. Arrays stay where they are, host data goes where new arrays go, and one line at the end
gives users explicit control.
"""

import situ
from situ import tensor

__all__ = ["linear_regression", "offload_to"]


class linear_regression:
    """Least squares with an intercept."""

    coefficients = None

    def compute(self, table):
        """Fit the last column of a table by the others; returns the intercept and the slopes."""
        table = tensor.asarray(table)
        response = table[:, -1:]
        features = tensor.concat((tensor.ones_like(response), table[:, :-1]), axis=1)
        self.coefficients = _solved(features.T @ features, features.T @ response)[:, 0]
        return self.coefficients

    def predict(self, features):
        """Return what the fit says for rows of features."""
        return self.coefficients[0] + tensor.asarray(features) @ self.coefficients[1:]


def _solved(matrix, right):
    """Solve a system with a symmetric positive definite matrix, by elimination, without a look at any value."""
    system = tensor.concat((matrix, right), axis=1)
    for n in range(matrix.shape[0]):
        row = system[n] / system[n, n]
        system = system - system[:, n : n + 1] * row
        system[n] = row
    return system[:, matrix.shape[1] :]


offload_to = situ.utils.make_offload(__name__)
