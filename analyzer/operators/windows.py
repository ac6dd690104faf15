"""The arithmetic of sliding windows along one axis: convolution, pooling, unfolding, over ints and terms alike.

Sizes are plain ints, NumPy integers (many at once) or terms of `validity.terms`; whoever has terms passes its own floor
division and choice, since Z3 has other signs for them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import floordiv
from typing import Any

Size = Any  # an int, a NumPy integer array, a term
Quotient = Callable[[Size, Size], Size]
Choice = Callable[[Any, Size, Size], Size]


def _choose(condition: Any, yes: Size, no: Size) -> Size:
    return yes if condition else no


@dataclass(frozen=True)
class Window:
    """One axis of a sliding window: sizes in elements. `before` and `after` are paddings."""

    kernel: Size
    stride: Size = 1
    dilation: Size = 1
    before: Size = 0
    after: Size = 0

    @property
    def extent(self) -> Size:
        """How many elements the dilated kernel spans."""
        return self.dilation * (self.kernel - 1) + 1

    def room(self, size: Size) -> Size:
        """How far the window can move over a padded axis; negative where it does not fit."""
        return size + self.before + self.after - self.extent

    def positions(self, size: Size, over: Quotient = floordiv) -> Size:
        """⌊(n + p − d(k−1) − 1) / s⌋ + 1"""
        return over(self.room(size), self.stride) + 1

    def positions_hanging_over(self, size: Size, over: Quotient = floordiv, choose: Choice = _choose) -> Size:
        """With the quotient rounded up: the last window may hang over the end but must not start behind the input."""
        count = over(self.room(size) + self.stride - 1, self.stride) + 1
        return count - choose((count - 1) * self.stride >= size + self.before, 1, 0)

    def positions_same(self, size: Size, over: Quotient = floordiv) -> Size:
        """⌈n / s⌉, of ``same`` padding."""
        return over(size + self.stride - 1, self.stride)

    def same_padding(self, size: int) -> tuple[int, int]:
        """Paddings before and after that give ⌈n / s⌉ positions; the odd one goes behind (TensorFlow, SAME_UPPER)."""
        total = max((self.positions_same(size) - 1) * self.stride + self.extent - size, 0)
        return total // 2, total - total // 2

    def spread(self, size: Size, extra: Size = 0) -> Size:
        """The size of a transposed convolution: s(n − 1) + d(k−1) + 1 − p + extra."""
        return self.stride * (size - 1) + self.extent - self.before - self.after + extra
