"""Views of a dictionary: its keys and its values, which show what is put into it and taken out of it later."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.container_values import DictV, KeysV, ListV


class ValuesView(ListV):
    """`values()` of a dictionary. Nothing is put into a view itself."""

    __slots__ = ("of",)

    def __init__(self, of: DictV) -> None:
        self.of = of
        super().__init__()

    @property
    def items(self) -> list[Any]:
        return list(self.of.items.values())

    @items.setter
    def items(self, items: Any) -> None:
        return None

    @property
    def open(self) -> bool:
        return self.of.open

    @open.setter
    def open(self, open: bool) -> None:
        return None

    @property
    def doubtful(self) -> bool:
        return self.of.doubtful

    @doubtful.setter
    def doubtful(self, doubtful: bool) -> None:
        return None

    @property
    def given(self) -> bool:
        return self.of.given

    @given.setter
    def given(self, given: bool) -> None:
        return None

    def twin(self) -> ListV:
        found = ListV(self.items, self.open)
        found.given, found.doubtful = self.given, self.doubtful
        return found


class KeysView(ValuesView, KeysV):
    """`keys()` of a dictionary."""

    __slots__ = ()

    @property
    def items(self) -> list[Any]:
        return list(self.of.items)

    @items.setter
    def items(self, items: Any) -> None:
        return None
