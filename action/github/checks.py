"""Check runs on a commit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from action.github.transport import Transport
from action.review import CheckRun

CHUNK = 50  # annotations in one request


@dataclass(frozen=True, slots=True)
class StoredCheck:
    id: int
    external_id: str
    completed: bool
    annotations: int


@dataclass(frozen=True, slots=True)
class Checks:
    """The check runs of one repository."""

    transport: Transport

    def of_commit(self, sha: str, name: str) -> tuple[StoredCheck, ...]:
        """GET /repos/{owner}/{repo}/commits/{ref}/check-runs"""
        parameters = {"check_name": name, "filter": "all"}
        items = self.transport.pages(f"/commits/{sha}/check-runs", parameters, "check_runs")
        return tuple(_stored(item) for item in items)

    def report(self, check: CheckRun) -> None:
        """A finished check run; annotations go in chunks, and the conclusion with the last of them.

        Where the latest run says the same it is left as it is, or continued if it was cut short.
        """
        present = self._same(check)
        if present and present.completed:
            return
        total = len(check.annotations)
        sent = present.annotations if present else 0
        if present is None:
            present = self._start(check)
            sent = min(CHUNK, total)
        identity = present.id
        while sent < total:
            upto = min(sent + CHUNK, total)
            output = _output(check, sent, upto)
            self.transport.call(
                "PATCH",
                f"/check-runs/{identity}",
                {"output": output},
                done=lambda upto=upto: self._annotated(identity, upto),  # type: ignore[misc]
            )
            sent = upto
        final = {"status": "completed", "conclusion": check.conclusion, "output": _output(check, 0, 0)}
        self.transport.call("PATCH", f"/check-runs/{identity}", final)

    def _same(self, check: CheckRun) -> StoredCheck | None:
        stored = self.of_commit(check.head_sha, check.name)
        latest = max(stored, key=lambda c: c.id, default=None)  # the one that counts for a required check
        return latest if latest and latest.external_id == check.external_id else None

    def _start(self, check: CheckRun) -> StoredCheck:
        data = {
            "name": check.name,
            "head_sha": check.head_sha,
            "status": "in_progress",
            "external_id": check.external_id,
            "output": _output(check, 0, CHUNK),
        }
        made = self.transport.call("POST", "/check-runs", data, done=lambda: self._same(check))
        return made if isinstance(made, StoredCheck) else _stored(made)

    def _annotated(self, identity: int, count: int) -> bool | None:
        return _stored(self.transport.get(f"/check-runs/{identity}")).annotations >= count or None


def _stored(item: Mapping[str, Any]) -> StoredCheck:
    count = int((item.get("output") or {}).get("annotations_count") or 0)
    return StoredCheck(int(item["id"]), item.get("external_id") or "", item["status"] == "completed", count)


def _output(check: CheckRun, start: int, end: int) -> dict[str, Any]:
    output: dict[str, Any] = {"title": check.title, "summary": check.summary}
    chosen = check.annotations[start:end]
    if chosen:
        output["annotations"] = [
            {
                "path": a.path,
                "start_line": a.start_line,
                "end_line": a.end_line,
                "annotation_level": a.level,
                "message": a.message,
                "title": a.title,
                **({"raw_details": a.details} if a.details else {}),
            }
            for a in chosen
        ]
    return output
