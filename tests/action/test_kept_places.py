"""Where a comment goes when its line moves, changes or gets another file: one open thread a finding, at its line."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from action import markers
from analyzer.findings import Location
from tests.action.harness import Workbench, lines
from tests.action.reports import KERNEL, report
from tests.github_simulator import Comment

BUG = {18: "kernel = 7", 42: "return log(1 - p)"}


def reviewed(bench: Workbench, path: str, line: int) -> list[Comment]:
    """Assay's comments after a review that finds the problem at `path`:`line`."""
    found = replace(KERNEL, location=Location(path, line))
    bench.analyse = lambda *_, **__: report(found)
    bench.run()
    comments = bench.simulator.state.review_comments.values()
    return [c for c in comments if (marker := markers.read(c.body)) and marker.kind == "finding"]


def place(bench: Workbench, comment: Comment) -> int | None:
    """Where GitHub shows a comment in the newest diff; None where it is outdated."""
    return bench.simulator.state.place_now(comment)[0]


def test_a_line_that_moves_keeps_its_thread(bench: Workbench) -> None:
    bench.open_pull()
    (before,) = reviewed(bench, "models/vae.py", 18)
    bench.push({"models/vae.py": "# first\n" + lines(60, BUG)})
    (after,) = reviewed(bench, "models/vae.py", 19)
    assert (after.id, place(bench, after), after.resolved) == (before.id, 19, False)


@pytest.mark.parametrize("change", ["edited", "renamed"])
def test_a_line_that_is_gone_hands_over_to_a_new_comment(bench: Workbench, change: str) -> None:
    """GitHub folds the old thread as outdated: the new comment links it, and it is resolved with a link forward."""
    bench.open_pull()
    (old,) = reviewed(bench, "models/vae.py", 18)
    path = "models/vae.py" if change == "edited" else "models/net.py"
    text = lines(60, {**BUG, 18: "kernel = 8"} if change == "edited" else BUG)
    bench.push({path: text} if change == "edited" else {"models/vae.py": None, path: text})
    link = r"\(\S+/octo/models/pull/7#discussion_r"
    for _ in range(2):  # again changes nothing
        first, second = reviewed(bench, path, 18)
        assert (first.id, place(bench, first), first.resolved) == (old.id, None, True)
        assert (second.path, place(bench, second), second.resolved) == (path, 18, False)
        assert re.search(rf"Continues \[an earlier comment\]{link}{first.id}\)", second.body), second.body
        assert re.search(rf"This continues in \[a newer comment\]{link}{second.id}\)", first.body), first.body
