"""The cache finds an outcome again by exactly what it depends on, and nobody is trusted less than its readers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from action.containment import with_engines
from analyzer.configuration.config import Config, Environment, TargetConfig
from analyzer.findings import TargetReport
from analyzer.running.cache import Cache
from analyzer.running.keys import keys_of
from analyzer.running.outcome import TargetOutcome
from analyzer.walls.engines import EnginesImage

TARGET = TargetConfig(id="net", entry="net.py:build", environment=Environment(requirements="requirements.txt"))


def tree(folder: Path, **files: str) -> Path:
    folder.mkdir()
    for name, text in {"net": "def build(): ...\n", "requirements": "torch\n", **files}.items():
        (folder / f"{name}.{'py' if name == 'net' else 'txt'}").write_text(text)
    return folder


def entries(head: Path, base: Path, installed_from: Path | None) -> tuple[str | None, str | None]:
    keys = keys_of([TARGET], Config(), {"head": head, "base": base}, installed_from)
    return keys["head", "net"][1], keys["base", "net"][1]


def test_the_content_of_what_is_installed_is_in_the_key(tmp_path: Path) -> None:
    base = tree(tmp_path / "base", requirements="-r more.txt\n", more="torch==1\n")
    head = tree(tmp_path / "head", requirements="./evil\n")
    own, fork = entries(head, base, None), entries(head, base, base)
    assert own[0] != own[1], "the lists differ, and each side's own is installed"
    assert fork[0] == fork[1], "a fork's list is not installed"
    (head / "requirements.txt").write_text("./other\n")
    assert entries(head, base, base) == fork
    (base / "more.txt").write_text("torch==2\n")  # what the list includes
    assert entries(head, base, base)[0] not in (None, fork[0])
    (base / "requirements.txt").unlink()
    assert entries(head, base, base) == (None, None), "what cannot be installed is not kept"


def test_keys_follow_the_image_with_the_engines(tmp_path: Path) -> None:
    keys = {("head", "a"): ("1" * 64, "2" * 64), ("base", "a"): ("1" * 64, None)}
    first = with_engines(keys, EnginesImage({"ASSAY_ENGINES_IMAGE": "registry/engines@sha256:1"}))
    second = with_engines(keys, EnginesImage({"ASSAY_ENGINES_IMAGE": "registry/engines@sha256:2"}))
    assert first is not None
    assert second is not None
    assert first["head", "a"][0] == "1" * 64, "whether two revisions are the same hangs on no image"
    assert len({first["head", "a"][1], second["head", "a"][1], "2" * 64}) == 3
    assert first["base", "a"] == ("1" * 64, None)
    listed = tmp_path / "requirements-engines.txt"
    listed.write_text("torch==1\n")
    before = EnginesImage({}, requirements=listed).identity
    listed.write_text("torch==2\n")
    assert EnginesImage({}, requirements=listed).identity != before


def test_a_pull_request_reads_what_a_branch_has_kept_and_not_the_other_way_round(tmp_path: Path) -> None:
    branch = Cache(tmp_path / "outcomes")
    pull = Cache(tmp_path / "pull-7" / "outcomes", (branch.folder,))
    other = Cache(tmp_path / "pull-8" / "outcomes", (branch.folder,))
    outcome = TargetOutcome(TargetReport("net", "model", "net.onnx"))
    branch.put("a" * 64, outcome, tmp_path)
    pull.put("b" * 64, outcome, tmp_path)
    found = pull.get("a" * 64, tmp_path / "out")
    assert found is not None
    assert found.target == replace(outcome.target, cached=True)
    assert pull.get("b" * 64, tmp_path / "out") is not None
    assert branch.get("b" * 64, tmp_path / "out") is None
    assert other.get("b" * 64, tmp_path / "out") is None
    assert {path.name for path in branch.folder.iterdir()} == {"a" * 64}
