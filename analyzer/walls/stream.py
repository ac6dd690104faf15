"""Lines and bytes out of a stream that may be hostile: each has a deadline, and a line an end."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from typing import Any

from analyzer.walls.protocol import SessionEnded

CHUNK = 1 << 20  # bytes at once


class Received(ABC):
    """The other end of a socket. What has come and was not asked for yet stands in `_output`."""

    def __init__(self) -> None:
        self._output = bytearray()

    @abstractmethod
    def _socket(self) -> Any:
        """The socket, or what an engine's library has in its place."""

    @abstractmethod
    def death(self) -> str:
        """How the other end has ended."""

    def ended(self) -> SessionEnded:
        """The same as what is raised."""
        return SessionEnded(self.death())

    def _came(self, chunk: bytes) -> None:
        """Add what has come to `_output`."""
        self._output += chunk

    def send(self, line: bytes) -> None:
        """Send one line, within what was left at the last `_more`: the other end may never read."""
        try:
            self._socket().sendall(line + b"\n")
        except OSError:
            raise self.ended() from None

    def _more(self, ends: float) -> None:
        """Wait for at least one byte. Raises `TimeoutError` after `ends` (of `time.monotonic`), and `SessionEnded`."""
        left = ends - time.monotonic()
        if left <= 0:
            raise TimeoutError
        try:
            self._socket().settimeout(left)
            chunk = self._socket().recv(CHUNK)
        except TimeoutError:
            raise
        except OSError:
            raise self.ended() from None
        if not chunk:
            raise self.ended()
        self._came(chunk)

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
