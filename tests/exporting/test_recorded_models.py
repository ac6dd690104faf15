"""What a recorded model fixes is never proved, confirmed or counted as safe; what comes before it is."""

from __future__ import annotations

import onnx_ir as ir
import onnxruntime
import pytest
import torch

from analyzer.configuration.config import TargetConfig
from analyzer.findings import Confidence
from analyzer.graph import Graph, is_frozen
from analyzer.numerical.analysis import analyse
from analyzer.numerical.confirm.confirmation import ConfirmationBudget

NET = """
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        early = torch.log(x.abs() + 1) + torch.log(x - 1000)
        {reading}
        return early, torch.log(x.abs() + n), torch.sqrt(x * 0 - n)


def build():
    return Net(), (torch.full((3,), 2.0),)
"""


def operators(graph: Graph, name: str) -> list[bool]:
    return [is_frozen(node) for node in graph.nodes() if node.op_type == name]


@pytest.mark.parametrize(
    "reading", ["n = float(x.max())", "n = x.tolist()[0]", "n = 2.0 if torch.equal(x, x + 0) else 0.0"]
)
def test_only_what_comes_before_the_first_reading_is_proved(project, export_entry, reading: str) -> None:
    project.write("net.py", NET.format(reading=f"n = 1.0 if x.sum() > 0 else 0.0\n        {reading}"))
    graph = export_entry("net.py:build")
    assert operators(graph, "Log") == [False, False, True]
    assert operators(graph, "Sqrt") == [True]
    assert "(net.py:7)" in graph.model.metadata_props["assay.notes"]
    target = TargetConfig(id="net", entry="net.py:build")
    result = analyse(graph, target, root=project.root, budget=ConfirmationBudget(search=2.0))
    found = {f.op: f for f in result.findings}
    assert found["Log"].confidence in (Confidence.PROVED, Confidence.CONFIRMED)
    assert found["Sqrt"].confidence is Confidence.POSSIBLE
    assert any("holds those of the example" in s for s in found["Sqrt"].evidence.sentences)
    assert not any("every run fails" in s for s in found["Sqrt"].evidence.sentences)
    assert result.unsafe_operators.safe == 1
    assert any("safe with the numbers that the model read" in note for note in result.notes)


def test_sizes_that_hang_on_values_are_fixed_too(project, export_entry) -> None:
    project.write(
        "net.py", NET.format(reading="n = 1.0 if x.sum() > 0 else 0.0").replace("x.sum() > 0", "len(x[x > 1]) > 2")
    )
    graph = export_entry("net.py:build")
    assert "assay.notes" in graph.model.metadata_props or operators(graph, "Sqrt") == [False]
    if "assay.notes" in graph.model.metadata_props:
        assert operators(graph, "Sqrt") == [True]


MASKED = """
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(4, 4)

    def forward(self, x):
        h = self.fc(x)
        scores = h @ h.T
        {mask}
        others = scores[~own].view(len(x), -1)
        return (torch.logsumexp(others, 1) - scores[own]).mean(), torch.sqrt(h.abs() - 1000)


def build():
    torch.manual_seed(0)
    return Net(), (torch.randn(3, 4),)
"""


@pytest.mark.parametrize("found", ["labels.unique()", "labels.unique(return_counts=True)[0]", "labels.nonzero()[:, 0]"])
def test_a_loop_over_what_one_of_several_results_holds_is_fixed(project, export_entry, found: str) -> None:
    """How many classes a batch has: the record has those of the example, and nothing behind it is proved."""
    text = NET.replace("x):", "x, labels):").replace("2.0),)", "2.0), torch.tensor([1, 2, 1]))")
    loop = f"n = sum((x * (labels == c)).sum() / x.sum().sqrt() for c in {found})"
    project.write("net.py", text.format(reading=loop))
    graph = export_entry("net.py:build")
    assert operators(graph, "Log") == [False, False, True]
    assert set(operators(graph, "Div")) == {True}
    session = onnxruntime.InferenceSession(ir.to_proto(graph.model).SerializeToString())
    x, labels = torch.full((3,), 2.0), torch.tensor([1, 2, 1])
    feeds = {"x": x.numpy(), "labels": labels.numpy()}
    space: dict = {}
    exec((project.root / "net.py").read_text(), space)
    made = session.run(None, {i.name: feeds[i.name] for i in session.get_inputs()})
    torch.testing.assert_close([torch.tensor(m) for m in made], list(space["Net"]()(x, labels)), equal_nan=True)


@pytest.mark.parametrize(
    ("mask", "frozen"),
    [
        ("own = torch.eye(len(x), dtype=torch.bool)", False),
        ("own = torch.zeros(len(x), len(x), dtype=torch.bool); own.fill_diagonal_(True)", False),
        ("own = torch.eye(len(x), dtype=torch.bool) & (scores < 1e9)", True),
    ],
)
def test_masks_of_constants_alone_select_the_same_in_every_run(project, export_entry, mask: str, frozen: bool) -> None:
    project.write("net.py", MASKED.format(mask=mask))
    graph = export_entry("net.py:build")
    assert operators(graph, "Sqrt") == [frozen]
    assert ("computes from constants alone" in graph.model.metadata_props["assay.notes"]) is not frozen
    if not frozen:
        session = onnxruntime.InferenceSession(ir.to_proto(graph.model).SerializeToString())
        torch.manual_seed(0)
        fc, x = torch.nn.Linear(4, 4), torch.randn(3, 4) * 3
        h = fc(x)
        scores, own = h @ h.T, torch.eye(3, dtype=torch.bool)
        wanted = (torch.logsumexp(scores[~own].view(3, -1), 1) - scores[own]).mean()
        (name,) = (i.name for i in session.get_inputs())
        assert abs(session.run(None, {name: x.numpy()})[0] - wanted.item()) < 1e-3


