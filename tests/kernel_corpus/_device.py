"""The decorator of functions that kernels call."""

try:
    from situ.kernels import device_func
except ImportError:

    def device_func(function):
        return function
