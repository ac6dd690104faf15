"""Files of strangers through the whole action, as a process, with the real analyses: found, refused, never run."""

from __future__ import annotations

import io
import json
import os
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from onnx import TensorProto, helper

from tests.action.harness import Workbench, git, parse_outputs
from tests.action.hostile_markdown import live_parts
from tests.action.test_commands import commands
from tests.action.test_hostile_report import OWN_HTML
from tests.github_simulator import Simulator
from tests.github_simulator.server import TOKEN

ROOT = Path(__file__).parents[2]
NAMES = (
    "::set-output name=verdict::pass", "\n::error::owned", "##[error]owned", "@octocat <img src=x onerror=alert(1)>",
    "`@octocat` | [x](https://evil.example)", "${{ secrets.GITHUB_TOKEN }}", "\u202e\u200b$(touch owned)",
)  # fmt: skip


class Evil:
    def __init__(self, flag: Path) -> None:
        self.flag = flag

    def __reduce__(self) -> Any:
        return os.system, (f"touch {self.flag}",)


def onnx_model(names: tuple[str, ...] = ("log",), **tensor: Any) -> bytes:
    """Logarithms, one a name."""
    nodes = [helper.make_node("Log", [f"x{n}"], [f"y{n}"], name=name) for n, name in enumerate(names)]
    ends = {
        side: [helper.make_tensor_value_info(f"{side}{n}", TensorProto.FLOAT, [2]) for n in range(len(names))]
        for side in "xy"
    }
    graph = helper.make_graph(nodes, names[0], ends["x"], ends["y"])
    if tensor:
        weight = graph.initializer.add(name="w", dims=[4], data_type=TensorProto.FLOAT)
        weight.data_location = TensorProto.EXTERNAL
        for key, value in tensor.items():
            weight.external_data.add(key=key, value=value)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(made.SerializeToString())


def nested_model(depth: int) -> bytes:
    """A graph inside a graph inside a graph, written byte by byte: no library makes it."""

    def field(number: int, content: bytes) -> bytes:
        length, out = len(content), bytes([number << 3 | 2])
        while length > 127:
            out, length = out + bytes([length & 127 | 128]), length >> 7
        return out + bytes([length]) + content

    graph = field(2, b"g")
    for _ in range(depth):
        attribute = field(1, b"then_branch") + b"\xa0\x01\x05" + field(6, graph)
        graph = field(1, field(1, b"c") + field(2, b"y") + field(4, b"If") + field(5, attribute)) + field(2, b"g")
    return b"\x08\x08" + field(7, graph) + field(8, b"\x10\x11")


