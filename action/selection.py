"""Which models a change touches: by the content of everything that a model's result depends on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path

from action.base_policy import Judged, judged
from action.checkout import Exported
from action.plan import CheckCommit, Plan, ReviewPullRequest
from action.settings import Settings
from analyzer.configuration.config import Config, TargetConfig
from analyzer.configuration.reader import read_config
from analyzer.findings import Status, TargetReport
from analyzer.problem import UsageProblem
from analyzer.running.cache import key_of
from analyzer.selecting.changed_sources import changed_sources
from analyzer.selecting.targets import discover, notes_of, select

DEFAULT_CONFIG = ".assay.yml"
# A pointer has no content to recognise, so its name has to do.
MODEL_SUFFIXES = (".onnx", ".pb", ".keras", ".h5", ".hdf5", ".safetensors", ".pt", ".pth", ".pt2", ".ckpt", ".bin")


@dataclass(frozen=True, slots=True)
class Chosen:
    """What will be analysed, what cannot be, and what a reader should know."""

    config: Config
    targets: tuple[TargetConfig, ...]
    skipped: tuple[TargetReport, ...] = ()
    notes: tuple[str, ...] = ()
    total: int = 0  # models in the head, changed or not, and the changed sources
    judging: Judged = field(default_factory=lambda: Judged(Config()))


def choose(plan: Plan, settings: Settings, head: Path, base: Path | None, exported: Exported) -> Chosen:
    """The targets of a run. Raises UsageProblem for a configuration or an input that names nothing."""
    judging = Judged(configured(settings, head))
    notes: list[str] = []
    before = _base_config(settings, base) if base is not None else judging.config
    if base is not None and isinstance(plan, ReviewPullRequest):
        if replace(judging.config, path=None) != replace(before, path=None):
            notes.append(f"This pull request changes what Assay checks: {settings.config}.")
        judging = judged(before, judging.config, fork=plan.fork, head=head)
        if plan.fork:
            judging = replace(judging, config=_as_the_base_allows(judging.config, before))
            notes += _not_installed(before, head, base)
    config = judging.config
    targets = _targets(plan, settings, config, head)
    total = len(targets)
    if base is not None:
        removed = _removed(before, base, head, exported) if not settings.targets else ()
        notes += [f"{name} was removed." for name in removed[:10]]
        every = targets
        targets = tuple(t for t in targets if _differs(t, config, head, base))
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
        tuple(_adjusted(t, plan, settings) for t in targets if t.id not in ids),
        tuple(skipped),
        tuple(notes),
        total,
        judging,
    )


def configured(settings: Settings, root: Path) -> Config:
    """The configuration of a tree with the inputs laid over it."""
    path = root / settings.config
    if path.is_file():
        config = read_config(path, name=settings.config)
    elif settings.config != DEFAULT_CONFIG:
        raise UsageProblem(f"The input `config` names `{settings.config}`, which is not in this revision.")
    else:
        config = Config()
    return replace(config, only=settings.only or config.only, fail_on=settings.fail_on or config.fail_on)


def _base_config(settings: Settings, base: Path) -> Config:
    """The base's configuration; a broken one must not stop the pull request that mends it."""
    try:
        return configured(settings, base)
    except UsageProblem:
        return replace(Config(), fail_on=settings.fail_on or Config().fail_on)


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


def _differs(target: TargetConfig, config: Config, head: Path, base: Path) -> bool:
    """Whether anything that the result depends on differs; what cannot be told counts as different."""
    if not (base / target.file).exists():
        return True
    after = key_of(target, config, head)
    return after is None or after != key_of(target, config, base)


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


def _as_the_base_allows(config: Config, before: Config) -> Config:
    """For a fork, the base decides what is pulled, installed and run, and for how long."""
    trusted = {target.id: target.environment for target in before.targets}
    targets = tuple(replace(t, environment=trusted.get(t.id)) for t in config.targets)
    return replace(config, targets=targets, environment=before.environment, timeout=before.timeout)


def _not_installed(before: Config, head: Path, base: Path) -> list[str]:
    """A sentence for each requirements file of the base that the fork changes."""
    environments = [before.environment, *(t.environment for t in before.targets if t.environment)]
    names = sorted({e.requirements for e in environments if e.requirements})
    return [
        f"This fork changes {name}; what is installed is what the base lists."
        for name in names
        if (head / name).is_file() and _bytes_differ(name, head, base)
    ]


def _adjusted(target: TargetConfig, plan: Plan, settings: Settings) -> TargetConfig:
    backends = (plan.backends if isinstance(plan, CheckCommit) else ()) or settings.backends
    space = (plan.space if isinstance(plan, CheckCommit) else "") or settings.space
    if backends:
        target = replace(target, backends=tuple(backends))
    return replace(target, space=space) if space else target
