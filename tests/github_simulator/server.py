"""The simulator's HTTP side: authentication, validation, permissions, paging, faults."""

from __future__ import annotations

import copy
import json
import socket
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from tests.github_simulator import graphql, validation
from tests.github_simulator.faults import ANSWERS, GRAPHQL_ANSWERS, Fault
from tests.github_simulator.routes import ROUTES, Call, Page, Redirect, Refused
from tests.github_simulator.state import BOT, State

ALL = frozenset({"contents", "pull_requests", "checks", "security_events", "actions"})
TOKEN = "simulated-token"
UNLIMITED = {"burst": 10**9, "hourly": 10**9, "points": 10**9, "graphql_points": 10**9}


@dataclass(frozen=True)
class Request:
    """A request as it came: `index` counts from 0 since the simulator started or was reset."""

    index: int
    method: str
    path: str
    query: dict[str, str]
    body: Any

    @property
    def label(self) -> str:
        """The request without numbers and commit ids: what it is about."""
        if self.path.endswith("/graphql"):
            query = self.body["query"]
            return "GRAPHQL " + next(
                (m for m in graphql.MUTATIONS if m in query), "reviewThreads" if "reviewThreads" in query else "viewer"
            )
        parts = ["N" if p.isdigit() else "SHA" if len(p) == 40 else p for p in self.path.split("/")]
        return f"{self.method} {'/'.join(parts)}"