def archive(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in members.items():
            opened.writestr(name, content)
    return stream.getvalue()


def run_as_process(bench: Workbench, box: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """`python -m action` with the runner's variables; its output is what the runner would read for commands."""
    box.mkdir()
    (box / "event.json").write_text(json.dumps(bench.payload()), encoding="utf-8")
    variables = {
        "PATH": os.environ["PATH"],
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(box / "event.json"),
        "GITHUB_REPOSITORY": "octo/models",
        "GITHUB_SHA": bench.head,
        "GITHUB_API_URL": bench.simulator.url,
        "GITHUB_GRAPHQL_URL": bench.simulator.graphql_url,
        "GITHUB_SERVER_URL": bench.simulator.site,
        "GITHUB_RUN_ID": "5",
        "GITHUB_WORKSPACE": str(bench.workspace),
        "GITHUB_STEP_SUMMARY": str(box / "summary.md"),
        "GITHUB_OUTPUT": str(box / "outputs"),
        "RUNNER_ENVIRONMENT": "github-hosted",
        "ACTIONS_RUNTIME_TOKEN": "runtime-secret",
        "INPUT_TOKEN": TOKEN,
        "INPUT_PROJECT-CODE": "never",
        "INPUT_ONLY": "numerical,validity",
        "INPUT_OUTPUT": "assay-report",
        **{f"INPUT_{name.upper()}": value for name, value in inputs.items()},
    }
    return subprocess.run(
        [sys.executable, "-m", "action"],
        cwd=ROOT,
        env=variables,
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path, simulator: Simulator) -> Workbench:
    bench = Workbench(tmp_path, simulator)
    bench.base = bench.commit({".assay.yml": None, "models/vae.onnx": None, "models/big.onnx": None})
    return bench


def test_files_of_strangers_are_found_and_never_run(folder: Workbench, tmp_path: Path) -> None:
    bench, flag = folder, tmp_path / "owned"
    secret = tmp_path / "secret.bin"
    secret.write_bytes(b"secret" * 100)
    bench.open_pull(
        {
            "pickled.pt": archive({"archive/data.pkl": pickle.dumps(Evil(flag)), "archive/version": b"3"}),
            "plain.ckpt": pickle.dumps({"w": Evil(flag)}),
            "old.pkl": pickle.dumps(Evil(flag), protocol=0),
            "bomb.keras": archive({"config.json": b" " * 300_000_000, "metadata.json": b"{}"}),
            "away.onnx": onnx_model(location="../../../../secret.bin", length="16"),
            "deep.onnx": nested_model(2_000),
            "wide.onnx": b"\x08\x08" + b"\x3a\xff\xff\xff\xff\x7f" + b"\0" * 100,
            "names.onnx": onnx_model(NAMES),
            "we\nird ::error::x.onnx": onnx_model(),
        }
    )
    (bench.workspace / "link.onnx").symlink_to(secret)
    bench.head = bench.commit({"README.md": "link"})
    bench.simulator.state.pulls[7].push(bench.head, bench.files())
    done = run_as_process(bench, tmp_path / "box")
    output = done.stdout + done.stderr
    assert done.returncode == 1, output
    assert not flag.exists(), "a pickle was executed"
    written = [line for line in commands(output) if not line.startswith(("::add-mask::", "::warning ", "::error "))]
    assert written == []
    assert "runtime-secret" not in output
    (comment,) = bench.simulator.state.issue_comments.values()
    report = json.loads((bench.workspace / "assay-report" / "report.json").read_text(encoding="utf-8"))
    found = {(f["rule"], f["target"]) for f in report["findings"]}
    assert {("security/unsafe-pickle", name) for name in ("pickled.pt", "plain.ckpt", "old.pkl")} <= found
    assert ("security/external-data", "away.onnx") in found
    assert len([f for f in report["findings"] if f["target"] == "names.onnx"]) == len(NAMES)
    told = {t["id"]: t["error"] for t in report["targets"] if t["status"] != "analysed"}
    assert {"bomb.keras", "deep.onnx"} <= set(told), told
    assert all(error and "Traceback" not in error and "\n" not in error for error in told.values())
    assert any("link.onnx is a symbolic link" in note for note in report["notes"])
    foreign = [
        part
        for part in live_parts(comment.body)
        if not part.startswith(
            (f"link {bench.simulator.site}/octo/models/blob/", "link https://github.com/assay-action/")
        )
        and not (part.startswith("html ") and OWN_HTML.match(part.removeprefix("html ")))
    ]
    assert foreign == []
    outputs = parse_outputs((tmp_path / "box" / "outputs").read_text(encoding="utf-8"))
    assert outputs["verdict"] == "fail"
    assert git(bench.workspace, "status", "--porcelain").split() == ["??", "assay-report/"]


def test_the_base_is_not_analysed_twice(folder: Workbench, tmp_path: Path) -> None:
    """The cache that GitHub keeps: the default branch's run fills it, a pull request's run takes the base from it."""
    bench = folder
    bench.base = bench.commit({"loss.onnx": onnx_model(("first",)), ".gitignore": "assay-cache/\nassay-report/\n"})
    bench.open_pull({"loss.onnx": onnx_model(("first", "second"))})
    cache = bench.workspace / "assay-cache"
    first = run_as_process(bench, tmp_path / "one", cache="assay-cache")
    kept = {path for path in cache.rglob("*") if path.is_file()}
    assert kept, first.stdout + first.stderr
    bench.push({"loss.onnx": onnx_model(("first", "second", "third"))})
    second = run_as_process(bench, tmp_path / "two", cache="assay-cache")
    assert second.returncode in (0, 1), second.stdout + second.stderr
    (comment,) = bench.simulator.state.issue_comments.values()
    assert "1 known" in comment.body
    fresh = {path for path in cache.rglob("*") if path.is_file()} - kept
    keys = {path.relative_to(cache).parts[:3] for path in fresh}
    assert len(keys) == 1, "only the head is new"
