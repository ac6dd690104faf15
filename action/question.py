"""What the front asks of the container, or of the walled process, that finds the changed models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from action.base_policy import Judged
from action.checkout import Exported
from action.plan import Plan
from action.settings import Settings
from analyzer.running.opened import Opened


@dataclass(frozen=True, slots=True)
class Question:
    """What the container is started for. The settings carry no token."""

    plan: Plan
    settings: Settings
    judging: Judged
    exported: Exported
    based: bool  # whether there is a base
    places: Mapping[str, str] = field(default_factory=dict)  # of the trees; empty: where containers have them
    opened: Opened = field(default_factory=dict)  # what the last exports read besides what sources tell