def test_numbers_read_from_constants_alone_hold_in_every_run(project, export_entry) -> None:
    reading = "n = 2.0 if torch.arange(x.ndim + 1).sum() > 0 else 0.0"
    project.write("net.py", NET.format(reading=reading))
    graph = export_entry("net.py:build")
    assert operators(graph, "Sqrt") == [False]
    assert "computes from constants alone" in graph.model.metadata_props["assay.notes"]


PACKED = """
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.rnn = torch.nn.LSTM(4, 3, bidirectional=True, batch_first={first})

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, {lengths}, batch_first={first}{more})
        made, state = self.rnn(packed{state})
        out, _ = pad_packed_sequence(made, batch_first=True)
        return out, torch.sqrt(state[0] - 1000)


def build():
    torch.manual_seed(1)
    return Net(), (torch.randn({size}, 4), torch.tensor([5, 4, 2]))
"""


@pytest.mark.parametrize(
    ("first", "lengths", "more", "state", "frozen"),
    [
        (True, "lengths", "", "", True),
        (False, "lengths.flip(0)", ", enforce_sorted=False", "", True),
        (True, "lengths", "", ", (x.new_zeros(2, 3, 3), x.new_ones(2, 3, 3))", True),
        (True, "[5, 4, 2]", "", "", False),
    ],
)
def test_packed_sequences_have_the_lengths_of_the_example(
    project, export_entry, first: bool, lengths: str, more: str, state: str, frozen: bool
) -> None:
    """Lengths that are given decide what is computed, so that nothing behind them is proved; those of code do not."""
    text = PACKED.format(first=first, lengths=lengths, more=more, state=state, size="3, 6" if first else "6, 3")
    project.write("net.py", text)
    graph = export_entry("net.py:build")
    assert operators(graph, "Sqrt") == [frozen]
    space: dict = {}
    exec(text, space)
    model, (x, sizes) = space["build"]()
    x = torch.randn(x.shape)
    session = onnxruntime.InferenceSession(ir.to_proto(graph.model).SerializeToString())
    feeds = {"x": x.numpy(), "lengths": sizes.numpy()}
    made = session.run(None, {i.name: feeds[i.name] for i in session.get_inputs()})
    wanted = [value.detach() for value in model.eval()(x, sizes)]
    torch.testing.assert_close([torch.tensor(m) for m in made], wanted, equal_nan=True, rtol=1e-4, atol=1e-5)


CLASSES = """
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 4)
        self.seen = torch.nn.Parameter(torch.ones(2), requires_grad=False)

    def forward(self, x, labels):
        rows, total = self.layer(x), 0.0
        {before}
        for row, label in zip(rows, {labels}):
            if int(label.item()) != 9:
                total = total + torch.exp(row).sum() {after}
        return total


def build():
    torch.manual_seed(0)
    return Net(), (torch.randn(2, 3), torch.tensor([1, 3]))
"""


@pytest.mark.parametrize(
    ("given", "confidence"),
    [
        ({}, Confidence.CONFIRMED),
        ({"before": "x = x + labels.sum()"}, Confidence.CONFIRMED),  # nothing comes of it
        ({"before": "rows = rows * labels[:, None]"}, Confidence.POSSIBLE),
        ({"after": "* label"}, Confidence.POSSIBLE),
        ({"labels": "rows.argmax(1)"}, Confidence.POSSIBLE),
        ({"labels": "labels * self.seen.long()"}, Confidence.POSSIBLE),
        ({"labels": "labels * torch.rand(2).round().long()"}, Confidence.POSSIBLE),
        (
            {"before": "seen = torch.zeros(2); seen.copy_(rows.sum(1))", "labels": "seen.long() + labels"},
            Confidence.POSSIBLE,
        ),
    ],
)
def test_a_failure_is_confirmed_where_only_inputs_are_read_that_nothing_else_uses(
    project, export_entry, given: dict[str, str], confidence: Confidence
) -> None:
    project.write("net.py", CLASSES.format(**{"before": "pass", "labels": "labels", "after": "", **given}))
    graph = export_entry("net.py:build")
    target = TargetConfig(id="net", entry="net.py:build")
    result = analyse(graph, target, root=project.root, budget=ConfirmationBudget(search=2.0))
    found = [f for f in result.findings if f.op == "Exp"]
    assert found
    assert {f.confidence for f in found} == {confidence}
    told = "nothing else is computed" if confidence is Confidence.CONFIRMED else "holds those of the example"
    assert all(any(told in s for s in f.evidence.sentences) for f in found)
    assert result.unsafe_operators.safe == 0
