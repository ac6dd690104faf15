"""One call of a builtin function."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from analyzer.tracing.language.evaluation import seen
from analyzer.tracing.language.values import Value
from analyzer.tracing.paths.tracer import Tracer


@dataclass(frozen=True, slots=True)
class Call:
    tr: Tracer
    args: tuple[Value, ...]
    kwargs: dict[str, Value]
    node: ast.Call | None = None
    open_args: bool = False

    def get(self, index: int, name: str = "", default: Value = None) -> Value:
        value = self.args[index] if index < len(self.args) else self.kwargs.get(name, default)
        return seen(value)
