"""The simulator refuses what GitHub refuses, and nothing else: a test for each rule that it once lacked."""

from __future__ import annotations

from typing import Any

import pytest

from tests.github_simulator import Comment, PullRequest, Simulator, state
from tests.github_simulator.server import TOKEN, UNLIMITED, Request
from tests.github_simulator.state import ChangedFile, CheckRun

HEAD, BASE = "a" * 40, "b" * 40
PATCH = "@@ -1,2 +1,3 @@\n one\n-two\n+zwei\n+drei"


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def repository(**options: Any) -> Simulator:
    made = Simulator(clock=Clock(), **options)
    made.state.add_pull(PullRequest(7, HEAD, BASE, files=[ChangedFile("net.py", PATCH)]))
    return made


def ask(simulator: Simulator, method: str, path: str, body: Any = None, **query: str) -> tuple[int, Any]:
    address = path if path == "/graphql" else f"/repos/octo/models{path}"
    status, answer, _ = simulator.answer(Request(0, method, address, query, body), TOKEN)
    return status, answer


def check_run(head_sha: str = HEAD, **more: Any) -> dict[str, Any]:
    return {"name": "Assay", "head_sha": head_sha, "status": "in_progress", **more}


def annotated(path: str) -> dict[str, Any]:
    one = {"path": path, "start_line": 1, "end_line": 1, "annotation_level": "failure", "message": "m"}
    return check_run(output={"title": "t", "summary": "s", "annotations": [one]})


def comment(**more: Any) -> dict[str, Any]:
    return {"body": "text", "commit_id": HEAD, "path": "net.py", "line": 2, "side": "RIGHT", **more}


def test_a_check_run_needs_a_commit_of_the_repository() -> None:
    simulator = repository()
    assert ask(simulator, "POST", "/check-runs", check_run())[0] == 201
    assert ask(simulator, "POST", "/check-runs", check_run("c" * 40))[0] == 422


def test_an_annotation_needs_a_path() -> None:
    simulator = repository()
    assert ask(simulator, "POST", "/check-runs", annotated("net.py"))[0] == 201
    assert ask(simulator, "POST", "/check-runs", annotated(""))[0] == 422


def test_a_check_run_of_another_app_cannot_be_changed() -> None:
    simulator = repository()
    simulator.state.check_runs[5] = CheckRun(5, "Assay", HEAD, "in_progress", None, "", author="other[bot]")
    assert ask(simulator, "PATCH", "/check-runs/5", {"status": "completed", "conclusion": "success"})[0] == 403


def test_graphql_is_read_by_the_published_schema() -> None:
    simulator = repository()
    assert ask(simulator, "POST", "/graphql", {"query": "{viewer{login}}"})[1]["data"]["viewer"]["login"] == state.BOT
    wrong = ask(simulator, "POST", "/graphql", {"query": "{viewer{login reviewThreads}}"})[1]
    assert "Cannot query field 'reviewThreads'" in wrong["errors"][0]["message"]
    assert simulator.violations


@pytest.mark.parametrize(
    "path", ["/pulls/7", "/issues/7/comments", f"/commits/{HEAD}/check-runs", f"/git/trees/{HEAD}"]
)
def test_a_private_repository_is_read_with_permissions_alone(path: str) -> None:
    simulator = repository(permissions=frozenset(), reads=frozenset())
    assert ask(simulator, "GET", path)[0] != 403
    simulator.state.private = True
    assert ask(simulator, "GET", path)[0] == 403


def test_graphql_asks_for_the_same_permissions() -> None:
    simulator = repository(permissions=frozenset(), reads=frozenset())
    asked = '{repository(owner:"octo",name:"models"){pullRequest(number:7){reviewThreads(first:1){totalCount}}}}'
    assert ask(simulator, "POST", "/graphql", {"query": asked})[1]["data"]["repository"]["pullRequest"]
    simulator.state.private = True
    refused = ask(simulator, "POST", "/graphql", {"query": asked})[1]
    assert refused["errors"][0]["type"] == "FORBIDDEN"


def test_nobody_comments_on_a_locked_pull_request() -> None:
    simulator = repository()
    simulator.state.pulls[7].locked = True
    for path, body in (
        ("/issues/7/comments", {"body": "text"}),
        ("/pulls/7/comments", comment()),
        ("/pulls/7/reviews", {"event": "COMMENT", "body": "text", "commit_id": HEAD}),
    ):
        assert ask(simulator, "POST", path, body)[0] == 403


