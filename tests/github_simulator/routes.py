"""What each operation does to the state: one short function an operation, found by method and path template."""

from __future__ import annotations

import base64
import gzip
import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.github_simulator.state import CheckRun, Comment, PullRequest, State, Upload


class Refused(Exception):
    """An answer that is no success."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Call:
    """One request, taken apart. `arguments` are the path's parameters after owner and repository."""

    state: State
    arguments: tuple[str, ...]
    query: dict[str, str]
    body: Any
    author: str
    url: str  # of the API
    site: str  # of the pages


@dataclass(frozen=True)
class Page:
    """A list that is handed out page by page; `wrap` names the field of a search-like answer."""

    items: list[Any]
    wrap: str | None = None


@dataclass(frozen=True)
class Redirect:
    location: str


Route = Callable[[Call], Any]
ROUTES: dict[tuple[str, str], tuple[Route, str | None, int]] = {}
REPOSITORY = "/repos/{owner}/{repo}"


def route(method: str, path: str, *, writes: str | None = None, status: int = 200) -> Callable[[Route], Route]:
    """Register an operation. `writes` names the permission that it needs."""

    def register(function: Route) -> Route:
        ROUTES[method, REPOSITORY + path] = (function, writes, status)
        return function

    return register


@route("GET", "")
def repository(call: Call) -> Any:
    return {
        "id": 1, "full_name": call.state.repository, "private": call.state.private,
        "visibility": "private" if call.state.private else "public",
        "default_branch": call.state.default_branch, "html_url": f"{call.site}/{call.state.repository}",
    }  # fmt: skip


def _pull(call: Call) -> PullRequest:
    try:
        return call.state.pulls[int(call.arguments[0])]
    except KeyError:
        raise Refused(404, "Not Found") from None


def _pull_json(call: Call, pull: PullRequest) -> dict[str, Any]:
    head = {"full_name": pull.head_repository} if pull.head_repository else None
    return {
        "number": pull.number, "state": pull.state,
        "html_url": f"{call.site}/{call.state.repository}/pull/{pull.number}",
        "head": {"sha": pull.head_sha, "ref": "feature", "repo": head},
        "base": {"sha": pull.base_sha, "ref": pull.base_ref, "repo": {"full_name": call.state.repository}},
    }  # fmt: skip


@route("GET", "/pulls")
def pulls(call: Call) -> Any:
    wanted = call.query.get("state", "open")
    return Page([_pull_json(call, p) for p in call.state.pulls.values() if wanted in ("all", p.state)])


@route("GET", "/pulls/{pull_number}")
def pull(call: Call) -> Any:
    return _pull_json(call, _pull(call))


@route("GET", "/pulls/{pull_number}/files")
def files(call: Call) -> Any:
    if _pull(call).too_large:
        raise Refused(406, "Sorry, the diff exceeded the maximum number of files (3000).")
    found = _pull(call).files[:3000]
    return Page(
        [
            {"sha": "0" * 40, "filename": f.path, "status": f.status, "additions": 1, "deletions": 1, "changes": 2}
            | ({"patch": f.patch} if f.patch is not None else {})
            | ({"previous_filename": f.previous} if f.previous else {})
            for f in found
        ]
    )


@route("GET", "/commits/{commit_sha}/pulls")
def pulls_of_commit(call: Call) -> Any:
    sha = call.arguments[0]
    return Page([_pull_json(call, p) for p in call.state.pulls.values() if sha in p.commits])


def _comment_json(call: Call, comment: Comment) -> dict[str, Any]:
    anchor = "discussion_r" if comment.path else "issuecomment-"
    page = f"{call.site}/{call.state.repository}/pull/{comment.number}#{anchor}{comment.id}"
    data = {
        "id": comment.id, "node_id": comment.node_id, "body": comment.body, "html_url": page,
        "user": {"login": comment.author, "type": "Bot" if comment.author.endswith("[bot]") else "User"},
    }  # fmt: skip
    if comment.path:
        line, first = call.state.place_now(comment)
        data |= {
            "path": comment.path, "line": line, "start_line": first, "side": comment.side,
            "original_line": comment.line, "original_start_line": comment.start_line,
            "subject_type": comment.subject_type, "commit_id": comment.commit_id,
        }  # fmt: skip
        if comment.in_reply_to:
            data["in_reply_to_id"] = comment.in_reply_to
    return data


