"""Every public name is documented, with an example that runs."""

import ast
import doctest
import enum
import inspect
import pickle
import re
import sys
from pathlib import Path

import pytest

import situ
from situ import memory, random, tensor, utils

MODULES = (situ, tensor, tensor.fft, memory, utils, random)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def is_ours(thing):
    """Whether it has a docstring of its own: a function, a class, a method or a property, not a number or a dtype."""
    is_attribute = inspect.isgetsetdescriptor(thing) or isinstance(thing, property)
    is_callable = callable(thing) and str(getattr(thing, "__module__", "situ") or "situ").startswith("situ")
    return is_attribute or is_callable or isinstance(thing, (staticmethod, classmethod))


def members(cls):
    inherited = {name for base in cls.__mro__[1:] for name in vars(base)} if issubclass(cls, enum.Enum) else set()
    # Those that it has from a class which has no name in public are its own, too.
    private = [
        base for base in cls.__mro__[1:] if "._" in base.__module__ and base.__module__.startswith("situ.random")
    ]
    for name, member in [item for each in (cls, *private) for item in vars(each).items()]:
        if not name.startswith("_") and name not in inherited and is_ours(member):
            yield name, getattr(cls, name) if isinstance(member, (staticmethod, classmethod)) else member


def public():
    """Every public name with what it is; what goes by two names is there once."""
    found, seen = {}, set()
    for module in MODULES:
        for name in module.__all__:
            thing = getattr(module, name)
            if not is_ours(thing) or id(thing) in seen:
                continue
            seen.add(id(thing))
            if thing is not tensor.ElementwiseFunction:  # whose docstrings are its instances'
                found[f"{module.__name__}.{name}"] = thing
            if inspect.isclass(thing):
                found.update((f"{module.__name__}.{name}.{each}", member) for each, member in members(thing))
    # In an order that every process finds: PyO3's classes list their attributes in another one each time.
    return dict(sorted(found.items()))


PUBLIC = public()
FUNCTIONS = {name: each for name, each in PUBLIC.items() if name.startswith("situ.tensor.") and name.count(".") == 2}
NATIVE = {name: each for name, each in FUNCTIONS.items() if name.split(".")[-1] in tensor._functions.__all__}
NATIVE |= {name: each for name, each in PUBLIC.items() if name.startswith("situ.tensor.fft.")}


@pytest.mark.parametrize("name", PUBLIC)
def test_it_has_an_example_that_runs(name):
    text = inspect.getdoc(PUBLIC[name]) or ""
    # In a module's own examples its names are there, as when it is run on its own.
    names = dict(vars(sys.modules.get(getattr(PUBLIC[name], "__module__", None) or "", situ)))
    test = doctest.DocTestParser().get_doctest(text, names, name, None, None)
    assert test.examples, f"{name} has no example"
    report = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append)
    assert not report, "".join(report)


@pytest.mark.parametrize("name", NATIVE)
def test_every_parameter_is_described(name):
    function = NATIVE[name]
    described = re.findall(r"^    (\w+) \(.+?\): \S", inspect.getdoc(function), re.MULTILINE)
    assert described == list(inspect.signature(function).parameters)
    assert f"{function.__module__}.{function.__name__}" == name


def special_methods_in_stub(name):
    stub = ast.parse((Path(situ.__file__).parent / "_native.pyi").read_text(encoding="utf-8"))
    cls = next(node for node in stub.body if isinstance(node, ast.ClassDef) and node.name == name)
    return {node.name for node in cls.body if isinstance(node, ast.FunctionDef)}


def test_the_stub_has_every_operator():
    # What every object has anyway, or a type checker has no use for.
    others = set(dir(object)) | {"__array_priority__", "__dict__", "__weakref__"}
    special = {name for name, member in vars(tensor.ndarray).items() if name.startswith("__") and callable(member)}
    assert special - others - special_methods_in_stub("ndarray") == set()
    assert {"__pow__", "__rmod__", "__iand__", "__abs__"} <= special


def test_every_function_can_be_found_again_from_its_name():
    for name, function in NATIVE.items():
        assert pickle.loads(pickle.dumps(function)) is function, name
