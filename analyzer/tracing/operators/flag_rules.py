"""Command-line names, see `flags` and `command_lines`."""

from __future__ import annotations

from analyzer.tracing.operators import command_lines, flags

_RULES = (
    command_lines.parser, flags.define_flag, flags.require_flag, flags.require_flags, flags.environment,
    flags.absl_run, flags.typer_application, flags.typer_option, flags.typer_run, flags.launched,
)  # fmt: skip
TABLE = {name: entry for rule in _RULES for name, entry in rule.entries}  # type: ignore[attr-defined]
