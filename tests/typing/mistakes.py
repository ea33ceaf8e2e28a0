"""Mistakes that a type checker finds; each `ignore` here would be reported if it were not needed."""

from situ import tensor


def mistakes(x: tensor.ndarray) -> None:
    tensor.sin(x, x)  # type: ignore[call-arg]
    tensor.sin(1.0)  # type: ignore[arg-type]
    tensor.add(1, 2)  # type: ignore[call-overload]
    tensor.add(x, "1")  # type: ignore[call-overload]
    tensor.add(x, x, where=x)  # type: ignore[call-overload]
    tensor.zeros(3, dytpe="int8")  # type: ignore[call-arg]
    tensor.clip(x, out=[1])  # type: ignore[arg-type]
    x + "1"  # type: ignore[operator]
