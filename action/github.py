"""The only module that talks to GitHub: small methods over PyGithub's requester, and one policy for bad weather.

Every write that is not idempotent takes `done`, a look at GitHub that tells whether the write happened although its
answer was lost; it is asked before the write is repeated, so nothing is ever posted twice.
"""

from __future__ import annotations

import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

from action.review import CheckRun, InlineComment

T = TypeVar("T")
ATTEMPTS = 6
CHUNK = 50  # annotations in one request
SECONDARY_WAIT = 60.0


class GitHubProblem(Exception):
    """GitHub did not do what was asked; `str(problem)` is a sentence. `status` is 0 when no answer came."""

    def __init__(self, sentence: str, status: int = 0) -> None:
        super().__init__(sentence)
        self.status = status


class PermissionDenied(GitHubProblem):
    """The token may not do this: a fork's, Dependabot's, or a job without the permission."""


class Unavailable(GitHubProblem):
    """Bad weather for longer than the run is allowed to wait."""


@dataclass
class Patience:
    """How long one run may wait for GitHub altogether; `clock` and `sleep` are the module `time`'s, or a test's."""

    budget: float = 180.0
    clock: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    pause: float = 1.0  # between two writes, as GitHub asks
    spent: float = 0.0

    def wait(self, seconds: float, why: str) -> None:
        """Sleep, or raise Unavailable when the budget does not allow it."""
        if self.spent + seconds > self.budget:
            raise Unavailable(f"{why}; waiting {round(seconds)} s more would exceed this run's {round(self.budget)} s.")
        self.spent += seconds
        self.sleep(seconds)


@dataclass(frozen=True, slots=True)
class Pull:
    number: int
    head_sha: str
    base_sha: str
    base_repository: str
    open: bool


@dataclass(frozen=True, slots=True)
class Posted:
    """A comment that is there."""

    id: int
    node_id: str
    author: str
    body: str
    url: str = ""
    reply: bool = False


@dataclass(frozen=True, slots=True)
class Thread:
    """A review thread: its first comment and whether somebody answered."""

    id: str
    resolved: bool
    comment_id: int
    minimized: bool
    replies: int


@dataclass(frozen=True, slots=True)
class StoredCheck:
    id: int
    external_id: str
    completed: bool
    annotations: int


