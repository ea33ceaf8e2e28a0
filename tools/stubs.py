"""Write the type stub of the elementwise functions, which exist only at run time: `make format` runs this."""

from pathlib import Path

from situ._native import elementwise_functions

STUB = Path(__file__).parent.parent / "python/situ/tensor/_elementwise.pyi"

names = sorted(name for name, _ in elementwise_functions())
lines = ["from situ._native import ElementwiseFunction", ""]
lines += ["__all__ = [", *(f'    "{name}",' for name in names), "]", ""]
lines += [f"{name}: ElementwiseFunction" for name in names]
STUB.write_text("\n".join(lines) + "\n")
