"""Time as a script has it: what it waits for a processor that others use is none of its own."""

from __future__ import annotations

import os
import time


def waited(pid: int | str = "self") -> float:
    """Seconds in which the threads of a process were ready to run and did not: of the one that waited longest.

    0 where /proc does not tell.
    """
    most = 0
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/schedstat", encoding="ascii") as file:
                most = max(most, int(file.read().split()[1]))
    except (OSError, ValueError, IndexError):
        pass
    return most / 1e9


def own_time() -> float:
    """Seconds since some moment, without those in which this process waited for a processor."""
    return time.monotonic() - waited()


class Budget:
    """The time of all attempts together: `seconds` of their own, `wall` on the clock."""

    def __init__(self, seconds: float, wall: float) -> None:
        self.left, self._ends = seconds, time.monotonic() + wall

    def share(self, seconds: float) -> float:
        """At most so many seconds of one attempt, at most what is left."""
        return max(0.0, min(seconds, self.left, self._ends - time.monotonic()))

    def over(self) -> bool:
        """Whether the clock's time is over, however little of it the attempts have had."""
        return time.monotonic() > self._ends