@dataclass
class GitHub:
    """One repository seen with one token."""

    repository: str
    api_url: str
    graphql_url: str
    token: str = field(repr=False)
    patience: Patience = field(default_factory=Patience)
    timeout: int = 30
    _last_write: float = 0.0

    def __post_init__(self) -> None:
        from github import Auth, Github

        client = Github(
            base_url=self.api_url,
            auth=Auth.Token(self.token) if self.token else None,
            timeout=self.timeout,
            retry=None,
            per_page=100,
            user_agent="assay",
            seconds_between_requests=0,
            seconds_between_writes=0,
        )
        self._requester = client.requester

    # -- reading -----------------------------------------------------------------------------------------------------

    def login(self) -> str:
        """Who this token is; GitHub's own Actions token may not ask for its user, but GraphQL answers."""
        try:
            return str(self._graphql("query { viewer { login } }", {})["viewer"]["login"])
        except PermissionDenied:
            return "github-actions[bot]"

    def is_private(self) -> bool:
        return bool(self._get("")["private"])

    def pull(self, number: int) -> Pull:
        """GET /repos/{owner}/{repo}/pulls/{pull_number}"""
        return _pull(self._get(f"/pulls/{number}"))

    def pulls_of(self, sha: str) -> tuple[Pull, ...]:
        """Pull requests whose head is this commit. GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls

        GitHub may not know a fork's commit there; then the open pull requests are gone through.
        """
        near = [_pull(item) for item in self._pages(f"/commits/{sha}/pulls")]
        found = [pull for pull in near if pull.head_sha == sha]
        if not found:
            found = [p for p in map(_pull, self._pages("/pulls", {"state": "open"})) if p.head_sha == sha]
        return tuple(found)

    def patches(self, number: int) -> tuple[tuple[str, str | None], ...]:
        """Changed files and their patches. GET /repos/{owner}/{repo}/pulls/{pull_number}/files"""
        return tuple((item["filename"], item.get("patch")) for item in self._pages(f"/pulls/{number}/files"))

    def issue_comments(self, number: int) -> tuple[Posted, ...]:
        """GET /repos/{owner}/{repo}/issues/{issue_number}/comments"""
        return tuple(_posted(item) for item in self._pages(f"/issues/{number}/comments"))

    def review_comments(self, number: int) -> tuple[Posted, ...]:
        """GET /repos/{owner}/{repo}/pulls/{pull_number}/comments"""
        return tuple(_posted(item) for item in self._pages(f"/pulls/{number}/comments"))

    def threads(self, number: int) -> tuple[Thread, ...]:
        """The review threads of a pull request, through GraphQL."""
        owner, _, name = self.repository.partition("/")
        found: list[Thread] = []
        after = None
        while True:
            variables = {"owner": owner, "name": name, "number": number, "after": after, "size": 50}
            page = self._graphql(_THREADS, variables)["repository"]["pullRequest"]["reviewThreads"]
            for node in page["nodes"]:
                for first in node["comments"]["nodes"][:1]:
                    replies = node["comments"]["totalCount"] - 1
                    found.append(
                        Thread(node["id"], node["isResolved"], first["databaseId"], first["isMinimized"], replies)
                    )
            if not page["pageInfo"]["hasNextPage"]:
                return tuple(found)
            after = page["pageInfo"]["endCursor"]

    def checks(self, sha: str, name: str) -> tuple[StoredCheck, ...]:
        """GET /repos/{owner}/{repo}/commits/{ref}/check-runs"""
        parameters = {"check_name": name, "filter": "all"}
        return tuple(_check(item) for item in self._pages(f"/commits/{sha}/check-runs", parameters, "check_runs"))

    def run_commit(self, run_id: int) -> str:
        """The head commit of a workflow run. GET /repos/{owner}/{repo}/actions/runs/{run_id}"""
        return str(self._get(f"/actions/runs/{run_id}")["head_sha"])

    def artifact(self, run_id: int, name: str, limit: int) -> bytes | None:
        """The newest artifact of that name as a zip file of at most `limit` bytes; None when there is none."""
        items = [
            item
            for item in self._pages(f"/actions/runs/{run_id}/artifacts", {"name": name}, "artifacts")
            if item["name"] == name and not item["expired"]
        ]
        if not items:
            return None
        newest = max(items, key=lambda item: int(item["id"]))
        if int(newest["size_in_bytes"]) > limit:
            raise GitHubProblem(f"The artifact `{name}` holds {newest['size_in_bytes']:,} bytes, more than {limit:,}.")
        content: bytes = self._call(
            "GET", f"/actions/artifacts/{newest['id']}/zip", action=lambda p: self._download(p, limit)
        )
        return content

    # -- comments ----------------------------------------------------------------------------------------------------

    def create_comment(self, number: int, body: str, mine: Callable[[Posted], bool]) -> Posted:
        """POST /repos/{owner}/{repo}/issues/{issue_number}/comments. `mine` recognises it when the answer was lost."""

        def done() -> Any:
            return next((c for c in self.issue_comments(number) if mine(c)), None)

        made = self._call("POST", f"/issues/{number}/comments", {"body": body}, done=done)
        return made if isinstance(made, Posted) else _posted(made)

    def edit_comment(self, identity: int, body: str) -> None:
        self._call("PATCH", f"/issues/comments/{identity}", {"body": body})

    def delete_comment(self, identity: int) -> None:
        try:
            self._call("DELETE", f"/issues/comments/{identity}")
        except GitHubProblem as problem:
            if problem.status != 404:
                raise

    def edit_review_comment(self, identity: int, body: str) -> None:
        self._call("PATCH", f"/pulls/comments/{identity}", {"body": body})

    def create_review(
        self, number: int, sha: str, body: str, comments: Sequence[InlineComment], posted: Callable[[], bool]
    ) -> None:
        """One review with all comments on lines. POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews"""
        data = {"commit_id": sha, "event": "COMMENT", "body": body, "comments": [_place(c) for c in comments]}
        self._call("POST", f"/pulls/{number}/reviews", data, done=lambda: posted() or None)

    def create_review_comment(self, number: int, sha: str, comment: InlineComment, posted: Callable[[], bool]) -> None:
        """One comment on a line or a file. POST /repos/{owner}/{repo}/pulls/{pull_number}/comments"""
        data = {"commit_id": sha, **_place(comment)}
        if comment.line is None:
            data["subject_type"] = "file"
        self._call("POST", f"/pulls/{number}/comments", data, done=lambda: posted() or None)

    def resolve(self, thread: Thread, *, undo: bool = False) -> None:
        name = "unresolveReviewThread" if undo else "resolveReviewThread"
        self._graphql(
            f"mutation($id: ID!) {{ {name}(input: {{threadId: $id}}) {{ clientMutationId }} }}", {"id": thread.id}
        )

    def minimize(self, node_id: str, *, undo: bool = False) -> None:
        if undo:
            query = "mutation($id: ID!) { unminimizeComment(input: {subjectId: $id}) { clientMutationId } }"
            self._graphql(query, {"id": node_id})
            return
        query = (
            "mutation($id: ID!, $classifier: ReportedContentClassifiers!) "
            "{ minimizeComment(input: {subjectId: $id, classifier: $classifier}) { clientMutationId } }"
        )
        self._graphql(query, {"id": node_id, "classifier": "RESOLVED"})

    # -- checks ------------------------------------------------------------------------------------------------------

    def create_check(self, check: CheckRun) -> None:
        """A finished check run; annotations go in chunks, and the conclusion with the last of them."""
        present = next((c for c in self.checks(check.head_sha, check.name) if c.external_id == check.external_id), None)
        if present and present.completed:
            return
        total = len(check.annotations)
        sent = present.annotations if present else 0
        if present is None:
            present = self._start_check(check)
            sent = min(CHUNK, total)
        identity = present.id
        while sent < total:
            upto = min(sent + CHUNK, total)
            output = _output(check, sent, upto)
            self._call(
                "PATCH",
                f"/check-runs/{identity}",
                {"output": output},
                done=lambda upto=upto: self._annotated(identity, upto),  # type: ignore[misc]
            )
            sent = upto
        final = {"status": "completed", "conclusion": check.conclusion, "output": _output(check, 0, 0)}
        self._call("PATCH", f"/check-runs/{identity}", final)

    def _start_check(self, check: CheckRun) -> StoredCheck:
        data = {
            "name": check.name,
            "head_sha": check.head_sha,
            "status": "in_progress",
            "external_id": check.external_id,
            "output": _output(check, 0, CHUNK),
        }

        def done() -> Any:
            stored = self.checks(check.head_sha, check.name)
            return next((c for c in stored if c.external_id == check.external_id), None)

        made = self._call("POST", "/check-runs", data, done=done)
        return made if isinstance(made, StoredCheck) else _check(made)

    def _annotated(self, identity: int, count: int) -> bool | None:
        return _check(self._get(f"/check-runs/{identity}")).annotations >= count or None

    # -- git data ----------------------------------------------------------------------------------------------------

    def branch(self, name: str) -> str | None:
        """The commit of a branch, or None. GET /repos/{owner}/{repo}/git/ref/{ref}"""
        try:
            return str(self._get(f"/git/ref/heads/{quote(name)}")["object"]["sha"])
        except GitHubProblem as problem:
            if problem.status == 404:
                return None
            raise

    def commit_message_and_tree(self, sha: str) -> tuple[str, str]:
        commit = self._get(f"/git/commits/{sha}")
        return str(commit["message"]), str(commit["tree"]["sha"])

    def tree(self, sha: str) -> tuple[Mapping[str, str], bool]:
        """Paths of a tree and their blobs, and whether GitHub cut the list."""
        answer = self._get(f"/git/trees/{sha}", {"recursive": "1"})
        return {i["path"]: i["sha"] for i in answer["tree"] if i["type"] == "blob"}, bool(answer.get("truncated"))

    def create_blob(self, content_base64: str) -> str:
        return str(
            self._call("POST", "/git/blobs", {"content": content_base64, "encoding": "base64"}, again=True)["sha"]
        )

    def create_tree(self, blobs: Mapping[str, str]) -> str:
        entries = [{"path": path, "mode": "100644", "type": "blob", "sha": sha} for path, sha in sorted(blobs.items())]
        return str(self._call("POST", "/git/trees", {"tree": entries}, again=True)["sha"])

    def create_commit(self, message: str, tree: str, parents: Sequence[str]) -> str:
        data = {"message": message, "tree": tree, "parents": list(parents)}
        return str(self._call("POST", "/git/commits", data, again=True)["sha"])

    def set_branch(self, name: str, sha: str, *, new: bool, force: bool = False) -> None:
        """Create or move a branch; moving fails with 422 when somebody else moved it meanwhile."""

        def done() -> Any:
            return True if self.branch(name) == sha else None

        if new:
            self._call("POST", "/git/refs", {"ref": f"refs/heads/{name}", "sha": sha}, done=done)
        else:
            self._call("PATCH", f"/git/refs/heads/{quote(name)}", {"sha": sha, "force": force}, done=done)

    # -- plumbing ----------------------------------------------------------------------------------------------------

    def _get(self, path: str, parameters: Mapping[str, Any] | None = None) -> Any:
        return self._call("GET", path, parameters=parameters)

    def _pages(
        self, path: str, parameters: Mapping[str, Any] | None = None, field_name: str | None = None
    ) -> Iterator[Any]:
        """All items of a list, page by page, following the `Link` header as GitHub asks."""
        address: str | None = path
        query: Mapping[str, Any] | None = {"per_page": 100, **(parameters or {})}
        while address:
            headers, data = self._call("GET", address, parameters=query, with_headers=True)
            yield from (data[field_name] if field_name else data)
            address, query = _next(headers.get("link", "")), None
            if address and urlsplit(address).netloc != urlsplit(self.api_url).netloc:
                raise GitHubProblem("GitHub named another server as the next page of a list.")

    def _graphql(self, query: str, variables: Mapping[str, Any]) -> Any:
        answer = self._call("POST", self.graphql_url, {"query": query, "variables": dict(variables)}, again=True)
        errors = answer.get("errors") or []
        if errors:
            first = errors[0]
            kind = PermissionDenied if first.get("type") in ("FORBIDDEN", "INSUFFICIENT_SCOPES") else GitHubProblem
            raise kind(f"GitHub's GraphQL says: {str(first.get('message'))[:200]}.")
        return answer["data"]

    def _call(
        self,
        verb: str,
        path: str,
        body: Any = None,
        *,
        parameters: Mapping[str, Any] | None = None,
        done: Callable[[], Any] | None = None,
        again: bool = False,
        with_headers: bool = False,
        action: Callable[[str], Any] | None = None,
    ) -> Any:
        """One request with the whole retry policy.

        Refused requests (rate limits) did not happen and are repeated. Doubtful ones (5xx, timeouts, lost connections)
        are repeated when that is harmless: reads, edits, `again`; else when `done` has found nothing.
        """
        address = path if "://" in path else f"/repos/{self.repository}{path}"
        writes = verb != "GET"
        harmless = verb in ("GET", "PATCH", "DELETE") or again
        for attempt in range(ATTEMPTS):
            last = attempt == ATTEMPTS - 1
            try:
                if writes:
                    self._pace()
                if action:
                    return action(address)
                headers, data = self._requester.requestJsonAndCheck(
                    verb, address, parameters=dict(parameters) if parameters else None, headers=_HEADERS, input=body
                )
                return (headers, data) if with_headers else data
            except Exception as error:
                trouble = _Trouble.of(error, self.patience.clock())
                if not trouble.passing:
                    raise trouble.problem() from None
                if last:
                    raise Unavailable(f"{trouble.sentence}, {ATTEMPTS} times in a row.", trouble.status) from None
                self.patience.wait(trouble.wait or min(2.0**attempt, 30.0), trouble.sentence)
                if trouble.doubtful and writes and done is not None:
                    found = done()
                    if found is not None:
                        return found
                elif trouble.doubtful and not harmless:
                    raise trouble.problem() from None
        raise AssertionError("unreachable")

    def _pace(self) -> None:
        """GitHub asks for a second between writes; this waiting does not count against the budget."""
        rest = self._last_write + self.patience.pause - self.patience.clock()
        if 0 < rest <= self.patience.pause:
            self.patience.sleep(rest)
        self._last_write = self.patience.clock()

    def _download(self, path: str, limit: int) -> bytes:
        """A redirected download: the token goes to GitHub alone, never to the storage it points to."""
        opener = urllib.request.build_opener(_NoRedirect())
        base = self.api_url.rstrip("/")
        request = urllib.request.Request(base + path, headers={**_HEADERS, "Authorization": f"Bearer {self.token}"})
        try:
            with opener.open(request, timeout=self.timeout):
                raise GitHubProblem("GitHub sent an artifact without pointing to its storage.")
        except urllib.error.HTTPError as answer:
            location = answer.headers.get("Location", "")
            if answer.code not in (301, 302, 303, 307) or not location.startswith(("https://", f"{_origin(base)}/")):
                raise
        with opener.open(urllib.request.Request(location), timeout=self.timeout) as stream:
            content = bytes(stream.read(limit + 1))
        if len(content) > limit:
            raise GitHubProblem(f"An artifact holds more than {limit:,} bytes.")
        return content


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


