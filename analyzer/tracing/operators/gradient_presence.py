"""PyTorch: whether parameters have gradients at a time, which is one question for all of them."""

from __future__ import annotations

from analyzer.tracing.language.values import Unknown
from analyzer.tracing.paths.tracer import Tracer

_NOW, _BEFORE, _THERE, _CLEARED = "gradients now", "gradients at first", "gradients behind a loss", "gradients cleared"


def gradients_made(tr: Tracer) -> None:
    """Behind `backward` what is trained has gradients."""
    tr.machine[_NOW] = _question(tr, _THERE, True)


def gradients_cleared(tr: Tracer) -> None:
    """`zero_grad` leaves none, unless it is asked for zeros."""
    tr.machine[_NOW] = _question(tr, _CLEARED, False)


def whether_gradients(tr: Tracer) -> Unknown:
    """The same unknown at each look: one parameter may be unused, but few programs are about that."""
    return tr.machine.get(_NOW) or _question(tr, _BEFORE, False)


def _question(tr: Tracer, key: str, expected: bool) -> Unknown:
    if key not in tr.machine:
        tr.machine[key] = tr.unknown("whether there are gradients", label="gradients", pytype="bool")
        tr.machine[key].default = expected
    return tr.machine[key]
