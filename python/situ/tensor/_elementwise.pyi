from situ._native import ElementwiseFunction

__all__ = [
    "add",
    "divide",
    "exp",
    "multiply",
    "negative",
    "sin",
    "square",
    "subtract",
]

add: ElementwiseFunction
divide: ElementwiseFunction
exp: ElementwiseFunction
multiply: ElementwiseFunction
negative: ElementwiseFunction
sin: ElementwiseFunction
square: ElementwiseFunction
subtract: ElementwiseFunction
