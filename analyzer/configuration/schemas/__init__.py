"""JSON Schemas of what Assay reads (`.assay.yml`) and writes (`report.json`)."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any


def schema(name: str) -> dict[str, Any]:
    """The schema `name`: ``config`` or ``report``."""
    text = (files("analyzer.configuration.schemas") / f"{name}.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded
