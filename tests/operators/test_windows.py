"""Window arithmetic against windows that are counted one by one, and terms against ints."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from analyzer.operators.windows import Window
from analyzer.validity.terms import choose, floor_div, substitute, symbol

SMALL = st.integers(1, 5)
WINDOWS = st.builds(Window, SMALL, SMALL, st.integers(1, 3), st.integers(0, 4), st.integers(0, 4))


def counted(size: int, w: Window, hanging: bool) -> int:
    """Windows that fit on the padded axis, and one more that overhangs but starts on the input or the front padding."""
    end = w.before + size + w.after
    extent = len(range(0, w.kernel * w.dilation, 1)) - (w.dilation - 1)  # taps with gaps between them
    whole = len([start for start in range(0, end, w.stride) if start + extent <= end])
    last = whole * w.stride
    covered = (whole - 1) * w.stride + extent == end
    return whole + 1 if hanging and not covered and last < size + w.before else whole


@given(st.integers(1, 20), WINDOWS)
def test_positions_are_those_counted(size: int, w: Window) -> None:
    if w.room(size) >= 0:
        assert w.positions(size) == counted(size, w, False)
    bare = replace(w, after=0)
    if bare.room(size) >= 0:
        assert bare.positions_hanging_over(size) == counted(size, bare, True)


def test_by_hand() -> None:
    """The classic sizes: 7 × 7 at stride 2 on 224, a dilated 3 × 3, a pool that rounds up, a doubling deconvolution."""
    assert Window(7, 2, 1, 3, 3).positions(224) == 112
    assert Window(3, 1, 2).extent == 5
    assert Window(3, 1, 2, 2, 2).positions(32) == 32
    assert Window(3, 2).positions_hanging_over(6) == 3
    assert Window(3, 2).positions(6) == 2
    assert Window(4, 2, 1, 1, 1).spread(16) == 32
    assert Window(3, 2).same_padding(5) == (1, 1)
    assert Window(3, 2).same_padding(6) == (0, 1)
    assert Window(3) == Window(kernel=3, stride=1, dilation=1, before=0, after=0)
    assert Window(1, 3).positions_hanging_over(5) == 2  # a third window would start behind the input
    assert Window(1, 2).same_padding(4) == (0, 0)


@given(st.integers(1, 20), SMALL, SMALL, st.integers(1, 3))
def test_same_padding_gives_a_position_for_each_stride(size: int, kernel: int, stride: int, dilation: int) -> None:
    bare = Window(kernel, stride, dilation)
    before, after = bare.same_padding(size)
    assert bare.positions_same(size) == len(range(0, size, stride))
    assert 0 <= after - before <= 1
    if before + after:
        assert Window(kernel, stride, dilation, before, after).positions(size) == bare.positions_same(size)


@given(st.integers(1, 20), WINDOWS)
def test_a_transposed_convolution_undoes_the_positions(size: int, w: Window) -> None:
    assert w.spread(size, 2) == w.spread(size) + 2
    if w.room(size) >= 0:
        assert w.positions(w.spread(w.positions(size))) == w.positions(size)


@given(st.integers(1, 20), WINDOWS)
def test_terms_say_what_ints_say(size: int, w: Window) -> None:
    n = symbol("n", 1)
    for term, number in (
        (w.positions(n, floor_div), w.positions(size)),
        (w.positions_same(n, floor_div), w.positions_same(size)),
        (w.positions_hanging_over(n, floor_div, choose), w.positions_hanging_over(size)),
        (w.spread(n), w.spread(size)),
    ):
        assert substitute(term, {"n": size}) == number
