"""The evaluator: a program compiled to straight-line code that runs on numbers or on whole grids of numbers.

Over a grid every hyperparameter has an axis of its own, so a subterm is computed once for each combination of just the
hyperparameters it reads (prefixes of a model are computed once), and conditions are only spread over the whole grid at
the end. Hyperparameters that no condition links fall into separate components, whose answers multiply.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from analyzer.validity.terms import App, Cond, Poly, Sum, Symbol, choose, floor_div, maximum, minimum, mod, symbols_of

Code = Callable[[Mapping[str, Any]], list[Any]]
VALID = -1  # in an array of first failing steps: no step fails
OUTSIDE = -2  # the vector is not in the space: a condition of the space excludes it
LARGE = 2**62  # products beyond it leave the 64 bits of NumPy's integers


def compile_terms(roots: Sequence[Any], *, arrays: bool) -> Code:
    """Straight-line code for `roots` (terms or conditions): a function from values by name to their values.

    With `arrays` it takes NumPy arrays (broadcast against each other), else plain ints.
    """
    writer = _Writer(arrays)
    results = [writer.write(root) for root in roots]
    lines = ["def program(v):", *(f"    {line}" for line in writer.lines), f"    return [{', '.join(results)}]"]
    scope: dict[str, Any] = {
        "np": np,
        "div": floor_div,
        "mod": mod,
        "larger": maximum,
        "smaller": minimum,
        "choose": choose,
    }
    exec(compile("\n".join(lines), "<validity program>", "exec"), scope)  # our own text: names are quoted, see _Writer
    code: Code = scope["program"]
    return code


def compile_text(roots: Sequence[Any]) -> tuple[list[str], list[str]]:
    """The lines of straight-line code for plain numbers, over a mapping `v`, and the names of the results."""
    writer = _Writer(arrays=False)
    results = [writer.write(root) for root in roots]
    return writer.lines, results


class _Writer:
    """Writes each distinct subterm once. Symbol names enter the text only as quoted string literals."""

    def __init__(self, arrays: bool) -> None:
        self._arrays = arrays
        self._names: dict[Any, str] = {}
        self.lines: list[str] = []

    def write(self, value: Any) -> str:
        if not isinstance(value, (Poly, Cond, App, Symbol)):
            return repr(bool(value)) if isinstance(value, (bool, np.bool_)) else repr(int(value))
        found = self._names.get(value)
        if found is None:
            text = self._text(value)
            found = f"t{len(self._names)}"
            self._names[value] = found
            self.lines.append(f"{found} = {text}")
        return found

    def _text(self, value: Any) -> str:
        match value:
            case Symbol():
                return f"v[{value.name!r}]"
            case Poly():
                return " + ".join(self._monomial(m, c) for m, c in value.terms)
            case App(kind="div", args=(a, int(b))):
                return f"{self.write(a)} // {b}"
            case App(kind="mod", args=(a, int(b))):
                return f"{self.write(a)} % {b}"
            case App(kind="ite", args=(c, a, b)):
                return f"choose({self.write(c)}, {self.write(a)}, {self.write(b)})"
            case App(kind=kind, args=(a, b)):
                function = {"div": "div", "mod": "mod", "max": "larger", "min": "smaller"}[kind]
                return f"{function}({self.write(a)}, {self.write(b)})"
            case Cond(kind="ge", args=(a,)):
                return f"{self.write(a)} >= 0"
            case Cond(kind="eq", args=(a,)):
                return f"{self.write(a)} == 0"
            case Cond(kind="ne", args=(a,)):
                return f"{self.write(a)} != 0"
            case Cond(kind=kind, args=parts):
                names = [self.write(p) for p in parts]
                word = {"and": "&", "or": "|"}[kind] if self._arrays else kind
                return f" {word} ".join(names)
        raise TypeError(f"no code for {value!r}")

    def _monomial(self, monomial: tuple[Any, ...], coefficient: int) -> str:
        factors = [self.write(a.poly) if isinstance(a, Sum) else self.write(a) for a in monomial]
        if coefficient != 1 or not factors:
            factors.insert(0, f"({coefficient})" if coefficient < 0 else str(coefficient))
        return "*".join(factors)


def largest_magnitude(roots: Sequence[Any]) -> float:
    """A bound on the absolute value of every subterm."""
    seen: set[Any] = set()
    largest = 0.0

    def visit(value: Any) -> None:
        nonlocal largest
        if not isinstance(value, (Poly, Cond, App, Symbol, Sum)) or value in seen:
            return
        seen.add(value)
        if isinstance(value, Cond):
            for part in value.args:
                visit(part)
            return
        if isinstance(value, Sum):
            visit(value.poly)
            return
        largest = max(largest, abs(float(value.interval.lo)), abs(float(value.interval.hi)))
        if isinstance(value, Poly):
            size = 0.0
            for monomial, coefficient in value.terms:
                part = abs(float(coefficient))
                for atom in monomial:
                    visit(atom)
                    reach = max(abs(float(atom.interval.lo)), abs(float(atom.interval.hi)))
                    part = part * reach if reach else 0.0
                size += part
            largest = max(largest, size)
        elif isinstance(value, App):
            for part in value.args:
                visit(part)

    for root in roots:
        visit(root)
    return largest


def first_failures(
    conditions: Sequence[Any],
    filters: Sequence[Any],
    domains: Mapping[str, Sequence[int]],
) -> npt.NDArray[np.int32]:
    """For each vector of the grid `domains` the index of the first false condition, `VALID` or `OUTSIDE`.

    Axes are in the order of `domains`. `filters` are the conditions of the space itself. Exact: numbers that do not fit
    64 bits are computed with Python's integers.
    """
    names = list(domains)
    shape = tuple(len(domains[n]) for n in names)
    code = compile_terms([*conditions, *filters], arrays=True)
    wide = largest_magnitude([*conditions, *filters]) >= LARGE
    values: dict[str, Any] = {}
    for axis, name in enumerate(names):
        spread = [1] * len(names)
        spread[axis] = -1
        column = np.array(list(domains[name]), dtype=object if wide else np.int64)
        values[name] = column.reshape(spread)
    results = [np.asarray(r, dtype=bool) for r in code(values)]
    first = np.full(shape, VALID, dtype=np.int32)
    for index in range(len(conditions) - 1, -1, -1):
        holds = results[index]
        if not holds.all():
            np.copyto(first, np.int32(index), where=~holds)
    for holds in results[len(conditions) :]:
        if not holds.all():
            np.copyto(first, np.int32(OUTSIDE), where=~holds)
    return first


def components(groups: Sequence[frozenset[str]], names: Sequence[str]) -> list[tuple[str, ...]]:
    """Names that conditions link, directly or through others, in the order of `names`."""
    leader = {name: name for name in names}

    def find(name: str) -> str:
        while leader[name] != name:
            leader[name] = leader[leader[name]]
            name = leader[name]
        return name

    for group in groups:
        linked = [n for n in names if n in group]
        for other in linked[1:]:
            leader[find(other)] = find(linked[0])
    parts: dict[str, list[str]] = {}
    for name in names:
        parts.setdefault(find(name), []).append(name)
    return [tuple(p) for p in parts.values()]


def names_of(condition: Any) -> frozenset[str]:
    return frozenset(s.name for s in symbols_of(condition))
