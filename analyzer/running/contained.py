"""`python -m analyzer.running.contained`: one target, one revision, inside a container that serves nothing else.

The front put ``request`` (a pickle: from it to us, never back) beside the folder for results, and mounted the trees.
The answer goes back as JSON with the files that findings point to. What a library prints goes to standard error.
"""

from __future__ import annotations

import io
import json
import os
import pickle
import sys
import tempfile
from pathlib import Path

from analyzer.findings import slug
from analyzer.running.outcome import Surroundings
from analyzer.running.request import BROKE_OFF, FILES_LIMIT, OUTCOME, REQUEST, Request
from analyzer.running.target_run import EnginesNeeded, run_target
from analyzer.walls.archive import files_below, pack
from analyzer.walls.protocol import OUTPUT
from analyzer.walls.relayed import TREES, RelayedWall, standard_streams


def main() -> None:
    request: Request = pickle.loads(Path(REQUEST).read_bytes())  # written by the front, in a folder that is read-only
    channel = standard_streams(*filter(None, (request.side, request.base)))
    output = Path(OUTPUT).resolve()
    where = Surroundings(
        root=TREES / request.side,
        output=output,
        config=request.config,
        sandbox=RelayedWall(channel) if request.code else None,
        base_root=TREES / request.base if request.base else None,
        contained=True,
        engines=request.engines,
    )
    try:
        outcome = run_target(request.target, where, lambda stage: channel.tell({"op": "stage", "stage": stage}))
    except EnginesNeeded:
        channel.tell({"op": "answer", "engines": "needed"}, io.BytesIO())
        os._exit(0)
    produced = output / "targets" / slug(request.target.id)
    files: dict[str, bytes | Path] = {OUTCOME: json.dumps(outcome.to_json()).encode()}
    if produced.is_dir():
        files |= {f"targets/{produced.name}/{name}": path for name, path in files_below(produced)}
    with tempfile.TemporaryFile() as archive:
        pack(files, FILES_LIMIT, archive)
        channel.tell({"op": "answer"}, archive)
    os._exit(0)  # no atexit handlers of libraries that the analyses have loaded


if __name__ == "__main__":
    try:
        main()
    except BaseException:
        import traceback

        traceback.print_exc()
        sys.exit(BROKE_OFF)
