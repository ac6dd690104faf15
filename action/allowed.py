"""The configuration of a run, as far as the base lets the head's author decide. Reads `.assay.yml` alone."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from action.base_policy import Judged, judged
from action.plan import CheckCommit, Plan, ReviewPullRequest
from action.settings import Settings
from analyzer.configuration.config import Config, TargetConfig
from analyzer.configuration.reader import read_config
from analyzer.findings import TargetReport
from analyzer.problem import UsageProblem
from analyzer.running.outcome import Keys

DEFAULT_CONFIG = ".assay.yml"


@dataclass(frozen=True, slots=True)
class Chosen:
    """What will be analysed, what cannot be, and what a reader should know."""

    config: Config
    targets: tuple[TargetConfig, ...]
    skipped: tuple[TargetReport, ...] = ()
    notes: tuple[str, ...] = ()
    total: int = 0  # models in the head, changed or not, and the changed sources
    judging: Judged = field(default_factory=lambda: Judged(Config()))
    keys: Keys | None = None  # for the cache, where this was chosen elsewhere; see `analyzer.running.pipeline`


def allowed(plan: Plan, settings: Settings, head: Path, base: Path | None) -> Judged:
    """Under which configuration the run decides. Raises UsageProblem for one that is wrong."""
    judging = Judged(configured(settings, head))
    if base is not None and isinstance(plan, ReviewPullRequest):
        before = base_config(settings, base)
        judging = judged(before, judging.config, fork=plan.fork, head=head)
        if plan.fork:
            judging = replace(judging, config=_as_the_base_allows(judging.config, before))
    return judging


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


def base_config(settings: Settings, base: Path) -> Config:
    """The base's configuration; a broken one must not stop the pull request that mends it."""
    try:
        return configured(settings, base)
    except UsageProblem:
        return replace(Config(), fail_on=settings.fail_on or Config().fail_on)


def _as_the_base_allows(config: Config, before: Config) -> Config:
    """For a fork, the base decides what is pulled, installed and run, and for how long."""
    trusted = {target.id: target.environment for target in before.targets}
    targets = tuple(replace(t, environment=trusted.get(t.id)) for t in config.targets)
    return replace(config, targets=targets, environment=before.environment, timeout=before.timeout)


def adjusted(target: TargetConfig, plan: Plan, settings: Settings) -> TargetConfig:
    backends = (plan.backends if isinstance(plan, CheckCommit) else ()) or settings.backends
    space = (plan.space if isinstance(plan, CheckCommit) else "") or settings.space
    if backends:
        target = replace(target, backends=tuple(backends))
    return replace(target, space=space) if space else target
