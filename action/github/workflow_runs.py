"""Workflow runs and the artifacts they leave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from action.github.transient_errors import GitHubProblem
from action.github.transport import Transport


@dataclass(frozen=True, slots=True)
class WorkflowRuns:
    """The workflow runs of one repository."""

    transport: Transport

    def commit(self, run_id: int) -> str:
        """The head commit of a workflow run. GET /repos/{owner}/{repo}/actions/runs/{run_id}"""
        return str(self.transport.get(f"/actions/runs/{run_id}")["head_sha"])

    def artifact(self, run_id: int, name: str, limit: int) -> bytes | None:
        """The newest artifact of that name as a zip file of at most `limit` bytes; None when there is none."""
        items = self._artifacts(run_id, name)
        if not items:
            return None
        newest = max(items, key=lambda item: int(item["id"]))
        if int(newest["size_in_bytes"]) > limit:
            raise GitHubProblem(f"The artifact `{name}` holds {newest['size_in_bytes']:,} bytes, more than {limit:,}.")
        return self.transport.download(f"/actions/artifacts/{newest['id']}/zip", limit)

    def holds(self, run_id: int, name: str) -> bool:
        """Whether a run has left an artifact of that name."""
        return bool(self._artifacts(run_id, name))

    def _artifacts(self, run_id: int, name: str) -> list[Mapping[str, Any]]:
        """GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts"""
        items = self.transport.pages(f"/actions/runs/{run_id}/artifacts", {"name": name}, "artifacts")
        return [item for item in items if item["name"] == name and not item["expired"]]
