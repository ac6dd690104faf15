"""Pictures on a branch of their own: stored once, pruned by age, harmless to concurrent runs and to the code."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from action import pictures
from action.github import GitHub, GitHubProblem, RetryBudget
from action.settings import Pictures
from analyzer.findings import Report
from tests.action.harness import Workbench
from tests.action.reports import KERNEL, VAE, report
from tests.github_simulator import Fault, Request, Simulator
from tests.github_simulator.server import TOKEN

PNG = b"\x89PNG\r\n\x1a\n"
TODAY = date(2026, 11, 21)
BRANCH = "assay-pictures"


def github(simulator: Simulator) -> GitHub:
    budget = RetryBudget(60, clock=lambda: 0.0, sleep=lambda _: None, pause=0)
    return GitHub("octo/models", simulator.url, simulator.graphql_url, TOKEN, budget, timeout=2)


def stored(simulator: Simulator) -> set[str]:
    state = simulator.state
    return set(state.trees[state.commits[state.refs[f"heads/{BRANCH}"]]["tree"]])


def store(simulator: Simulator, contents: dict[str, bytes], day: date = TODAY) -> dict[str, str]:
    return dict(pictures.store(github(simulator), BRANCH, contents, day, "https://github.com"))


@pytest.mark.parametrize(
    ("wanted", "private", "read_only", "expected"),
    [
        (Pictures.AUTO, False, False, Pictures.BRANCH),
        (Pictures.AUTO, True, False, Pictures.ARTIFACT),
        (Pictures.AUTO, False, True, Pictures.ARTIFACT),
        (Pictures.BRANCH, True, False, Pictures.BRANCH),
        (Pictures.ARTIFACT, False, False, Pictures.ARTIFACT),
        (Pictures.NONE, False, False, Pictures.NONE),
    ],
)
def test_the_place_follows_visibility_and_permission(
    wanted: Pictures, private: bool, read_only: bool, expected: Pictures
) -> None:
    assert pictures.place(wanted, private=private, read_only=read_only) is expected


def test_a_picture_is_stored_once_whatever_the_day(simulator: Simulator) -> None:
    first = store(simulator, {"a.png": PNG + b"1"})
    assert first == {"a.png": f"https://raw.githubusercontent.com/octo/models/{BRANCH}/{next(iter(stored(simulator)))}"}
    tip = simulator.state.refs[f"heads/{BRANCH}"]
    assert store(simulator, {"b.png": PNG + b"1"}, TODAY + timedelta(days=3)) == {"b.png": first["a.png"]}
    assert simulator.state.refs[f"heads/{BRANCH}"] == tip
    store(simulator, {"c.png": PNG + b"2"})
    assert len(stored(simulator)) == 2


def test_old_pictures_leave_the_branch(simulator: Simulator) -> None:
    store(simulator, {"a.png": PNG + b"1"}, TODAY - timedelta(days=pictures.KEEP_DAYS + 1))
    store(simulator, {"b.png": PNG + b"2"})
    assert {path[:10] for path in stored(simulator)} == {"2026-11-21"}


def test_only_pictures_are_stored(simulator: Simulator) -> None:
    assert store(simulator, {"a.png": b"<svg onload=x>", "b.png": PNG + b"x" * 3_000_000}) == {}
    assert simulator.state.refs == {}


def test_the_history_is_cut_before_it_grows_for_ever(simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "CUT_HISTORY_AFTER", 3)
    for n in range(9):
        store(simulator, {"a.png": PNG + bytes([n])})
    commit, depth = simulator.state.refs[f"heads/{BRANCH}"], 0
    while commit:
        parents = simulator.state.commits[commit]["parents"]
        commit, depth = (parents[0] if parents else ""), depth + 1
    assert depth <= 3
    assert len(stored(simulator)) == 9


def test_two_runs_at_once_keep_both_pictures(simulator: Simulator) -> None:
    store(simulator, {"a.png": PNG + b"1"})
    meddled = []

    def other_run(request: Request) -> None:
        if request.method == "PATCH" and "/git/refs/" in request.path and not meddled:
            meddled.append(request)
            state = simulator.state
            tip = state.refs[f"heads/{BRANCH}"]
            tree = {**state.trees[state.commits[tip]["tree"]], "2026-11-21/" + "f" * 24 + ".png": "0" * 40}
            state.trees["t"] = tree
            state.commits["c" * 40] = {"tree": "t", "parents": [tip], "message": "Pictures (2)"}
            state.blobs["0" * 40] = PNG
            state.refs[f"heads/{BRANCH}"] = "c" * 40

    simulator.on_request = other_run
    store(simulator, {"b.png": PNG + b"2"})
    assert len(stored(simulator)) == 3


@pytest.mark.parametrize("fault", [f for f in Fault if f is not Fault.FORBIDDEN and f is not Fault.TIMEOUT])
def test_every_request_may_fail_once(simulator: Simulator, fault: Fault) -> None:
    store(simulator, {"a.png": PNG + b"0"})
    simulator.forget_requests()
    store(simulator, {"a.png": PNG + b"1"})
    count = len(simulator.requests)
    for index in range(count):
        simulator.forget_requests()
        simulator.fail(fault, index)
        before = len(stored(simulator))
        store(simulator, {"a.png": PNG + f"{fault}{index}".encode()})
        assert len(stored(simulator)) == before + 1


def test_without_permission_nothing_is_stored(simulator: Simulator) -> None:
    simulator.permissions = frozenset()
    with pytest.raises(GitHubProblem, match="403"):
        store(simulator, {"a.png": PNG})


def drawing(bench: Workbench) -> Report:
    """A report with one drawn graph; the analyses would have left the file in the output folder."""

    def analyse(*_: object, output: Path, **__: object) -> Report:
        (output / "targets").mkdir(parents=True, exist_ok=True)
        (output / "targets" / "map.png").write_bytes(PNG + b"map")
        return report(KERNEL, target=replace(VAE, pictures=("targets/map.png", "targets/map.svg")))

    bench.analyse = analyse
    bench.open_pull()
    return report()


def test_the_comment_shows_the_picture(bench: Workbench) -> None:
    drawing(bench)
    bench.run()
    (comment,) = bench.simulator.state.issue_comments.values()
    (path,) = stored(bench.simulator)
    assert f"![Deviation graph]({bench.simulator.site}/octo/models/raw/{BRANCH}/{path})" in comment.body
    bench.run()
    assert len(bench.simulator.state.issue_comments) == 1
    assert len(stored(bench.simulator)) == 1


def test_a_private_repository_or_a_missing_permission_means_no_picture(bench: Workbench) -> None:
    drawing(bench)
    bench.simulator.state.private = True
    bench.run()
    bench.simulator.state.private = False
    bench.simulator.permissions = frozenset({"pull_requests", "checks"})
    ran = bench.run()
    assert bench.simulator.state.refs == {}
    assert ran.outputs["posted"] == "true"
    ran = bench.run(inputs={"pictures": "branch"})
    assert "contents: write" in ran.summary
