"""Sizes and ranks of what a path meets, as terms, and what is assumed of them."""

from __future__ import annotations

from analyzer.tracing.language.tensors import Shape, Tensor
from analyzer.tracing.language.values import (
    Unknown,
    Value,
)
from analyzer.tracing.paths.paths import Condition, PathEnd
from analyzer.tracing.paths.symbols import Site
from analyzer.tracing.paths.undoing import Undoing
from analyzer.validity.terms import Cond, Poly, Term, Truth, equal


class Sizes(Undoing):
    """A path that gives unknown sizes and ranks their symbols."""

    def fresh(
        self, label: str, kind: str = "derived", lo: int | None = 1, hi: int | None = None, graph: bool = False
    ) -> Poly:
        if kind == "unknown":
            self.shared.asks_values = True
        return self.symbols.fresh(label, kind, lo, hi, site=self.site() if self.frames else None, graph=graph)

    def rank_of(self, tensor: Tensor) -> Term:
        shape = tensor.shape
        if shape.dims is not None:
            return len(shape.dims)
        if shape.rank is None:
            self.touch(shape)
            shape.rank = self.symbols.fresh(
                f"rank of {tensor.name or 'tensor'}",
                "lost" if shape.vague or tensor.operation or tensor.sources else "rank",
                0,
                8,
            )
            self.ranks[next(iter(shape.rank.symbols)).name] = shape
        return shape.rank

    def set_rank(self, tensor: Tensor, rank: int, kind: str = "") -> None:
        """Make the rank known; the sizes seen from either end find their places, the others are of this kind."""
        shape = tensor.shape
        if shape.dims is not None:
            return
        self.touch(shape)
        dims: list[Term] = []
        for axis in range(rank):
            front, back = shape.front.get(axis), shape.back.get(axis - rank)
            if front is not None and back is not None and front != back:
                self.assume(equal(front, back), "definition")
            known = front if front is not None else back
            dims.append(
                known
                if known is not None
                else self.fresh(f"{tensor.name or 'dim'}.{axis}", kind or shape.kind, shape.least, graph=tensor.graph)
            )
        shape.dims = tuple(dims)
        if shape.rank is not None:
            self.assume(equal(shape.rank, rank), "definition")

    def dimension(self, tensor: Tensor, axis: int) -> Term:
        """One dimension; of a tensor of unknown rank too. Raises IndexError outside a known rank."""
        shape = tensor.shape
        if shape.dims is not None:
            return shape.dims[axis]
        known = shape.front if axis >= 0 else shape.back
        if axis not in known:
            self.touch(shape)
            label = f"{tensor.name or 'tensor'}.{axis}"
            known[axis] = self.fresh(label, shape.kind, shape.least, graph=tensor.graph)
        return known[axis]

    def tensor_of(self, value: Unknown, framework: str) -> Tensor:
        """The unknown value, used as a tensor: always the same tensor."""
        if value.tensor is None:
            self.touch(value)
            shape = Shape(None, vague=not value.known_source)
            value.tensor = Tensor(shape, None, framework, site=self.site(), name=value.label or "tensor")
            value.tensor.written = not value.known_source  # its elements are no free choice, as far as is known
        return value.tensor

    def term_of(self, value: Value, label: str = "size") -> Term | None:
        """The value as an integer term; None when it cannot be one."""
        if isinstance(value, bool):
            return int(value)
        if isinstance(value, (int, Poly)):
            return value
        if isinstance(value, Unknown):
            if value.value is not None:
                return self.term_of(value.value[0])
            if value.pytype in ("bool", "str", "list", "dict", "other") or "." in value.kind:
                return None
            if value.term is None:
                self.touch(value)
                kind = {"flag": "flag", "param": "param", "data": "unknown"}.get(value.origin, "lost")
                kind = "derived" if value.factors and kind in ("flag", "param") else kind
                value.term = self.symbols.fresh(
                    value.label or label, kind, None, site=self.site() if self.frames else None, default=value.default
                )
            return value.term
        if isinstance(value, Tensor):
            if isinstance(value.value, (int, Poly)) and not isinstance(value.value, bool):
                return value.value
            if self.sampler is not None and isinstance(found := self.sampler.scalar(value), int):
                return int(found)
            if value.dims == ():
                return self.fresh(label, "unknown", None)
            return None
        if isinstance(value, float) and value.is_integer():
            return int(value)
        return None

    def assume(self, truth: Truth, kind: str = "branch", site: Site | None = None) -> None:
        """From here on `truth` holds on this path. A plain False ends the path."""
        if truth is True:
            return
        if truth is False:
            raise PathEnd
        self.path.conditions.append(Condition(truth, kind, site or self.site()))
        if isinstance(truth, Cond) and truth.kind == "eq":
            self._learn_rank(truth)

    def _learn_rank(self, truth: Cond) -> None:
        (value,) = truth.args
        names = [s.name for s in value.symbols]
        if len(names) == 1 and names[0] in self.ranks and len(value.terms) <= 2:
            coefficient = value.terms[0][1]
            if abs(coefficient) == 1:
                shape = self.ranks[names[0]]
                if shape.dims is None:
                    rank = -value.constant * coefficient
                    if 0 <= rank <= 8:
                        self.set_rank(
                            Tensor(shape, name="dim"), rank, "asked" if self.symbols.kind(names[0]) == "lost" else ""
                        )
