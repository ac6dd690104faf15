"""In which order paths are followed, and what counts as left out."""

from __future__ import annotations

from analyzer.tracing.paths import Decision, Explorer
from analyzer.tracing.symbols import Site


def decided(prefix: tuple[bool, ...], branches: int) -> list[Decision]:
    """A program of so many independent branches."""
    taken = [*prefix, *[True] * (branches - len(prefix))]
    return [Decision(Site("a.py", line), side, "flag", "", False) for line, side in enumerate(taken)]


def followed(branches: int, most: int, stop: int = 10_000) -> tuple[list[tuple[bool, ...]], Explorer]:
    explorer, found = Explorer(most), []
    for prefix in explorer.prefixes():
        if len(found) == stop:
            break
        decisions = decided(prefix, branches)
        found.append(tuple(d.taken for d in decisions))
        explorer.finished(prefix, decisions)
    return found, explorer


def test_each_side_comes_before_combinations() -> None:
    found, explorer = followed(4, 24)
    assert len(found) == len(set(found)) == 16
    assert not explorer.spent
    first = found[:5]
    assert all({path[i] for path in first} == {True, False} for i in range(4))


def test_a_path_that_is_cut_short_among_combinations_leaves_no_side_out() -> None:
    assert followed(4, 24, stop=7)[1].covered
    assert not followed(4, 24, stop=3)[1].covered


def test_beyond_the_limit_only_new_sides_are_followed() -> None:
    found, explorer = followed(9, 6)
    assert len(found) == 10
    assert not explorer.spent
    assert explorer.covered
