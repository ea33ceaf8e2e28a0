"""From what a function was seen doing to what is run in its place: as few passes over memory as possible.

Elementwise calls of one shape, one kind of memory and one queue that do not wait for anything else between them become
one program. A reduction takes the calls that only it needs for its map. Everything else is called as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._native import Expression, ndarray
from .numbers import TracedNumber, computed
from .trace import Elementwise, Maker, Node, Reduction, Trace, leaves, mapped, resolved

LONGEST = 64
"""Calls in one program; more would keep too many values at a time."""

WIDEST = 24
"""Arrays and numbers that a program reads and writes. A kernel of a GPU has parameters for 32, and some functions bring
numbers of their own."""


class Mismatch(Exception):
    """A call returned an array of a shape that what was traced does not stand for."""


@dataclass
class _Unit:
    """Something that is run at once."""

    run: Callable[[list[Any], Sequence[Any]], Sequence[ndarray]]
    makers: list[Maker]
    reads: list[int]
    results: list[Node]
    text: str
    slots: list[int] = field(default_factory=list)
    checks: list[Callable[[ndarray], bool] | None] = field(default_factory=list)
    """What must be true of results of ordinary calls."""
    done_with: list[int] = field(default_factory=list)
    """The arrays that nothing after it reads."""


def _check(node: Node) -> Callable[[ndarray], bool]:
    """Return what must be true of an array in place of the one that was seen."""
    assert node.array is not None
    shape = node.array.shape
    if node.is_measured:
        return lambda array: array.shape == shape
    ones = [length == 1 for length in shape]
    return lambda array: [length == 1 for length in array.shape] == ones


class Plan:
    """A trace, ready to be run."""

    def __init__(self, trace: Trace, arguments: list[Node], result: Any) -> None:
        self._slots: dict[Node, int] = {node: n for n, node in enumerate(arguments)}
        self._constants: list[ndarray] = []
        self._result = result
        self._wanted = {leaf for leaf in leaves(result) if isinstance(leaf, Node)}
        self._readers: dict[Node, list[Maker]] = {}
        self._makers = self._live(trace)
        self._maps = {maker: self._map(maker) for maker in self._makers if isinstance(maker, Reduction)}
        self._arguments = len(arguments)
        self._place_constants()
        self._units = [self._unit(makers) for makers in self._groups()]
        self._number_results()

    def run(self, arrays: Sequence[ndarray], numbers: Sequence[Any]) -> Any:
        """Return what the function would, for other arrays and numbers of the same types."""
        values: list[Any] = [*arrays, *self._constants, *([None] * self._made)]
        for unit in self._units:
            for slot, check, array in zip(unit.slots, unit.checks, unit.run(values, numbers), strict=True):
                if check is not None and not check(array):
                    raise Mismatch
                values[slot] = array
            for slot in unit.done_with:
                values[slot] = None

        def found(leaf: Any) -> Any:
            return values[self._slots[leaf]] if isinstance(leaf, Node) else computed(leaf, numbers)

        return found(self._result) if isinstance(self._result, Node) else mapped(self._result, found)

    def __str__(self) -> str:
        return "\n".join(unit.text for unit in self._units)

    def _live(self, trace: Trace) -> list[Maker]:
        """Return the calls whose results are needed, in order, and note who reads what."""
        needed, live = set(self._wanted), []
        for maker in reversed(trace.makers):
            needed.update(node for node in maker.results if node.is_measured)
            if needed.isdisjoint(maker.results):
                continue
            live.append(maker)
            for node in set(maker.operands()):
                needed.add(node)
                self._readers.setdefault(node, []).append(maker)
        return live[::-1]

    def _map(self, reduction: Reduction) -> list[Maker]:
        """Return the elementwise calls that only a reduction needs, in order."""
        (source,) = reduction.operands()
        shape = resolved(source.shape)
        absorbed: set[Maker] = {reduction}
        for maker in reversed(self._makers):
            if not isinstance(maker, Elementwise) or self._wanted & set(maker.results):
                continue
            (node,) = maker.results
            if resolved(node.shape) == shape and all(reader in absorbed for reader in self._readers[node]):
                absorbed.add(maker)
        return [maker for maker in self._makers if maker in absorbed and maker is not reduction]

    def _place_constants(self) -> None:
        """Give arrays that are neither arguments nor made here a slot."""
        for maker in self._makers:
            for node in maker.operands():
                self._constant(node)
        for node in self._wanted:
            self._constant(node)

    def _constant(self, node: Node) -> None:
        if node.maker is None and node not in self._slots:
            assert node.array is not None
            self._slots[node] = self._arguments + len(self._constants)
            self._constants.append(node.array)

    def _groups(self) -> list[list[Maker]]:
        """Return what is run together, in an order in which everything is made before it is read."""
        absorbed = {maker for makers in self._maps.values() for maker in makers}
        stages: dict[Maker, int] = {}
        groups: dict[Any, list[Maker]] = {}
        for maker in self._makers:
            if maker in absorbed:
                continue
            together: Any = maker
            if isinstance(maker, Elementwise):
                (node,) = maker.results
                together = (resolved(node.shape), node.usm_type, node.queue)
            inside = {maker, *self._maps.get(maker, ())}  # type: ignore[call-overload]
            stage = 0
            for each in inside:
                for node in each.operands():
                    if node.maker is None or node.maker in inside:
                        continue
                    before = stages[node.maker]
                    joins = isinstance(maker, Elementwise) and node.maker in groups.get((before, together), ())
                    stage = max(stage, before if joins else before + 1)
            while len(groups.get((stage, together), ())) >= LONGEST:
                stage += 1
            stages[maker] = stage
            groups.setdefault((stage, together), []).append(maker)
        order = sorted(groups, key=lambda key: key[0])
        together = ([*self._maps.get(groups[key][0], ()), *groups[key]] for key in order)  # type: ignore[call-overload]
        return [part for makers in together for part in self._divided(makers)]

    def _divided(self, makers: list[Maker]) -> list[list[Maker]]:
        """Return calls that could run together as programs that fit into a kernel, in order."""
        if len(makers) == 1 or self._width(makers) <= WIDEST:
            return [makers]
        at = -1 if isinstance(makers[-1], Reduction) else len(makers) // 2
        return [*self._divided(makers[:at]), *self._divided(makers[at:])]

    def _width(self, makers: list[Maker]) -> int:
        """Return how many arrays and numbers calls read and write together."""
        own = set(makers)
        read = {each for maker in makers if isinstance(maker, Elementwise) for each in _read(maker, own)}
        return len(read) + len(self._kept(makers))

    def _kept(self, makers: list[Maker]) -> list[Node]:
        """Return the results of calls that are needed elsewhere."""
        own = set(makers)
        results = (node for maker in makers for node in maker.results)
        return [node for node in results if node in self._wanted or not own.issuperset(self._readers.get(node, ()))]

    def _unit(self, makers: list[Maker]) -> _Unit:
        last = makers[-1]
        if len(makers) == 1:
            return self._ordinary(last)
        steps = [maker for maker in makers if isinstance(maker, Elementwise)]
        is_reduced = isinstance(last, Reduction)
        inside = {node for maker in steps for node in maker.results}
        inputs = list(dict.fromkeys(node for maker in steps for node in maker.operands() if node not in inside))
        if is_reduced:
            # The first input is the one that has the shape of what is reduced.
            shape = resolved(next(iter(last.operands())).shape)
            inputs.sort(key=lambda node: resolved(node.shape) != shape)
        places = {node: n for n, node in enumerate(inputs)}
        numbers: list[Any] = []
        terms = []
        for maker in steps:
            operands = []
            for each in maker.args:
                if isinstance(each, Node):
                    operands.append(places[each])
                else:
                    numbers.append(each)
                    operands.append(-len(numbers))
            terms.append((maker.op, operands, maker.dtype))
            places[maker.results[0]] = len(places)
        if is_reduced:
            results = list(last.results)
            outputs = [places[next(iter(last.operands()))]]
        else:
            results = self._kept(makers)
            outputs = [places[node] for node in results]
        expression = Expression([node.dtype for node in inputs], terms, outputs)
        self._register(results)
        slots = [self._slots[node] for node in inputs]

        def given(values: list[Any], numbers_given: Sequence[Any]) -> tuple[list[Any], list[Any]]:
            return [values[slot] for slot in slots], [computed(number, numbers_given) for number in numbers]

        text = " ".join(maker.op for maker in steps)
        if isinstance(last, Reduction):
            op, (axis, keepdims, dtype) = last.op, last.how
            return _Unit(
                lambda values, known: (expression.reduce(op, *given(values, known), axis, keepdims, dtype),),
                makers, slots, results, f"{op} of program: {text}",
            )  # fmt: skip
        return _Unit(
            lambda values, known: expression.run(*given(values, known)), makers, slots, results, f"program: {text}"
        )

    def _ordinary(self, maker: Maker) -> _Unit:
        slots, reads = self._slots, [self._slots[node] for node in maker.operands()]
        self._register(maker.results)

        def run(values: list[Any], numbers: Sequence[Any]) -> list[ndarray]:
            def now(leaf: Any) -> Any:
                return values[slots[leaf]] if isinstance(leaf, Node) else computed(leaf, numbers)

            result = maker.function(*mapped(maker.args, now), **mapped(maker.options, now))
            return [leaf for leaf in leaves(result) if isinstance(leaf, ndarray)]

        return _Unit(run, [maker], reads, maker.results, f"call: {maker.name}")

    def _register(self, results: list[Node]) -> None:
        for node in results:
            self._slots[node] = len(self._slots)

    def _number_results(self) -> None:
        """Note where results go, and which arrays can go when."""
        kept = {self._slots[node] for node in self._wanted}
        last: dict[int, _Unit] = {}
        for unit in self._units:
            unit.slots = [self._slots[node] for node in unit.results]
            is_known = not (len(unit.makers) == 1 and type(unit.makers[0]) is Maker)
            unit.checks = [None if is_known else _check(node) for node in unit.results]
            last.update((slot, unit) for slot in (*unit.slots, *unit.reads))
        for slot, unit in last.items():
            if slot >= self._arguments + len(self._constants) and slot not in kept:
                unit.done_with.append(slot)
        self._made = len(self._slots) - self._arguments - len(self._constants)


def _read(maker: Elementwise, own: set[Maker]) -> Iterator[Any]:
    """Yield what tells the arrays and numbers apart that a call reads, but for results of its own kind."""
    dtypes = tuple(node.dtype for node in maker.operands())
    for each in maker.args:
        if not isinstance(each, Node):
            # A number has the dtype that the arrays beside it give it.
            yield (id(each) if isinstance(each, TracedNumber) else (type(each), repr(each))), dtypes
        elif each.maker not in own:
            yield each
