"""Terms whose parts recur: what a loop makes of a size holds the size of the round before several times.

Written out or compared part by part, one of sixty rounds has more parts than can ever be visited.
"""

from __future__ import annotations

import pickle

from analyzer.validity.terms import Poly, Term, choose, equal, floor_div, maximum, symbol
from analyzer.validity.terms.wording import MOST_CHARACTERS

ROUNDS = 60


def made(rounds: int = ROUNDS) -> Term:
    size: Term = symbol("n", 0)
    for _ in range(rounds):
        size = choose(equal(floor_div(size, 3), 1), size, maximum(floor_div(size, 2), 1) * size + 1)
    return size


def test_equal_terms_made_twice_are_equal() -> None:
    one, other = made(), made()
    assert one is not other
    assert one == other
    assert len({one, other}) == 1
    assert one != made(ROUNDS - 1)


def test_a_term_is_written_shortened() -> None:
    assert len(str(made())) < 100 * MOST_CHARACTERS
    short = made(1)
    assert isinstance(short, Poly)
    assert "…" not in str(short)
    assert str(short).count("n") > 3


def test_a_term_is_equal_to_its_copy() -> None:
    one = made(6)
    assert pickle.loads(pickle.dumps(one)) == one
