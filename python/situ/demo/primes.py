"""A whole program on arrays: the sieve of Eratosthenes."""

from __future__ import annotations

import time

from .._cli.draw import seconds
from .stage import Stage


def sieve(stage: Stage) -> None:
    """Find primes by masks, a minimum and assignments."""
    stage.title("A program where its data lives")
    stage.names["limit"] = 10**5 if stage.fast else 10**6
    began = time.perf_counter()
    stage.code(
        """
        numbers = tensor.concat((tensor.arange(2, 3, dtype="int32"), tensor.arange(3, limit + 1, 2, dtype="int32")))
        prime = tensor.zeros((), dtype="int32")
        while prime * prime < limit:
            prime = tensor.min(numbers[numbers > prime])
            numbers[(numbers > prime) & (numbers % prime == 0)] = 0
        primes = numbers[numbers > 0]
        """
    )
    took = time.perf_counter() - began
    primes = stage.names["primes"]
    stage.result(f"primes = {primes!r}")
    stage.say(
        f"The {primes.size} primes up to {stage.names['limit']}, in {seconds(took)}. Only the condition of the loop "
        "and the shapes of results came back to Python."
    )
