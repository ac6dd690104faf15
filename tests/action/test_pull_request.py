"""The whole action on a pull request, against the simulator, with the analyses' reports given."""

from __future__ import annotations

from dataclasses import replace

import pytest

from action import markers
from analyzer.findings import Location, Report, Suggestion, TargetReport
from tests.action.harness import Ran, Workbench, lines
from tests.action.reports import BROKEN, EXP, KERNEL, LOG, report
from tests.github_simulator import ChangedFile, Comment


def headline(comment: Comment) -> str:
    return comment.body.split("\n")[1]


def open_findings(bench: Workbench) -> set[str]:
    """Fingerprints of the comments that a reader sees as open."""
    found = set()
    for comment in bench.simulator.state.review_comments.values():
        marker = markers.read(comment.body)
        if marker and marker.get("state") == "open" and not comment.resolved and comment.minimized is None:
            found.add(marker.get("fp"))
    return found


def test_a_review_is_posted_once_and_completely(bench: Workbench) -> None:
    bench.open_pull()
    bench.analyse = lambda *_, **__: report(LOG, KERNEL, EXP)
    ran = bench.run()
    state = bench.simulator.state
    assert ran.code == 1, ran.log
    assert [headline(c) for c in state.issue_comments.values()] == [
        "**❌ Assay: 2 new problems in 1 of 1 changed model**"
    ]
    assert {(c.path, c.line) for c in state.review_comments.values()} == {("models/vae.py", 42), ("models/vae.py", 18)}
    assert len(state.reviews) == 1
    (check,) = state.check_runs.values()
    assert (check.conclusion, check.status, check.head_sha) == ("failure", "completed", bench.head)
    assert [a["start_line"] for a in check.annotations] == [42, 18, 5]
    assert (ran.outputs["verdict"], ran.outputs["posted"]) == ("fail", "true")
    assert "2 new problems" in ran.summary


def test_a_suggestion_stands_on_exactly_its_lines(bench: Workbench) -> None:
    change = Suggestion("use log1p", "models/vae.py", 41, 43, "a\nb", True)
    bench.open_pull()
    bench.analyse = lambda *_, **__: report(replace(LOG, suggestion=change))
    bench.run()
    (comment,) = bench.simulator.state.review_comments.values()
    assert (comment.start_line, comment.line) == (41, 43)
    assert "```suggestion\na\nb\n```" in comment.body


@pytest.mark.parametrize(
    "change",
    [
        Suggestion("x", "models/vae.py", 41, 43, "a \u202e b", True),  # a reader would not see what is applied
        Suggestion("x", "models/vae.py", 41, 43, "a", False),  # not proved
        Suggestion("x", "models/vae.py", 42, 58, "a", True),  # reaches out of the hunk
        Suggestion("x", "models/other.py", 42, 42, "a", True),  # another file
    ],
)
def test_no_change_is_offered_that_cannot_be_applied(bench: Workbench, change: Suggestion) -> None:
    bench.open_pull()
    bench.analyse = lambda *_, **__: report(replace(LOG, suggestion=change))
    bench.run()
    (comment,) = bench.simulator.state.review_comments.values()
    assert comment.line == 42
    assert "```suggestion" not in comment.body


def test_findings_off_the_diff_go_to_the_file_then_to_the_summary(bench: Workbench) -> None:
    bench.open_pull()
    off_hunk = replace(LOG, location=Location("models/vae.py", 30), suggestion=None)
    elsewhere = replace(KERNEL, location=Location("lib/layers.py", 3))
    bench.analyse = lambda *_, **__: report(off_hunk, elsewhere)
    bench.run()
    (comment,) = bench.simulator.state.review_comments.values()
    assert (comment.path, comment.line, comment.subject_type) == ("models/vae.py", None, "file")
    (summary,) = bench.simulator.state.issue_comments.values()
    assert "lib/layers.py:3" in summary.body


def test_one_refused_line_does_not_lose_the_review(bench: Workbench) -> None:
    pull = bench.open_pull()
    bench.analyse = lambda *_, **__: report(LOG, KERNEL)
    file = pull.file("models/vae.py")
    assert file
    assert file.patch
    file.patch = file.patch[: file.patch.index("\n@@")]  # GitHub shows less than git does
    bench.run()
    places = {(c.path, c.line, c.subject_type) for c in bench.simulator.state.review_comments.values()}
    assert places == {("models/vae.py", 18, "line"), ("models/vae.py", None, "file")}


