"""One repository's requests with one token, and one policy for transient errors.

Every write that is not idempotent takes `done`, a look at GitHub that tells whether the write happened although its
answer was lost; it is asked before the write is repeated, so nothing is ever posted twice.
"""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from action.github.transient_errors import (
    SETTLED,
    GitHubProblem,
    PermissionDenied,
    RetryBudget,
    TransientAnswer,
    TransportFailure,
    Unavailable,
)

ATTEMPTS = 6  # of one request: with the waits that GitHub asks for, some minutes
HEADERS = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28", "User-Agent": "assay"}


@dataclass
class Transport:
    """`repository` is ``owner/name``; paths are relative to it."""

    repository: str
    api_url: str
    graphql_url: str
    token: str = field(repr=False)
    budget: RetryBudget
    timeout: int
    _last_write: float = 0.0

    def __post_init__(self) -> None:
        from github import Auth, Github

        client = Github(
            base_url=self.api_url,
            auth=Auth.Token(self.token) if self.token else None,
            timeout=self.timeout,
            retry=None,
            per_page=100,
            user_agent="assay",
            seconds_between_requests=0,
            seconds_between_writes=0,
        )
        self._requester = client.requester

    def get(self, path: str, parameters: Mapping[str, Any] | None = None) -> Any:
        return self.call("GET", path, parameters=parameters)

    def pages(
        self, path: str, parameters: Mapping[str, Any] | None = None, field_name: str | None = None
    ) -> Iterator[Any]:
        """All items of a list, page by page, following the `Link` header as GitHub asks."""
        address: str | None = path
        query: Mapping[str, Any] | None = {"per_page": 100, **(parameters or {})}
        while address:
            headers, data = self.call("GET", address, parameters=query, with_headers=True)
            yield from (data[field_name] if field_name else data)
            address, query = _next(headers.get("link", "")), None
            if address and urlsplit(address).netloc != urlsplit(self.api_url).netloc:
                raise GitHubProblem("GitHub named another server as the next page of a list.")

    def graphql(self, query: str, variables: Mapping[str, Any]) -> Any:
        """The `data` of an answer. All queries of ours may be repeated without harm."""
        body = {"query": query, "variables": dict(variables)}

        def ask(address: str) -> Any:
            _, answer = self._requester.requestJsonAndCheck("POST", address, headers=HEADERS, input=body)
            errors = answer.get("errors") or ([] if "data" in answer else [answer])  # a limit may be told by itself
            if not errors:
                return answer["data"]
            kind, message = errors[0].get("type"), str(errors[0].get("message"))[:200].rstrip(".")
            limited = kind == "RATE_LIMITED" or "rate limit" in message.lower()
            if limited or message.startswith("Something went wrong"):
                raise TransientAnswer(message, limited=limited)
            denied = kind in ("FORBIDDEN", "INSUFFICIENT_SCOPES")
            raise (PermissionDenied if denied else GitHubProblem)(f"GitHub's GraphQL says: {message}.")

        return self.call("POST", self.graphql_url, again=True, action=ask)

    def call(
        self,
        verb: str,
        path: str,
        body: Any = None,
        *,
        parameters: Mapping[str, Any] | None = None,
        done: Callable[[], Any] | None = None,
        again: bool = False,
        with_headers: bool = False,
        action: Callable[[str], Any] | None = None,
    ) -> Any:
        """One request with the whole retry policy.

        Refused requests (rate limits) did not happen and are repeated. Unconfirmed ones (5xx, timeouts, lost
        connections) are repeated when that is harmless: reads, edits, `again`; else when `done` has found nothing.
        """
        address = path if "://" in path else f"/repos/{self.repository}{path}"
        writes = verb != "GET"
        harmless = verb in ("GET", "PATCH", "DELETE") or again
        for attempt in range(ATTEMPTS):
            last = attempt == ATTEMPTS - 1
            if writes:
                self._pace()
            started = self.budget.clock()
            try:
                if action:
                    return action(address)
                headers, data = self._requester.requestJsonAndCheck(
                    verb, address, parameters=dict(parameters) if parameters else None, headers=HEADERS, input=body
                )
                return (headers, data) if with_headers else data
            except Exception as error:
                failure = TransportFailure.of(error, self.budget.clock())
                if not failure.transient:
                    raise failure.problem() from None
                self.budget.charge(self.budget.clock() - started)
                if last:
                    raise Unavailable(f"{failure.sentence}, {ATTEMPTS} times in a row.", failure.status) from None
                asked = failure.unconfirmed and writes and done is not None
                least = SETTLED if asked and self.budget.spent + SETTLED <= self.budget.budget else 0.0
                self.budget.wait(failure.wait or max(least, min(2.0**attempt, 30.0)), failure.sentence)
                if failure.unconfirmed and writes and done is not None:
                    found = done()
                    if found is not None:
                        return found
                elif failure.unconfirmed and not harmless:
                    raise failure.problem() from None
        raise AssertionError("unreachable")

    def download(self, path: str, limit: int) -> bytes:
        """What an address redirects to, at most `limit` bytes; the token goes to GitHub alone, never to the storage."""
        content: bytes = self.call("GET", path, action=lambda address: self._download(address, limit))
        return content

    def _pace(self) -> None:
        """GitHub asks for a second between writes; this waiting does not count against the budget."""
        rest = self._last_write + self.budget.pause - self.budget.clock()
        if 0 < rest <= self.budget.pause:
            self.budget.sleep(rest)
        self._last_write = self.budget.clock()

    def _download(self, path: str, limit: int) -> bytes:
        opener = urllib.request.build_opener(_NoRedirect())
        base = self.api_url.rstrip("/")
        request = urllib.request.Request(base + path, headers={**HEADERS, "Authorization": f"Bearer {self.token}"})
        try:
            with opener.open(request, timeout=self.timeout):
                raise GitHubProblem("GitHub sent an artifact without pointing to its storage.")
        except urllib.error.HTTPError as answer:
            location = answer.headers.get("Location", "")
            if answer.code not in (301, 302, 303, 307) or not location.startswith(("https://", f"{_origin(base)}/")):
                raise
        with opener.open(urllib.request.Request(location), timeout=self.timeout) as stream:
            content = bytes(stream.read(limit + 1))
        if len(content) > limit:
            raise GitHubProblem(f"An artifact holds more than {limit:,} bytes.")
        return content


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


_NEXT = re.compile(r'<([^<>]+)>;\s*rel="next"')


def _next(link: str) -> str | None:
    match = _NEXT.search(link)
    return match[1] if match else None


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
