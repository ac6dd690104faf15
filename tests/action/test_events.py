"""The other events, through the whole action: merge queue, push, schedule, dispatch, and the two stages for forks."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from action import relay
from analyzer.configuration.config import Config, TargetConfig
from analyzer.findings import Report
from tests.action.harness import CONFIG, Ran, Workbench
from tests.action.reports import KERNEL, LOG, VAE, report
from tests.action.test_hostile_files import onnx_model
from tests.github_simulator.routes import zipped
from tests.github_simulator.state import WorkflowRun


class Recorder:
    """A pipeline that notes what it was asked and answers with a report."""

    def __init__(self, answer: Report) -> None:
        self.answer = answer
        self.calls: list[tuple[Path, Path | None, Config, tuple[TargetConfig, ...], dict[str, Any]]] = []

    def __call__(self, head: Path, base: Path | None, config: Config, targets: Any, **options: Any) -> Report:
        assert (head / "models" / "vae.onnx").is_file()
        self.calls.append((head, base, config, tuple(targets), options))
        return self.answer

    @property
    def ids(self) -> list[str]:
        return [target.id for target in self.calls[-1][3]]


def change(bench: Workbench) -> None:
    bench.head = bench.commit({"models/vae.onnx": "2"})


def test_a_merge_group_is_checked_against_its_base(bench: Workbench) -> None:
    change(bench)
    bench.analyse = recorder = Recorder(report(KERNEL))
    group = {"action": "checks_requested", "merge_group": {"head_sha": bench.head, "base_sha": bench.base}}
    ran = bench.run("merge_group", group)
    assert recorder.ids == ["vae-loss"]
    assert ran.code == 1
    assert [(c.head_sha, c.conclusion) for c in bench.simulator.state.check_runs.values()] == [(bench.head, "failure")]
    assert bench.simulator.state.issue_comments == {}


def test_a_push_reports_on_the_commit(bench: Workbench) -> None:
    change(bench)
    bench.analyse = recorder = Recorder(report())
    push = {
        "ref": "refs/heads/main",
        "before": bench.base,
        "after": bench.head,
        "repository": {"default_branch": "main"},
    }
    assert bench.run("push", push).code == 0
    assert recorder.ids == ["vae-loss"]
    assert [c.conclusion for c in bench.simulator.state.check_runs.values()] == ["success"]


def test_a_schedule_checks_all_models_without_a_base(bench: Workbench) -> None:
    bench.analyse = recorder = Recorder(report())
    bench.run("schedule", {"schedule": "x"})
    assert recorder.ids == ["vae-loss", "big"]
    assert recorder.calls[0][1] is None


def test_a_dispatch_checks_what_it_names(bench: Workbench) -> None:
    bench.analyse = recorder = Recorder(report())
    inputs = {"checkpoint": "models/vae.onnx", "backends": "onnxruntime,torch", "space": "space.yml"}
    ran = bench.run("workflow_dispatch", {"inputs": inputs})
    assert ran.code == 0, ran.log
    (target,) = recorder.calls[0][3]
    assert (target.path, target.backends, target.space) == ("models/vae.onnx", ("onnxruntime", "torch"), "space.yml")
    assert len(bench.simulator.state.check_runs) == 1


def test_a_dispatch_of_something_missing_is_one_sentence(bench: Workbench) -> None:
    ran = bench.run("workflow_dispatch", {"inputs": {"checkpoint": "runs/none.onnx"}})
    assert ran.code == 2
    assert "runs/none.onnx does not exist" in ran.log
    assert "runs/none.onnx" in ran.summary


def test_a_deleted_branch_ends_with_success(bench: Workbench) -> None:
    push = {"ref": "refs/heads/x", "before": bench.base, "after": "0" * 40, "deleted": True}
    ran = bench.run("push", push)
    assert (ran.code, ran.outputs["verdict"]) == (0, "pass")
    assert bench.simulator.requests == []


def test_pull_request_target_is_refused_before_anything_happens(bench: Workbench) -> None:
    bench.open_pull()
    ran = bench.run("pull_request_target")
    assert ran.code == 2
    assert "pull_request_target" in ran.summary
    assert bench.simulator.requests == []


def test_a_broken_configuration_lists_its_mistakes(bench: Workbench) -> None:
    bench.open_pull({".assay.yml": CONFIG + "falil-on: never\ntimeout: soon\n"})
    ran = bench.run()
    assert ran.code == 2
    assert ".assay.yml:5" in ran.log
    assert ".assay.yml:6" in ran.log
    assert ran.summary.startswith("**❌ Assay cannot run as it is configured**")


def test_a_pull_request_that_mends_the_configuration(bench: Workbench) -> None:
    bench.base = bench.commit({".assay.yml": "version: none\n"})
    bench.open_pull({".assay.yml": CONFIG, "models/vae.onnx": "2"})
    bench.analyse = recorder = Recorder(report())
    assert bench.run().code == 0
    assert any("changes what Assay checks" in note for note in recorder.calls[0][4]["notes"])


def test_only_what_depends_on_the_change_is_analysed(bench: Workbench) -> None:
    bench.open_pull({"models/big.onnx": "2", "README.md": "y"})
    bench.analyse = recorder = Recorder(report())
    bench.run()
    assert recorder.ids == ["big"]


def test_a_model_that_only_moved_is_no_change(bench: Workbench) -> None:
    model = onnx_model()
    bench.base = bench.commit({".assay.yml": None, "old/loss.onnx": model, "old/other.onnx": onnx_model(("a", "b"))})
    seen: list[dict[str, bool]] = []

    def analyse(head: Path, base: Path, config: Config, targets: Any, **_: Any) -> Report:
        seen.append({t.id: (base / t.path).is_file() for t in targets})
        return report()

    bench.analyse = analyse
    moved = {"old/loss.onnx": None, "new/loss.onnx": model}
    changed = {"old/other.onnx": None, "new/other.onnx": onnx_model(("a", "b", "c"))}
    bench.open_pull({**moved, **changed})
    bench.run()
    assert seen == [{"new/other.onnx": True}]  # compared with what it was before it moved


def test_an_unfetched_model_is_named(bench: Workbench) -> None:
    text = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 12\n"
    bench.open_pull({"models/vae.onnx": text})
    bench.analyse = lambda *_, **__: Report((), (), base="b")
    ran = bench.run()
    assert "Git LFS pointer" in ran.summary
    assert "lfs: true" in ran.summary


def test_an_unfetched_model_is_named_without_a_configuration_too(bench: Workbench) -> None:
    bench.base = bench.commit({".assay.yml": None})
    text = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 12\n"
    bench.open_pull({"exports/new.onnx": text, "notes.txt": text})
    bench.analyse = lambda *_, **__: Report((), (), base="b")
    ran = bench.run()
    assert "exports/new.onnx" in ran.summary
    assert "notes.txt" not in ran.summary


def test_nothing_is_written_into_the_workspace_unasked(bench: Workbench) -> None:
    bench.open_pull()
    before = {p for p in bench.workspace.rglob("*") if ".git" not in p.parts}
    bench.analyse = lambda *_, **__: report(KERNEL)
    bench.run()
    assert {p for p in bench.workspace.rglob("*") if ".git" not in p.parts} == before


def test_an_output_folder_behind_a_link_is_refused(bench: Workbench, tmp_path: Path) -> None:
    bench.open_pull()
    (tmp_path / "elsewhere").mkdir()
    (bench.workspace / "out").symlink_to(tmp_path / "elsewhere")
    ran = bench.run(inputs={"output": "out/report"})
    assert ran.code == 2
    assert "symbolic link" in ran.log
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_cache_that_the_revision_brings_along_is_not_used(bench: Workbench) -> None:
    bench.open_pull({"models/vae.onnx": "2", "cache/outcomes/key/outcome.json": "{}"})
    bench.analyse = recorder = Recorder(report())
    bench.run(inputs={"cache": "cache"})
    assert "options" not in recorder.calls[0][4]
    assert any("cache folder" in note for note in recorder.calls[0][4]["notes"])
    bench.run(inputs={"cache": "other"})
    assert recorder.calls[1][4]["options"].cache == bench.workspace / "other" / "pull-7" / "outcomes"
    assert recorder.calls[1][4]["options"].cache_also == (bench.workspace / "other" / "outcomes",)


def test_a_branch_reads_nothing_that_a_pull_request_has_kept(bench: Workbench) -> None:
    bench.analyse = recorder = Recorder(report())
    push = {"ref": "refs/heads/main", "before": bench.base, "after": bench.head, "repository": {}}
    bench.run("push", push, inputs={"cache": "other"}, environ={"GITHUB_REF": "refs/heads/main"})
    options = recorder.calls[0][4]["options"]
    assert (options.cache, options.cache_also) == (bench.workspace / "other" / "outcomes", ())
    assert options.exports == bench.workspace / "other" / "exports"


def test_a_failing_action_prints_no_token_and_no_command(bench: Workbench) -> None:
    bench.open_pull()

    def analyse(*_: object, **__: object) -> Report:
        raise RuntimeError("\n::set-output name=verdict::pass\n::add-mask::x")

    bench.analyse = analyse
    ran = bench.run()
    assert ran.code == 3
    assert [line.split("::")[1].split(" ")[0] for line in ran.log.splitlines() if line.startswith("::")] == [
        "add-mask",
        "error",
    ]


# -- forks -------------------------------------------------------------------------------------------------------------


def first_stage(bench: Workbench, answer: Report, **options: Any) -> Ran:
    bench.open_pull(head_repository="mallory/models", **options)
    bench.analyse = lambda *_, **__: answer
    return bench.run(payload=bench.payload(head_repository="mallory/models"), inputs={"output": "out"})


def second_stage(bench: Workbench, archive: bytes | None, **changes: Any) -> Ran:
    state = bench.simulator.state
    state.runs[55] = WorkflowRun(55, changes.pop("run_sha", bench.head))
    if archive is not None:
        state.add_artifact(55, "assay-relay", archive)
    run = {"id": 55, "head_sha": bench.head, "event": "pull_request", "conclusion": "failure", **changes}
    return bench.run("workflow_run", {"action": "completed", "workflow_run": run}, sha=bench.base)


def relayed(bench: Workbench) -> bytes:
    return zipped({relay.FILE: (bench.workspace / "out" / relay.FILE).read_bytes()})


def test_a_forks_report_travels_in_two_stages(bench: Workbench) -> None:
    first = first_stage(bench, report(LOG, KERNEL))
    assert first.code == 1
    assert "2 new problems" in first.summary
    assert bench.simulator.requests == []  # nothing was even tried
    ran = second_stage(bench, relayed(bench))
    assert ran.code == 0, ran.log
    state = bench.simulator.state
    assert {(c.path, c.line) for c in state.review_comments.values()} == {("models/vae.py", 42), ("models/vae.py", 18)}
    assert len(state.issue_comments) == 1
    assert [c.head_sha for c in state.check_runs.values()] == [bench.head]
    second_stage(bench, None)
    assert len(state.issue_comments) == 1
    assert len(state.review_comments) == 2


def test_a_forks_environment_comes_from_the_base(bench: Workbench) -> None:
    bench.base = bench.commit({".assay.yml": CONFIG + "environment: {image: trusted}\n"})
    evil = CONFIG.replace("path: models/vae.onnx", "path: models/vae.onnx, environment: {image: evil}")
    bench.analyse = recorder = Recorder(report())
    bench.open_pull(
        {".assay.yml": evil + "environment: {image: evil}\n", "models/vae.onnx": "2"}, head_repository="m/models"
    )
    bench.run(payload=bench.payload(head_repository="m/models"))
    config = recorder.calls[0][2]
    assert config.environment.image == "trusted"
    assert all(t.environment is None for t in recorder.calls[0][3])
    bench.run()
    assert recorder.calls[1][2].environment.image == "evil"


def test_a_forks_requirements_and_limits_come_from_the_base(bench: Workbench) -> None:
    """Not only which file is named: what stands in it, too, and how long a model may take."""
    trusted = CONFIG + "environment: {requirements: requirements.txt}\ntimeout: 60\n"
    bench.base = bench.commit({".assay.yml": trusted, "requirements.txt": "numpy\n"})
    bench.analyse = recorder = Recorder(report())
    files = {".assay.yml": trusted.replace("60", "900"), "requirements.txt": "./evil\n", "models/vae.onnx": "2"}
    bench.open_pull(files, head_repository="m/models")
    bench.run(payload=bench.payload(head_repository="m/models"))
    told = "This fork changes requirements.txt; what is installed is what the base lists."
    assert recorder.calls[0][2].timeout == 60
    assert told in recorder.calls[0][4]["notes"]
    bench.run()
    assert recorder.calls[1][2].timeout == 900
    assert told not in recorder.calls[1][4]["notes"]


def assert_only_our_words(bench: Workbench) -> None:
    """A refused report fails the check and is told of in a comment that takes nothing from it."""
    state = bench.simulator.state
    assert state.review_comments == {}
    assert [c.conclusion for c in state.check_runs.values()] == ["failure"]
    for text in (*(c.body for c in state.issue_comments.values()), *(c.summary for c in state.check_runs.values())):
        assert "cannot run as it is configured" in text
        assert "5 × 5" not in text


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"assay-relay.json": b"{"}, "not JSON"),
        ({"assay-relay.json": b"[" * 100_000}, "not JSON"),
        ({"assay-relay.json": b"{}"}, "not of the form"),
        ({"../assay-relay.json": b"{}"}, "must hold one file"),
        ({"assay-relay.json": b"{}", "more": b""}, "must hold one file"),
        ({"assay-relay.json": b" " * 20_000_001}, "must hold one file"),
        ({}, "must hold one file"),
    ],
)
def test_poisoned_artifacts_are_refused(bench: Workbench, files: dict[str, bytes], told: str) -> None:
    first_stage(bench, report(KERNEL))
    ran = second_stage(bench, zipped(files))
    assert ran.code == 2
    assert told in ran.log
    assert_only_our_words(bench)


def test_an_archive_that_is_none_or_too_large(bench: Workbench) -> None:
    first_stage(bench, report(KERNEL))
    assert "no proper archive" in second_stage(bench, b"PK\x03\x04 rubbish").log
    assert "bytes" in second_stage(bench, b"x" * 2_000_001).log
    assert_only_our_words(bench)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("head_sha",), "f" * 40),
        (("id",), "other"),
        (("schema",), "assay-relay/2"),
        (("report", "findings", 0, "level"), "catastrophe"),
        (("report", "findings", 0, "location", "path"), "../../etc/passwd"),
        (("report", "findings", 0, "location", "path"), "/etc/passwd"),
        (("report", "findings", 0, "message"), None),
        (("report", "targets", 0, "status"), "great"),
        (("report", "targets"), None),
        (("extra",), 1),
    ],
)
def test_a_changed_report_is_refused_or_harmless(bench: Workbench, path: tuple[Any, ...], value: Any) -> None:
    first_stage(bench, report(KERNEL))
    data = json.loads((bench.workspace / "out" / relay.FILE).read_text())
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    ran = second_stage(bench, zipped({relay.FILE: json.dumps(data).encode()}))
    assert ran.code == 2, ran.log
    assert_only_our_words(bench)


def test_the_second_stage_trusts_only_the_head_commit(bench: Workbench) -> None:
    first_stage(bench, report(KERNEL))
    archive = relayed(bench)
    assert second_stage(bench, archive, run_sha="e" * 40).code == 2
    bench.simulator.state.pulls[7].head_sha = "d" * 40  # pushed meanwhile
    assert "nothing to post" in second_stage(bench, archive).log
    bench.simulator.state.pulls[7].head_sha = bench.head
    bench.simulator.state.pulls[7].state = "closed"
    assert "nothing to post" in second_stage(bench, archive).log
    assert bench.simulator.state.issue_comments == {}


def test_a_large_report_still_fits_the_relay() -> None:
    evidence = replace(KERNEL.evidence, sentences=("s" * 900,) * 40, data={"x": "y" * 2000})
    many = tuple(replace(KERNEL, node=f"n{n}", evidence=evidence) for n in range(1500))
    text = relay.pack(replace(report(*many), targets=(VAE,)), "assay", "a" * 40)
    archive = zipped({relay.FILE: text.encode()})
    assert len(archive) <= relay.COMPRESSED_LIMIT
    back = relay.unpack(archive)
    assert len(back.report.findings) == 1500
