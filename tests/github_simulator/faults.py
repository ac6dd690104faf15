"""Faults: what can happen once to a request."""

from __future__ import annotations

from enum import StrEnum


class Fault(StrEnum):
    FORBIDDEN = "403 permission"
    SECONDARY = "403 secondary"
    TOO_MANY = "429 secondary"
    PRIMARY = "primary limit"
    SERVER_ERROR = "500"
    BAD_GATEWAY_AFTER = "502 after the write happened"
    TIMEOUT = "timeout after the write happened"
    RESET = "connection reset"
    RESET_AFTER = "connection reset after the write happened"

    @property
    def happens_after(self) -> bool:
        """Whether the request has its effect although the answer says otherwise, or never comes."""
        return self in (Fault.BAD_GATEWAY_AFTER, Fault.TIMEOUT, Fault.RESET_AFTER)


# GraphQL reports its limit, and its own timeouts, with status 200.
GRAPHQL_ANSWERS: dict[Fault, dict[str, object]] = {
    Fault.PRIMARY: {"errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded for installation ID 1."}]},
    Fault.FORBIDDEN: {"errors": [{"type": "FORBIDDEN", "message": "Resource not accessible by integration"}]},
    Fault.SERVER_ERROR: {"errors": [{"message": "Something went wrong while executing your query."}]},
}
ANSWERS: dict[Fault, tuple[int, str, dict[str, str]]] = {
    Fault.FORBIDDEN: (403, "Resource not accessible by integration", {}),
    Fault.SECONDARY: (
        403,
        "You have exceeded a secondary rate limit. Please wait a few minutes.",
        {"Retry-After": "1"},
    ),
    Fault.TOO_MANY: (429, "API rate limit exceeded", {"Retry-After": "1"}),
    Fault.PRIMARY: (
        403,
        "API rate limit exceeded for installation ID 1.",
        {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"},
    ),
    Fault.SERVER_ERROR: (500, "Internal Server Error", {}),
    Fault.BAD_GATEWAY_AFTER: (502, "Bad Gateway", {}),
}
