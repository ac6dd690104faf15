"""Putting values for symbols: numbers, arrays, other terms or Z3 terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from analyzer.validity.terms.arithmetic import choose, equal, floor_div, maximum, minimum, mod
from analyzer.validity.terms.conditions import Cond, all_of, any_of, negate
from analyzer.validity.terms.polynomials import App, Atom, Poly, Sum, Symbol, atom_term


def substitute(value: Any, values: Mapping[str, Any]) -> Any:
    """`value` with symbols replaced by name: ints, arrays, other terms or Z3 terms; the result is in that reading."""
    return Substitution(values)(value)


class Substitution:
    """Replaces symbols by name; equal subterms are computed once."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values
        self._memo: dict[Any, Any] = {}

    def __call__(self, value: Any) -> Any:
        if not isinstance(value, (Poly, Cond)):
            return value
        found = self._memo.get(value)
        if found is None:
            found = self._memo[value] = self._poly(value) if isinstance(value, Poly) else self._cond(value)
        return found

    def _poly(self, value: Poly) -> Any:
        result: Any = 0
        for monomial, coefficient in value.terms:
            factor: Any = None
            for atom in monomial:
                factor = self._atom(atom) if factor is None else factor * self._atom(atom)
            part = coefficient if factor is None else factor if coefficient == 1 else factor * coefficient
            result = part if isinstance(result, int) and result == 0 else result + part
        return result

    def _atom(self, atom: Atom) -> Any:
        if isinstance(atom, Symbol):
            return self._values[atom.name] if atom.name in self._values else atom_term(atom)
        if isinstance(atom, Sum):
            return self(atom.poly)
        found = self._memo.get(atom)
        if found is None:
            functions: dict[str, Callable[..., Any]] = {
                "div": floor_div,
                "mod": mod,
                "max": maximum,
                "min": minimum,
                "ite": choose,
            }
            assert isinstance(atom, App)
            found = self._memo[atom] = functions[atom.kind](*(self(a) for a in atom.args))
        return found

    def _cond(self, value: Cond) -> Any:
        if value.kind in ("and", "or"):
            return (all_of if value.kind == "and" else any_of)(*(self(a) for a in value.args))
        inner = self(value.args[0])
        if value.kind == "ge":
            return inner >= 0
        return equal(inner, 0) if value.kind == "eq" else negate(equal(inner, 0))
