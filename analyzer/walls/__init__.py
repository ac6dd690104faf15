"""Running a command on untrusted input: in a container, or (on a laptop, by explicit choice) in a limited process."""

from analyzer.walls.protocol import (
    PYTHON,
    Completed,
    ResourceLimits,
    Sandbox,
    Session,
    SessionEnded,
    SessionSandbox,
    can_stay,
)

__all__ = ["PYTHON", "Completed", "ResourceLimits", "Sandbox", "Session", "SessionEnded", "SessionSandbox", "can_stay"]
