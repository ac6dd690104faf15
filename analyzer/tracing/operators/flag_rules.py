"""Command-line names, see `analyzer.tracing.flags`."""

from __future__ import annotations

from analyzer.tracing.flags import absl_run, define_flag, environment, parser

TABLE = {name: entry for rule in (parser, define_flag, environment, absl_run) for name, entry in rule.entries}  # type: ignore[attr-defined]
