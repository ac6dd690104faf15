"""Command-line names, see `flags`."""

from __future__ import annotations

from analyzer.tracing.operators import flags

_RULES = (
    flags.parser, flags.define_flag, flags.require_flag, flags.require_flags, flags.environment,
    flags.absl_run, flags.typer_application, flags.typer_option, flags.typer_run, flags.launched,
)  # fmt: skip
TABLE = {name: entry for rule in _RULES for name, entry in rule.entries}  # type: ignore[attr-defined]
