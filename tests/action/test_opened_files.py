"""A file that an entry opens under a computed name: what the last export really read decides what a change touches."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from action.base_policy import Judged
from action.checkout import Exported
from action.plan import ReviewPullRequest
from action.selection import choose
from analyzer.configuration.config import Config, TargetConfig
from analyzer.findings import Cause, Report, Status, TargetReport, slug
from analyzer.problem import TargetProblem
from analyzer.running import local, opened
from analyzer.running.answers import checked
from analyzer.running.cache import Cache
from analyzer.running.outcome import TargetOutcome
from analyzer.running.processes import JobResult
from analyzer.walls.process import ProcessSandbox
from tests.action.harness import Workbench
from tests.action.test_front import settings

CONFIG = "version: 1\nonly: [validity]\ntargets:\n  - {id: net, entry: 'net.py:build'}\n"
NET = """from pathlib import Path

import torch

NAME = "".join(["si", "ze"])


def build():
    size = int((Path(__file__).parent / f"{NAME}.yaml").read_text().split(":")[1])
    return torch.nn.Linear(4, size), (torch.zeros(2, 4),)
"""
PLAN = ReviewPullRequest(7, "a" * 40, "b" * 40, "main", fork=True, read_only=True)
NET_TARGET = TargetConfig("net", entry="net.py:build")


def test_a_file_under_a_computed_name_is_followed_by_the_cache(bench: Workbench) -> None:
    """The branch's run leaves the name; a pull request's reviews follow the file and take what stays from the cache."""
    pytest.importorskip("torch")
    gone: Mapping[str, None] = {"models/vae.onnx": None, "models/big.onnx": None, "models/vae.py": None}
    first = {".assay.yml": CONFIG, "net.py": NET, "size.yaml": "size: 3\n", ".gitignore": "assay-cache/\n", **gone}
    bench.base = bench.head = bench.commit(first)
    bench.code = ProcessSandbox()
    seen: list[Report] = []

    def analyse(*arguments: Any, **options: Any) -> Report:
        seen.append(local.review(*arguments, **options))
        return seen[-1]

    bench.analyse = analyse

    def became(event: str = "pull_request", payload: Any = None) -> dict[str, tuple[Status, bool, bool]]:
        """What became of each target, whether it came from the cache, and whether five features come out of it."""
        ran = bench.run(event, payload, inputs={"cache": "assay-cache"})
        assert seen, ran.log
        return {t.id: (t.status, t.cached, any(n.shape == "2 × 5" for n in t.layers.nodes)) for t in seen[-1].targets}

    push = {
        "ref": "refs/heads/main",
        "before": "0" * 40,
        "after": bench.head,
        "repository": {"full_name": "octo/models", "default_branch": "main"},
    }
    assert became("push", push) == {"net": (Status.ANALYSED, False, False)}
    bench.open_pull({"size.yaml": "size: 5\n"})
    assert became() == {"net": (Status.ANALYSED, False, True)}
    bench.push({"README.md": "more\n"})
    assert became() == {"net": (Status.ANALYSED, True, True)}, "nothing that it read has changed"
    bench.push({"size.yaml": None})
    assert became() == {"net": (Status.FAILED, False, False)}
    (lost,) = seen[-1].blocking
    assert lost.rule == "analysis/no-longer-analysed"
    assert "No such file or directory: 'size.yaml'" in lost.message, "nothing of where it ran"
    bench.push({"size.yaml": "size: 5\n"})
    assert became() == {"net": (Status.ANALYSED, True, True)}
    bench.push({"size.yaml": "size: 3\n"})
    assert became() == {}, "as the base has it"


@pytest.fixture
def trees(tmp_path: Path) -> tuple[Path, Path]:
    head, base = tmp_path / "head", tmp_path / "base"
    for tree in (head, base):
        tree.mkdir()
        (tree / "net.py").write_text("def build(): ...\n")
        (tree / "size.yaml").write_text("size: 3\n")
    return head, base


def touched(trees: tuple[Path, Path], record: opened.Opened) -> bool:
    judged = Judged(Config(targets=(NET_TARGET,)))
    chosen = choose(PLAN, settings(), judged, *trees, Exported(frozenset(), frozenset(), ()), record)
    return [t.id for t in chosen.targets] == ["net"]


@pytest.mark.parametrize("change", ["edited", "removed", "added", "link"])
def test_what_was_opened_is_what_a_change_touches(trees: tuple[Path, Path], change: str, tmp_path: Path) -> None:
    record = {slug("net"): ("size.yaml",)}
    assert not touched(trees, record)
    place = trees[0] / "size.yaml"
    if change == "edited":
        place.write_text("size: 4\n")
    elif change == "added":
        (trees[1] / "size.yaml").unlink()
    else:
        place.unlink()
    if change == "link":
        place.symlink_to("/etc/hostname")
    assert touched(trees, record)
    assert touched(trees, {slug("net"): None}), "files that are not known are taken to differ"
    if change != "link":
        assert not touched(trees, {slug("other"): ("size.yaml",)})


HOSTILE: list[Any] = [
    ["../secret"], ["/etc/passwd"], ["a/../../b"], [".git/config"], ["a\x00b"], [""], ["x" * 401], [7], "net.py",
    {"a": 1}, ["\ud800"], [f"f{n}" for n in range(opened.MOST_NAMES + 1)],
]  # fmt: skip


@pytest.mark.parametrize("names", HOSTILE)
def test_hostile_names_are_refused_and_a_damaged_record_makes_more_work(
    names: Any, trees: tuple[Path, Path], tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match="no "):
        opened.proper(names)
    data = TargetOutcome(TargetReport("net", "entry", "net.py:build")).to_json()
    assert checked(data, NET_TARGET, frozenset()).opened == ()
    with pytest.raises(TargetProblem, match="nothing of it counts"):
        checked({**data, "opened": names}, NET_TARGET, frozenset())
    folder = tmp_path / "records"
    folder.mkdir()
    (folder / f"{slug('net')}.json").write_text(json.dumps(names))
    assert touched(trees, opened.all_kept(folder))


def test_a_pull_request_takes_no_name_from_what_the_branch_knows(trees: tuple[Path, Path], tmp_path: Path) -> None:
    """A fork's own record is beside the branch's: whatever its code says, a change of that file is a change."""
    branch = Cache(tmp_path / "outcomes")
    pull = Cache(tmp_path / "pull-7" / "outcomes", (branch.folder,))
    outcome = TargetOutcome(TargetReport("net", "entry", "net.py:build"), opened=("size.yaml",))
    branch.keep_opened("net", [outcome])
    pull.keep_opened("net", [replace(outcome, opened=("else.yaml",))])
    pull.keep_opened("net", [replace(outcome, opened=())])
    (trees[0] / "size.yaml").write_text("size: 4\n")
    assert touched(trees, pull.opened())
    assert branch.opened() == {slug("net"): ("size.yaml",)}


def test_a_failed_export_forgets_nothing(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "outcomes")
    report = TargetReport("net", "entry", "net.py:build")
    cache.keep_opened("net", [TargetOutcome(report, opened=("a.yaml",))])
    cache.keep_opened("net", [TargetOutcome(replace(report, status=Status.FAILED), opened=("b.yaml",))])
    assert cache.opened() == {slug("net"): ("a.yaml", "b.yaml")}
    cache.keep_opened("net", [TargetOutcome(report, opened=None)])
    assert cache.opened() == {slug("net"): None}
    cache.keep_opened("net", [TargetOutcome(report)])
    assert cache.opened() == {slug("net"): ()}


def test_an_outcome_is_found_by_what_its_export_read(trees: tuple[Path, Path], tmp_path: Path) -> None:
    cache, (head, base) = Cache(tmp_path / "outcomes"), trees
    outcome = TargetOutcome(TargetReport("net", "entry", "net.py:build"), opened=("size.yaml",))
    cache.put("a" * 64, outcome, tmp_path, head)
    assert cache.get("a" * 64, tmp_path / "out", head) is not None
    assert cache.get("a" * 64, tmp_path / "out", head, base) is not None, "both read the same"
    (head / "size.yaml").write_text("size: 4\n")
    assert cache.get("a" * 64, tmp_path / "out", head) is None
    assert cache.get("a" * 64, tmp_path / "out", base) is not None
    assert cache.get("a" * 64, tmp_path / "out", base, head) is None
    cache.put("a" * 64, outcome, tmp_path, head)
    assert cache.get("a" * 64, tmp_path / "out", head) is not None, "in the place of the other"
    cache.put("b" * 64, replace(outcome, opened=None), tmp_path, head)
    assert cache.get("b" * 64, tmp_path / "out", head) is None


class Engine:
    """In the place of `Containers`: every target reads `size.yaml`; which jobs were begun."""

    def __init__(self, status: Status = Status.ANALYSED) -> None:
        self.status = status
        self.begun: list[str] = []

    def run(self, jobs: Mapping[str, Any], *_: object) -> Iterator[tuple[str, JobResult]]:
        for name in jobs:
            self.begun.append(name)
            report = TargetReport("net", "entry", "net.py:build", status=self.status, cause=Cause.MODEL)
            opens = ("size.yaml",) if self.status is Status.ANALYSED else ()
            yield name, JobResult(TargetOutcome(report, opened=opens).to_json())


@pytest.mark.parametrize(
    ("status", "change", "begun"),
    [
        (Status.ANALYSED, None, ["head net"]),
        (Status.ANALYSED, "size: 4\n", ["head net", "base net"]),
        (Status.FAILED, None, ["head net", "base net"]),  # it may have failed for what it did not find
    ],
)
def test_the_heads_outcome_serves_the_base_where_its_export_read_the_same(
    status: Status, change: str | None, begun: list[str], trees: tuple[Path, Path], tmp_path: Path
) -> None:
    """Without a record too: `assay check --base` analyses every target, by sources that are the same."""
    if change:
        (trees[0] / "size.yaml").write_text(change)
    engine: Any = Engine(status)
    local.review(
        *trees, Config(), [NET_TARGET], output=tmp_path / "out", contained=engine, sandbox=ProcessSandbox()
    )  # fmt: skip
    assert engine.begun == begun