def _of(comments: dict[int, Comment], number: int) -> list[Comment]:
    return [c for c in comments.values() if c.number == number]


@route("GET", "/issues/{issue_number}/comments")
def issue_comments(call: Call) -> Any:
    return Page([_comment_json(call, c) for c in _of(call.state.issue_comments, _pull(call).number)])


@route("POST", "/issues/{issue_number}/comments", writes="pull_requests", status=201)
def create_issue_comment(call: Call) -> Any:
    _nonempty(call.body["body"])
    if _pull(call).locked:
        raise Refused(403, "Unable to create comment because issue is locked.")
    return _comment_json(call, call.state.comment(_pull(call).number, call.author, call.body["body"]))


def _own(call: Call, comments: dict[int, Comment]) -> Comment:
    comment = comments.get(int(call.arguments[0]))
    if comment is None:
        raise Refused(404, "Not Found")
    if call.state.pulls[comment.number].locked:
        raise Refused(403, "Unable to change a comment because the conversation is locked.")
    return comment  # whoever may write to the repository may edit and delete everybody's


@route("PATCH", "/issues/comments/{comment_id}", writes="pull_requests")
def edit_issue_comment(call: Call) -> Any:
    comment = _own(call, call.state.issue_comments)
    _nonempty(call.body["body"])
    comment.body, comment.edits = call.body["body"], comment.edits + 1
    return _comment_json(call, comment)


@route("DELETE", "/issues/comments/{comment_id}", writes="pull_requests", status=204)
def delete_issue_comment(call: Call) -> Any:
    del call.state.issue_comments[_own(call, call.state.issue_comments).id]


@route("GET", "/pulls/{pull_number}/comments")
def review_comments(call: Call) -> Any:
    return Page([_comment_json(call, c) for c in _of(call.state.review_comments, _pull(call).number)])


def _checked_place(pull: PullRequest, commit: str, comment: dict[str, Any]) -> None:
    """A line outside the diff fails the whole request, as on GitHub."""
    if commit not in pull.commits:
        raise Refused(422, "Validation Failed: commit_id is not part of the pull request")
    if comment.get("subject_type") == "file":
        if pull.file(comment["path"]) is None or "line" in comment:
            raise Refused(422, "Validation Failed: pull_request_review_thread.path diff entry is missing")
        return
    lines = [comment[key] for key in ("start_line", "line") if comment.get(key) is not None]
    if not lines or (len(lines) == 2 and lines[0] >= lines[1]):
        raise Refused(422, "Validation Failed: line must be given, start_line must precede line")
    if comment.get("side", "RIGHT") == "LEFT":  # a removed line, or context
        if not pull.in_old_hunk(comment["path"], *lines):
            raise Refused(422, "Validation Failed: pull_request_review_thread.line must be part of the diff")
        return
    if not pull.in_one_hunk(comment["path"], *lines):
        raise Refused(422, "Validation Failed: pull_request_review_thread.line must be part of the diff")


def _nonempty(body: str) -> None:
    if not body.strip():
        raise Refused(422, "Validation Failed: body cannot be blank")


def _add_review_comment(call: Call, pull: PullRequest, commit: str, data: dict[str, Any]) -> Comment:
    _nonempty(data["body"])
    return call.state.comment(
        pull.number, call.author, data["body"], path=data["path"], line=data.get("line"),
        start_line=data.get("start_line"), subject_type=data.get("subject_type", "line"), commit_id=commit,
        side=data.get("side", "RIGHT"),
    )  # fmt: skip


def _conversation(call: Call) -> PullRequest:
    """The pull request that is to be commented on."""
    pull = _pull(call)
    if pull.locked:
        raise Refused(403, "Unable to create comment because the conversation is locked.")
    if call.author in pull.pending_reviews:
        raise Refused(422, "Validation Failed: user_id can only have one pending review per pull request")
    return pull


