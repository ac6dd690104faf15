"""GitHub's published webhook payloads for the events that Assay serves.

    npm pack @octokit/webhooks-examples@7.6.1 && tar xzf octokit-webhooks-examples-7.6.1.tgz
    python tests/action/webhook_examples.py package/api.github.com

writes ``webhook_examples.json.gz`` beside this file.
"""

from __future__ import annotations

import gzip
import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

EVENTS = ("merge_group", "pull_request", "push", "workflow_dispatch", "workflow_run")
FILE = Path(__file__).with_name("webhook_examples.json.gz")


@cache
def examples() -> dict[str, dict[str, Any]]:
    """Event -> name of the example -> payload."""
    loaded: dict[str, dict[str, Any]] = json.loads(gzip.decompress(FILE.read_bytes()))
    return loaded


def main(folder: Path) -> None:
    published = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    found = {
        event["name"]: {f"{event['name']}-{n}-{e.get('action', '')}": e for n, e in enumerate(event["examples"])}
        for event in published
        if event["name"] in EVENTS
    }
    FILE.write_bytes(gzip.compress(json.dumps(found, separators=(",", ":")).encode(), 9, mtime=0))
    print({event: len(named) for event, named in found.items()})


if __name__ == "__main__":
    main(Path(sys.argv[1]))
