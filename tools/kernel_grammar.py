"""Random kernels: well-typed programs in the language of kernels, as source text, with arguments for them.

Every expression is made for a dtype and has exactly that one, by NumPy's rules and the compiler's alike, so that plain
Python, the reference interpreter and every device must agree to the last bit. Indices are taken modulo the length,
divisors are made odd, loops are counted, and barriers stand where all work-items pass. Careless programs leave the
first two out.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Any

import numpy as np

#: Ids and counters fit into every dtype, where there are so many work-items.
ITEMS = 48
#: How many times as many there are in some programs: what devices take in blocks, and share between cores.
MANY = 50
GROUP = 16
#: Ranges of so many work-items, in groups of so many.
RANGES: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (((48,), (16,)), ((6, 8), (2, 8)), ((3, 4, 4), (1, 4, 4)))
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "float32", "float64")
COMPLEX = ("complex64",)
DTYPES = (*SIGNED, *UNSIGNED, *FLOATS, *COMPLEX)

HEADER = """\
import math
import numpy as np
from situ.kernels import (
    NdRange, atomic, barrier, device_func, get_global_id, get_local_id, local, private, shuffle, shuffle_down,
    shuffle_up, shuffle_xor, sub_group_reduce_add, sub_group_reduce_max, sub_group_reduce_min,
)
"""


@dataclass(frozen=True)
class Program:
    """A kernel as text, what it is launched over and what it is given."""

    source: str
    #: What it is launched over, and the groups if it has any.
    lengths: tuple[int, ...]
    groups: tuple[int, ...] | None
    #: The dtypes of its arrays: each has one to read and one to write.
    dtypes: tuple[str, ...]
    seed: int

    @property
    def items(self) -> int:
        """How many work-items there are."""
        return math.prod(self.lengths)

    def arguments(self) -> list[np.ndarray[Any, Any]]:
        """The arrays, the same for the same program."""
        rng = np.random.default_rng(self.seed)
        arrays: list[np.ndarray[Any, Any]] = []
        for dtype in self.dtypes:
            arrays += [_elements(rng, dtype, self.items), np.zeros(self.items, dtype)]
        return [*arrays, np.zeros(4, np.int64)]


def _elements(rng: np.random.Generator, dtype: str, n: int) -> np.ndarray[Any, Any]:
    if dtype in COMPLEX:
        return (rng.integers(-8, 9, n) + 1j * rng.integers(-8, 9, n)).astype(dtype)
    if dtype in FLOATS:
        return np.where(rng.random(n) < 0.5, rng.integers(-9, 9, n), rng.standard_normal(n)).astype(dtype)
    whole = np.frombuffer(rng.bytes(n * np.dtype(dtype).itemsize), dtype)
    small = rng.integers(0, 9, n).astype(dtype)
    return np.where(rng.random(n) < 0.5, whole, small)


class Grammar:
    """Writes one program."""

    def __init__(self, seed: int, is_careless: bool) -> None:
        self.seed = seed
        self.is_careless = is_careless
        self.random = random.Random(seed)
        self.dtypes = tuple(self.random.sample(DTYPES, self.random.randint(1, 3)))
        self.is_grouped = self.chance(0.35)
        self.lengths, self.groups = self.random.choice(RANGES) if self.chance(0.3) else RANGES[0]
        self.lines: list[str] = []
        self.depth = 1
        #: By dtype, the names that hold one.
        self.names: dict[str, list[str]] = {dtype: [] for dtype in self.dtypes}
        #: Python's numbers: small, whatever is done to them.
        self.is_large = self.chance(0.1)
        if self.is_large:
            self.lengths = (MANY * self.lengths[0], *self.lengths[1:])
        self.items = math.prod(self.lengths)
        self.counters = ["c" if self.is_large else "i"]
        #: Those of them that a program assigns to.
        self.weak_ints: list[str] = []
        self.weak_floats: list[str] = []
        self.truths: list[str] = []
        self.private: dict[str, str] = {}
        self.functions: dict[str, list[str]] = {dtype: [] for dtype in self.dtypes}
        self.loops = 0
        #: Whether this is inside of a device function, which sees its parameters only.
        self.is_function = False
        self.count = 0
        self.budget = self.random.randint(4, 30)

    def chance(self, probability: float) -> bool:
        """Decide something."""
        return self.random.random() < probability

    def name(self, prefix: str) -> str:
        """Return a new name."""
        self.count += 1
        return f"{prefix}{self.count}"

    def write(self, line: str) -> None:
        """Add a line at the depth that has been reached."""
        self.lines.append("    " * self.depth + line)

    # Expressions.

    def literal(self, dtype: str) -> str:
        """A number that stands beside others of the dtype."""
        if dtype in COMPLEX:
            return self.random.choice(["2j", "(1-1j)", "0.5", "3"])
        if dtype in FLOATS:
            return self.random.choice(["0.5", "2", "-1.25", "3.0", "0.1", "1e3", "-0.0"])
        numbers = [0, 1, 2, 3, 7, 31, 100] if dtype in UNSIGNED else [0, 1, -1, 2, 5, -7, 100]
        return str(self.random.choice(numbers))

    def index(self, length: int) -> str:
        """An index that lies inside, or may be outside in a careless program."""
        if self.is_careless and self.chance(0.03):
            return f"{self.counter()} * {self.random.randint(1, 3)} - {self.random.randrange(9)}"
        whole = [dtype for dtype in self.dtypes if dtype in SIGNED and np.iinfo(dtype).max >= length]
        if whole and self.chance(0.3):
            dtype = self.random.choice(whole)
            held = self.random.choice([f"x_{dtype}[i]", *self.names[dtype]])
            return f"({held} {self.random.choice('+-*')} {self.counter()}) % {length}"
        return f"({self.counter()} + {self.random.randrange(length)}) % {length}"

    def counter(self) -> str:
        """A small number of Python's."""
        return self.random.choice(self.counters)

    def leaf(self, dtype: str) -> str:
        """Something of the dtype that needs no computing."""
        if self.is_function:
            return self.random.choice("ab")
        choices = [f"x_{dtype}[i]", f"x_{dtype}[{self.index(self.items)}]", *self.names[dtype]]
        if dtype in self.private:
            choices.append(f"{self.private[dtype]}[{self.index(4)}]")
        choices.append(f"o_{dtype}[i]")
        return self.random.choice(choices)

    def value(self, dtype: str, depth: int) -> str:
        """An expression of the dtype."""
        if depth <= 0:
            return self.leaf(dtype)
        kind = self.random.random()
        if kind < 0.15:
            return self.leaf(dtype)
        if kind < 0.55:
            return self.binary(dtype, depth)
        if kind < 0.65:
            return self.unary(dtype, depth)
        if kind < 0.75:
            return f"({self.value(dtype, depth - 1)} if {self.truth(depth - 1)} else {self.value(dtype, depth - 1)})"
        if kind < 0.82 and dtype not in COMPLEX:
            return (
                f"{self.random.choice(['min', 'max'])}({self.value(dtype, depth - 1)}, {self.value(dtype, depth - 1)})"
            )
        if kind < 0.9 and self.functions[dtype]:
            called = self.random.choice(self.functions[dtype])
            return f"{called}({self.value(dtype, depth - 1)}, {self.value(dtype, depth - 1)})"
        return self.conversion(dtype, depth)

    def binary(self, dtype: str, depth: int) -> str:
        """Two operands, one of which may be a literal or a counter."""
        left = self.value(dtype, depth - 1)
        right = self.value(dtype, depth - 1) if self.chance(0.6) else self.literal(dtype)
        if self.chance(0.1):
            right = self.counter()
        elif self.weak_floats and dtype in FLOATS + COMPLEX and self.chance(0.2):
            right = self.random.choice(self.weak_floats)
        if dtype in COMPLEX + FLOATS:
            if self.chance(0.3):
                left, right = right, left
            return f"({left} {self.random.choice('+-*' if dtype in COMPLEX else '+-*/')} {right})"
        operator = self.random.choice(["+", "-", "*", "&", "|", "^", "<<", ">>", "//", "%"])
        if operator in ("<<", ">>"):
            return f"({left} {operator} {self.random.randrange(8 * np.dtype(dtype).itemsize)})"
        if operator in ("//", "%"):
            divisor = self.value(dtype, depth - 1)
            if not (self.is_careless and self.chance(0.2)):
                divisor = f"({divisor} | 1)"
            return f"({left} {operator} {divisor})"
        if self.chance(0.5):
            left, right = right, left
        return f"({left} {operator} {right})"

    def unary(self, dtype: str, depth: int) -> str:
        """One operand."""
        operand = self.value(dtype, depth - 1)
        if dtype in COMPLEX:
            return self.random.choice([f"(-{operand})", f"{operand}.conjugate()"])
        if dtype in FLOATS:
            return self.random.choice([f"(-{operand})", f"abs({operand})", f"math.sqrt(abs({operand}))"])
        if dtype in SIGNED:
            return self.random.choice([f"(-{operand})", f"(~{operand})", f"abs({operand})"])
        return f"(~{operand})"

    def conversion(self, dtype: str, depth: int) -> str:
        """Something of other dtypes, converted where every number has a counterpart, or by being combined."""
        pairs = [(a, b) for a in self.dtypes for b in self.dtypes if a != b and np.result_type(a, b) == np.dtype(dtype)]
        if pairs and self.chance(0.6):
            a, b = self.random.choice(pairs)
            return f"({self.value(a, depth - 1)} {self.random.choice('+-*')} {self.value(b, depth - 1)})"
        whole = [each for each in self.dtypes if each in SIGNED + UNSIGNED]
        if dtype == "float64" and whole and self.chance(0.5):
            a, b = self.random.choice(whole), self.random.choice(whole)
            return f"({self.value(a, depth - 1)} / {self.value(b, depth - 1)})"
        if dtype in COMPLEX:
            return self.leaf(dtype)
        wider = [
            other for other in self.dtypes if other != dtype and np.can_cast(other, dtype) and other not in COMPLEX
        ]
        if not wider:
            return self.leaf(dtype)
        return f"np.{dtype}({self.value(self.random.choice(wider), depth - 1)})"

    def truth(self, depth: int) -> str:
        """A truth value."""
        kind = self.random.random()
        if depth > 0 and kind < 0.2:
            return f"({self.truth(depth - 1)} {self.random.choice(['and', 'or'])} {self.truth(depth - 1)})"
        if depth > 0 and kind < 0.3:
            return f"(not {self.truth(depth - 1)})"
        if self.truths and kind < 0.36:
            return self.random.choice(self.truths)
        if kind < 0.4:
            return f"{self.counter()} % {self.random.randint(2, 5)} == {self.random.randrange(3)}"
        dtype = self.random.choice(self.dtypes)
        if dtype in COMPLEX:
            return f"{self.value(dtype, depth - 1)} {self.random.choice(['==', '!='])} {self.value(dtype, depth - 1)}"
        less = self.random.choice(["<", "<=", ">", ">=", "==", "!="])
        other = self.random.choice(self.dtypes)
        if other not in COMPLEX and self.chance(0.2):
            return f"{self.value(dtype, depth - 1)} {less} {self.value(other, depth - 1)}"
        if self.chance(0.15):
            return f"{self.literal(dtype)} {less} {self.value(dtype, depth - 1)} <= {self.value(dtype, 0)}"
        return f"{self.value(dtype, depth - 1)} {less} {self.value(dtype, depth - 1)}"

    # Statements.

    def weak_assignment(self) -> None:
        """A number of Python's, kept small."""
        kind = self.random.random()
        if kind < 0.4 and self.weak_ints:
            combined = f"{self.counter()} {self.random.choice('+*-')} {self.counter()}"
            self.write(f"{self.random.choice(self.weak_ints)} = ({combined}) {self.random.choice(['%', '//'])} 37 % 48")
        elif kind < 0.7 and self.weak_floats:
            floats = [dtype for dtype in self.dtypes if dtype in FLOATS]
            given = [self.random.choice(self.weak_floats), f"{self.counter()} / 8"]
            if floats:
                given.append(f"float({self.value(self.random.choice(floats), 1)})")
            combined = f"{self.random.choice(given)} {self.random.choice('+-*')} {self.literal('float64')}"
            self.write(f"{self.random.choice(self.weak_floats)} = {combined}")
        elif self.truths:
            self.write(f"{self.random.choice(self.truths)} = {self.truth(2)}")

    def assignment(self) -> None:
        """A name that holds something new."""
        if self.chance(0.15) and not self.is_function:
            before = len(self.lines)
            self.weak_assignment()
            if len(self.lines) > before:
                return
        dtype = self.random.choice(self.dtypes)
        names = self.names[dtype]
        if len(names) > 1 and self.chance(0.1):
            a, b = self.random.sample(names, 2)
            self.write(f"{a}, {b} = {b}, {self.value(dtype, 2)}")
        elif self.chance(0.3):
            operators = ["+=", "-=", "*="] + ([] if dtype in FLOATS + COMPLEX else ["&=", "|=", "^="])
            self.write(f"{self.random.choice(names)} {self.random.choice(operators)} {self.value(dtype, 2)}")
        else:
            self.write(f"{self.random.choice(names)} = {self.value(dtype, 3)}")

    def store(self) -> None:
        """An element of the work-item's own, of its private array, or one that all add to."""
        dtype = self.random.choice(self.dtypes)
        kind = self.random.random()
        if kind < 0.2 and dtype in self.private:
            self.write(f"{self.private[dtype]}[{self.index(4)}] = {self.value(dtype, 2)}")
        elif kind < 0.35:
            change = self.random.choice(["add", "xor"])
            # What all do to one element must not depend on who comes first: one kind of change for each.
            place = 2 * (change == "xor") + self.random.randrange(2)
            self.write(f"atomic.{change}(total, {place}, {self.counter()})")
        else:
            self.write(f"o_{dtype}[i] {self.random.choice(['=', '+=', '='])} {self.value(dtype, 3)}")

    def branch(self) -> None:
        """An if, perhaps with what else."""
        self.write(f"if {self.truth(2)}:")
        self.block()
        if self.chance(0.2):
            self.write(f"elif {self.truth(1)}:")
            self.block()
        if self.chance(0.4):
            self.write("else:")
            self.block()

    def loop(self) -> None:
        """A loop of a few rounds, whose number may differ between work-items."""
        rounds = self.random.choice(["3", f"{self.counter()} % 4", f"1 + {self.counter()} % 3"])
        name = self.name("k")
        self.loops += 1
        if self.chance(0.6):
            bounds = self.random.choice([rounds, f"1, 1 + {rounds}", f"{rounds}, 0, -1", f"0, {rounds}, 2"])
            self.write(f"for {name} in range({bounds}):")
            self.counters.append(name)
            self.block()
            self.counters.remove(name)
        else:
            self.write(f"{name} = {rounds}")
            self.write(f"while {name} > 0{' and ' + self.truth(1) if self.chance(0.3) else ''}:")
            self.depth += 1
            self.write(f"{name} -= 1")
            self.depth -= 1
            self.counters.append(name)
            self.block()
            self.counters.remove(name)
        self.loops -= 1

    def leave(self) -> None:
        """A way out: of the loop or of the kernel."""
        if self.loops:
            self.write(f"if {self.truth(1)}:")
            self.write(f"    {self.random.choice(['break', 'continue'])}")
        elif not self.is_grouped:
            self.write(f"if {self.truth(1)}:")
            self.write("    return")

    def together(self) -> None:
        """Something that all work-items of a group do: local memory and a barrier, or an exchange."""
        dtype = self.random.choice(self.dtypes)
        name = self.random.choice(self.names[dtype])
        if self.chance(0.5):
            held = f"held_{dtype}"
            self.write(f"{held}[l] = {self.value(dtype, 2)}")
            self.write("barrier()")
            self.write(f"{name} = {held}[(l + {self.random.randrange(GROUP)}) % {GROUP}]")
            self.write("barrier()")
            return
        shuffles = [
            f"shuffle_xor({{}}, {self.random.choice([1, 2, 4, 8])})",
            "shuffle_up({}, 1)",
            "shuffle_down({}, 3)",
        ]
        shuffles.append(f"shuffle({{}}, {self.random.randrange(GROUP)})")
        if dtype not in COMPLEX:
            shuffles += ["sub_group_reduce_max({})", "sub_group_reduce_min({})"]
        shuffles.append("sub_group_reduce_add({})")
        given = self.name("t")
        self.write(f"{given} = {self.value(dtype, 1)}")
        self.write(f"{name} = {self.random.choice(shuffles).format(given)}")

    def block(self) -> None:
        """Some statements, indented, seen by all the names that were there before."""
        self.depth += 1
        for _ in range(self.random.randint(1, 3)):
            self.statement()
        self.depth -= 1

    def statement(self) -> None:
        """Any statement, a small one if there have been many."""
        self.budget -= 1
        kind = self.random.random()
        if self.is_grouped and self.depth == 1 and kind < 0.25:
            self.together()
        elif kind < 0.5 or self.budget < 0 or self.depth > 4:
            self.assignment()
        elif kind < 0.7:
            self.store()
        elif kind < 0.83:
            self.branch()
        elif kind < 0.94:
            self.loop()
        else:
            before = len(self.lines)
            self.leave()
            if len(self.lines) == before:
                self.assignment()

    def function(self, dtype: str) -> str:
        """A device function of two numbers."""
        name = self.name("f")
        outer, self.names = self.names, {each: [] for each in self.dtypes}
        lines, self.lines = self.lines, []
        self.names[dtype] = ["a", "b"]
        arrays, self.dtypes = self.dtypes, (dtype,)
        self.is_function = True
        counters, self.counters = self.counters, ["2", "5"]
        if self.chance(0.5):
            self.write(f"if {self.truth(1)}:")
            self.write(f"    return {self.value(dtype, 1)}")
        if self.chance(0.4):
            self.write("for k in range(3):")
            self.write(f"    if {self.truth(1)}:")
            self.write(f"        return {self.value(dtype, 1)}")
            self.write(f"    a = {self.value(dtype, 2)}")
        self.write(f"return {self.value(dtype, 2)}")
        text = "\n".join(["@device_func", f"def {name}(a, b):", *self.lines])
        self.is_function = False
        self.names, self.lines, self.dtypes, self.counters = outer, lines, arrays, counters
        self.functions[dtype].append(name)
        return text

    def program(self) -> Program:
        """The whole program."""
        functions = [self.function(self.random.choice(self.dtypes)) for _ in range(self.random.randint(0, 2))]
        self.write(f"i = {_linear('get_global_id', self.lengths)}")
        if self.is_large:
            self.write(f"c = i % {ITEMS}")
        if self.is_grouped:
            self.write(f"l = {_linear('get_local_id', self.groups)}")
            self.counters.append("l")
            for dtype in self.dtypes:
                self.write(f"held_{dtype} = local.array({GROUP}, np.{dtype})")
        for dtype in self.dtypes:
            if self.chance(0.3):
                self.private[dtype] = f"own_{dtype}"
                self.write(f"own_{dtype} = private.array(4, np.{dtype})")
            for _ in range(self.random.randint(1, 3)):
                name = self.name("v")
                self.write(f"{name} = {self.value(dtype, 1)}")
                self.names[dtype].append(name)
        for names, prefix, start in [
            (self.weak_ints, "n", "i % 5"), (self.weak_floats, "w", "0.75"), (self.truths, "b", "i > 20"),
        ]:  # fmt: skip
            if self.chance(0.4):
                names.append(self.name(prefix))
                self.write(f"{names[-1]} = {start}")
        self.counters += self.weak_ints
        while self.budget > 0:
            self.statement()
        for dtype in self.dtypes:
            self.write(
                f"o_{dtype}[i] = {self.value(dtype, 1)} if i % 2 == 0 else {self.random.choice(self.names[dtype])}"
            )
        parameters = ", ".join(f"x_{dtype}, o_{dtype}" for dtype in self.dtypes)
        text = "\n".join([HEADER, *functions, f"def kernel({parameters}, total):", *self.lines, ""])
        return Program(text, self.lengths, self.groups if self.is_grouped else None, self.dtypes, self.seed)


def _linear(function: str, lengths: tuple[int, ...]) -> str:
    """Return where a work-item is, the last axis counted first."""
    place = f"{function}(0)"
    for axis, length in enumerate(lengths[1:], 1):
        place = f"({place}) * {length} + {function}({axis})"
    return place


def program(seed: int, *, is_careless: bool = False) -> Program:
    """Return the program of a seed; a careless one may use indices outside of arrays and divide by zero."""
    return Grammar(seed, is_careless).program()