@route("POST", "/pulls/{pull_number}/comments", writes="pull_requests", status=201)
def create_review_comment(call: Call) -> Any:
    pull = _conversation(call)
    _checked_place(pull, call.body["commit_id"], call.body)
    return _comment_json(call, _add_review_comment(call, pull, call.body["commit_id"], call.body))


@route("POST", "/pulls/{pull_number}/reviews", writes="pull_requests")
def create_review(call: Call) -> Any:
    pull, body = _conversation(call), call.body
    commit, comments = body.get("commit_id", pull.head_sha), body.get("comments", [])
    if body.get("event") == "COMMENT" and not body.get("body") and not comments:
        raise Refused(422, "Validation Failed: body is required")
    for comment in comments:
        _checked_place(pull, commit, comment)
    for comment in comments:
        _add_review_comment(call, pull, commit, comment)
    review = {"id": next(call.state.ids), "body": body.get("body", ""), "state": "COMMENTED", "commit_id": commit}
    call.state.reviews.append(review)
    return review


@route("PATCH", "/pulls/comments/{comment_id}", writes="pull_requests")
def edit_review_comment(call: Call) -> Any:
    comment = _own(call, call.state.review_comments)
    _nonempty(call.body["body"])
    comment.body, comment.edits = call.body["body"], comment.edits + 1
    return _comment_json(call, comment)


@route("DELETE", "/pulls/comments/{comment_id}", writes="pull_requests", status=204)
def delete_review_comment(call: Call) -> Any:
    del call.state.review_comments[_own(call, call.state.review_comments).id]


def _check_json(check: CheckRun) -> dict[str, Any]:
    return {
        "app": {"id": 15368, "slug": check.author.removesuffix("[bot]")},
        "id": check.id, "name": check.name, "head_sha": check.head_sha, "status": check.status,
        "conclusion": check.conclusion, "external_id": check.external_id, "html_url": f"https://example.test/{check.id}",
        "output": {"title": check.title, "summary": check.summary, "annotations_count": len(check.annotations)},
    }  # fmt: skip


def _update_check(check: CheckRun, body: dict[str, Any]) -> None:
    output = body.get("output", {})
    for annotation in output.get("annotations", ()):
        if annotation["start_line"] > annotation["end_line"] or annotation["start_line"] < 1:
            raise Refused(422, "Invalid request: annotation lines")
    if body.get("status") == "completed" and not (body.get("conclusion") or check.conclusion):
        raise Refused(422, "Invalid request: a completed check run needs a conclusion")
    if len(output.get("annotations", ())) > 50:
        raise Refused(422, "Invalid request: no more than 50 annotations")
    if any(not annotation["path"] for annotation in output.get("annotations", ())):
        raise Refused(422, "Invalid request: annotation path is empty")
    check.annotations += output.get("annotations", ())
    check.title, check.summary = output.get("title", check.title), output.get("summary", check.summary)
    check.external_id = body.get("external_id", check.external_id)
    if body.get("status", "completed") != "completed" and "conclusion" not in body:
        check.conclusion = None  # begun again
    check.conclusion = body.get("conclusion", check.conclusion)
    check.status = "completed" if check.conclusion else body.get("status", check.status)


@route("POST", "/check-runs", writes="checks", status=201)
def create_check_run(call: Call) -> Any:
    body = call.body
    if not call.state.has_commit(body["head_sha"]):
        raise Refused(422, f"No commit found for SHA: {body['head_sha']}")
    check = CheckRun(
        next(call.state.ids),
        body["name"],
        body["head_sha"],
        body.get("status", "queued"),
        None,
        body.get("external_id", ""),
        author=call.author,
    )
    _update_check(check, body)
    call.state.check_runs[check.id] = check
    return _check_json(check)


def _check(call: Call) -> CheckRun:
    try:
        return call.state.check_runs[int(call.arguments[0])]
    except KeyError:
        raise Refused(404, "Not Found") from None