def test_a_pending_review_is_in_the_way() -> None:
    simulator = repository()
    simulator.state.pulls[7].pending_reviews.add(state.BOT)
    assert ask(simulator, "POST", "/pulls/7/comments", comment())[0] == 422


def test_a_renamed_repository_redirects() -> None:
    simulator = repository()
    simulator.state.former_names.add("octo/models")
    simulator.state.repository = "octo/nets"
    assert ask(simulator, "GET", "/pulls/7")[0] == 301
    assert ask(simulator, "POST", "/issues/7/comments", {"body": "text"})[0] == 307


def test_reads_come_from_copies_that_lag() -> None:
    simulator = repository(lag=3.0)
    assert ask(simulator, "POST", "/issues/7/comments", {"body": "text"})[0] == 201
    assert ask(simulator, "GET", "/issues/7/comments")[1] == []
    simulator.clock.now += 4  # type: ignore[attr-defined]
    assert len(ask(simulator, "GET", "/issues/7/comments")[1]) == 1


def test_a_comment_whose_line_changes_is_outdated() -> None:
    simulator = repository()
    made = ask(simulator, "POST", "/pulls/7/comments", comment())[1]
    simulator.state.pulls[7].push("d" * 40, [ChangedFile("net.py", PATCH.replace("zwei", "deux"))])
    (now,) = ask(simulator, "GET", "/pulls/7/comments")[1]
    assert (made["line"], now["line"], now["original_line"]) == (2, None, 2)


def test_a_removed_line_and_others_comments_are_no_obstacle() -> None:
    simulator = repository()
    assert ask(simulator, "POST", "/pulls/7/comments", comment(side="LEFT"))[0] == 201
    theirs: Comment = simulator.state.comment(7, "octocat", "theirs")
    assert ask(simulator, "PATCH", f"/issues/comments/{theirs.id}", {"body": "edited"})[0] == 200


def write(simulator: Simulator) -> int:
    return ask(simulator, "POST", "/issues/7/comments", {"body": "text"})[0]


def test_eighty_writes_a_minute() -> None:
    simulator = repository()
    assert [write(simulator) for _ in range(81)] == [201] * 80 + [403]
    simulator.clock.now += 61  # type: ignore[attr-defined]
    assert write(simulator) == 201


def test_five_hundred_writes_an_hour() -> None:
    simulator = repository()
    told = []
    for _ in range(501):
        told.append(write(simulator))
        simulator.clock.now += 2  # type: ignore[attr-defined]
    assert told == [201] * 500 + [403]
    status, _, headers = simulator.answer(
        Request(0, "POST", "/repos/octo/models/issues/7/comments", {}, {"body": "text"}), TOKEN
    )
    assert (status, 2000 < int(headers["Retry-After"]) <= 3600) == (403, True)
    simulator.clock.now += 3600  # type: ignore[attr-defined]
    assert write(simulator) == 201


MUTATION = 'mutation{minimizeComment(input:{subjectId:"C_1",classifier:OUTDATED}){clientMutationId}}'


def test_mutations_of_graphql_count_as_writes() -> None:
    simulator = repository()
    told = [ask(simulator, "POST", "/graphql", {"query": MUTATION})[0] for _ in range(81)]
    assert told == [200] * 80 + [403]
    assert write(simulator) == 403
    assert ask(simulator, "POST", "/graphql", {"query": "{viewer{login}}"})[0] == 200  # a query creates nothing


def test_points_of_a_minute() -> None:
    simulator = repository(**{**UNLIMITED, "points": 900, "graphql_points": 2000})
    assert [ask(simulator, "GET", "/pulls/7")[0] for _ in range(901)] == [200] * 900 + [403]
    assert ask(simulator, "POST", "/graphql", {"query": MUTATION})[0] == 200  # its points are counted apart
    fresh = repository(**{**UNLIMITED, "points": 900, "graphql_points": 2000})
    assert [write(fresh) for _ in range(181)] == [201] * 180 + [403]
    assert [ask(fresh, "POST", "/graphql", {"query": MUTATION})[0] for _ in range(401)] == [200] * 400 + [403]
