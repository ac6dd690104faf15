"""Where rendered graphs are kept so that a comment can show them: on a branch of their own, through the Git data API.

GitHub has no address to upload a picture for a comment. A branch without common history with the code works in public
repositories; in private ones such an address shows nothing, so the picture stays in the run's artifact.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from datetime import date, timedelta
from urllib.parse import quote

from action.github import GitHub, GitHubProblem
from action.settings import Pictures

KEEP_DAYS = 90  # as long as GitHub keeps artifacts by default; reviews that old are history
PICTURE_LIMIT = 2_000_000  # bytes
AT_MOST = 6  # pictures of one review
CUT_HISTORY_AFTER = 50  # commits; then the branch starts anew, or it would grow for ever
_PLACE = re.compile(r"^(?P<day>\d{4}-\d{2}-\d{2})/(?P<digest>[0-9a-f]{24})\.png\Z")
_COUNT = re.compile(r"\((\d{1,6})\)\Z")


def place(wanted: Pictures, *, private: bool, read_only: bool) -> Pictures:
    """Where pictures go: what was asked for, as far as the token and the visibility allow it."""
    if wanted is Pictures.NONE:
        return wanted
    if read_only or wanted is Pictures.ARTIFACT or (wanted is Pictures.AUTO and private):
        return Pictures.ARTIFACT
    return Pictures.BRANCH


def store(
    github: GitHub, branch: str, pictures: Mapping[str, bytes], today: date, server_url: str
) -> Mapping[str, str]:
    """Keep PNG `pictures` on `branch` and return their addresses. A picture that is there already is not stored again.

    Pictures older than `KEEP_DAYS` leave the branch. Raises GitHubProblem; nothing is half done then.
    """
    chosen = {n: c for n, c in sorted(pictures.items()) if c.startswith(b"\x89PNG") and len(c) <= PICTURE_LIMIT}
    chosen = dict(list(chosen.items())[:AT_MOST])
    if not chosen:
        return {}
    for last in (False, False, True):
        try:
            places = _store(github, branch, chosen, today)
            break
        except GitHubProblem as problem:
            if problem.status != 422 or last:  # somebody else moved the branch: look again
                raise
    return {name: address(server_url, github.repository, branch, path) for name, path in places.items()}


def address(server_url: str, repository: str, branch: str, path: str) -> str:
    """Where a browser finds the file."""
    tail = f"{quote(branch)}/{quote(path)}"
    if server_url == "https://github.com":
        return f"https://raw.githubusercontent.com/{repository}/{tail}"
    return f"{server_url}/{repository}/raw/{tail}"


def _store(github: GitHub, branch: str, pictures: Mapping[str, bytes], today: date) -> Mapping[str, str]:
    tip = github.git.branch(branch)
    present: Mapping[str, str] = {}
    count = 0
    if tip:
        message, tree = github.git.message_and_tree(tip)
        match = _COUNT.search(message)
        count = int(match[1]) if match else 0
        present, _ = github.git.tree(tree)
    kept = {path: sha for path, sha in present.items() if _is_recent(path, today)}
    known = {match["digest"]: path for path in kept if (match := _PLACE.match(path))}
    places: dict[str, str] = {}
    fresh: dict[str, str] = {}
    for name, content in pictures.items():
        digest = hashlib.sha256(content).hexdigest()[:24]
        places[name] = known.get(digest) or f"{today.isoformat()}/{digest}.png"
        if digest not in known:
            fresh[places[name]] = github.git.create_blob(base64.b64encode(content).decode())
    if not fresh and len(kept) == len(present):
        return places
    again = count >= CUT_HISTORY_AFTER
    tree = github.git.create_tree({**kept, **fresh})
    number = 1 if again else count + 1
    commit = github.git.create_commit(
        f"Pictures of Assay's reviews ({number})", tree, [tip] if tip and not again else []
    )
    github.git.set_branch(branch, commit, new=tip is None, force=again)
    return places


def _is_recent(path: str, today: date) -> bool:
    match = _PLACE.match(path)
    try:
        return bool(match) and date.fromisoformat(path[:10]) > today - timedelta(days=KEEP_DAYS)
    except ValueError:
        return False