def test_at_most_thirty_comments_worst_first(bench: Workbench) -> None:
    bench.open_pull({"models/vae.onnx": "2", "models/vae.py": lines(200, dict.fromkeys(range(1, 200), "x"))})
    warnings = [replace(EXP, node=f"e{n}", location=Location("models/vae.py", n)) for n in range(1, 60)]
    bench.analyse = lambda *_, **__: report(LOG, *warnings)
    bench.run()
    posted = list(bench.simulator.state.review_comments.values())
    assert len(posted) == 30
    assert posted[0].line == 42
    bench.run()
    assert len(bench.simulator.state.review_comments) == 30


def test_ten_runs_leave_what_one_run_leaves(bench: Workbench) -> None:
    bench.open_pull()
    bench.analyse = lambda *_, **__: report(LOG, KERNEL, EXP)
    bench.run()
    state = bench.simulator.state
    before = (set(state.issue_comments), set(state.review_comments), set(state.check_runs), len(state.reviews))
    for _ in range(9):
        bench.run()
    assert (set(state.issue_comments), set(state.review_comments), set(state.check_runs), len(state.reviews)) == before


def test_a_sequence_of_pushes(bench: Workbench) -> None:
    """Shifted findings keep their comment, fixed ones are resolved, those that come back are opened again."""
    bench.open_pull()
    bench.analyse = lambda *_, **__: report(LOG, KERNEL)
    bench.run()
    state = bench.simulator.state
    first = {markers.read(c.body).get("fp"): c.id for c in state.review_comments.values()}  # type: ignore[union-attr]
    assert open_findings(bench) == {LOG.fingerprint, KERNEL.fingerprint}

    bench.push({"models/vae.py": "new line\n" + lines(60, {18: "kernel = 7", 42: "return log(1 - p)"})})
    shifted = (
        replace(LOG, location=Location("models/vae.py", 43), suggestion=None),
        replace(KERNEL, location=Location("models/vae.py", 19)),
    )
    bench.analyse = lambda *_, **__: report(*shifted)
    bench.run()
    assert set(state.review_comments) == set(first.values())

    bench.push({"models/vae.py": lines(60, {18: "kernel = 5", 42: "return log(1 - p)"})})
    bench.analyse = lambda *_, **__: report(LOG, fixed=(KERNEL,))
    bench.run()
    assert open_findings(bench) == {LOG.fingerprint}
    fixed = state.review_comments[first[KERNEL.fingerprint]]
    assert fixed.resolved
    assert "Not found any more" in fixed.body

    bench.push({"models/vae.py": lines(60, {18: "kernel = 7", 42: "return log(1 - p)"})})
    bench.analyse = lambda *_, **__: report(LOG, KERNEL)
    bench.run()
    assert open_findings(bench) == {LOG.fingerprint, KERNEL.fingerprint}
    assert set(state.review_comments) == set(first.values())
    assert "Not found any more" not in state.review_comments[first[KERNEL.fingerprint]].body
    assert len(state.issue_comments) == 1


def test_fixed_problems_are_folded_where_threads_cannot_be_resolved(bench: Workbench) -> None:
    bench.simulator.permissions = frozenset({"pull_requests", "checks"})
    bench.open_pull()
    bench.analyse = lambda *_, **__: report(LOG, KERNEL)
    bench.run()
    bench.simulator.state.comment(7, "octocat", "Is this real?", path="models/vae.py", in_reply_to=1003)
    bench.analyse = lambda *_, **__: report(LOG)
    bench.run()
    folded = [c for c in bench.simulator.state.review_comments.values() if c.minimized == "RESOLVED"]
    assert len(folded) == 1
    assert "Is this real?" in {c.body for c in bench.simulator.state.review_comments.values()}
    bench.analyse = lambda *_, **__: report(LOG, KERNEL)
    bench.run()
    assert open_findings(bench) == {LOG.fingerprint, KERNEL.fingerprint}


def test_a_thread_that_a_person_resolved_stays_resolved(bench: Workbench) -> None:
    bench.open_pull()
    bench.analyse = lambda *_, **__: report(KERNEL)
    bench.run()
    (comment,) = bench.simulator.state.review_comments.values()
    comment.resolved = True
    bench.run()
    assert comment.resolved