@dataclass
class Simulator:
    """Use as a context manager. `description` names the server whose published description requests must follow.

    `hang` is how long a timing-out answer is held back: longer than the client waits.
    """

    state: State = field(default_factory=State)
    description: str = "api.github.com"
    permissions: frozenset[str] = ALL
    author: str = BOT
    reads: frozenset[str] = ALL  # what a token may read of a private repository, besides what it may write
    burst: int = 80  # requests that create content, in one minute
    hourly: int = 500  # the same, in one hour
    points: int = 900  # REST: a read is one point, a write five, in one minute
    graphql_points: int = 2000  # the same of GraphQL: a query is one point, a mutation five
    clock: Callable[[], float] = time.monotonic
    lag: float = 0.0  # seconds for which reads do not see a write: they are answered from copies
    _copies: list[tuple[float, State]] = field(default_factory=list)  # the state before each write of late
    _written: list[float] = field(default_factory=list)  # when content was created
    _spent: dict[str, list[tuple[float, int]]] = field(default_factory=dict)  # points of REST and of GraphQL
    hang: float = 1.3
    requests: list[Request] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    on_request: Callable[[Request], None] | None = None
    _server: ThreadingHTTPServer | None = None
    _faults: list[tuple[Callable[[Request], bool], Fault]] = field(default_factory=list)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    @property
    def prefix(self) -> str:
        return "" if self.description == "api.github.com" else "/api/v3"

    @property
    def site(self) -> str:
        if self._server is None:
            return "http://127.0.0.1"
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def url(self) -> str:
        return self.site + self.prefix

    @property
    def graphql_url(self) -> str:
        return self.site + ("/api/graphql" if self.prefix else "/graphql")

    def fail(self, fault: Fault, when: Callable[[Request], bool] | int) -> None:
        """Let one request fail: the first that `when` accepts, or the one with that index."""
        chosen = (lambda request, index=when: request.index == index) if isinstance(when, int) else when
        self._faults.append((chosen, fault))

    def forget_requests(self) -> None:
        self.requests.clear()
        self._written.clear()
        self._spent.clear()
        self._faults.clear()

    def __enter__(self) -> Simulator:
        simulator = self

        class Handler(_Handler):
            owner = simulator

        server = self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        self._thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()

    def answer(self, request: Request, token: str) -> tuple[int, Any, dict[str, str]]:
        """Status, body and headers; also for clients that need no connection."""
        if not self.lag or token != TOKEN:
            return self._answer(request, token)
        now = self.clock()
        self._copies = [(then, state) for then, state in self._copies if now - then < self.lag]
        if not self._is_read(request):
            self._copies.append((now, copy.deepcopy(self.state)))
            return self._answer(request, token)
        newest = self.state
        self.state = self._copies[0][1] if self._copies else newest
        try:
            return self._answer(request, token)
        finally:
            self.state = newest

    @staticmethod
    def _is_read(request: Request) -> bool:
        if request.path.endswith("/graphql"):
            return not any(name in request.body["query"] for name in graphql.MUTATIONS)
        return request.method == "GET"

    def _answer(self, request: Request, token: str) -> tuple[int, Any, dict[str, str]]:
        simulator = self
        if token != TOKEN:
            return 401, {"message": "Bad credentials"}, {}
        limited = simulator.too_fast(request)
        if limited:
            told = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
            return 403, {"message": told}, {"Retry-After": str(limited)}
        if request.path == urlsplit(simulator.graphql_url).path:
            try:
                told = graphql.answer(
                    simulator.state, simulator.author, simulator.permissions, request.body, simulator.reads
                )
                if told["data"] is None and not any("type" in error for error in told["errors"]):
                    simulator.violations.append(f"GraphQL: {told['errors']}")
                return 200, told, {}
            except KeyError as error:
                simulator.violations.append(f"GraphQL: {error!r}")
                return 400, {"message": "malformed query"}, {}
        if not request.path.startswith(simulator.prefix + "/"):
            return 404, {"message": "Not Found"}, {}
        path = request.path.removeprefix(simulator.prefix)
        operation = validation.find(simulator.description, request.method, path)
        if operation is None:
            simulator.violations.append(f"{request.method} {path} is not described")
            return 404, {"message": "Not Found"}, {}
        wrong = validation.problems(operation, request.query, request.body)
        if wrong:
            simulator.violations.append(f"{request.method} {path}: {'; '.join(wrong)}")
            return 422, {"message": f"Validation Failed: {'; '.join(wrong)}"}, {}
        function, permission, status = ROUTES[request.method, operation.path]
        match = operation.pattern.match(path)
        arguments = match.groups() if match else ()
        asked = "/".join(arguments[:2])
        if asked in simulator.state.former_names:
            new = request.path.replace(f"/repos/{asked}", f"/repos/{simulator.state.repository}", 1)
            query = f"?{urlencode(request.query)}" if request.query else ""
            moved = 301 if request.method == "GET" else 307
            return moved, {"message": "Moved Permanently", "url": new}, {"Location": f"{simulator.site}{new}{query}"}
        if asked != simulator.state.repository:
            return 404, {"message": "Not Found"}, {}
        if permission and permission not in simulator.permissions:
            return 403, {"message": "Resource not accessible by integration"}, {}
        needed = _reads(path)
        if simulator.state.private and needed and needed not in simulator.permissions | simulator.reads:
            return 403, {"message": "Resource not accessible by integration"}, {}
        call = Call(
            simulator.state, arguments[2:], request.query, request.body, simulator.author, simulator.url, simulator.site
        )
        try:
            result = function(call)
        except Refused as refused:
            return refused.status, {"message": str(refused)}, {}
        if isinstance(result, Redirect):
            return 302, None, {"Location": result.location}
        if isinstance(result, Page):
            return self._page(request, result)
        return status, result, {}

    def _page(self, request: Request, page: Page) -> tuple[int, Any, dict[str, str]]:
        size, number = int(request.query.get("per_page", 30)), max(1, int(request.query.get("page", 1)))
        shown = page.items[(number - 1) * size : number * size]
        last = max(1, -(-len(page.items) // size))

        def address(to: int) -> str:
            query = urlencode({**request.query, "per_page": size, "page": to})
            return f"<{self.site}{request.path}?{query}>"

        links = []
        if number < last:
            links += [f'{address(number + 1)}; rel="next"', f'{address(last)}; rel="last"']
        if number > 1:
            links += [f'{address(number - 1)}; rel="prev"', f'{address(1)}; rel="first"']
        answer = {"total_count": len(page.items), page.wrap: shown} if page.wrap else shown
        return 200, answer, {"Link": ", ".join(links)} if links else {}

    def too_fast(self, request: Request) -> int:
        """Seconds to wait where the secondary limits that GitHub documents are used up, else 0.

        900 points a minute for REST and 2,000 for GraphQL; 80 requests a minute and 500 an hour that create content,
        GraphQL's mutations among them.
        """
        now, reads = self.clock(), self._is_read(request)
        api, most = ("graphql", self.graphql_points) if request.path.endswith("/graphql") else ("rest", self.points)
        spent = self._spent[api] = [(then, p) for then, p in self._spent.get(api, ()) if 0 <= now - then < 60]
        cost = 1 if reads else 5
        if sum(points for _, points in spent) + cost > most:
            return max(1, round(60 - (now - spent[0][0])))
        creates = not reads and request.method != "DELETE"
        if creates:
            self._written = [then for then in self._written if 0 <= now - then < 3600]
            minute = [then for then in self._written if now - then < 60]
            for some, limit, seconds in ((minute, self.burst, 60), (self._written, self.hourly, 3600)):
                if len(some) >= limit:
                    return max(1, round(seconds - (now - some[0])))
            self._written.append(now)
        spent.append((now, cost))
        return 0

    def take_fault(self, request: Request) -> Fault | None:
        for entry in self._faults:
            if entry[0](request):
                self._faults.remove(entry)
                return entry[1]
        return None


def _reads(path: str) -> str:
    """The permission to read that a request of a private repository takes; every token may see the repository."""
    for part, permission in (
        ("/check-runs", "checks"),
        ("/pulls", "pull_requests"),
        ("/issues", "pull_requests"),
        ("/git/", "contents"),
        ("/commits/", "contents"),
        ("/code-scanning", "security_events"),
        ("/actions", "actions"),
    ):
        if part in path:
            return permission
    return ""


class _Handler(BaseHTTPRequestHandler):
    owner: Simulator
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are two packets: the second would wait for the first one's answer

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._serve()

    do_POST = do_PATCH = do_PUT = do_DELETE = do_GET

    def _serve(self) -> None:
        simulator = self.owner
        parts = urlsplit(self.path)
        length = int(self.headers.get("Content-Length") or 0)
        raw = self.rfile.read(length)
        body = json.loads(raw) if raw else None
        path = unquote(parts.path)
        with simulator._lock:
            request = Request(len(simulator.requests), self.command, path, dict(parse_qsl(parts.query)), body)
            simulator.requests.append(request)
            if simulator.on_request:
                simulator.on_request(request)
            fault = simulator.take_fault(request)
            stored = path.startswith("/_storage/")
            if not stored and (fault is None or fault.happens_after):
                token = (self.headers.get("Authorization") or "").rpartition(" ")[2]
                status, answer, headers = simulator.answer(request, token)
        if fault is None:
            if stored:
                return self._storage(int(path.rpartition("/")[2]))
            return self._send(status, answer, headers)
        if fault in (Fault.RESET, Fault.RESET_AFTER):
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            self.close_connection = True
            return None
        if fault is Fault.TIMEOUT:
            time.sleep(simulator.hang)
            self.close_connection = True
            return None
        if path.endswith("/graphql") and fault in GRAPHQL_ANSWERS:
            return self._send(200, {"data": None, **GRAPHQL_ANSWERS[fault]}, {})
        code, message, extra = ANSWERS[fault]
        return self._send(code, {"message": message}, extra)

    def _storage(self, artifact: int) -> None:
        """Another server: it refuses requests that carry the token."""
        if self.headers.get("Authorization"):
            self.owner.violations.append("the token was sent to the storage server")
            return self._send(400, {"message": "InvalidAuthenticationInfo"}, {})
        content = self.owner.state.artifacts[artifact].content
        self.send_response(200)
        self.send_header("Content-Type", "application/zip")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        return None

    def _send(self, status: int, answer: Any, headers: dict[str, str]) -> None:
        data = b"" if answer is None else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)
