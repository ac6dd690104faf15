"""The tutorial, as a reader follows it: every command in a fresh folder, with the exit code it announces."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.md"
BLOCK = re.compile(r"^```bash *([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_every_command_of_the_tutorial(tmp_path: Path) -> None:
    blocks = [(how, text) for how, text in BLOCK.findall(PAGE.read_text()) if how != "install"]
    lines = ["set -u"]
    for how, text in blocks:
        code = int(how.removeprefix("exits")) if how else 0
        lines += [*text.splitlines(), f'[ "$?" = {code} ] || {{ echo "FAILED: exit $? for:"; exit 99; }}']
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "COLUMNS": "200"}
    done = subprocess.run(
        ["bash", "-c", "\n".join(lines)], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "log-of-nonpositive" in done.stdout
    assert done.stdout.count("nothing blocks") == 1
    assert len(blocks) == 5
