"""What need not be followed: rounds of a loop that teach nothing, and branches whose sides leave the same."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.language.values import ListV, Scope
from analyzer.tracing.paths.frames import Shared
from analyzer.tracing.paths.garbage import seldom_collected
from analyzer.tracing.paths.paths import Journal
from analyzer.tracing.paths.tracer import Tracer
from analyzer.tracing.tracing import explore, read_source, trace

HEAD = """
import data
import torch
from torch import nn

layers = [nn.Linear(4, 4) for _ in range(12)]

def work(x):
    for layer in layers:
        x = torch.relu(layer(x))
    for layer in layers:
        x = torch.relu(layer(x))
    return x

def bad(x):
    return nn.Linear(5, 5)(x)

"""

ALIKE = {
    "a call has names of its own": """
def step():
    found = data.load()
    other = torch.as_tensor(found)
    return work(torch.zeros(2, 4)).sum()

def main():
    for i in range(ROUNDS):
        loss = step()
""",
    "a call fills lists of its own": """
def step():
    found, kept = [], {}
    for k in range(3):
        found.append(work(torch.zeros(2, 4)))
        kept[k] = found[-1]
    return torch.stack(found).sum()

def main():
    for i in range(ROUNDS):
        loss = step()
""",
    "objects of a round": """
class Meter:
    def __init__(self):
        self.value = None
    def update(self, value):
        self.value = value

def step():
    meter = Meter()
    meter.update(work(torch.zeros(2, 4)))
    return 1

def main():
    for i in range(ROUNDS):
        step()
""",
    "sizes that nobody knows": """
def main():
    for i in range(ROUNDS):
        image = torch.as_tensor(data.load())
        height = work(torch.zeros(2, 4)) * image.mean()
""",
    "rows of a buffer": """
def main():
    rows = torch.zeros(100, 2, 4)
    for i in range(ROUNDS):
        rows[i] = work(torch.zeros(2, 4))
        state = torch.as_tensor(data.load())
""",
    "a while loop that counts": """
def main():
    i = 0
    while i < ROUNDS:
        loss = work(work(torch.zeros(2, 4))).sum()
        i += 1
""",
}


@pytest.mark.parametrize("name", ALIKE)
def test_rounds_that_are_alike_take_no_more_steps(tmp_path: Path, name: str) -> None:
    short, long = (traced(tmp_path, HEAD + ALIKE[name].replace("ROUNDS", n) + "\nmain()\n").steps for n in ("40", "90"))
    assert long - short < 500


DIFFERENT = {
    "the twentieth round": """
def main():
    for i in range(60):
        loss = work(torch.zeros(2, 4)).sum()
        if i % 20 == 19:
            bad(torch.zeros(2, 4))
""",
    "a round that a setting names": """
every = 30

def main():
    for i in range(60):
        loss = work(torch.zeros(2, 4)).sum()
        if (i + 1) % every == 0:
            bad(torch.zeros(2, 4))
""",
    "a row outside a buffer": """
def main():
    rows = torch.zeros(50, 2, 4)
    for i in range(60):
        rows[i] = work(torch.zeros(2, 4))
""",
    "a list of each round's results": """
def main():
    found = []
    for i in range(60):
        found.append(work(torch.zeros(2, 4)))
    return nn.Linear(61, 2)(torch.stack(found, dim=1)[0, :, 0])
""",
    "sizes that grow": """
def main():
    x = torch.zeros(2, 4)
    for i in range(20):
        work(torch.zeros(2, 4))
        x = torch.cat([x, torch.zeros(2, 4)], dim=1)
    return nn.Linear(80, 2)(x)
""",
    "what a closure counts": """
def counted():
    found = []
    def add(x):
        found.append(x)
        return torch.stack(found)
    return add

def main():
    add = counted()
    for i in range(30):
        stacked = add(work(torch.zeros(2, 4)))
    return nn.Linear(31, 2)(stacked[:, 0, 0])
""",
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_rounds_that_differ_are_followed(tmp_path: Path, name: str) -> None:
    shared = traced(tmp_path, HEAD + DIFFERENT[name] + "\nmain()\n")
    assert [p.message for p in shared.problems.values() if p.level == "error"]


QUIET = """
import os
import torch
import tools

def log(x):
    text = tools.words(x)
    parts = [text, text]
    parts.append(len(parts))

x = torch.zeros(2, 4)
"""


def test_a_branch_that_only_calls_is_no_fork(tmp_path: Path) -> None:
    """What the call did to names, lists and objects of its own is no difference between the sides."""
    branches = "".join(f"if tools.wanted({n}):\n    log(x)\n" for n in range(30))
    assert traced(tmp_path, QUIET + branches).steps < 6_000


def test_a_branch_that_changes_what_was_there_is_put_back(tmp_path: Path) -> None:
    branch = "sizes = [4]\nif tools.wanted():\n    sizes.append(5)\ntorch.nn.Linear(sizes[-1], 2)(x)\n"
    problems = traced(tmp_path, QUIET + branch).problems.values()
    assert not any(p.certain for p in problems if p.level == "error")


SIDES = {
    "layouts": "if tools.wanted():\n    y = torch.zeros(4, 4).t()\nelse:\n    y = torch.zeros(4, 4)\ny.view(16)\n",
    "questions": """
mode = tools.mode()
if tools.wanted():
    chosen = mode == "wide"
else:
    chosen = mode == "narrow"
if mode == "narrow":
    width = 4 if chosen else 5
    torch.nn.Linear(width, 2)(x)
""",
    "kinds": """
def size(n):
    return 4 if isinstance(n, str) else 5

if tools.wanted():
    n = str(tools.mode())
else:
    n = int(tools.mode())