@dataclass(frozen=True)
class _Trouble:
    """What an exception of the transport means for the caller."""

    sentence: str
    status: int
    passing: bool  # worth another try
    doubtful: bool = False  # the write may have happened
    wait: float = 0.0
    original: Exception | None = None

    def problem(self) -> GitHubProblem:
        if isinstance(self.original, GitHubProblem):
            return self.original
        kind = PermissionDenied if self.status in (401, 403) else Unavailable if self.passing else GitHubProblem
        return kind(f"{self.sentence}.", self.status)

    @staticmethod
    def of(error: Exception, now: float) -> _Trouble:
        from github import GithubException

        if isinstance(error, GithubException):
            headers = {k.lower(): v for k, v in (error.headers or {}).items()}
            return _Trouble._of_status(error.status, _message(error.data), headers, now, error)
        if isinstance(error, urllib.error.HTTPError):
            return _Trouble._of_status(
                error.code, error.reason, {k.lower(): v for k, v in error.headers.items()}, now, error
            )
        if isinstance(error, OSError) and not isinstance(error, GitHubProblem):  # also every exception of requests
            return _Trouble(
                f"GitHub did not answer ({type(error).__name__})", 0, passing=True, doubtful=True, original=error
            )
        if isinstance(error, GitHubProblem):
            return _Trouble(str(error), error.status, passing=False, original=error)
        raise error

    @staticmethod
    def _of_status(status: int, message: str, headers: Mapping[str, str], now: float, error: Exception) -> _Trouble:
        limited = status == 429 or (
            status == 403
            and (
                "retry-after" in headers
                or "rate limit" in message.lower()
                or headers.get("x-ratelimit-remaining") == "0"
            )
        )
        if limited:
            return _Trouble(f"GitHub's rate limit was reached ({status})", status, True, wait=_pause(headers, now))
        if status >= 500:
            return _Trouble(f"GitHub answered {status}", status, True, doubtful=True)
        return _Trouble(f"GitHub answered {status}: {message[:300]}", status, False, original=error)


