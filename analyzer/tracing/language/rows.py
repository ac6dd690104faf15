"""Rows of numbers that are no array: a DataFrame, a Series, and the nested list that `tolist` gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from analyzer.tracing.language.tensors import Tensor

FRAME, SERIES, LIST = "pandas.DataFrame", "pandas.Series", "list"


@dataclass(eq=False, slots=True)
class Rows:
    """`array` has their shape: two dimensions of a frame, one of a series, any number of a list.

    `columns` are the names of a frame's columns, or of the numbers that a series has for them; None: not known.
    """

    kind: str
    array: Tensor
    columns: tuple[Any, ...] | None = None
    located: Rows | None = None  # the table whose rows and columns are named: of `frame.loc`

    def forgotten(self) -> None:
        """Something has changed it, nobody knows how; call `Tracer.touch` before."""
        self.array, self.columns = Tensor(None, None, "numpy"), None

    def state(self) -> Any:
        return self.array, self.columns

    def restore(self, state: Any) -> None:
        self.array, self.columns = state

    def like(self, dims: Any, columns: tuple[Any, ...] | None = None) -> Rows:
        """Of the same kind with another shape."""
        return Rows(self.kind, Tensor(dims, self.array.dtype, "numpy"), columns)

    def __repr__(self) -> str:
        return f"<{self.kind} {self.array.shape!r}>"
