"""Functions that were never meant to be kernels: each gives a kernel or an error in words."""

import importlib
import inspect

import pytest

import situ
from situ import tensor
from situ.kernels import KernelCompileError, kernel

MODULES = (
    "argparse ast base64 bisect calendar cmd code colorsys copy csv datetime decimal difflib dis fnmatch "
    "fractions functools gettext glob gzip heapq hmac html inspect ipaddress json.encoder keyword linecache "
    "locale logging mailbox mimetypes ntpath numbers operator optparse pathlib pickle pickletools posixpath "
    "pprint random re reprlib sched shlex shutil signal smtplib socket statistics string stringprep struct "
    "subprocess symtable tarfile tempfile textwrap threading timeit token tokenize trace traceback types "
    "typing unittest.case urllib.parse uuid warnings weakref xml.etree.ElementTree zipfile"
).split()


def functions():
    """Every function of some modules of Python's, and every method."""
    for name in MODULES:
        module = importlib.import_module(name)
        for owner in (module, *(each for each in vars(module).values() if inspect.isclass(each))):
            for function in vars(owner).values():
                if inspect.isfunction(function) and function.__module__ == module.__name__:
                    yield function


@pytest.fixture(scope="module")
def null():
    return situ.Queue(situ.Device("null"))


def test_arbitrary_functions_are_compiled_or_refused_in_words(null):
    arrays = [tensor.arange(4, dtype=dtype, sycl_queue=null) for dtype in ("float64", "int32", "uint8", "complex64")]
    counts = {"refused": 0, "compiled": 0}
    for function in functions():
        parameters = inspect.signature(function).parameters.values()
        given = [arrays[at % len(arrays)] if at % 3 else 2 for at in range(1, len(parameters) + 1)]
        try:
            # Over nothing, so that what would never end is compiled all the same.
            kernel(debug=True)(function)[0](*given, *([] if given else arrays[:1]))
            counts["compiled"] += 1
        except KernelCompileError as error:
            assert str(error), function
            counts["refused"] += 1
        except (TypeError, situ.ExecutionPlacementError) as error:
            # About the launch: what it is given is not what such a function takes.
            assert function.__name__ in str(error), function
    assert counts["refused"] > 1000 and counts["compiled"] > 10, counts