_HEADERS = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28", "User-Agent": "assay"}
_THREADS = """
query($owner: String!, $name: String!, $number: Int!, $size: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    reviewThreads(first: $size, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes { id isResolved comments(first: 1) { totalCount nodes { id databaseId isMinimized } } }
    }
  } }
}
"""
_NEXT = re.compile(r'<([^<>]+)>;\s*rel="next"')


def _next(link: str) -> str | None:
    match = _NEXT.search(link)
    return match[1] if match else None


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _pause(headers: Mapping[str, str], now: float) -> float:
    """What GitHub asks for: `Retry-After`, else the time until the limit is reset, else a minute."""
    after = headers.get("retry-after", "")
    if after.isdigit():
        return float(after)
    reset = headers.get("x-ratelimit-reset", "")
    if headers.get("x-ratelimit-remaining") == "0" and reset.isdigit():
        return max(1.0, float(reset) - now + 1)
    return SECONDARY_WAIT


def _message(data: Any) -> str:
    """GitHub's words with the first details, as one line."""
    if not isinstance(data, Mapping):
        return str(data)[:300]
    details = [str(e.get("message", e)) if isinstance(e, Mapping) else str(e) for e in data.get("errors") or ()]
    return " ".join("; ".join([str(data.get("message", "")), *details[:3]]).split())


