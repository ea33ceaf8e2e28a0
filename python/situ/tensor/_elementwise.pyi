from situ._native import ElementwiseFunction

__all__ = [
    "abs",
    "acos",
    "acosh",
    "add",
    "angle",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "cbrt",
    "ceil",
    "conj",
    "copysign",
    "cos",
    "cosh",
    "divide",
    "equal",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "floor_divide",
    "greater",
    "greater_equal",
    "hypot",
    "imag",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "pow",
    "proj",
    "real",
    "reciprocal",
    "remainder",
    "round",
    "rsqrt",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "trunc",
]

abs: ElementwiseFunction
acos: ElementwiseFunction
acosh: ElementwiseFunction
add: ElementwiseFunction
angle: ElementwiseFunction
asin: ElementwiseFunction
asinh: ElementwiseFunction
atan: ElementwiseFunction
atan2: ElementwiseFunction
atanh: ElementwiseFunction
bitwise_and: ElementwiseFunction
bitwise_invert: ElementwiseFunction
bitwise_left_shift: ElementwiseFunction
bitwise_or: ElementwiseFunction
bitwise_right_shift: ElementwiseFunction
bitwise_xor: ElementwiseFunction
cbrt: ElementwiseFunction
ceil: ElementwiseFunction
conj: ElementwiseFunction
copysign: ElementwiseFunction
cos: ElementwiseFunction
cosh: ElementwiseFunction
divide: ElementwiseFunction
equal: ElementwiseFunction
exp: ElementwiseFunction
exp2: ElementwiseFunction
expm1: ElementwiseFunction
floor: ElementwiseFunction
floor_divide: ElementwiseFunction
greater: ElementwiseFunction
greater_equal: ElementwiseFunction
hypot: ElementwiseFunction
imag: ElementwiseFunction
isfinite: ElementwiseFunction
isinf: ElementwiseFunction
isnan: ElementwiseFunction
less: ElementwiseFunction
less_equal: ElementwiseFunction
log: ElementwiseFunction
log10: ElementwiseFunction
log1p: ElementwiseFunction
log2: ElementwiseFunction
logaddexp: ElementwiseFunction
logical_and: ElementwiseFunction
logical_not: ElementwiseFunction
logical_or: ElementwiseFunction
logical_xor: ElementwiseFunction
maximum: ElementwiseFunction
minimum: ElementwiseFunction
multiply: ElementwiseFunction
negative: ElementwiseFunction
nextafter: ElementwiseFunction
not_equal: ElementwiseFunction
positive: ElementwiseFunction
pow: ElementwiseFunction
proj: ElementwiseFunction
real: ElementwiseFunction
reciprocal: ElementwiseFunction
remainder: ElementwiseFunction
round: ElementwiseFunction
rsqrt: ElementwiseFunction
sign: ElementwiseFunction
signbit: ElementwiseFunction
sin: ElementwiseFunction
sinh: ElementwiseFunction
sqrt: ElementwiseFunction
square: ElementwiseFunction
subtract: ElementwiseFunction
tan: ElementwiseFunction
tanh: ElementwiseFunction
trunc: ElementwiseFunction
