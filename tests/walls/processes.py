"""What the system says of a process."""

from __future__ import annotations

from pathlib import Path


def runs(pid: int) -> bool:
    """Whether it is there and has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
