"""Lines and bytes out of a stream that may be hostile: each has a deadline, and a line an end."""

from __future__ import annotations

from abc import ABC, abstractmethod

from analyzer.walls.protocol import SessionEnded


class Received(ABC):
    """What has come and was not asked for yet stands in `_output`; `_more` waits for more of it."""

    def __init__(self) -> None:
        self._output = bytearray()

    @abstractmethod
    def _more(self, ends: float) -> None:
        """Add at least one byte. Raises `TimeoutError` after `ends` (of `time.monotonic`), and `SessionEnded`."""

    def line(self, ends: float, limit: int) -> bytes:
        looked = 0
        while (at := self._output.find(b"\n", looked)) < 0:
            looked = len(self._output)
            if looked > limit:
                raise SessionEnded(f"sent a line of more than {limit:,} bytes")
            self._more(ends)
        if at > limit:
            raise SessionEnded(f"sent a line of more than {limit:,} bytes")
        found = bytes(self._output[:at])
        del self._output[: at + 1]
        return found

    def take(self, size: int, ends: float) -> bytes:
        while len(self._output) < size:
            self._more(ends)
        found = bytes(self._output[:size])
        del self._output[:size]
        return found
