"""The hidden first line of everything Assay posts: how a later run knows its own words again. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_MARKER = re.compile(r"\A<!-- assay:(?P<kind>[a-z]+)(?P<fields>(?: [a-z]+=[A-Za-z0-9._-]+)*) -->")


@dataclass(frozen=True, slots=True)
class Marker:
    """`kind` is ``summary``, ``finding`` or ``review``; `fields` hold only letters, digits and `._-`."""

    kind: str
    fields: Mapping[str, str]

    def __str__(self) -> str:
        return f"<!-- assay:{self.kind}{''.join(f' {key}={value}' for key, value in self.fields.items())} -->"

    def get(self, name: str) -> str:
        return self.fields.get(name, "")


def read(body: str) -> Marker | None:
    """The marker of a body. It counts only as the very first characters: text of strangers never stands there."""
    match = _MARKER.match(body)
    if not match:
        return None
    pairs = (pair.partition("=") for pair in match["fields"].split())
    return Marker(match["kind"], {key: value for key, _, value in pairs})


def without(body: str) -> str:
    """The body after its marker."""
    return _MARKER.sub("", body, count=1).lstrip("\r\n")


def summary(identity: str, head_sha: str, run_id: int, attempt: int) -> Marker:
    return Marker("summary", {"id": identity, "sha": head_sha, "run": f"{run_id}.{attempt}"})


def finding(identity: str, fingerprint: str, target: str, state: str = "open") -> Marker:
    return findings(identity, [(fingerprint, target)], state)


def findings(identity: str, told: Sequence[tuple[str, str]], state: str = "open") -> Marker:
    """The marker of a comment that tells of several findings, given with their targets."""
    prints, targets = ".".join(fp for fp, _ in told), ".".join(target_key(target) for _, target in told)
    return Marker("finding", {"id": identity, "fp": prints, "target": targets, "state": state})


def target_key(target: str) -> str:
    """A target's name as a field of a marker."""
    return hashlib.sha256(target.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def run_order(marker: Marker) -> tuple[int, int]:
    """Later runs compare greater."""
    return order(marker.get("run"))


def order(text: str) -> tuple[int, int]:
    """``RUN.ATTEMPT`` as numbers, 0 where it is something else."""
    run, _, attempt = text.partition(".")
    return (int(run) if run.isdigit() else 0, int(attempt) if attempt.isdigit() else 0)
