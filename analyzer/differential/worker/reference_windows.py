"""Where the windows of a pooling or a convolution lie, and what each of their offsets meets."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np


def windows(
    padded: np.ndarray, kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int]
) -> Iterator[tuple[tuple[int, ...], np.ndarray]]:
    """Each kernel offset with the view of `padded` (N, C, spatial…) that it meets, one element an output position."""
    counts = [
        (size - (k - 1) * d - 1) // s + 1
        for size, k, s, d in zip(padded.shape[2:], kernel, strides, dilations, strict=True)
    ]
    for offset in itertools.product(*map(range, kernel)):
        cut = [
            slice(o * d, o * d + (n - 1) * s + 1, s)
            for o, d, n, s in zip(offset, dilations, counts, strides, strict=True)
        ]
        places: tuple[slice, ...] = (slice(None), slice(None), *cut)
        yield offset, padded[places]


def laid_out(
    sizes: Sequence[int],
    auto_pad: str | None,
    kernel: Sequence[int],
    pads: Sequence[int] | None,
    strides: Sequence[int] | None,
    dilations: Sequence[int] | None,
    ceil: bool,
) -> tuple[list[int], ...]:
    """Where windows lie: elements before the first axis positions, elements that all windows span, strides, dilations.

    With `ceil` a last window may reach beyond the end, but none starts there.
    """
    rank = len(sizes)
    steps, gaps = list(strides or [1] * rank), list(dilations or [1] * rank)
    before, spans = [], []
    for i, (size, k, s, d) in enumerate(zip(sizes, kernel, steps, gaps, strict=True)):
        one = (k - 1) * d + 1
        if auto_pad in ("SAME_UPPER", "SAME_LOWER"):
            count = -(-size // s)
            total = max((count - 1) * s + one - size, 0)
            first = total // 2 if auto_pad == "SAME_UPPER" else total - total // 2
        else:
            first, last = (0, 0) if pads is None or auto_pad == "VALID" else (pads[i], pads[rank + i])
            room = size + first + last - one
            count = (-(-room // s) if ceil else room // s) + 1
            if ceil and (count - 1) * s >= size + first:
                count -= 1
        before.append(first)
        spans.append((count - 1) * s + one)
    return before, spans, steps, gaps


def framed(x: np.ndarray, before: Sequence[int], spans: Sequence[int], value: float) -> np.ndarray:
    """`x` with `before` elements of `value` in front, ending after `spans`."""
    widths = [(b, max(n - b - size, 0)) for b, n, size in zip(before, spans, x.shape[2:], strict=True)]
    padded = np.pad(x, [(0, 0), (0, 0), *widths], constant_values=value)
    return padded[(slice(None), slice(None), *map(slice, spans))]
