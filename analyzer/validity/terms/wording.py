"""How terms are written for people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analyzer.validity.terms.polynomials import Monomial


MOST_CHARACTERS = 4000  # of one term: one that holds itself several times doubles with each round of a loop


def shortened(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}…"


def polynomial(terms: Iterable[tuple[Monomial, int]]) -> str:
    """A polynomial as people write it: positive parts first, the constant last."""
    parts = sorted(terms, key=lambda item: (not item[0], item[1] < 0, sorted(map(str, item[0]))))
    text = ""
    for monomial, coefficient in parts:
        factors = "·".join(sorted(f"({a})" if getattr(a, "kind", "") == "mod" else str(a) for a in monomial))
        size = abs(coefficient)
        body = str(size) if not monomial else factors if size == 1 else f"{size}·{factors}"
        sign = ("− " if coefficient < 0 else "+ ") if text else ("−" if coefficient < 0 else "")
        text += f" {sign}{body}" if text else f"{sign}{body}"
    return text or "0"


def wrapped(value: Any) -> str:
    text = str(value)
    return f"({text})" if len(getattr(value, "terms", ())) > 1 else text
