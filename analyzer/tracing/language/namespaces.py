"""`globals()`, `vars(module)` and `locals()` outside of functions: what is changed in them is changed in the names."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.values import DictV, Scope, Value


class ScopeNames(DictV):
    """The dictionary of a namespace. `open`: it may hold further names, which what is unknown may have put there."""

    __slots__ = ("scope",)

    def __init__(self, scope: Scope, open: bool) -> None:
        self.scope, self.open, self.choices, self.inside = scope, open, (), ()
        self.exact = self.given = self.doubtful = False

    @property
    def items(self) -> dict[Any, Value]:
        return self.scope.names

    @items.setter
    def items(self, items: dict[Any, Value]) -> None:
        self.scope.names = dict(items)

    def lose(self) -> None:
        self.open = True

    def state(self) -> Any:
        return self.scope.state(), self.open, self.given

    def restore(self, state: Any) -> None:
        self.scope.restore(state[0])
        self.open, self.given = state[1], state[2]
