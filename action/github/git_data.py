"""Git objects through the API, without a checkout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from action.github.transient_errors import GitHubProblem
from action.github.transport import Transport


@dataclass(frozen=True, slots=True)
class GitData:
    """Blobs, trees, commits and branches of one repository. Objects are named by content, so making one twice is
    harmless."""

    transport: Transport

    def branch(self, name: str) -> str | None:
        """The commit of a branch, or None. GET /repos/{owner}/{repo}/git/ref/{ref}"""
        try:
            return str(self.transport.get(f"/git/ref/heads/{quote(name)}")["object"]["sha"])
        except GitHubProblem as problem:
            if problem.status == 404:
                return None
            raise

    def message_and_tree(self, sha: str) -> tuple[str, str]:
        commit = self.transport.get(f"/git/commits/{sha}")
        return str(commit["message"]), str(commit["tree"]["sha"])

    def tree(self, sha: str) -> tuple[Mapping[str, str], bool]:
        """Paths of a tree and their blobs, and whether GitHub cut the list."""
        answer = self.transport.get(f"/git/trees/{sha}", {"recursive": "1"})
        return {i["path"]: i["sha"] for i in answer["tree"] if i["type"] == "blob"}, bool(answer.get("truncated"))

    def create_blob(self, content_base64: str) -> str:
        return self._make("/git/blobs", {"content": content_base64, "encoding": "base64"})

    def create_tree(self, blobs: Mapping[str, str]) -> str:
        entries = [{"path": path, "mode": "100644", "type": "blob", "sha": sha} for path, sha in sorted(blobs.items())]
        return self._make("/git/trees", {"tree": entries})

    def create_commit(self, message: str, tree: str, parents: Sequence[str]) -> str:
        return self._make("/git/commits", {"message": message, "tree": tree, "parents": list(parents)})

    def set_branch(self, name: str, sha: str, *, new: bool, force: bool = False) -> None:
        """Create or move a branch; moving fails with 422 when somebody else moved it meanwhile."""

        def done() -> Any:
            return True if self.branch(name) == sha else None

        if new:
            self.transport.call("POST", "/git/refs", {"ref": f"refs/heads/{name}", "sha": sha}, done=done)
        else:
            self.transport.call("PATCH", f"/git/refs/heads/{quote(name)}", {"sha": sha, "force": force}, done=done)

    def _make(self, path: str, data: Mapping[str, Any]) -> str:
        return str(self.transport.call("POST", path, data, again=True)["sha"])
