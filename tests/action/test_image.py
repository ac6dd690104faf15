"""The image on a real engine, started as GitHub's runner starts it, with the simulator reached over loopback."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest
import yaml

from action.demo.run import run_demo
from tests.action.harness import Workbench, git
from tests.examples.test_demo import EXPECTED, SCRIPTS, blocking
from tests.github_simulator import Simulator
from tests.github_simulator.server import TOKEN

ROOT = Path(__file__).parents[2]
ENGINES = "assay-engines:test"
NOWHERE = f"127.0.0.1:9/assay/engines@sha256:{'0' * 64}"  # a published image that cannot be pulled
pytestmark = pytest.mark.docker
LOOKALIKES = (
    "action/__main__.py",
    "analyzer/__init__.py",
    "jinja2.py",
    "github.py",
    "sitecustomize.py",
    "usercustomize.py",
)


def docker(*arguments: str, timeout: int | None = 1800) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["docker", *arguments], capture_output=True, text=True, timeout=timeout, check=False)


@pytest.fixture(scope="module")
def image() -> str:
    """ASSAY_TEST_IMAGE, or the slim image built from this checkout, which names the other one built from it too."""
    try:
        answers = docker("version", "--format", "{{.Server.Version}}", timeout=20).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        answers = False
    if not answers:
        message = "no Docker engine answers"
        pytest.fail(message) if os.environ.get("ASSAY_TEST_DOCKER") == "1" else pytest.skip(message)
    given = os.environ.get("ASSAY_TEST_IMAGE")
    if given:
        return given
    for target, tag in (("engines", ENGINES), ("slim", "assay-action:test")):
        arguments = ("--target", target, "--build-arg", f"ENGINES_IMAGE={ENGINES}", "--tag", tag)
        done = docker("build", "--network", "host", *arguments, str(ROOT))
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return "assay-action:test"


def model(safe: bool) -> bytes:
    """log(x), or log(x + 1), for x in [0, 1]."""
    from onnx import TensorProto, helper

    nodes = [
        helper.make_node("Add", ["x", "one"], ["y"], name="shift"),
        helper.make_node("Log", ["y"], ["z"], name="log"),
    ]
    if not safe:
        nodes = [helper.make_node("Log", ["x"], ["z"], name="log")]
    one = [helper.make_tensor("one", TensorProto.FLOAT, [1], [1.0])] if safe else []
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, ["batch", 4]) for n in "xz"]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], one)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(made.SerializeToString())


CONFIG = "version: 1\ntargets:\n  - {id: loss, path: loss.onnx, inputs: {x: {range: [0, 1]}}}\n"


def run_as_github_does(
    bench: Workbench,
    image: str,
    box: Path,
    payload: Mapping[str, object] | None = None,
    container: str = "",
    variables: Mapping[str, str] = MappingProxyType({}),
    **inputs: str,
) -> subprocess.CompletedProcess[str]:
    """`docker run` with the runner's mounts, working directory and variables."""
    for name in ("home", "workflow", "file_commands", "runner_temp"):
        (box / name).mkdir(parents=True)
    (box / "workflow" / "event.json").write_text(json.dumps(payload or bench.payload()), encoding="utf-8")
    socket = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock").removeprefix("unix://")
    variables = {
        **variables,
        "HOME": "/github/home",
        "GITHUB_ACTIONS": "true",
        "GITHUB_ACTOR": "octocat",
        "GITHUB_API_URL": bench.simulator.url,
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": "/github/workflow/event.json",
        "GITHUB_GRAPHQL_URL": bench.simulator.graphql_url,
        "GITHUB_OUTPUT": "/github/file_commands/output",
        "GITHUB_REPOSITORY": "octo/models",
        "GITHUB_RUN_ATTEMPT": "1",
        "GITHUB_RUN_ID": "77",
        "GITHUB_SERVER_URL": bench.simulator.site,
        "GITHUB_SHA": bench.head,
        "GITHUB_STEP_SUMMARY": "/github/file_commands/summary",
        "GITHUB_WORKSPACE": "/github/workspace",
        "RUNNER_ENVIRONMENT": "github-hosted",
        "RUNNER_TEMP": "/github/runner_temp",
        "GITHUB_ENV": "/github/file_commands/env",
        "ASSAY_INSTALL_NETWORK": os.environ.get("ASSAY_INSTALL_NETWORK", "host"),
        "ACTIONS_RUNTIME_TOKEN": "runtime-secret",
        "INPUT_TOKEN": TOKEN,
        **{f"INPUT_{name.replace('_', '-').upper()}": value for name, value in inputs.items()},
    }
    mounts = {
        bench.workspace: "/github/workspace", box / "home": "/github/home", box / "workflow": "/github/workflow",
        box / "file_commands": "/github/file_commands", box / "runner_temp": "/github/runner_temp",
        Path(socket): "/var/run/docker.sock",
    }  # fmt: skip
    return docker(
        "run", "--rm", "--network", "host", "--workdir", "/github/workspace",
        *(part for name, value in variables.items() for part in ("--env", f"{name}={value}")),
        *(part for source, target in mounts.items() for part in ("--volume", f"{source}:{target}")),
        *(("--name", container) if container else ()), image,
    )  # fmt: skip


