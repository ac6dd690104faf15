"""github.com and the oldest and newest Enterprise Server: every request as their published descriptions want it."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import pytest

from action.github import GitHub, GitHubProblem, RetryBudget
from action.github.transport import HEADERS
from action.review import CheckAnnotation, CheckRun, InlineComment
from tests.action.flows import every_event
from tests.action.harness import Workbench
from tests.github_simulator import Request, Simulator, validation
from tests.github_simulator.routes import ROUTES
from tests.github_simulator.slim_description import SERVERS, load

PRISM = Path(__file__).parents[1] / "node" / "node_modules" / ".bin" / "prism"


POSTED = ("opened", "mended", "folded", "back", "broken", "push", "merge_group", "schedule", "workflow_dispatch")


@pytest.mark.parametrize("server", SERVERS)
def test_every_event_keeps_to_the_published_description(server: str, tmp_path: Path) -> None:
    with Simulator(description=server) as simulator:
        ran = every_event(Workbench(tmp_path, simulator))
        assert {name: r.outputs.get("posted", r.log) for name, r in ran.items()} == {
            **dict.fromkeys(POSTED, "true"),
            "fork": "false",
            "workflow_run": "true",
        }
        assert simulator.violations == []
        used = {(r.method, operation.path) for r in simulator.requests if (operation := described(server, r))}
        # What only happens when something goes wrong: a refused review, a double, a check that was cut short.
        rare = {
            ("POST", "/pulls/{pull_number}/comments"),
            ("DELETE", "/issues/comments/{comment_id}"),
            ("DELETE", "/pulls/comments/{comment_id}"),
            ("GET", "/check-runs/{check_run_id}"),
            ("GET", "/pulls"),
            ("GET", "/git/commits/{commit_sha}"),
            ("GET", "/git/trees/{tree_sha}"),
            ("PATCH", "/git/refs/{ref}"),
        }
        assert set(ROUTES) - used == {(method, f"/repos/{{owner}}/{{repo}}{path}") for method, path in rare}


def described(server: str, request: Request) -> validation.Operation | None:
    prefix = "" if server == "api.github.com" else "/api/v3"
    return validation.find(server, request.method, request.path.removeprefix(prefix))


def test_the_simulator_serves_what_the_descriptions_have() -> None:
    for server in SERVERS:
        described = {(m.upper(), p) for p, methods in load(server)["paths"].items() for m in methods}
        assert set(ROUTES) == described


# -- Prism -------------------------------------------------------------------------------------------------------------


def for_prism(server: str, port: int) -> dict[str, Any]:
    """What Prism needs changed: its own address in samples, GitHub's media types, the path prefix of a server."""
    prefix = "" if server == "api.github.com" else "/api/v3"
    description = load(server)
    containers = [op["responses"] for methods in description["paths"].values() for op in methods.values()]
    responses = [r for group in containers for r in group.values()] + list(
        description["components"].get("responses", {}).values()
    )
    for response in responses:
        content = response.get("content", {})
        if "application/json" in content:
            content.setdefault("application/vnd.github+json", content["application/json"])
    description["paths"] = {prefix + path: methods for path, methods in description["paths"].items()}
    description["servers"] = [{"url": f"http://127.0.0.1:{port}"}]
    text = json.dumps(description).replace("https://api.github.com", f"http://127.0.0.1:{port}{prefix}")
    changed: dict[str, Any] = json.loads(text)
    return changed


