"""A fork's pull request against the real image on a real engine: blocked or incomplete, and nothing was touched."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.action.harness import Workbench, git
from tests.action.test_image import docker, image, model, run_as_github_does
from tests.github_simulator import Simulator
from tests.github_simulator.server import TOKEN

__all__ = ["image"]
pytestmark = pytest.mark.docker
SECRETS = (TOKEN, "runtime-secret")
OPERATORS = """
import sys, tensorflow as tf
folder = sys.argv[1]
def save(name, build):
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None, 4], name="x")
        acts = build()
        with tf.control_dependencies(acts if isinstance(acts, list) else [acts]):
            tf.math.exp(x, name="y")
        open(f"{folder}/{name}.pb", "wb").write(graph.as_graph_def().SerializeToString())
place = "/github/workspace/caught"
raw = tf.raw_ops
save("write", lambda: tf.io.write_file(place, tf.constant("caught")))
save("environment", lambda: tf.io.write_file("/github/file_commands/env", tf.constant("PATH=/github/workspace")))
save("secrets", lambda: tf.io.write_file("/github/file_commands/summary", tf.io.read_file("/proc/1/environ")))
save("match", lambda: tf.io.write_file(place, tf.strings.reduce_join(tf.io.matching_files("/github/*"))))
save("save", lambda: raw.SaveV2(prefix=place, tensor_names=["a"], shape_and_slices=[""], tensors=[tf.constant(1.0)]))
save("print", lambda: raw.PrintV2(input=tf.constant("caught"), output_stream="file://" + place))
"""


@contextlib.contextmanager
def watched(name: str) -> Iterator[tuple[list[str], list[str]]]:
    """Arguments and environment of process 1 of the container `name` while it runs, as `docker exec` reads them and,
    where the engine runs on this machine, as the host does; apart from them what was read before the process had
    replaced itself, or could not be read."""
    seen: list[str] = []
    other: list[str] = []
    done = threading.Event()

    def watch() -> None:
        while not done.is_set():
            look = docker(
                "exec", name, "/bin/sh", "-c", "tr '\\0' ' ' < /proc/1/cmdline; cat /proc/1/environ", timeout=20
            )
            host = docker("inspect", "--format", "{{.State.Pid}}", name, timeout=20).stdout.strip()
            with contextlib.suppress(OSError):
                proc = Path("/proc", host or "none")
                read = ((proc / "cmdline").read_bytes() + b" " + (proc / "environ").read_bytes()).decode(
                    errors="replace"
                )
                (seen if "--handed-over" in read else other).append(read)
            if "--handed-over" in look.stdout:  # an environment that cannot be read shows nothing either
                seen.append(look.stdout)
            else:
                other.append(f"{look.returncode} {look.stdout[:200]} {look.stderr[:200]}")
            time.sleep(0.1)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield seen, other
    finally:
        done.set()
        thread.join(30)


@pytest.fixture
def image_alone(image: str) -> Iterator[str]:
    """The same image under an identity of this test's own: other tests use the engine at the same time."""
    name = f"assay-hostile:{os.getpid()}-{time.monotonic_ns()}"
    done = subprocess.run(
        ["docker", "build", "--quiet", "--tag", name, "-"], input=f"FROM {image}\nLABEL alone={name}\n",
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    yield name
    docker("image", "rm", "--force", name)


def containers(image: str) -> set[str]:
    """Those that still exist of this image, running or not."""
    return set(docker("ps", "--all", "--quiet", "--filter", f"ancestor={image}").stdout.split())


def test_graphs_that_act_are_blocked_and_touch_nothing(image_alone: str, tmp_path: Path, simulator: Simulator) -> None:
    """One pull request with all of them: each is blocked by what it does, and the front goes on to the next."""
    folder = tmp_path / "graphs"
    folder.mkdir()
    made = subprocess.run([sys.executable, "-c", OPERATORS, str(folder)], capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"TensorFlow is not installed: {made.stderr[-200:]}")
    bench = Workbench(tmp_path, simulator)
    bench.base = bench.commit({".assay.yml": "version: 1\n", "README.md": "models\n"})
    graphs = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    assert len(graphs) == 6
    bench.open_pull(graphs, head_repository="mallory/models")
    before = git(bench.workspace, "status", "--porcelain", "--ignored")
    box, name = tmp_path / "box", f"assay-hostile-{os.getpid()}"
    with watched(name) as (seen, other):
        payload = bench.payload(head_repository="mallory/models")
        done = run_as_github_does(
            bench, image_alone, box, payload, name, only="numerical,differential", output="report"
        )
    log = done.stdout + done.stderr
    assert done.returncode == 1, log
    summary = (box / "file_commands" / "summary").read_text(encoding="utf-8")
    for graph in graphs:
        assert graph in summary
    assert "whenever the graph runs" in summary, summary[:2_000]
    report = json.loads((bench.workspace / "report" / "report.json").read_text(encoding="utf-8"))
    acting = {f["target"] for f in report["findings"] if f["rule"].startswith("security/") and f["level"] == "error"}
    assert acting == set(graphs), "each is an error that blocks"
    assert {t["status"] for t in report["targets"]} == {"failed"}, "none is green"
    assert "caught" not in git(bench.workspace, "status", "--porcelain", "--ignored")
    assert git(bench.workspace, "status", "--porcelain", "--ignored").replace("?? report/", "").strip() == before
    assert not (box / "file_commands" / "env").exists()
    assert {path.name for path in (box / "file_commands").iterdir()} == {"output", "summary"}
    assert seen, f"process 1 was never seen with its new image: {sorted(set(other))}"
    for secret in SECRETS:
        assert secret not in summary
        assert secret not in "".join(seen)
    assert not containers(image_alone), "a container was left behind"


HOSTILE_ENTRY = """
import json, os, socket, subprocess, sys, time
import torch

def attempt(act):
    try:
        act()
    except Exception:
        pass

def build():
    answer = {"op": "answer", "size": 2}
    attempt(lambda: print(json.dumps(answer) + "\\n{}", flush=True))
    attempt(lambda: os.write(1, (json.dumps(answer) + "\\n{}").encode()))
    for pid in ("1", "self", str(os.getppid())):
        for place in ("/github/workspace/caught", "/trees/head/caught", "/box/request", f"/proc/{pid}/root/caught"):
            attempt(lambda: open(place, "w").write("caught"))
        attempt(lambda: open("out/environ", "w").write(open(f"/proc/{pid}/environ").read()))
    attempt(lambda: socket.create_connection(("127.0.0.1", PORT), 2).send(b"caught"))
    attempt(lambda: socket.socket(socket.AF_UNIX).connect("/var/run/docker.sock"))
    attempt(lambda: subprocess.Popen(["sleep", "600"], start_new_session=True))
    for _ in range(200):
        try:
            if os.fork() == 0:
                time.sleep(600)
                os._exit(0)
        except OSError:
            break
    return torch.nn.Linear(2, 2), (torch.rand(1, 2),)
"""


def test_code_of_a_fork_answers_for_no_other_target(image_alone: str, tmp_path: Path, simulator: Simulator) -> None:
    """It prints answers, writes wherever it can, calls home, leaves children and forks; the other model is blocked."""
    bench = Workbench(tmp_path, simulator)
    config = (
        "version: 1\nenvironment: {requirements: requirements.txt}\ntargets:\n"
        "  - {id: evil, entry: evil.py:build}\n  - {id: loss, path: loss.onnx, inputs: {x: {range: [0, 1]}}}\n"
    )
    port = simulator.url.rpartition(":")[2]
    bench.base = bench.commit(
        {
            ".assay.yml": config,
            "requirements.txt": "# nothing\n",
            "evil.py": "def build():\n    return None\n",
            "loss.onnx": model(safe=True),
        }
    )
    mark = "open('/github/workspace/caught', 'w').close()\nraise SystemExit('caught by setup')\n"
    bench.open_pull(
        {
            "evil.py": HOSTILE_ENTRY.replace("PORT", port),
            "requirements.txt": "./evil\n",
            "evil/setup.py": mark,
            "loss.onnx": model(safe=False),
        },
        head_repository="mallory/models",
    )
    payload = bench.payload(head_repository="mallory/models")
    before = git(bench.workspace, "status", "--porcelain", "--ignored")
    done = run_as_github_does(bench, image_alone, tmp_path / "box", payload, only="numerical")
    assert done.returncode == 1, done.stdout + done.stderr
    summary = (tmp_path / "box" / "file_commands" / "summary").read_text(encoding="utf-8")
    assert "loss.onnx" in summary
    assert "what is installed is what the base lists" in summary
    assert "caught" not in summary + done.stdout + done.stderr
    assert not any(secret in summary for secret in SECRETS)
    assert git(bench.workspace, "status", "--porcelain", "--ignored") == before
    assert simulator.requests == []
    assert not containers(image_alone), "a container was left behind"
