"""The simulator without a connection: what PyGithub's requester would ask and get, a hundred times faster."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import requests
from github import GithubException

from tests.github_simulator.faults import ANSWERS, GRAPHQL_ANSWERS, Fault
from tests.github_simulator.server import TOKEN, Request, Simulator

REQUEST = 0.2  # seconds for one request and its answer


class Requester:
    """Takes the place of `Transport`'s requester."""

    def __init__(
        self, simulator: Simulator, let_pass: Callable[[float], None] = lambda _: None, timeout: float = 30.0
    ) -> None:
        """`let_pass` lets time pass: for each request a little, and `timeout` where an answer never comes."""
        self._simulator = simulator
        self._pass = let_pass
        self._timeout = timeout

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
        self._pass(REQUEST)
        fault = simulator.take_fault(request)
        if fault is None or fault.happens_after:
            status, answer, told = simulator.answer(request, TOKEN)
        if fault is Fault.TIMEOUT:
            self._pass(self._timeout)
            raise requests.exceptions.ReadTimeout
        if fault in (Fault.RESET, Fault.RESET_AFTER):
            raise requests.exceptions.ConnectionError
        if fault is not None and path.endswith("/graphql") and fault in GRAPHQL_ANSWERS:
            status, answer, told = 200, {"data": None, **GRAPHQL_ANSWERS[fault]}, {}
        elif fault is not None:
            status, message, told = ANSWERS[fault]
            answer = {"message": message}
        if status >= 400:
            raise GithubException(status, answer, told)
        return {name.lower(): value for name, value in told.items()}, answer