@pytest.fixture
def hostile_workspace(bench: Workbench) -> Workbench:
    """A pull request that breaks a model and brings files that would like to be imported."""
    trap = "open('/github/workspace/caught', 'w').close()\n"
    bench.base = bench.commit({".assay.yml": CONFIG, "loss.onnx": model(safe=True)})
    bench.open_pull({"loss.onnx": model(safe=False), **dict.fromkeys(LOOKALIKES, trap)})
    return bench


def test_the_image_reviews_a_pull_request(image: str, hostile_workspace: Workbench, tmp_path: Path) -> None:
    bench = hostile_workspace
    os.chown(bench.workspace, 1001, 1001) if os.geteuid() == 0 else None
    owner = bench.workspace.stat().st_uid
    before = {p for p in bench.workspace.rglob("*") if ".git" not in p.parts}
    done = run_as_github_does(bench, image, tmp_path / "box", output="assay-report", only="numerical")
    assert done.returncode == 1, done.stdout + done.stderr
    (comment,) = bench.simulator.state.issue_comments.values()
    assert "1 new problem in 1 of 1 changed model" in comment.body
    assert [c.conclusion for c in bench.simulator.state.check_runs.values()] == ["failure"]
    after = {p for p in bench.workspace.rglob("*") if ".git" not in p.parts}
    written = {p.relative_to(bench.workspace).parts[0] for p in after - before}
    assert written == {"assay-report"}
    assert {p.stat().st_uid for p in after - before} == {owner}
    assert "runtime-secret" not in done.stdout + done.stderr
    outputs = (tmp_path / "box" / "file_commands" / "output").read_text(encoding="utf-8")
    assert "assay-report/report.json" in outputs


def test_without_an_output_folder_the_workspace_stays_as_it_is(
    image: str, hostile_workspace: Workbench, tmp_path: Path
) -> None:
    bench = hostile_workspace
    before = git(bench.workspace, "status", "--porcelain", "--ignored")
    done = run_as_github_does(bench, image, tmp_path / "box", only="numerical")
    assert done.returncode == 1, done.stdout + done.stderr
    assert git(bench.workspace, "status", "--porcelain", "--ignored") == before
    assert not (bench.workspace / "caught").exists()


def test_an_entry_point_is_exported_in_a_sibling_container(image: str, tmp_path: Path, simulator: Simulator) -> None:
    bench = Workbench(tmp_path, simulator)
    source = (
        "import torch\n\n\nclass Loss(torch.nn.Module):\n    def forward(self, x):\n        return torch.log({})\n\n\n"
    )
    source += "def build():\n    open('/tmp/ran', 'w').close()\n    return Loss(), (torch.rand(2, 4),)\n"
    config = "version: 1\ntargets:\n  - {id: loss, entry: loss.py:build, inputs: {x: {range: [0, 1]}}}\n"
    bench.base = bench.commit({".assay.yml": config, "loss.py": source.format("x + 1")})
    bench.open_pull({"loss.py": source.format("x")})
    done = run_as_github_does(bench, image, tmp_path / "box", only="numerical")
    assert done.returncode == 1, done.stdout + done.stderr
    (comment,) = simulator.state.issue_comments.values()
    assert "loss.py:6" in comment.body
    assert {(c.path, c.line) for c in simulator.state.review_comments.values()} == {("loss.py", 6)}


