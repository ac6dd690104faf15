"""The simulator without a connection: what PyGithub's requester would ask and get, a hundred times faster."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from github import GithubException

from tests.github_simulator.server import TOKEN, Request, Simulator


class Requester:
    """Takes the place of `Transport`'s requester."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator

    def requestJsonAndCheck(
        self,
        verb: str,
        address: str,
        parameters: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        input: Any = None,
    ) -> tuple[dict[str, str], Any]:
        simulator = self._simulator
        parts = urlsplit(address)
        query = {**dict(parse_qsl(parts.query)), **{k: str(v) for k, v in (parameters or {}).items()}}
        path = parts.path if "://" in address else simulator.prefix + parts.path
        request = Request(len(simulator.requests), verb, path, query, input)
        simulator.requests.append(request)
        if simulator.on_request:
            simulator.on_request(request)
        status, answer, told = simulator.answer(request, TOKEN)
        if status >= 400:
            raise GithubException(status, answer, told)
        return {name.lower(): value for name, value in told.items()}, answer
