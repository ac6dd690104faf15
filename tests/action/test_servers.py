"""github.com and the oldest and newest Enterprise Server: every request as their published descriptions want it."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from action import relay
from action.github import GitHub, GitHubProblem, Patience
from action.review import Annotation, CheckRun, InlineComment
from tests.action.harness import Workbench, lines
from tests.action.reports import BROKEN, EXP, KERNEL, LOG, VAE, report
from tests.github_simulator import Simulator
from tests.github_simulator.routes import ROUTES, zipped
from tests.github_simulator.slim_description import SERVERS, load
from tests.github_simulator.state import WorkflowRun

PNG = b"\x89PNG\r\n\x1a\n"
PRISM = Path(__file__).parents[1] / "node" / "node_modules" / ".bin" / "prism"


@pytest.mark.parametrize("server", SERVERS)
def test_the_whole_life_of_a_pull_request(server: str, tmp_path: Path) -> None:
    with Simulator(description=server) as simulator:
        bench = Workbench(tmp_path, simulator)
        bench.open_pull()

        def drawn(*_: object, output: Path, **__: object) -> Any:
            output.mkdir(parents=True, exist_ok=True)
            (output / "map.png").write_bytes(PNG)
            many = [replace(EXP, node=f"n{n}") for n in range(120)]
            return report(LOG, KERNEL, *many, target=replace(VAE, pictures=("map.png",)))

        bench.analyse = drawn
        assert bench.run().outputs["posted"] == "true"
        bench.push({"models/vae.py": lines(60, {18: "kernel = 5", 42: "x"})})
        bench.analyse = lambda *_, **__: report(fixed=(LOG, KERNEL))
        assert bench.run().outputs["posted"] == "true"
        bench.analyse = lambda *_, **__: report(target=BROKEN)
        bench.run()
        fork = bench.payload(head_repository="mallory/models")
        bench.analyse = lambda *_, **__: report(KERNEL)
        bench.run(payload=fork, inputs={"output": "out"})
        simulator.state.runs[9] = WorkflowRun(9, bench.head)
        simulator.state.add_artifact(
            9, "assay-relay", zipped({relay.FILE: (bench.workspace / "out" / relay.FILE).read_bytes()})
        )
        stage = {"id": 9, "head_sha": bench.head, "event": "pull_request", "conclusion": "success"}
        assert bench.run("workflow_run", {"action": "completed", "workflow_run": stage}).outputs["posted"] == "true"
        assert simulator.violations == []
        used = {r.method + " " + r.label for r in simulator.requests}
        assert len(used) > 15


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
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (tmp_path / "description.json").write_text(json.dumps(for_prism(request.param, port)), encoding="utf-8")
    command = [
        str(PRISM),
        "mock",
        str(tmp_path / "description.json"),
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "-v",
        "warn",
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for(port, process)
        url = f"http://127.0.0.1:{port}" + ("" if request.param == "api.github.com" else "/api/v3")
        yield GitHub(
            "octo/models", url, f"{url}/graphql", "token", Patience(5, sleep=lambda _: None, pause=0), timeout=20
        )
    finally:
        process.terminate()
        process.wait(timeout=20)


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


@pytest.mark.node
def test_every_call_against_prism(prism: GitHub) -> None:
    """Requests are accepted and GitHub's own sample answers are understood, one call after the other."""
    sha = "a" * 40
    comments = (
        InlineComment("m.py", 5, "text", "f" * 16),
        InlineComment("m.py", 9, "text", "e" * 16, start_line=7),
    )
    annotation = Annotation("m.py", 3, 3, "failure", "message", "title", "details")
    check = CheckRun("Assay", "assay/assay/x", sha, "failure", "title", "summary", (annotation,) * 120)
    prism.is_private()
    assert prism.pull(1).head_sha
    prism.pulls_of(sha)
    assert prism.patches(1)
    assert prism.issue_comments(1)
    assert prism.review_comments(1)
    prism.checks(sha, "Assay")
    prism.run_commit(1)
    assert prism.create_comment(1, "body", lambda _: False).id
    prism.edit_comment(1, "body")
    prism.delete_comment(1)
    prism.edit_review_comment(1, "body")
    prism.create_review(1, sha, "body", comments, lambda: False)
    prism.create_review_comment(1, sha, comments[1], lambda: False)
    prism.create_review_comment(1, sha, InlineComment("m.py", None, "text", "d" * 16), lambda: False)
    prism.create_check(check)
    assert prism.commit_message_and_tree(sha)[1]
    prism.tree(sha)
    assert prism.create_blob("aGVsbG8=")
    assert prism.create_tree({"a/b.png": sha})
    assert prism.create_commit("message", sha, [sha])
    prism.set_branch("assay-pictures", sha, new=True)
    # Prism's paths have no slash inside a parameter, as `git/ref/heads/…` has; the simulator covers those.


@pytest.mark.node
def test_prism_refuses_what_github_refuses(prism: GitHub) -> None:
    with pytest.raises(GitHubProblem, match="422"):
        prism.create_comment(1, "x" * 65_537, lambda _: False)
    annotation = Annotation("m.py", 3, 3, "terrible", "message", "title", "")
    check = CheckRun("Assay", "x", "a" * 40, "failure", "t", "s", (annotation,))
    with pytest.raises(GitHubProblem, match="422"):
        prism.create_check(check)