def test_the_engines_are_pulled_when_something_needs_them_and_not_before(
    image: str, tmp_path: Path, simulator: Simulator
) -> None:
    """A model that is proved safe and compared, and sources, are done in the slim image; a confirmation is not."""
    bench = Workbench(tmp_path, simulator)
    source = "import torch\n\nprint(torch.nn.Linear(4, {})(torch.zeros(2, 4)).shape)\n"
    bench.base = bench.commit({".assay.yml": CONFIG, "train.py": source.format(1)})
    bench.open_pull({"train.py": source.format(2), "loss.onnx": model(safe=True)}, head_repository="mallory/models")
    payload = bench.payload(head_repository="mallory/models")
    without = {"ASSAY_ENGINES_IMAGE": NOWHERE}
    done = run_as_github_does(bench, image, tmp_path / "one", payload, variables=without, output="report")
    log = done.stdout + done.stderr
    assert "Pulling" not in log
    report = json.loads((bench.workspace / "report" / "report.json").read_text(encoding="utf-8"))
    (safe,) = [t for t in report["targets"] if t["id"] == "loss"]
    assert (safe["status"], safe["error"]) == ("analysed", None), safe
    assert safe["unsafe_operators"] == {"checked": 1, "safe": 1}
    assert safe["backends"], "compared by the engine that the slim image has"

    bench.push({"loss.onnx": model(safe=False)})
    payload = bench.payload(head_repository="mallory/models")
    done = run_as_github_does(bench, image, tmp_path / "two", payload, variables=without, output="report")
    assert f"Pulling the image with the engines, {NOWHERE}" in done.stdout
    report = json.loads((bench.workspace / "report" / "report.json").read_text(encoding="utf-8"))
    (unsafe,) = [t for t in report["targets"] if t["id"] == "loss"]
    assert unsafe["status"] == "failed"
    assert "the image with the engines cannot be pulled" in unsafe["error"]
    assert "Traceback" not in done.stdout + done.stderr


def inputs_of(workflow: str) -> dict[str, str]:
    """What one of the ready-made workflows hands to the action."""
    jobs = yaml.safe_load((ROOT / "docs" / "workflows" / workflow).read_text(encoding="utf-8"))["jobs"]
    (step,) = [s for s in jobs["assay"]["steps"] if s["uses"].startswith("assay-action/assay@")]
    return {name: str(value).lower() if value in (True, False) else str(value) for name, value in step["with"].items()}


def test_the_gpu_workflow_on_a_runner_without_gpu_is_refused_in_a_sentence(
    image: str, tmp_path: Path, simulator: Simulator
) -> None:
    bench = Workbench(tmp_path, simulator)
    config = "version: 1\ntargets:\n  - {id: loss, entry: loss.py:build}\n"
    bench.base = bench.commit({".assay.yml": config, "loss.py": "def build():\n    return None\n"})
    bench.open_pull({"loss.py": "def build():\n    return 1\n"})
    if docker("info", "--format", "{{json .Runtimes}}").stdout.count("nvidia"):
        pytest.skip("this engine has devices to give")
    done = run_as_github_does(bench, image, tmp_path / "box", **inputs_of("gpu.yml"))
    assert done.returncode == 0, done.stdout + done.stderr
    (comment,) = simulator.state.issue_comments.values()
    assert "Assay (gpu)" in comment.body
    assert "could not be analysed" in comment.body
    assert "could not select device driver" in comment.body
    assert "Traceback" not in comment.body + done.stdout + done.stderr
    assert [(c.name, c.conclusion) for c in simulator.state.check_runs.values()] == [("Assay (gpu)", "neutral")]


@pytest.mark.study
def test_the_image_reviews_the_demo(image: str, tmp_path: Path) -> None:
    """The whole demo pull request: every model analysed, each defect found, the workspace clean but for the report."""
    out = tmp_path / "out"

    def launch(environment: Mapping[str, str], log: Path) -> int:
        socket = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock").removeprefix("unix://")
        variables = {**environment, "GITHUB_WORKSPACE": "/github/workspace", "HOME": "/github/home"}
        done = docker(
            "run", "--rm", "--network", "host", "--workdir", "/github/workspace",
            *(part for name, value in variables.items() for part in ("--env", f"{name}={value}")),
            "--volume", f"{out}/repository:/github/workspace", "--volume", f"{out}/runner:{out}/runner",
            "--volume", f"{socket}:/var/run/docker.sock", image, timeout=None,
        )  # fmt: skip
        log.write_text(done.stdout + done.stderr, encoding="utf-8")
        return done.returncode

    demo = run_demo(out, print, launch=launch, inputs={"project-code": "sandbox"})
    report = json.loads((demo.report / "report.json").read_text(encoding="utf-8"))
    assert demo.code == 1
    assert {t["id"]: t["error"] for t in report["targets"] if t["status"] != "analysed"} == {}
    assert {t["id"] for t in report["targets"]} == {*EXPECTED, "forecast", *SCRIPTS}
    assert [target for target in EXPECTED if not blocking(report, target)] == []
    assert git(demo.report.parent, "status", "--porcelain").split() == ["??", "assay-report/"]
