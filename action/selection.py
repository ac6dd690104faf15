"""Which models a change touches: by the content of everything that a model's result depends on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

from action.allowed import Chosen, adjusted, base_config, configured
from action.base_policy import Judged
from action.checkout import Exported
from action.plan import CheckCommit, Plan, ReviewPullRequest
from action.settings import Settings
from analyzer.configuration.config import Config, TargetConfig
from analyzer.findings import Status, TargetReport, slug
from analyzer.problem import UsageProblem
from analyzer.running.keys import key_of
from analyzer.running.opened import Opened, differs
from analyzer.selecting.changed_sources import changed_sources
from analyzer.selecting.targets import discover, notes_of, select

# A pointer has no content to recognise, so its name has to do.
MODEL_SUFFIXES = (".onnx", ".pb", ".keras", ".h5", ".hdf5", ".safetensors", ".pt", ".pth", ".pt2", ".ckpt", ".bin")


def choose(
    plan: Plan,
    settings: Settings,
    judging: Judged,
    head: Path,
    base: Path | None,
    exported: Exported,
    opened: Opened | None = None,
) -> Chosen:
    """The targets of a run under `allowed`'s word. Raises UsageProblem for an input that names nothing.

    `opened` is what the last exports read: a target is touched by a change of one of these files too.
    """
    opened = opened or {}
    notes: list[str] = []
    before = base_config(settings, base) if base is not None else judging.config
    if base is not None and isinstance(plan, ReviewPullRequest):
        if replace(configured(settings, head), path=None) != replace(before, path=None):
            notes.append(f"This pull request changes what Assay checks: {settings.config}.")
        if plan.fork:
            notes += _not_installed(before, head, base)
    config = judging.config
    targets = _targets(plan, settings, config, head)
    total = len(targets)
    if base is not None:
        removed = _removed(before, base, head, exported) if not settings.targets else ()
        notes += [f"{name} was removed." for name in removed[:10]]
        every = targets
        installed_from = base if installed_from_base(plan) else None
        targets = tuple(
            t for t in targets if _differs(t, config, head, base, installed_from, opened.get(slug(t.id), ()))
        )
        if config.targets and not settings.targets:
            named = {t.id for t in config.targets}
            notes += notes_of([t for t in targets if t.id not in named])
        if not settings.targets:
            sources = changed_sources(head, base, config, every)
            targets += sources.targets
            total += len(sources.targets)
            notes += sources.notes
    skipped = []
    for target in targets:
        reason = _not_here(target, exported)
        if reason:
            kind = "entry" if target.entry else "model"
            skipped.append(TargetReport(target.id, kind, target.file, status=Status.SKIPPED, error=reason))
    if not settings.targets and config.discover:
        skipped += [
            TargetReport(path, "model", path, status=Status.SKIPPED, error=_pointer(path))
            for path in sorted(exported.unfetched)
            if path.endswith(MODEL_SUFFIXES)
            and _bytes_differ(path, head, base)
            and not any(report.path == path or path.startswith(f"{report.path}/") for report in skipped)
        ]
    ids = {report.id for report in skipped}
    notes += list(exported.refused[:10])
    return Chosen(
        config,
        tuple(adjusted(t, plan, settings) for t in targets if t.id not in ids),
        tuple(skipped),
        tuple(notes),
        total,
        judging,
    )


def _targets(plan: Plan, settings: Settings, config: Config, head: Path) -> tuple[TargetConfig, ...]:
    if isinstance(plan, CheckCommit) and plan.models:
        return _dispatched(plan.models, config, head)
    return select(settings.targets, config, head).targets


def _dispatched(models: Sequence[str], config: Config, head: Path) -> tuple[TargetConfig, ...]:
    """Dispatched paths and globs; a glob takes what it matches of the models that are there."""
    arguments: list[str] = []
    for model in models:
        if not any(c in model for c in "*?["):
            arguments.append(model)
            continue
        found = [t.path for t in discover(head, config) if t.path and fnmatchcase(t.path, model)]
        if not found:
            raise UsageProblem(f"No model in this revision matches the dispatched glob `{model}`.")
        arguments += found
    return select(arguments, config, head).targets


def installed_from_base(plan: Plan) -> bool:
    """Whether what is installed is what the base lists, as for a fork: then that, not the head's list, counts."""
    return isinstance(plan, ReviewPullRequest) and plan.fork


def _differs(
    target: TargetConfig,
    config: Config,
    head: Path,
    base: Path,
    installed_from: Path | None,
    opened: Sequence[str] | None,
) -> bool:
    """Whether anything that the result depends on differs; what cannot be told counts as different."""
    if not (base / target.file).exists():
        return True
    after = key_of(target, config, head, installed_from)
    return after is None or after != key_of(target, config, base, installed_from) or differs(opened, head, base)


def _removed(before: Config, base: Path, head: Path, exported: Exported) -> tuple[str, ...]:
    """Models of the base, configured or found there, whose file the head does not have."""
    files = [t.file for t in before.targets if (base / t.file).exists()]
    files += [t.file for t in discover(base, before)] if before.discover or not before.targets else []
    return tuple(f for f in dict.fromkeys(files) if f not in exported.unfetched and not (head / f).exists())


def _not_here(target: TargetConfig, exported: Exported) -> str | None:
    path = target.file
    below = f"{path}/"
    for pointer in exported.unfetched:
        if pointer == path or pointer.startswith(below):
            return _pointer(pointer)
    for submodule in exported.submodules:
        if path == submodule or path.startswith(f"{submodule}/"):
            return (
                f"{path} lies in the submodule {submodule}, which Assay does not fetch; check it in its own repository."
            )
    return None


def _pointer(path: str) -> str:
    return f"{path} is a Git LFS pointer that was not fetched; set `lfs: true` for `actions/checkout`."


def _bytes_differ(path: str, head: Path, base: Path | None) -> bool:
    before = base / path if base else None
    return before is None or not before.is_file() or before.read_bytes() != (head / path).read_bytes()


def _not_installed(before: Config, head: Path, base: Path) -> list[str]:
    """A sentence for each requirements file of the base that the fork changes."""
    environments = [before.environment, *(t.environment for t in before.targets if t.environment)]
    names = sorted({e.requirements for e in environments if e.requirements})
    return [
        f"This fork changes {name}; what is installed is what the base lists."
        for name in names
        if (head / name).is_file() and _bytes_differ(name, head, base)
    ]