torch.nn.Linear(size(n), 2)(x)
""",
}


@pytest.mark.parametrize("name", SIDES)
def test_sides_that_leave_different_things_are_no_one_side(tmp_path: Path, name: str) -> None:
    shared = traced(tmp_path, QUIET + SIDES[name])
    assert not any(p.certain for p in shared.problems.values() if p.level == "error")


def test_a_journal_leaves_out_what_was_made_since_it_began(tmp_path: Path) -> None:
    tr = Tracer(Shared(tmp_path, Versions()))
    with tr.undoable() as outer:
        made = tr.made(ListV([1])), tr.made(Scope())
        with tr.undoable() as inner:
            for item in made:
                tr.touch(item)
    assert not outer.saved.keys() & set(map(id, made))
    assert inner.saved.keys() >= set(map(id, made))
    other = Journal()
    other.touch(made[0])
    assert id(made[0]) in other.saved


def test_modules_are_not_read_when_the_time_is_over(tmp_path: Path) -> None:
    (tmp_path / "parts.py").write_text("from torch import nn\nlayer = nn.Linear(4, 2)\n")
    path = tmp_path / "program.py"
    path.write_text("import parts\n")
    _, tree = read_source(path, tmp_path)
    assert "parts.py" in explore(tmp_path, "program.py", tree, Versions()).sources
    late = explore(tmp_path, "program.py", tree, Versions(), ends=0.0)
    assert "parts.py" not in late.sources
    assert late.ran_out


def test_a_change_is_not_suggested_where_no_time_is_left_to_prove_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "program.py"
    path.write_text("import torch\nfrom torch import nn\n\nnn.Linear(5, 2)(torch.zeros(2, 4))\n")
    assert any(f.suggestion for f in trace(path, tmp_path, target="program").findings)
    traces: list[Shared] = []

    def late(shared: Shared) -> bool:
        if not any(shared is known for known in traces):
            traces.append(shared)
        return shared is not traces[0]

    monkeypatch.setattr(Shared, "late", late)
    result = trace(path, tmp_path, target="program")
    assert result.findings
    assert not any(f.suggestion for f in result.findings)
    assert any("not proved" in note for note in result.notes)


def test_collections_are_as_before_afterwards() -> None:
    before = gc.get_threshold()
    with seldom_collected():
        assert gc.get_threshold()[0] > before[0] or not before[0]
    assert gc.get_threshold() == before


def traced(tmp_path: Path, text: str) -> Shared:
    path = tmp_path / "program.py"
    path.write_text(text)
    _, tree = read_source(path, tmp_path)
    return explore(tmp_path, "program.py", tree, Versions())


REPEATED = {
    "a tensor for each round": """
def main():
    found = [work(torch.zeros(2, 4)) for _ in range(300)]
    return nn.Linear(301, 2)(torch.stack(found, dim=1)[0, :, 0])
""",
    "what its calls fill": """
found = []

def add():
    found.append(work(torch.zeros(2, 4)))

def main():
    [add() for _ in range(90)]
    return nn.Linear(91, 2)(torch.stack(found, dim=1)[0, :, 0])
""",
}


@pytest.mark.parametrize("name", REPEATED)
def test_a_comprehension_that_repeats_has_all_its_elements(tmp_path: Path, name: str) -> None:
    wrong = traced(tmp_path, HEAD + REPEATED[name] + "\nmain()\n")
    assert [p.message for p in wrong.problems.values() if p.level == "error"]
    right = REPEATED[name].replace("301", "300").replace("91", "90")
    assert not traced(tmp_path, HEAD + right + "\nmain()\n").problems


def test_a_comprehension_that_repeats_is_not_followed_to_its_end(tmp_path: Path) -> None:
    text = HEAD + REPEATED["a tensor for each round"].replace("301", "ROUNDS").replace("300", "ROUNDS") + "\nmain()\n"
    short, long = (traced(tmp_path, text.replace("ROUNDS", n)).steps for n in ("250", "300"))
    assert long - short < 500


LATE = {
    "an endless loop that returns": """
def smooth(n):
    while True:
        rest = n
        for p in (2, 3, 5):
            while rest % p == 0:
                rest = rest // p
        if rest == 1:
            return n
        n += 1
""",
    "a counted loop that returns": """
def smooth(n):
    for i in range(2, 10**7):
        if 30011 * 40009 % i == 0:
            return i
""",
    "a loop with a condition that breaks": """
def smooth(n):
    i, found = 2, None
    while i < 10**7:
        if 30011 * 40009 % i == 0:
            found = i
            break
        i += 1
    return found
""",
    "an endless loop whose inner loop breaks": """
def smooth(n):
    while True:
        n += 1
        for i in range(2, 50):
            if n % i == 0:
                break
        else:
            if n > 10**6:
                return n
""",
}


@pytest.mark.parametrize("name", LATE)
def test_a_loop_that_is_not_followed_to_its_end_may_leave_in_a_later_round(tmp_path: Path, name: str) -> None:
    """That it comes to its end and gives None is not proved."""
    head = "import torch\nfrom torch import nn\n"
    text = f"{head}{LATE[name]}\nif smooth(1324) is None:\n    torch.zeros(2, 3) @ torch.zeros(4, 5)\n"
    assert not any(p.proved for p in traced(tmp_path, text).problems.values())
    before = f"{head}torch.zeros(2, 3) @ torch.zeros(4, 5)\n{LATE[name]}\nsmooth(1324)\n"
    assert any(p.proved for p in traced(tmp_path, before).problems.values())


def test_what_an_endless_loop_returns_early_is_known(tmp_path: Path) -> None:
    text = LATE["an endless loop that returns"] + "\nimport torch\ntorch.zeros(2, smooth(1349)) @ torch.zeros(4, 5)\n"
    assert any(p.proved for p in traced(tmp_path, text).problems.values())