@route("GET", "/check-runs/{check_run_id}")
def get_check_run(call: Call) -> Any:
    return _check_json(_check(call))


@route("GET", "/check-runs/{check_run_id}/annotations")
def annotations(call: Call) -> Any:
    return Page([{"blob_href": "", "raw_details": None, "title": None, **a} for a in _check(call).annotations])


@route("PATCH", "/check-runs/{check_run_id}", writes="checks")
def update_check_run(call: Call) -> Any:
    check = _check(call)
    if check.author != call.author:
        raise Refused(403, "Resource not accessible by integration")
    _update_check(check, call.body)
    return _check_json(check)


@route("GET", "/commits/{ref}/check-runs")
def check_runs(call: Call) -> Any:
    name = call.query.get("check_name")
    found = [c for c in call.state.check_runs.values() if c.head_sha == call.arguments[0] and name in (None, c.name)]
    if call.query.get("filter", "latest") == "latest":
        found = list({c.name: c for c in found}.values())
    return Page([_check_json(c) for c in reversed(found)], "check_runs")


@route("GET", "/git/ref/{ref}")
def get_ref(call: Call) -> Any:
    ref = call.arguments[0]
    if ref not in call.state.refs:
        raise Refused(404, "Not Found")
    return {"ref": f"refs/{ref}", "object": {"type": "commit", "sha": call.state.refs[ref]}}


@route("POST", "/git/refs", writes="contents", status=201)
def create_ref(call: Call) -> Any:
    ref = call.body["ref"].removeprefix("refs/")
    if ref in call.state.refs:
        raise Refused(422, "Reference already exists")
    if call.body["sha"] not in call.state.commits:
        raise Refused(422, "Object does not exist")
    call.state.refs[ref] = call.body["sha"]
    return {"ref": f"refs/{ref}", "object": {"type": "commit", "sha": call.body["sha"]}}


@route("PATCH", "/git/refs/{ref}", writes="contents")
def update_ref(call: Call) -> Any:
    ref, sha = call.arguments[0], call.body["sha"]
    if ref not in call.state.refs:
        raise Refused(422, "Reference does not exist")
    if not call.body.get("force") and call.state.refs[ref] not in _ancestors(call.state, sha):
        raise Refused(422, "Update is not a fast forward")
    call.state.refs[ref] = sha
    return {"ref": f"refs/{ref}", "object": {"type": "commit", "sha": sha}}


def _ancestors(state: State, sha: str) -> set[str]:
    found, waiting = set(), [sha]
    while waiting:
        commit = waiting.pop()
        if commit not in found:
            found.add(commit)
            waiting += state.commits.get(commit, {}).get("parents", ())
    return found


@route("POST", "/git/blobs", writes="contents", status=201)
def create_blob(call: Call) -> Any:
    encoded = call.body.get("encoding") == "base64"
    content = base64.b64decode(call.body["content"]) if encoded else call.body["content"].encode()
    sha = call.state.digest("blob", content)
    call.state.blobs[sha] = content
    return {"sha": sha}


@route("POST", "/git/trees", writes="contents", status=201)
def create_tree(call: Call) -> Any:
    entries = dict(call.state.trees.get(call.body.get("base_tree", ""), {}))
    for item in call.body["tree"]:
        if item.get("sha") is None:
            entries.pop(item["path"], None)
        elif item["sha"] not in call.state.blobs:
            raise Refused(422, "tree.sha is not a blob")
        else:
            entries[item["path"]] = item["sha"]
    sha = call.state.digest("tree", repr(sorted(entries.items())).encode())
    call.state.trees[sha] = entries
    return {"sha": sha, "tree": [], "truncated": False}


@route("GET", "/git/trees/{tree_sha}")
def get_tree(call: Call) -> Any:
    if call.arguments[0] not in call.state.trees:
        raise Refused(404, "Not Found")
    entries = call.state.trees[call.arguments[0]]
    listed = [{"path": p, "mode": "100644", "type": "blob", "sha": s} for p, s in entries.items()]
    return {"sha": call.arguments[0], "tree": listed, "truncated": False}


