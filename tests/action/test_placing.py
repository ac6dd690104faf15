"""A problem whose own line is not in the diff is told at the changed line that has a part in it, else at the file."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from action.diff import Changes, added_in, hunks_of
from action.placing import caused_by, causes
from action.review import ReviewContext, inline_comments
from analyzer.findings import Evidence, Location, Report, TargetReport
from analyzer.running import local
from tests.action.harness import Workbench
from tests.action.reports import KERNEL

NET = f"""import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(16, 32)
{"".join(f"        self.a{n} = {n}{chr(10)}" for n in range(9))}
        self.last = nn.Linear(32, 10)
{"".join(f"        self.b{n} = {n}{chr(10)}" for n in range(9))}
    def forward(self, x):
        h = self.first(x)
        h = torch.relu(h)
        h = h * 2
        h = h + 1
        h = h - 1
        return self.last(h)


print(Net()(torch.zeros(2, 16)))
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("self.last = nn.Linear(32, 10)", "self.last = nn.Linear(64, 10)"),  # the layer that fails
        ("self.first = nn.Linear(16, 32)", "self.first = nn.Linear(16, 48)"),  # what its operand comes from
        ("h = self.first(x)", "h = self.first(x)[:, :7]"),  # a line between
    ],
)
def test_a_shape_error_is_told_at_the_changed_line_that_causes_it(bench: Workbench, before: str, after: str) -> None:
    bench.base = bench.commit({".assay.yml": "version: 1\nonly: [tracing]\n", "net.py": NET})
    head = NET.replace(before, after)
    bench.open_pull({"net.py": head})
    bench.analyse = local.review
    ran = bench.run()
    assert ran.code == 1, ran.log
    (comment,) = bench.simulator.state.review_comments.values()
    texts = head.split("\n")
    assert texts[(comment.line or 0) - 1].strip() == after, comment.body
    fails = texts.index("        return self.last(h)") + 1
    assert f"It shows at [`net.py:{fails}`](" in comment.body


PATCH = "@@ -1,3 +1,4 @@\n context\n+new\n context\n-gone\n+changed\n@@ -30,2 +31,2 @@ def f():\n context\n-old\n+other"


def test_added_lines_are_told_from_context() -> None:
    assert added_in(PATCH) == {2, 4, 32}
    assert hunks_of(PATCH) == (range(1, 5), range(31, 33))


def placed(finding_causes: Any) -> tuple[str, int | None, str]:
    finding = replace(
        KERNEL, location=Location("far.py", 99), evidence=Evidence("trace", data={"causes": finding_causes})
    )
    report = Report((TargetReport("vae-loss", "model", "net.py"),), (finding,), base="b")
    changes = Changes(frozenset({"net.py", "far.py"}), {"net.py": hunks_of(PATCH)}, {"net.py": added_in(PATCH)})
    (comment,) = inline_comments(report, ReviewContext("assay", "o/r", "https://github.com", "a" * 40), changes, 30)
    return comment.path, comment.line, comment.body


def test_the_nearest_changed_line_has_it() -> None:
    path, line, body = placed([["net.py", 1], ["net.py", 32], ["net.py", 4]])
    assert (path, line) == ("net.py", 32)  # line 1 is context
    assert "It shows at `far.py:99`; this line has a part in it." in body


@pytest.mark.parametrize("given", [[], [["net.py", 1]], None, "net.py", [["net.py"]], [["net.py", "4"]], [[1, 4]], 7])
def test_without_such_a_line_the_file_has_it(given: Any) -> None:
    path, line, body = placed(given)
    assert (path, line) == ("far.py", None)
    assert "It shows at" not in body


def test_a_finding_on_the_diff_stays_where_it_is() -> None:
    finding = replace(
        KERNEL, location=Location("net.py", 3), evidence=Evidence("trace", data={"causes": [["net.py", 4]]})
    )
    changes = Changes(frozenset({"net.py"}), {"net.py": hunks_of(PATCH)}, {"net.py": added_in(PATCH)})
    (comment,) = inline_comments(
        Report((), (finding,), base="b"), ReviewContext("assay", "o/r", "https://github.com", "a" * 40), changes, 30
    )
    assert (comment.line, list(causes(finding))) == (3, [Location("net.py", 4)])
    assert caused_by(finding, changes) == Location("net.py", 4)
    assert "It shows at" not in comment.body