def _pull(item: Mapping[str, Any]) -> Pull:
    base = item["base"]
    return Pull(
        int(item["number"]), item["head"]["sha"], base["sha"], base["repo"]["full_name"], item["state"] == "open"
    )


def _posted(item: Mapping[str, Any]) -> Posted:
    author = (item.get("user") or {}).get("login") or ""  # None once an account is deleted
    body, reply = item.get("body") or "", bool(item.get("in_reply_to_id"))
    return Posted(int(item["id"]), item["node_id"], author, body, item.get("html_url", ""), reply)


def _check(item: Mapping[str, Any]) -> StoredCheck:
    count = int((item.get("output") or {}).get("annotations_count") or 0)
    return StoredCheck(int(item["id"]), item.get("external_id") or "", item["status"] == "completed", count)


def _place(comment: InlineComment) -> dict[str, Any]:
    place: dict[str, Any] = {"path": comment.path, "body": comment.body}
    if comment.line is not None:
        place |= {"line": comment.line, "side": "RIGHT"}
    if comment.start_line is not None:
        place |= {"start_line": comment.start_line, "start_side": "RIGHT"}
    return place


def _output(check: CheckRun, start: int, end: int) -> dict[str, Any]:
    output: dict[str, Any] = {"title": check.title, "summary": check.summary}
    chosen = check.annotations[start:end]
    if chosen:
        output["annotations"] = [
            {
                "path": a.path,
                "start_line": a.start_line,
                "end_line": a.end_line,
                "annotation_level": a.level,
                "message": a.message,
                "title": a.title,
                **({"raw_details": a.details} if a.details else {}),
            }
            for a in chosen
        ]
    return output
