"""All suggestions of a review applied at once: no two meet, and the file is analysed silent afterwards."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from analyzer.configuration.config import InputSpec, TargetConfig
from analyzer.findings import Finding
from analyzer.graph import ValueRange
from analyzer.numerical.analysis import analyse
from analyzer.numerical.repair.joint import composed
from analyzer.numerical.repair.source import Edit
from tests.numerical_detection.conftest import export_all
from tests.numerical_detection.suggestions import applied, comments_of

PROGRAMS = """
import torch
import torch.nn.functional as F
from torch import nn


def surprise(p):
    return -torch.log(p)


class TwoLogs(nn.Module):
    def forward(self, p, q):
        return (p * torch.log(p) + q * torch.log(q)).sum()


class Entropy(nn.Module):
    def forward(self, x, y):
        p = torch.sigmoid(x)
        return -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()


class Nested(nn.Module):
    def forward(self, p):
        return torch.log(torch.sqrt(p)).sum()


class Quotients(nn.Module):
    def forward(self, p, q):
        return (torch.log(p) / q + p / torch.sin(q)).sum()


class Helper(nn.Module):
    def forward(self, p, q):
        first = surprise(p).sum()
        return first + surprise(q).sum()


class Softplus(nn.Module):
    def forward(self, rows):
        return torch.log(1 + torch.exp(rows)).sum()


class Again(nn.Module):
    def forward(self, p):
        return (torch.log(p) + torch.log(p) * 2).sum()


class OneLine(nn.Module):
    def forward(self, p, q):
        a = torch.log(p); b = torch.log(q)
        return (a + b).sum()


class Behind(nn.Module):
    def forward(self, p, q):
        first = torch.log(p)
        return (first + torch.log(p) * q).sum()


class Condition(nn.Module):
    def forward(self, p, q):
        return (p / (p * q) * torch.log(q) / (q - p).sin() if self.training is not None else p).sum()


class Unnamed(nn.Module):
    def forward(self, x, rows):
        share = lambda t: t / torch.sin(t)
        return share(x).sum() + torch.stack([t / t.mean() for t in (x, rows)]).sum()


class Spread(nn.Module):
    def forward(self, x):
        return ((x - x.mean(1, keepdim=True)) / x.std(1, keepdim=True)).sum()


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.shares = nn.Softmax(dim=1)

    def forward(self, x, rows):
        self.p = torch.sigmoid(x)
        return torch.log(self.shares(rows)).sum() + torch.log(self.p).sum()


class Scale(nn.Module):
    def forward(self, p, q):
        self.scale = p.sum(1, keepdim=True)
        self.ratio = q / self.scale
        return self.ratio.sum() + self.scale.log().sum()


class Inner(nn.Module):
    @staticmethod
    def negative(p):
        return p.log()

    def forward(self, p):
        return self.negative(p) / p.std()


class Twice(nn.Module):
    def __init__(self):
        super().__init__()
        self.many = nn.ModuleList([Inner(), Inner()])

    def forward(self, p, q):
        return self.many[0](p).sum() + self.many[1](q).sum()


def scale():
    return Scale(), (torch.rand(2, 3), torch.rand(2, 3))


def twice():
    return Twice(), (torch.rand(2, 3), torch.rand(2, 3))


def layers():
    return Layers(), (torch.rand(2, 3), torch.rand(2, 3))


def behind():
    return Behind(), (torch.rand(2, 3), torch.rand(2, 3))


def condition():
    return Condition(), (torch.rand(2, 3), torch.rand(2, 3))


def unnamed():
    return Unnamed(), (torch.rand(2, 3), torch.rand(2, 3))


def spread():
    return Spread(), (torch.rand(2, 3),)


def two_logs():
    return TwoLogs(), (torch.rand(2, 3), torch.rand(2, 3))


def entropy():
    return Entropy(), (torch.randn(2, 3), torch.rand(2, 3))


def nested():
    return Nested(), (torch.rand(2, 3),)


def quotients():
    return Quotients(), (torch.rand(2, 3), torch.rand(2, 3))


def helper():
    return Helper(), (torch.rand(2, 3), torch.rand(2, 3))


def softplus():
    return Softplus(), (torch.rand(2, 3),)


def again():
    return Again(), (torch.rand(2, 3),)


def one_line():
    return OneLine(), (torch.rand(2, 3), torch.rand(2, 3))
"""
NAMES = (
    "two_logs", "entropy", "nested", "quotients", "helper", "softplus", "again", "one_line",
    "behind", "condition", "unnamed", "spread", "layers",
    "scale", "twice",
)  # fmt: skip
ENTRIES = [f"net.py:{name}" for name in NAMES]
RANGES = {"p": (0.0, 1.0), "q": (0.0, 1.0), "x": (-200.0, 200.0), "y": (0.0, 1.0), "rows": (-1000.0, 1000.0)}


def findings_of(root: Path, out: Path) -> dict[str, tuple[Finding, ...]]:
    found = {}
    for entry, graph in export_all(ENTRIES, root, out).items():
        names = {v.name or "" for v in graph.graph.inputs}
        inputs = {n: InputSpec(range=ValueRange(*RANGES[n])) for n in names}
        target = TargetConfig(id=entry, entry=entry, inputs=inputs)
        found[entry] = analyse(graph, target, root=root, confirm=False, explain=True).findings
    return found


def test_a_review_applied_at_once_leaves_a_silent_file(tmp_path: Path) -> None:
    root = tmp_path / "box" / "project"
    root.mkdir(parents=True)
    text = textwrap.dedent(PROGRAMS).lstrip()
    (root / "net.py").write_text(text)
    before = findings_of(root, tmp_path / "before")
    assert all(before.values()), {entry: len(found) for entry, found in before.items()}
    comments = comments_of("net.py", ENTRIES, [f for found in before.values() for f in found], text.count("\n"))
    mended = applied(text, comments)
    (root / "net.py").write_text(mended)
    after = findings_of(root, tmp_path / "after")
    left = {entry: [f.message for f in found] for entry, found in after.items() if found}
    assert left == {}, mended
    assert "    p = torch.sigmoid(x)" not in mended, "nothing reads it any more"
    assert "softplus" in mended
    assert "return torch.log_softmax(rows, dim=1).sum() + F.logsigmoid(x).sum()" in mended
    hidden = [f for f in before["net.py:behind"] if "it shows once what fails before it is mended" in f.message]
    assert [f.op for f in hidden] == ["Log"]
    assert not any(f.reproducer or f.confidence != "possible" for f in hidden)
    (helper,) = [c for c in comments if "surprise" in c.body or c.line == 7]
    assert helper.body.count("```suggestion") == 1


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([(0, 1, "X"), (4, 5, "Y")], "X + Y"),
        ([(0, 1, "X"), (0, 1, "X")], "X + b"),
        ([(0, 1, "f(a)"), (0, 5, "g(a + b)")], "g(f(a) + b)"),
        ([(0, 1, "f(a)"), (0, 5, "h(c)")], "h(c)"),
        ([(0, 1, "f(a)"), (0, 5, "g(a, a)")], None),
        ([(0, 3, "X"), (2, 5, "Y")], None),
        ([(0, 1, "X"), (0, 1, "Y")], None),
        ([(0, 1, "f(a)"), (0, 5, "alpha.a")], "alpha.a"),
    ],
)
def test_edits_are_composed_or_refused(edits: list[tuple[int, int, str]], expected: str | None) -> None:
    text = "a + b"
    made = composed(text, [Edit(*edit) for edit in edits])
    if made is None:
        assert expected is None
        return
    for edit in sorted(made.edits, key=lambda e: -e.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    assert text == expected
