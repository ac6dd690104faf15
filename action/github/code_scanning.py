"""Results for code scanning."""

from __future__ import annotations

from dataclasses import dataclass

from action.github.transient_errors import GitHubProblem
from action.github.transport import Transport

LOOKS = 5  # how often the state of an upload is asked for
BETWEEN_LOOKS = 2.0  # seconds


@dataclass(frozen=True, slots=True)
class CodeScanning:
    """The code scanning of one repository."""

    transport: Transport

    def upload(self, sarif: str, commit: str, ref: str) -> None:
        """Hand in a SARIF file, gzipped and base64-encoded, and see it accepted.

        POST /repos/{owner}/{repo}/code-scanning/sarifs. Handing in the same file again changes nothing. GitHub works
        on it after its answer; a refusal raises GitHubProblem, work that goes on for long is not waited for.
        """
        data = {"commit_sha": commit, "ref": ref, "sarif": sarif}
        answer = self.transport.call("POST", "/code-scanning/sarifs", data, again=True)
        for _ in range(LOOKS):
            state, reason = self._state(str(answer["id"]))
            if state == "failed":
                raise GitHubProblem(f"GitHub refused the results: {reason}.")
            if state == "complete":
                return
            self.transport.budget.wait(BETWEEN_LOOKS, "GitHub is still reading the results")

    def _state(self, identity: str) -> tuple[str, str]:
        """GET /repos/{owner}/{repo}/code-scanning/sarifs/{sarif_id}; it may not be known at once."""
        try:
            answer = self.transport.get(f"/code-scanning/sarifs/{identity}")
        except GitHubProblem as problem:
            if problem.status == 404:
                return "pending", ""
            raise
        errors = answer.get("errors") or []
        return str(answer.get("processing_status") or "pending"), "; ".join(map(str, errors[:3])).rstrip(".")