def test_a_model_that_failed_this_time_keeps_its_comments(bench: Workbench) -> None:
    bench.open_pull()
    bench.analyse = lambda *_, **__: report(KERNEL)
    bench.run()
    bench.analyse = lambda *_, **__: report(target=BROKEN)
    ran = bench.run()
    assert open_findings(bench) == {KERNEL.fingerprint}
    assert (ran.code, ran.outputs["verdict"]) == (0, "incomplete")
    # An annotation cannot be taken back, so a second check run takes the place of the first.
    assert [c.conclusion for c in bench.simulator.state.check_runs.values()] == ["neutral", "neutral"]
    assert bench.run(inputs={"fail-on-incomplete": "true"}).code == 3


def test_strangers_comments_are_never_touched(bench: Workbench) -> None:
    bench.open_pull()
    state = bench.simulator.state
    forged = str(markers.summary("assay", bench.head, 999_999, 1))
    stranger = state.comment(7, "mallory", f"{forged}\nI am Assay.")
    quoting = state.comment(7, "github-actions[bot]", f"> {forged}\nquoted by another workflow")
    other_id = state.comment(7, "github-actions[bot]", f"{markers.summary('vision', bench.head, 999_999, 1)}\nother")
    remark = state.comment(7, "mallory", f"{markers.finding('assay', 'f' * 16, 'x')}\nx", path="models/vae.py", line=18)
    bodies = [c.body for c in (stranger, quoting, other_id, remark)]
    bench.analyse = lambda *_, **__: report(KERNEL)
    bench.run()
    bench.run()
    assert [c.body for c in (stranger, quoting, other_id, remark)] == bodies
    assert not remark.resolved
    assert len(state.issue_comments) == 4


def test_two_uses_in_one_repository_do_not_meet(bench: Workbench) -> None:
    bench.open_pull()
    bench.analyse = lambda *_, **__: report(KERNEL)
    bench.run(inputs={"id": "vision"})
    bench.analyse = lambda *_, **__: report(LOG)
    bench.run(inputs={"id": "language"})
    state = bench.simulator.state
    lines_of = {headline(c).split(":")[0] for c in state.issue_comments.values()}
    assert lines_of == {"**❌ Assay (vision)", "**❌ Assay (language)"}
    assert open_findings(bench) == {KERNEL.fingerprint, LOG.fingerprint}
    assert {c.name for c in state.check_runs.values()} == {"Assay (vision)", "Assay (language)"}


def test_the_summary_is_found_beyond_the_first_page(bench: Workbench) -> None:
    bench.open_pull()
    for number in range(250):
        bench.simulator.state.comment(7, "octocat", f"remark {number}")
    bench.analyse = lambda *_, **__: report(KERNEL)
    bench.run()
    for number in range(150):
        bench.simulator.state.comment(7, "octocat", f"later {number}")
    bench.run()
    ours = [c for c in bench.simulator.state.issue_comments.values() if c.author != "octocat"]
    assert len(ours) == 1
    assert ours[0].edits == 1


def test_a_comment_deleted_by_hand_is_written_again(bench: Workbench) -> None:
    bench.open_pull()
    bench.analyse = lambda *_, **__: report(KERNEL)
    bench.run()
    bench.simulator.state.issue_comments.clear()
    bench.simulator.state.review_comments.clear()
    bench.run()
    assert len(bench.simulator.state.issue_comments) == 1
    assert len(bench.simulator.state.review_comments) == 1


def test_doubles_of_the_summary_are_removed(bench: Workbench) -> None:
    bench.open_pull()
    old = str(markers.summary("assay", bench.head, 1, 1))
    for _ in range(3):
        bench.simulator.state.comment(7, "github-actions[bot]", f"{old}\nold")
    bench.run()
    assert len(bench.simulator.state.issue_comments) == 1


def test_a_push_while_running_leaves_the_comments_to_the_newer_run(bench: Workbench) -> None:
    pull = bench.open_pull()

    def analyse(*_: object, **__: object) -> Report:
        pull.head_sha = "f" * 40
        return report(KERNEL)

    bench.analyse = analyse
    ran = bench.run()
    assert bench.simulator.state.issue_comments == {}
    assert bench.simulator.state.review_comments == {}
    assert [c.head_sha for c in bench.simulator.state.check_runs.values()] == [bench.head]
    assert ran.outputs["posted"] == "false"


