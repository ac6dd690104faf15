"""Each command with its parser taken over: whatever it then tries outside of its wall is refused.

Commands run their work in forks of this process, so that a parser that is replaced here is replaced behind the wall.
"""

from __future__ import annotations

import io
import json
import mmap
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

import pytest
from onnx import TensorProto, helper

from analyzer.commands.cli import main
from analyzer.problem import TargetProblem
from analyzer.walls import launch

pytestmark = pytest.mark.skipif(launch.standing() is not None, reason=str(launch.standing()))
SECRET = "s3cret-of-the-environment"
SPACE = "version: 1\nhyperparameters: {rows: [1, 2]}\nbind: {'x.shape[0]': rows}\n"
DOMAINS = "version: 1\nhyperparameters: {rows: [1, 2]}\ninputs: {x: [2]}\n"
TRIAL = "def tuned(trial):\n    return trial.suggest_int('rows', 1, 2)\n"
SOURCE = "import torch\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return x\n"

# command line -> where its parser is
COMMANDS = {
    "check net.onnx --no-report": "analyzer.running.target_run.scan",
    "check net.onnx --no-report --jobs 2": "analyzer.running.target_run.load",
    "check": "analyzer.commands.check.select",
    "check --base HEAD": "analyzer.commands.check.changed_sources",
    "init --yes": "analyzer.commands.init.look",
    "diff net.onnx": "analyzer.commands.diff.scan",
    "diff net.onnx --against net.onnx": "analyzer.commands.diff.load",
    "diff net.onnx --versions onnxruntime==1.17.0": "analyzer.commands.diff.load",
    "diff net.onnx --image onnxruntime=no/such:image": "analyzer.commands.diff.load",
    "diff net.py:build --sandbox docker": "analyzer.commands.diff.export",
    "space space.yml --target net.onnx": "analyzer.commands.space.architecture_of_file",
    "space space.yml --target net.onnx --jobs 2": "analyzer.commands.space.architecture_of_file",
    "space space.yml --target net.onnx --mode bulk --jobs 2": "analyzer.commands.space.architecture_of_file",
    "space --optuna tune.py:tuned": "analyzer.commands.space.record",
    "space --keras-tuner tune.py:tuned": "analyzer.commands.space.record",
    "space net.py:build --space domains.yml": "analyzer.commands.space.record",
    "checkpoint net.onnx": "analyzer.commands.checkpoint.inspect",
    "checkpoint net.onnx --against net.py:build --sandbox docker": "analyzer.commands.checkpoint.export",
    "trace net.py": "analyzer.commands.trace.trace",
    "trace net.py --run --sandbox docker": "analyzer.commands.trace.trace",
    "trace -": "analyzer.commands.trace.trace",
    "export net.py:build": "analyzer.commands.export.export",
    "export net.py:build --sandbox docker": "analyzer.commands.export.export",
    "lsp": "analyzer.commands.lsp.repository_root",
}


class Board:
    """Memory that a fork shares with this process without an open file: what the attack came to."""

    def __init__(self) -> None:
        self.memory = mmap.mmap(-1, 1 << 20)

    def write(self, seen: Any) -> None:
        self.memory.seek(0)
        self.memory.write(json.dumps(seen).encode() + b"\0")

    def read(self) -> Any:
        self.memory.seek(0)
        text = self.memory.read().partition(b"\0")[0]
        return json.loads(text) if text else None


@pytest.mark.parametrize("line", COMMANDS)
def test_nothing_outside_is_touched(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    if line == "lsp":
        pytest.importorskip("pygls")
    work, outside = tmp_path / "work", tmp_path / "outside"
    work.mkdir()
    outside.mkdir()
    (outside / "secret").write_text("topsecret")
    files = {"space.yml": SPACE, "domains.yml": DOMAINS, "tune.py": TRIAL, "net.py": SOURCE}
    for name, text in files.items():
        (work / name).write_text(text)
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [x], [y])
    (work / "net.onnx").write_bytes(helper.make_model(graph).SerializeToString())
    for command in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"]):
        subprocess.run(["git", *command], cwd=work, check=True, stdin=subprocess.DEVNULL)
    monkeypatch.chdir(work)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    board, parent = Board(), os.getpid()
    engine = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock").removeprefix("unix://")
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as named:
        named.bind(str(outside / "socket"))
        named.listen()
        address = server.getsockname()
        attempts = {
            "read outside": lambda: (outside / "secret").read_text(),
            "write outside": lambda: (outside / "mark").write_text("x"),
            "write at home": lambda: Path(os.path.expanduser("~root"), ".assay-mark").write_text("x"),
            "write into the repository": lambda: (work / "mark").write_text("x"),
            "overwrite the source": lambda: (work / "net.py").write_text("caught"),
            "overwrite Assay": lambda: open(launch.ASSAY / "analyzer" / "__init__.py", "a").close(),
            "call home": lambda: socket.create_connection(address, 2),
            "named socket": lambda: socket.socket(socket.AF_UNIX).connect(str(outside / "socket")),
            "container engine": lambda: socket.socket(socket.AF_UNIX).connect(engine),
            "environment of the parent": lambda: Path(f"/proc/{parent}/environ").read_bytes()[0],
            "memory of the parent": lambda: os.close(os.open(f"/proc/{parent}/mem", os.O_RDONLY)),
            "own environment": lambda: os.environ["AWS_SECRET_ACCESS_KEY"],
            "a program that marks": lambda: subprocess.run(
                [sys.executable, "-c", f"open({str(outside / 'mark')!r}, 'w')"], check=True, stderr=subprocess.DEVNULL
            ),
        }  # fmt: skip

        def attack(*_: Any, **__: Any) -> NoReturn:
            seen = {}
            for name, act in attempts.items():
                try:
                    seen[name] = f"done: {act()}"  # type: ignore[no-untyped-call]
                except (OSError, LookupError, subprocess.CalledProcessError) as refused:
                    seen[name] = type(refused).__name__
            board.write(seen)
            raise TargetProblem("taken over")

        monkeypatch.setattr(COMMANDS[line], attack)
        if line == "trace -":
            monkeypatch.setattr(sys, "stdin", io.StringIO(SOURCE))
        code = _served() if line == "lsp" else main(line.split())
        server.settimeout(0.1)
        named.settimeout(0.1)
        for one in (server, named):
            with pytest.raises(TimeoutError):
                one.accept()
    seen = board.read()
    assert seen is not None, capfd.readouterr()
    assert not {name: what for name, what in seen.items() if what.startswith("done")}
    assert set(seen) == set(attempts)
    assert not (outside / "mark").exists()
    assert not (work / "mark").exists()
    assert (work / "net.py").read_text() == SOURCE
    assert code != 0 or line == "lsp"


def _served() -> int:
    """The language server with one open file, and then the end of its input."""
    opened = {
        "jsonrpc": "2.0", "method": "textDocument/didOpen",
        "params": {"textDocument": {"uri": Path("net.py").absolute().as_uri(), "languageId": "python", "version": 1,
                                    "text": SOURCE}},
    }  # fmt: skip
    started = {"jsonrpc": "2.0", "id": 1, "method": "initialize",
               "params": {"processId": None, "rootUri": None, "capabilities": {}}}  # fmt: skip
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as pipe:
        for message in (started, {"jsonrpc": "2.0", "method": "initialized", "params": {}}, opened):
            text = json.dumps(message).encode()
            pipe.write(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
    with os.fdopen(reading) as stdin, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", stdin)
        return main(["lsp"])