@pytest.fixture(params=SERVERS)
def prism(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[GitHub]:
    if not PRISM.exists() or not shutil.which("node"):
        pytest.skip("npm packages are not installed: cd tests/node && npm ci --ignore-scripts")
    port = _free_port()
    (tmp_path / "description.json").write_text(json.dumps(for_prism(request.param, port)), encoding="utf-8")
    command = [str(PRISM), "mock", str(tmp_path / "description.json"), "--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen([*command, "-v", "warn"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for(port, process)
        url = f"http://127.0.0.1:{port}" + ("" if request.param == "api.github.com" else "/api/v3")
        budget = RetryBudget(5, sleep=lambda _: None, pause=0)
        made = GitHub("octo/models", url, f"{url}/graphql", "token", budget, timeout=20)
        yield made
    finally:
        process.terminate()
        process.wait(timeout=20)


def _free_port() -> int:
    """Below those that the system gives to whoever asks for any: another test's server would take it meanwhile."""
    while True:
        port = random.randrange(20_000, 30_000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        assert process.poll() is None, "prism ended"
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=2)
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.2)
    raise AssertionError("prism did not start")


def replay(request: Request, url: str) -> int:
    """The status that Prism gives to a request that the simulator has seen."""
    base = urlsplit(url)
    # Prism's parameters hold no slash, `git/ref/heads/…` has one.
    head, mark, branch = request.path.partition("/heads/")
    address = f"{base.scheme}://{base.netloc}{quote(head)}" + (f"/heads%2F{quote(branch, safe='')}" if mark else "")
    query = f"?{urlencode(request.query)}" if request.query else ""
    body = json.dumps(request.body).encode() if request.body is not None else None
    headers = {**HEADERS, "Authorization": "Bearer token", **({"Content-Type": "application/json"} if body else {})}
    asked = urllib.request.Request(address + query, body, headers, method=request.method)
    try:
        with urllib.request.build_opener(_NoRedirect()).open(asked, timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as answer:
        return answer.code


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


@pytest.mark.node
def test_every_request_of_every_event_passes_prism(prism: GitHub, tmp_path: Path) -> None:
    """The flows run on the simulator, which has a memory; each of their requests is put to Prism as well."""
    description = "api.github.com" if "/api/v3" not in prism.api_url else "ghes-3.19"
    with Simulator(description=description) as simulator:
        every_event(Workbench(tmp_path / "bench", simulator))
        asked = [r for r in simulator.requests if "/repos/" in r.path]
    refused = [(r.label, status) for r in asked if not 200 <= (status := replay(r, prism.api_url)) < 400]
    assert refused == []
    assert len(asked) > 50


@pytest.mark.node
def test_every_call_against_prism(prism: GitHub) -> None:
    """Requests are accepted and GitHub's own sample answers are understood, one call after the other."""
    sha = "a" * 40
    comments = (
        InlineComment("m.py", 5, "text", ("f" * 16,)),
        InlineComment("m.py", 9, "text", ("e" * 16,), start_line=7),
    )
    annotation = CheckAnnotation("m.py", 3, 3, "failure", "message", "title", "details")
    check = CheckRun("Assay", sha, "failure", "title", "summary", (annotation,) * 120, "assay/assay/1.1")
    prism.is_private()
    assert prism.pull_requests.get(1).head_sha
    prism.pull_requests.of_commit(sha)
    assert prism.pull_requests.patches(1)
    assert prism.pull_requests.comments(1)
    assert prism.pull_requests.review_comments(1)
    prism.checks.of_commit(sha, "Assay")
    prism.runs.commit(1)
    assert prism.pull_requests.comment(1, "body", lambda _: False).id
    prism.pull_requests.edit(1, "body")
    prism.pull_requests.delete(1)
    prism.pull_requests.edit_review_comment(1, "body")
    prism.pull_requests.review(1, sha, "body", comments, lambda: False)
    prism.pull_requests.review_comment(1, sha, comments[1], lambda: False)
    prism.pull_requests.review_comment(1, sha, InlineComment("m.py", None, "text", ("d" * 16,)), lambda: False)
    prism.checks.create({"name": "Assay", "head_sha": sha, "status": "in_progress"}, lambda: None)
    prism.checks.create_concluded(check, lambda: None)
    prism.checks.update(1, {"status": "in_progress", "external_id": "assay/assay/1.2"})
    prism.checks.conclude(1, check, check.annotations)
    prism.checks.annotate(1, check, check.annotations)
    prism.checks.annotations(1)
    assert prism.git.message_and_tree(sha)[1]
    prism.git.tree(sha)
    assert prism.git.create_blob("aGVsbG8=")
    assert prism.git.create_tree({"a/b.png": sha})
    assert prism.git.create_commit("message", sha, [sha])
    prism.git.set_branch("assay-pictures", sha, new=True)
    prism.code_scanning.upload("H4sI", sha, "refs/pull/1/head")


@pytest.mark.node
def test_prism_refuses_what_github_refuses(prism: GitHub) -> None:
    with pytest.raises(GitHubProblem, match="422"):
        prism.pull_requests.comment(1, "x" * 65_537, lambda _: False)
    annotation = CheckAnnotation("m.py", 3, 3, "terrible", "message", "title", "")
    check = CheckRun("Assay", "a" * 40, "failure", "t", "s", (annotation,), "x")
    with pytest.raises(GitHubProblem, match="422"):
        prism.checks.create_concluded(check, lambda: None)
