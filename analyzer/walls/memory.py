"""What memory there is, by the kernel's own account: the machine's, or that of the container this process runs in."""

import contextlib
from pathlib import Path

# What a container may use and does, by the kernel's control groups of version 2 and 1.
LIMITED = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)


def free_memory() -> int:
    """Bytes that can still be given; 0 where nothing tells."""
    return min(_told("MemAvailable", used=True), default=0)


def half_of_memory() -> int:
    """Half of the bytes that there are, used or not: what one command may take and leave the machine standing; 0 where
    nothing tells."""
    return min(_told("MemTotal", used=False), default=0) // 2


def _told(line: str, *, used: bool) -> list[int]:
    found = []
    with contextlib.suppress(OSError, ValueError, IndexError):
        found.append(int(Path("/proc/meminfo").read_text().partition(f"{line}:")[2].split()[0]) << 10)
    for limit, now in LIMITED:
        with contextlib.suppress(OSError, ValueError):  # "max" is no limit
            found.append(int(Path(limit).read_text()) - (int(Path(now).read_text()) if used else 0))
    return found
