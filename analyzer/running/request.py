"""What the front asks of a container that analyses one target."""

from __future__ import annotations

from dataclasses import dataclass

from analyzer.configuration.config import Config, TargetConfig

REQUEST = "request"
OUTCOME = "outcome.json"
BROKE_OFF = 70  # the container's exit code after an error of ours
FILES_LIMIT = 512 << 20  # bytes of reproducers and drawings of one target


@dataclass(frozen=True, slots=True)
class Request:
    """What a container is started for."""

    target: TargetConfig
    config: Config
    side: str  # of the trees, the one that is analysed
    base: str | None  # the one to compare with
    code: bool  # whether the project's code may run, at the front's
    engines: bool = True  # whether the container's image has the frameworks
