"""Without a container engine the models are found in a child behind the kernel's wall, and what it says is checked."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from action import walled_selection
from action.base_policy import Judged
from action.checkout import Exported
from action.plan import ReviewPullRequest
from action.run import Outside
from action.selection import choose
from analyzer.configuration.config import Config
from analyzer.findings import Report
from analyzer.problem import Problem, UsageProblem
from analyzer.walls.launch import standing
from tests.action.harness import Workbench
from tests.action.test_front import settings
from tests.github_simulator import Simulator
from tests.github_simulator.server import TOKEN

pytestmark = pytest.mark.skipif(standing() is not None, reason=f"no wall of the kernel: {standing()}")
PLAN = ReviewPullRequest(7, "a" * 40, "b" * 40, "main", fork=True, read_only=True)
JUDGED = Judged(Config())
NOTHING = Exported((), frozenset(), ())
ONNX = bytes.fromhex("08083a0a12016722021a0062001202")
ATTACK = """
import json, os, socket, subprocess, sys
tree, mark, secret, front = {told}
done = []
for name, act in {{
    "environment": lambda: open(f"/proc/{{front}}/environ").read(),
    "memory": lambda: open(f"/proc/{{front}}/mem", "rb").read(1),
    "descriptors": lambda: os.readlink(f"/proc/{{front}}/fd/1"),
    "file outside": lambda: open(secret).read(),
    "writes outside": lambda: open(mark, "w"),
    "writes in the tree": lambda: open(tree + "/mark", "w"),
    "network": lambda: socket.socket(),
    "process": lambda: os.fork() or os._exit(0),
    "program": lambda: subprocess.run(["/bin/true"]),
    "signal": lambda: os.kill(front, 0),
    "secret in its environment": lambda: os.environ["INPUT_TOKEN"],
}}.items():
    try:
        act()
        done.append(name)
    except (OSError, KeyError, ValueError):
        pass
text = json.dumps(done).encode()
sys.stdout.buffer.write(json.dumps({{"op": "answer", "size": len(text)}}).encode() + b"\\n" + text)
"""


@pytest.fixture
def trees(tmp_path: Path) -> dict[str, Path]:
    from tests.action.test_image import model

    found = {}
    for name, safe in (("head", False), ("base", True)):
        tree = found[name] = tmp_path / name
        (tree / "models").mkdir(parents=True)
        (tree / "models" / "loss.onnx").write_bytes(model(safe=safe))
        (tree / "same.onnx").write_bytes(model(safe=True))
    return found


def test_it_finds_what_the_selection_finds(trees: dict[str, Path]) -> None:
    expected = choose(PLAN, settings(), JUDGED, trees["head"], trees["base"], NOTHING)
    chosen = walled_selection.select(trees, PLAN, settings(token="secret"), JUDGED, NOTHING)
    assert [t.path for t in chosen.targets] == ["models/loss.onnx"]
    assert (chosen.targets, chosen.skipped, chosen.notes, chosen.total) == (
        (expected.targets, expected.skipped, expected.notes, expected.total)
    )
    assert ("head", "models/loss.onnx") in (chosen.keys or {})
    with pytest.raises(UsageProblem, match=r"none\.onnx"):
        walled_selection.select(trees, PLAN, settings(targets=("none.onnx",)), JUDGED, NOTHING)


@pytest.fixture
def attacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Path, Path]]:
    """A box, and a folder from which a module of the child is taken."""
    monkeypatch.setenv("INPUT_TOKEN", TOKEN)
    box, code = tmp_path / "box", tmp_path / "code"
    for folder in (box, code):
        folder.mkdir()
        folder.chmod(0o755)
    yield box, code
    with contextlib.suppress(OSError):
        os.chown(box, os.getuid(), os.getgid())


def test_a_selection_that_is_taken_over_reaches_nothing(attacked: tuple[Path, Path], trees: dict[str, Path]) -> None:
    box, code = attacked
    secret, mark = code.parent / "secret", code.parent / "mark"
    secret.write_text("topsecret")
    told = (str(trees["head"]), str(mark), str(secret), os.getpid())
    (box / "attack.py").write_text(ATTACK.format(told=told))
    answer = walled_selection.ask(box, [str(trees["head"])], module="attack", path=(box,))
    assert json.loads(answer) == []
    assert not mark.exists()


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("import time; time.sleep(600)", "longer than 0.2 s"),
        ("import sys; sys.exit('taken over')", "exit code 1: taken over"),
        ("print('nonsense', flush=True)", "ended with exit code"),
        ("""print('{"size": -1}', flush=True)""", "ended with exit code"),
        ("""print('{"size": 1e99}', flush=True)""", "ended with exit code"),
        ("import sys\nwhile True: sys.stdout.write('x' * (1 << 20))", "ended with exit code"),
    ],
)
def test_what_is_no_answer_is_one_sentence(attacked: tuple[Path, Path], program: str, told: str) -> None:
    box, _ = attacked
    (box / "attack.py").write_text(program)
    with pytest.raises(Problem, match=told):
        walled_selection.ask(box, [], module="attack", path=(box,), **({"seconds": 0.2} if "sleep" in program else {}))


def test_a_review_without_an_engine_uses_it(tmp_path: Path, simulator: Simulator) -> None:
    """The whole action: the targets come from the child, and the reader is told that there were no containers."""
    asked: list[tuple[list[str], list[str]]] = []

    class Bench(Workbench):
        def outside(self) -> Outside:
            from dataclasses import replace

            @contextlib.contextmanager
            def nowhere(*_: object) -> Iterator[tuple[None, str]]:
                yield None, "no Docker engine answers"

            return replace(super().outside(), contain=nowhere)

    def analyse(*arguments: object, **options: object) -> Report:
        asked.append(([t.id for t in arguments[3]], list(options["notes"])))  # type: ignore[attr-defined,call-overload]
        return Report((), ())

    bench = Bench(tmp_path, simulator, analyse)
    bench.base = bench.commit({".assay.yml": None, "models/vae.onnx": None, "models/big.onnx": None})
    from tests.action.test_image import model

    bench.open_pull({"loss.onnx": model(safe=False), "README.md": "y\n"})
    ran = bench.run()
    assert ran.code == 0, ran.log
    ((targets, notes),) = asked
    assert targets == ["loss.onnx"]
    assert any("not analysed in containers" in note for note in notes)