@route("POST", "/git/commits", writes="contents", status=201)
def create_commit(call: Call) -> Any:
    body = call.body
    if body["tree"] not in call.state.trees:
        raise Refused(422, "Tree SHA does not exist")
    sha = call.state.digest("commit", repr(sorted(body.items())).encode() + str(next(call.state.ids)).encode())
    call.state.commits[sha] = {"tree": body["tree"], "parents": body.get("parents", []), "message": body["message"]}
    return {"sha": sha, "tree": {"sha": body["tree"]}, "message": body["message"]}


@route("GET", "/git/commits/{commit_sha}")
def get_commit(call: Call) -> Any:
    commit = call.state.commits.get(call.arguments[0])
    if commit is None:
        raise Refused(404, "Not Found")
    parents = [{"sha": p} for p in commit["parents"]]
    return {"sha": call.arguments[0], "tree": {"sha": commit["tree"]}, "message": commit["message"], "parents": parents}


@route("GET", "/actions/runs/{run_id}")
def workflow_run(call: Call) -> Any:
    run = call.state.runs.get(int(call.arguments[0]))
    if run is None:
        raise Refused(404, "Not Found")
    return {"id": run.id, "head_sha": run.head_sha, "event": run.event, "conclusion": run.conclusion}


@route("GET", "/actions/runs/{run_id}/artifacts")
def artifacts(call: Call) -> Any:
    name = call.query.get("name")
    found = [a for a in call.state.artifacts.values() if str(a.run_id) == call.arguments[0] and name in (None, a.name)]
    return Page(
        [{"id": a.id, "name": a.name, "size_in_bytes": len(a.content), "expired": a.expired} for a in found],
        "artifacts",
    )


@route("GET", "/actions/artifacts/{artifact_id}/{archive_format}", status=302)
def download(call: Call) -> Any:
    artifact = call.state.artifacts.get(int(call.arguments[0]))
    if artifact is None:
        raise Refused(404, "Not Found")
    if artifact.expired:
        raise Refused(410, "Gone")
    return Redirect(f"{call.site}/_storage/{artifact.id}")


SARIF_LIMIT = 10_000_000


@route("POST", "/code-scanning/sarifs", writes="security_events", status=202)
def upload_sarif(call: Call) -> Any:
    try:
        packed = base64.b64decode(call.body["sarif"], validate=True)
        data = json.loads(gzip.decompress(packed))
    except (ValueError, OSError):
        raise Refused(400, "Invalid request: sarif is not gzipped JSON in base64") from None
    if len(packed) > SARIF_LIMIT:
        raise Refused(413, "Payload Too Large")
    errors = _sarif_errors(data)
    identity = f"00000000-0000-0000-0000-{next(call.state.ids):012}"
    call.state.uploads[identity] = Upload(call.body["commit_sha"], call.body["ref"], data, errors=errors)
    return {"id": identity, "url": f"{call.url}/repos/{call.state.repository}/code-scanning/sarifs/{identity}"}


def _sarif_errors(data: Any) -> list[str]:
    """What GitHub finds wrong once it reads the file."""
    if data.get("version") != "2.1.0" or not data.get("runs"):
        return ["The file is no SARIF 2.1.0."]
    results = [result for run in data["runs"] for result in run["results"]]
    return ["locationFromSarifResult: expected at least one location"] if not all(
        result.get("locations") for result in results
    ) else []  # fmt: skip


@route("GET", "/code-scanning/sarifs/{sarif_id}")
def sarif_state(call: Call) -> Any:
    """Known after the first question, read after the second."""
    upload = call.state.uploads.get(call.arguments[0])
    if upload is None:
        raise Refused(404, "Not Found")
    if upload.state == "pending":
        upload.state = "failed" if upload.errors else "complete"
        return {"processing_status": "pending"}
    return {"processing_status": upload.state, "errors": upload.errors or None}


def zipped(files: dict[str, bytes]) -> bytes:
    """An artifact as GitHub stores it."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()
