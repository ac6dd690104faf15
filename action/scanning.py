"""A report as code scanning takes it through the API: SARIF that names this use of Assay, gzip, base64. Pure."""

from __future__ import annotations

import base64
import gzip
import json
from dataclasses import replace

from action.github.transient_errors import GitHubProblem
from analyzer.findings import Report
from analyzer.rendering.sarif import to_sarif

RESULTS = 5_000  # of more, GitHub ignores all but the worst
COMPRESSED_LIMIT = 10_000_000  # bytes


def upload(report: Report, identity: str) -> str:
    """The same text for the same report; several uses in one repository are kept apart by their category.

    Raises GitHubProblem when GitHub would refuse it for its size.
    """
    data = to_sarif(replace(report, findings=report.findings[:RESULTS]))
    for run in data["runs"]:
        run["automationDetails"] = {"id": f"assay/{identity}/"}
    packed = gzip.compress(
        json.dumps(data, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace"), mtime=0
    )
    if len(packed) > COMPRESSED_LIMIT:
        raise GitHubProblem(f"the SARIF file holds {len(packed):,} bytes, more than {COMPRESSED_LIMIT:,}.")
    return base64.b64encode(packed).decode()
