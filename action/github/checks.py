"""Check runs on a commit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from action.github.transport import Transport
from action.review import CheckAnnotation, CheckRun

CHUNK = 50  # annotations in one request


@dataclass(frozen=True, slots=True)
class StoredCheck:
    """A check run that is there. `author` is the App's login, as its comments have it."""

    id: int
    external_id: str
    completed: bool
    annotations: int
    author: str


@dataclass(frozen=True, slots=True)
class Checks:
    """The check runs of one repository."""

    transport: Transport

    def of_commit(self, sha: str, name: str) -> tuple[StoredCheck, ...]:
        """GET /repos/{owner}/{repo}/commits/{ref}/check-runs"""
        parameters = {"check_name": name, "filter": "all"}
        items = self.transport.pages(f"/commits/{sha}/check-runs", parameters, "check_runs")
        return tuple(_stored(item) for item in items)

    def annotations(self, identity: int) -> tuple[CheckAnnotation, ...]:
        """GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations"""
        items = self.transport.pages(f"/check-runs/{identity}/annotations")
        return tuple(
            CheckAnnotation(
                path=item["path"],
                start_line=int(item["start_line"]),
                end_line=int(item["end_line"]),
                level=item["annotation_level"],
                message=item["message"],
                title=item.get("title") or "",
                details=item.get("raw_details") or "",
            )
            for item in items
        )

    def create(self, body: Mapping[str, Any], done: Callable[[], StoredCheck | None]) -> StoredCheck:
        """POST /repos/{owner}/{repo}/check-runs. `done` finds it when the answer was lost."""
        made = self.transport.call("POST", "/check-runs", dict(body), done=done)
        return made if isinstance(made, StoredCheck) else _stored(made)

    def create_concluded(self, check: CheckRun, done: Callable[[], StoredCheck | None]) -> int:
        """A check run that is finished from the start, with as many annotations as one request may hold."""
        body = {"name": check.name, "head_sha": check.head_sha, **_conclusion(check, check.annotations)}
        return self.create(body, done).id

    def update(self, identity: int, body: Mapping[str, Any]) -> None:
        """PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}"""
        self.transport.call("PATCH", f"/check-runs/{identity}", dict(body))

    def conclude(self, identity: int, check: CheckRun, annotations: Sequence[CheckAnnotation], before: int = 0) -> int:
        """Status, conclusion, text and the first annotations in one request. `before`: annotations that are there.

        GitHub adds annotations, so a repeated request must know whether the first one arrived.
        """
        self.transport.call(
            "PATCH",
            f"/check-runs/{identity}",
            _conclusion(check, annotations),
            done=lambda: self._annotated(identity, before + len(annotations[:CHUNK]), concluded=True),
        )
        return identity

    def annotate(self, identity: int, check: CheckRun, annotations: Sequence[CheckAnnotation], before: int = 0) -> None:
        """Add the annotations beyond those that the conclusion took along."""
        for start in range(CHUNK, len(annotations), CHUNK):
            upto = min(start + CHUNK, len(annotations))
            self.transport.call(
                "PATCH",
                f"/check-runs/{identity}",
                {"output": _output(check, annotations[start:upto])},
                done=lambda upto=upto: self._annotated(identity, before + upto),  # type: ignore[misc]
            )

    def _annotated(self, identity: int, count: int, *, concluded: bool = False) -> bool | None:
        stored = _stored(self.transport.get(f"/check-runs/{identity}"))
        return (stored.annotations >= count and (stored.completed or not concluded)) or None


def _stored(item: Mapping[str, Any]) -> StoredCheck:
    count = int((item.get("output") or {}).get("annotations_count") or 0)
    author = f"{(item.get('app') or {}).get('slug') or ''}[bot]"
    return StoredCheck(int(item["id"]), item.get("external_id") or "", item["status"] == "completed", count, author)


def _conclusion(check: CheckRun, annotations: Sequence[CheckAnnotation]) -> dict[str, Any]:
    return {
        "status": "completed",
        "conclusion": check.conclusion,
        "external_id": check.external_id,
        "output": _output(check, annotations[:CHUNK]),
    }


def _output(check: CheckRun, annotations: Sequence[CheckAnnotation]) -> dict[str, Any]:
    output: dict[str, Any] = {"title": check.title, "summary": check.summary}
    if annotations:
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
            for a in annotations
        ]
    return output
