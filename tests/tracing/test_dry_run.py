"""The dry run: scripts executed for their first training step in a real limited process."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from textwrap import dedent

import pytest

from analyzer.findings import AnalysisResult, Confidence, Level
from analyzer.tracing import trace
from analyzer.tracing.dry_run import (
    DryRun,
    Raised,
    TracebackFrame,
    _checked,
    _imported,
    _read,
    is_script,
    with_dry_run,
)
from analyzer.tracing.inside.size_conditions import asks_for_sizes
from analyzer.walls.protocol import Completed
from tests.tracing.dry_runs import line_of, run

CARRIED = """
    import torch, torch.nn as nn, wandb
    from torch.utils.data import DataLoader, TensorDataset
    from tqdm import tqdm

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(12, 3)
            self.state = torch.zeros(16, 3)

        def forward(self, x):
            return self.layer(x) + self.state  # fails

    wandb.init(project="x")
    net = Net().to("cuda")
    optimizer = torch.optim.Adam(net.parameters())
    data = TensorDataset(torch.randn(100, 12), torch.zeros(100, dtype=torch.long))
    for epoch in range(1000):
        for x, y in tqdm(DataLoader(data, batch_size=16, shuffle=True, num_workers=4)):
            loss = nn.functional.cross_entropy(net(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            wandb.log({"loss": loss.item()})
        torch.save(net.state_dict(), "/nowhere/net.pt")
    """


def test_the_last_shorter_batch_fails_on_its_line(tmp_path: Path) -> None:
    found = run(tmp_path, CARRIED)
    assert found.failure is not None, found
    last = found.failure.frames[-1]
    assert (last.path, last.line) == ("train.py", line_of(CARRIED))
    assert (found.batches, found.steps) == (3, 2)
    assert found.shapes["train.py", line_of(CARRIED, "for x, y")]["x"] == (4, 12)
    result = with_dry_run(AnalysisResult(), found, "train.py", "train.py")
    (finding,) = result.findings
    assert (finding.rule, finding.level, finding.confidence) == (
        "tracing/run-fails", Level.ERROR, Confidence.CONFIRMED
    )  # fmt: skip


def test_the_repaired_script_runs_through(tmp_path: Path) -> None:
    found = run(tmp_path, CARRIED.replace("num_workers=4", "num_workers=4, drop_last=True"))
    assert (found.failure, found.unreached) == (None, None)
    assert found.steps == 15  # two batches, and one of each of thirteen later epochs


def test_what_stands_behind_a_training_of_few_epochs_is_seen(tmp_path: Path) -> None:
    source = CARRIED.replace("num_workers=4", "drop_last=True").replace("range(1000)", "range(4)")
    found = run(tmp_path, dedent(source) + "assert net(data[:16][0]).shape == (16, 4)  # behind\n")
    assert found.failure is not None, found
    assert found.failure.frames[-1].line == line_of(source) + 14


def test_a_refusal_of_invented_numbers_is_tried_again_with_real_ones(tmp_path: Path) -> None:
    source = """
    import torch
    import transformers  # a module that puts another one in its place
    lengths = torch.full((2,), 3)
    if not lengths.max().item() == 3:
        raise ValueError("lengths must be 3")
    torch.zeros(2, 3) @ torch.zeros(4, 5)  # fails
    """
    found = run(tmp_path, source)
    assert found.failure is not None, found
    assert found.failure.frames[-1].line == line_of(source)


BEHIND = """
    import torch
    net = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    rows = 1 + int(torch.ones(3).sum().item())  # tensors without values say 1, and 2 rows
    for step in range(40):
        net(torch.zeros(rows, 4)).sum().backward()
        optimizer.step()
    """


@pytest.mark.parametrize(
    "line",
    [
        "torch.zeros(2, 5)[:, rows - 2:] @ torch.zeros(5, 1)",  # an invented number hides it
        "torch.zeros(5, 2).as_strided((4, 4), (3, 1))",  # which without values is not refused
        "torch.nn.Embedding(3, 2)(torch.tensor([3]))",
    ],
)
def test_a_pass_of_the_dry_run_is_held_against_the_script_as_it_stands(tmp_path: Path, line: str) -> None:
    found = run(tmp_path, f"{dedent(BEHIND)}{line}  # fails")
    assert found.failure is not None, found
    assert found.failure.frames[-1].line == line_of(BEHIND, "optimizer.step") + 1
    assert not found.whole


@pytest.mark.parametrize(("condition", "told"), [("x.shape[1] != 4", True), ("x.sum() < 1", False)])
def test_a_refusal_of_sizes_is_a_failure_and_one_of_values_is_none(tmp_path: Path, condition: str, told: bool) -> None:
    source = f"""
    import torch
    def net(x):
        if {condition}:
            raise Exception("wrong")  # fails
        return x
    net(torch.zeros(2, 3))
    """
    found = run(tmp_path, source)
    assert (found.failure is not None) is told
    assert told or "refuses to go on" in (found.unreached or "")


def test_a_pass_says_how_far_it_went(tmp_path: Path) -> None:
    whole = run(tmp_path, BEHIND)
    assert (whole.failure, whole.unreached, whole.whole) == (None, None, True)
    (note,) = with_dry_run(AnalysisResult(), whole, "train.py", "train.py").notes
    assert "comes to its end as it stands" in note
    (note,) = with_dry_run(AnalysisResult(), DryRun(batches=2, steps=3, made_up=1), "train.py", "train.py").notes
    assert "1 numbers on the way invented" in note
    assert "was not seen" in note


@pytest.mark.parametrize("address", ["example.invalid", "127.0.0.1"])
def test_who_was_refused_the_network_is_not_wrong(tmp_path: Path, address: str) -> None:
    source = f"""
    import socket, torch
    try:
        socket.create_connection(("{address}", 9), timeout=1)
        width = 4
    except OSError:
        width = 5
    torch.zeros(2, width) @ torch.zeros(4, 2)
    """
    found = run(tmp_path, source)
    assert (found.failure is None) == (address == "example.invalid")
    assert found.failure is not None or "the network (example.invalid)" in (found.unreached or "")


@pytest.mark.parametrize(("address", "told"), [("1.1.1.1", True), ("192.0.2.1", False)])
def test_who_asks_only_whether_there_is_a_network_lacks_nothing(tmp_path: Path, address: str, told: bool) -> None:
    source = f"""
    import socket, torch
    try:
        socket.create_connection(("{address}", 80), timeout=1)
        online = True
    except OSError:
        online = False
    torch.zeros(2, 5) @ torch.zeros(4, 2)
    """
    assert (run(tmp_path, source).failure is not None) is told


def test_a_home_has_the_folder_of_settings(tmp_path: Path) -> None:
    source = """
    import pathlib, torch
    settings = pathlib.Path.home() / ".config" / "library"
    settings.mkdir()
    (settings / "settings.json").write_text("{}")
    torch.zeros(2, 5) @ torch.zeros(4, 2)
    """
    assert run(tmp_path, source).failure is not None


def test_what_is_known_stays_when_a_later_attempt_takes_all_memory(tmp_path: Path) -> None:
    (tmp_path / "dry.json").write_text(json.dumps({"status": "finished", "steps": 2}))
    found = _read(tmp_path / "dry.json", Completed(137, 1.0, out_of_memory=True))
    assert (found.unreached, found.steps) == (None, 2)


def test_what_tracing_says_of_the_same_line_is_confirmed(tmp_path: Path) -> None:
    source = "import torch\nif __name__ == '__main__':\n    y = torch.nn.Linear(4, 2)(torch.zeros(3, 5))\n"
    found = run(tmp_path, source)
    traced = trace(tmp_path / "train.py", tmp_path, target="train.py")
    (finding,) = with_dry_run(traced, found, "train.py", "train.py").findings
    assert finding.rule == "tracing/incompatible-shape"
    assert finding.confidence is Confidence.CONFIRMED
    assert any("`train.py:3` in `<module>`: `" in sentence for sentence in finding.evidence.sentences)


def test_absent_data_is_said_and_is_no_finding(tmp_path: Path) -> None:
    found = run(tmp_path, "import torch\nfor x in torch.load('data.pt'):\n    print(x.shape)\n")
    assert found.failure is None
    assert found.unreached is not None
    assert "data.pt" in found.unreached
    result = with_dry_run(AnalysisResult(), found, "train.py", "train.py")
    assert not result.findings
    assert "tracing alone answers" in result.notes[0]


def test_what_a_library_says_instead_of_the_network_is_no_finding(tmp_path: Path) -> None:
    source = "import torch\nnet = torch.hub.load('someone/something', 'net', trust_repo=True)\nnet(torch.zeros(2, 3))\n"
    found = run(tmp_path, source)  # torch raises a RuntimeError
    assert found.failure is None
    assert "the network" in (found.unreached or "")


def test_fit_sees_the_last_shorter_batch_of_data_that_is_not_downloaded(tmp_path: Path) -> None:
    source = """
        import inspect, keras
        (x, y), _ = keras.datasets.mnist.load_data()
        net = keras.Sequential([keras.layers.Input((28, 28)), keras.layers.Flatten(), keras.layers.Dense(10)])
        net.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        options = {"epochs": 50, "adapter": None}  # some look at what `fit` takes
        known = inspect.signature(net.fit).parameters
        net.fit(x / 255.0, y, batch_size=64, **{k: v for k, v in options.items() if k in known})
        assert "epochs" in known and "adapter" not in known
        print(net.predict(x).argmax(1) == y)
        net.compile("sgd", "categorical_crossentropy")
        net.fit(x / 255.0, y, epochs=50, batch_size=64)  # fails
        """
    found = run(tmp_path, source)
    assert found.failure is not None, found
    assert found.failure.frames[-1].line == line_of(source)
    assert found.data == ("mnist",)


def test_data_that_tensorflow_brings_is_not_downloaded_either(tmp_path: Path) -> None:
    """TensorFlow asks whether Keras is installed before it imports it, at the first use."""
    source = """
        import tensorflow as tf
        (x, y), _ = tf.keras.datasets.fashion_mnist.load_data()
        print(tf.reshape(x[:4], (4, 784)))
        print(tf.reshape(x[:4], (4, 783)))  # fails
        """
    found = run(tmp_path, source)
    assert found.failure is not None, found
    assert found.failure.frames[-1].line == line_of(source)
    assert found.data == ("fashion_mnist",)


def test_why_a_run_ended_is_a_sentence(tmp_path: Path) -> None:
    found = run(tmp_path, "import torch\nraise ValueError('wants a licence')\n")
    (note,) = with_dry_run(AnalysisResult(), found, "train.py", "train.py").notes
    assert "not reached: it refuses to go on by itself (ValueError: wants a licence); tracing" in note


def test_a_failure_alleged_of_every_run_is_a_guess_once_the_line_was_passed(tmp_path: Path) -> None:
    source = "import torch\nif __name__ == '__main__':\n    y = torch.nn.Linear(4, 2)(torch.zeros(3, 5))\n"
    (tmp_path / "train.py").write_text(source)
    traced = trace(tmp_path / "train.py", tmp_path, target="train.py")
    passed = DryRun(steps=1, shapes={("train.py", 3): {"y": (3, 2)}})
    (finding,) = with_dry_run(traced, passed, "train.py", "train.py").findings
    assert (finding.level, finding.confidence) == (Level.WARNING, Confidence.POSSIBLE)


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("def f():\n    return 1\n", False),
        ("class A:\n    pass\nx = 3\n", False),
        ("if __name__ == '__main__':\n    f()\n", True),
        ("model.fit(x, y)\n", True),
        ("for e in range(3):\n    step()\n", True),
        ("net = Net()\nout = net(x)\n", True),
        ("net = Net()\nprint(net(x).shape)\n", True),
        ("net: Net = Net()\nout: Tensor = net(x)\n", True),
        ("Point = namedtuple('Point', 'x')\nzero = Point(0)\n", False),
        ("log = getLogger('a')\nlog.setLevel(3)\nbuild = make(3)\n", False),
        ("def f(:\n", False),
    ],
)
def test_scripts_are_told_from_libraries(text: str, script: bool) -> None:
    assert is_script(text) is script


@pytest.mark.parametrize(
    "answer",
    [
        [], {}, {"status": "failed"}, {"status": "failed", "error": {"type": "E", "message": "m", "frames": []}},
        {"status": "failed", "error": {"type": "E", "message": "m", "frames": [
            {"path": "/etc/passwd", "line": 1, "name": "f", "text": ""}]}},
        {"status": "finished", "steps": -1}, {"status": "finished", "shapes": {"a": {"x": {}}}},
        {"status": "finished", "data": [3]}, {"status": 3, "reason": 4},
    ],
)  # fmt: skip
def test_a_hostile_answer_is_no_answer(tmp_path: Path, answer: object) -> None:
    (tmp_path / "dry.json").write_text(json.dumps(answer))
    found = _read(tmp_path / "dry.json", Completed(0, 1.0))
    assert found.failure is None
    assert found.unreached is not None


def test_control_characters_do_not_get_out() -> None:
    frames = [{"path": "a.py", "line": 1, "name": "f\x1b[2J", "text": "x\n::error::y"}]
    found = _checked({"status": "failed", "error": {"type": "E", "message": "a\x00b", "frames": frames}})
    assert found.failure == Raised("E", "a b", (TracebackFrame("a.py", 1, "f [2J", "x ::error::y"),))


@pytest.mark.parametrize("text", ["train(sys.argv[1])", "path, epochs = sys.argv[1:]"])
def test_a_script_that_lacks_its_arguments_is_not_wrong(text: str) -> None:
    frames = [{"path": "train.py", "line": 48, "name": "<module>", "text": text}]
    kind = "IndexError" if "[1]" in text else "ValueError"
    found = _checked({"status": "failed", "error": {"type": kind, "message": "list index", "frames": frames}})
    assert (found.failure, found.unreached) == (None, "arguments that nobody gave")


def test_where_the_sandbox_lies_is_not_told() -> None:
    reason = "a file (PermissionError: [Errno 13] Permission denied: '/tmp/15/assay-i6qo/box/project/data/train.pb')"
    found = _checked({"status": "unreached", "reason": reason})
    assert found.unreached == "a file (PermissionError: [Errno 13] Permission denied: 'data/train.pb')"


@pytest.mark.parametrize(
    ("script", "beside", "early"),
    [
        ("import torch\n", "", "torch"), ("import net\n", "import torch\n", "torch"), ("import net\n", "", None),
        ("from keras import layers\n", "", "keras"), ("import tensorflow as tf\n", "", "keras"),
        ("import net\n", "import os, torch\nos.environ['A'] = '1'\n", None),
        ("import os, net\nos.environ['A'] = '1'\n", "import torch\n", None),
        ("import os, keras\nos.environ['KERAS_BACKEND'] = 'torch'\n", "", None),
        ("import os, keras\nos.environ.setdefault('KERAS_BACKEND', 'torch')\n", "", None),
        ("import os, keras\nos.environ.update(A='torch')\n", "", None),
        ("import os, torch\nvariables = os.environ\n", "", None),
        ("import os, torch\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\n", "", "torch"),
        ("import os, torch\nrank = os.environ['RANK'] if 'RANK' in os.environ else os.environ.get('X')\n", "", "torch"),
        ("import os, torch\nif os.environ['A'] == '1': pass\n", "", "torch"),
    ],
)  # fmt: skip
def test_what_is_imported_before_a_script(tmp_path: Path, script: str, beside: str, early: str | None) -> None:
    (tmp_path / "train.py").write_text(script)
    (tmp_path / "net.py").write_text(beside)
    found = _imported(tmp_path / "train.py", tmp_path)
    assert (early in found) if early else not found


def test_nobody_types(tmp_path: Path) -> None:
    source = """
    import sys
    import torch

    net = torch.nn.Linear(4, 2)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    typed = sys.stdin.read()
    net(torch.randn(3, 4 + len(typed))).sum().backward()
    optimizer.step()
    """
    found = run(tmp_path, source)
    assert (found.failure, found.unreached, found.steps) == (None, None, 1)


@pytest.mark.parametrize("fails", [False, True])
def test_what_fails_only_with_what_is_left_out_is_no_finding(tmp_path: Path, fails: bool) -> None:
    """A training loop counts on the file that it has saved; the dry run saves none."""
    source = f"""
        import torch, torch.nn as nn, tempfile, os
        net = nn.Linear(4, 2)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        saved = []
        plain = torch.save
        def save(*args):
            saved.append(1 if plain.__module__ == "torch.serialization" else None)
        save()
        net(torch.zeros(3, {5 if fails else 4})).sum().backward()
        optimizer.step()
        print(1 + saved[0])
        """
    found = run(tmp_path, source)
    assert (found.failure is not None) == fails, found
    assert fails or found.whole  # as it stands


def test_a_value_of_a_tracker_that_was_left_out_is_no_finding(tmp_path: Path) -> None:
    found = run(tmp_path, "import wandb, torch\nrun = wandb.init()\nrate = run.config.rate\nprint(rate * 2)\n")
    assert found.failure is None
    assert "left out" in (found.unreached or "")


@pytest.mark.parametrize(
    ("line", "sizes"),
    [
        ("assert x.shape[0] == 3", True),
        ("if dim % heads != 0: pass", True),
        ("assert (a + b) % 4 == 0, 'not a multiple'", True),
        ('assert loss < 100, "loss of %d" % loss', False),
        ("assert len(x.get_shape()) == 2", True),
        ("if x.numel() != 4: pass", True),
        ("assert ready, 'only 5 % done'", False),
        ("assert mode != 'keep 5 % of it'", False),
        ("if rate > 1: pass", False),
        ("def f(x):\n n = x.shape[0]\n if n > 3: pass", True),
        ("def f(x):\n rest = len(x) % 4\n if rest: pass", True),
        ("def f(x):\n name = 'at %d' % x\n if name: pass", False),
    ],
)
def test_what_a_program_refuses_by_itself(line: str, sizes: bool) -> None:
    """Texts are no sizes: values are invented, and what is refused of them says nothing."""
    tree = ast.parse(line)
    (test,) = (n.test for n in ast.walk(tree) if isinstance(n, (ast.If, ast.Assert)))
    assert asks_for_sizes(test, next((n for n in tree.body if isinstance(n, ast.FunctionDef)), None)) is sizes


WRITES = """
    import json, os
    from pathlib import Path
    import torch
    net = torch.nn.Linear(4, 2)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    os.makedirs("runs/first")
    for step in range(3):
        net(torch.zeros(2, 4)).sum().backward()
        optimizer.step()
        torch.save({"net": net.state_dict()}, "runs/first/net.pt")
    Path(__file__).resolve().with_name("log.json").write_text(json.dumps({"steps": 3}))
    assert Path("log.json").exists() and os.path.exists("runs/first/net.pt")
    net.load_state_dict(torch.load("runs/first/net.pt")["net"])
    """


@pytest.mark.parametrize("fails", [False, True])
def test_a_script_writes_beside_itself_and_reads_again(tmp_path: Path, fails: bool) -> None:
    found = run(tmp_path, dedent(WRITES) + ("net(torch.zeros(2, 5))  # fails" if fails else ""))
    assert (found.failure is not None, found.unreached) == (fails, None)
    assert fails or found.whole
    assert [p.name for p in tmp_path.iterdir()] == ["train.py"]


@pytest.mark.parametrize("path", ["absent/net.pt", "/proc/net.pt"])
def test_where_nothing_can_be_written_is_no_finding(tmp_path: Path, path: str) -> None:
    found = run(tmp_path, f"import torch\nwith open('train.py'): torch.save(torch.nn.Linear(4, 2), {path!r})\n")
    assert found.failure is None, found


@pytest.mark.parametrize("fails", [False, True])
def test_writers_of_logs_are_left_out_also_where_the_script_runs_as_it_stands(tmp_path: Path, fails: bool) -> None:
    source = f"""
    import torch, wandb
    from torch.utils.tensorboard import SummaryWriter
    writer = SummaryWriter("runs")
    wandb.init(project="x")
    net = torch.nn.Linear(4, 2)
    loss = net(torch.zeros(2, {5 if fails else 4})).sum()  # fails
    writer.add_scalar("loss", loss.item(), 0)
    """
    found = run(tmp_path, source)
    assert (found.failure is not None, found.unreached) == (fails, None)
    assert fails or (found.whole and found.left_out == ("torch.utils.tensorboard", "wandb"))


def test_what_a_script_lacks_behind_its_training_is_told_with_the_steps_that_went_well(tmp_path: Path) -> None:
    found = run(tmp_path, f"{dedent(BEHIND)}open('test.pkl', 'rb')\n")
    (note,) = with_dry_run(AnalysisResult(), found, "train.py", "train.py").notes
    assert "optimizer steps without a failure" in note
    assert "; then it needs a file or the network (FileNotFoundError" in note


@pytest.mark.parametrize(
    ("line", "told"),
    [("Net(4)", False), ("torch.zeros(2, 3) @ torch.zeros(4, 5)", True)],
)
def test_what_stands_in_for_an_absent_package_is_not_wrong(tmp_path: Path, line: str, told: bool) -> None:
    source = f"""
    import torch
    try:
        from nobody_installs_this import Base
    except ImportError:
        Base = object
    class Net(Base):
        def __init__(self, size):
            super().__init__(size)
    {line}
    """
    found = run(tmp_path, source)
    assert (found.failure is not None) is told
    assert told or "the package `nobody_installs_this`, without which it fails" in (found.unreached or "")


@pytest.mark.parametrize(("line", "told"), [("assert count == 11  # fails", True), ("assert rate == 11", False)])
def test_a_test_that_fails_as_it_stands_is_told(tmp_path: Path, line: str, told: bool) -> None:
    source = f"""
    import os
    import torch
    net = torch.nn.Linear(4, 2)
    count = sum(p.numel() for p in net.parameters())
    rate = int(os.environ.get("NOBODY_SETS_ME", "3"))
    {line}
    """
    found = run(tmp_path, source)
    assert (found.failure is not None) is told, found
    if found.failure is not None:
        assert (found.failure.kind, found.failure.frames[-1].line) == ("AssertionError", line_of(source))
