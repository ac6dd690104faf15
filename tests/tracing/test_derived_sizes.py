"""Sizes that a program computes of what its callers choose are no choices of their own."""

from __future__ import annotations

import ast
from pathlib import Path

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.language.arithmetic import binary
from analyzer.tracing.language.values import Unknown
from analyzer.tracing.paths.frames import Shared
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Poly


def test_a_quotient_of_an_argument_is_not_chosen(tmp_path: Path) -> None:
    tr = Tracer(Shared(tmp_path, Versions()))
    width = Unknown("an argument", "param", "width")
    for value, kind in ((binary(tr, ast.Div, width, 2, ast.parse("width / 2")), "derived"), (width, "param")):
        term = tr.term_of(value)
        assert isinstance(term, Poly)
        assert [tr.symbols.kind(s.name) for s in term.symbols] == [kind]