def test_the_newer_of_two_runs_wins(bench: Workbench) -> None:
    bench.open_pull()
    bench.analyse = lambda *_, **__: report(KERNEL)
    bench.run_id = 500
    bench.run()
    bench.run_id = 300
    bench.analyse = lambda *_, **__: report()
    bench.run()
    (summary,) = bench.simulator.state.issue_comments.values()
    assert "1 new problem" in summary.body
    assert open_findings(bench) == {KERNEL.fingerprint}


def test_a_pull_request_closed_midway(bench: Workbench) -> None:
    bench.open_pull().state = "closed"
    bench.analyse = lambda *_, **__: report(KERNEL)
    bench.run()
    assert bench.simulator.state.issue_comments == {}
    assert len(bench.simulator.state.check_runs) == 1


def test_no_model_changed_ends_green_and_quiet(bench: Workbench) -> None:
    bench.open_pull({"README.md": "other\n"})
    seen: list[object] = []

    def analyse(_head: object, _base: object, _config: object, targets: object, **__: object) -> Report:
        seen.append(targets)
        return Report((), (), base="b")

    bench.analyse = analyse
    ran = bench.run()
    assert ran.code == 0, ran.log
    assert seen == [()]
    assert bench.simulator.state.issue_comments == {}
    assert [c.conclusion for c in bench.simulator.state.check_runs.values()] == ["success"]
    assert "no model changed" in ran.summary


def test_reverting_the_model_clears_the_review(bench: Workbench) -> None:
    bench.open_pull()
    bench.analyse = lambda *_, **__: report(KERNEL)
    bench.run()
    bench.push({"models/vae.onnx": "1", "models/vae.py": lines(60)})
    bench.analyse = lambda *_, **__: Report((), (), base="b")
    bench.run()
    (summary,) = bench.simulator.state.issue_comments.values()
    assert "no model changed" in summary.body
    assert open_findings(bench) == set()


@pytest.mark.parametrize("switch", ["comment", "review", "check-run", "step-summary"])
def test_each_output_can_be_turned_off(bench: Workbench, switch: str) -> None:
    bench.open_pull()
    bench.analyse = lambda *_, **__: report(KERNEL)
    ran = bench.run(inputs={switch: "false"})
    state = bench.simulator.state
    assert {
        "comment": bool(state.issue_comments),
        "review": bool(state.review_comments),
        "check-run": bool(state.check_runs),
        "step-summary": bool(ran.summary),
    } == {name: name != switch for name in ("comment", "review", "check-run", "step-summary")}


def test_a_huge_report_fits_everywhere(bench: Workbench) -> None:
    bench.open_pull()
    many = [
        replace(LOG, node=f"n{n}", message="m" * 190, layer="x" * 150, location=Location("models/vae.py", 42))
        for n in range(3000)
    ]
    targets = tuple(TargetReport(f"t{n}" * 20, "model", "x.onnx", notes=("n" * 300,)) for n in range(2000))
    bench.analyse = lambda *_, **__: replace(report(*many), targets=targets)
    ran = bench.run()
    (summary,) = bench.simulator.state.issue_comments.values()
    assert len(summary.body) <= 65_536
    assert len(ran.summary.encode()) < 1_048_576
    assert ran.outputs["posted"] == "true"
    (check,) = bench.simulator.state.check_runs.values()
    assert len(check.annotations) == 200
    assert "2800 more problems have no annotation" in check.summary


def test_three_thousand_changed_files(bench: Workbench) -> None:
    pull = bench.open_pull()
    pull.files = [ChangedFile(f"data/{n}.txt", "@@ -1 +1 @@\n-a\n+b") for n in range(3000)] + pull.files
    many = {f"data/{n}.txt": "x" for n in range(3000)}
    bench.head = bench.commit(many)
    pull.push(bench.head)
    bench.analyse = lambda *_, **__: report(KERNEL)
    ran = bench.run()
    assert ran.outputs["posted"] == "true"
    assert len(bench.simulator.state.review_comments) == 1


def test_a_read_only_token_leaves_the_report_for_later(bench: Workbench) -> None:
    bench.simulator.permissions = frozenset()
    bench.open_pull()
    bench.analyse = lambda *_, **__: report(KERNEL)
    ran: Ran = bench.run(inputs={"output": "out"})
    assert ran.code == 1
    assert "1 new problem" in ran.summary
    assert "second workflow" in ran.summary
    assert ran.outputs["relay"] == "out/assay-relay.json"
    assert ran.outputs["posted"] == "false"
