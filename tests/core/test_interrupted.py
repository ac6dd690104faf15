"""Ctrl-C at any moment: one sentence, exit code 130, no traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("module", ["numpy", "analyzer.running.pipeline"])
def test_an_interrupt_while_modules_load(tmp_path: Path, module: str) -> None:
    """The interrupt comes when `module` is looked for: a finder of the test raises it there."""
    code = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's background jobs ignore it
        "class Interrupt:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}:\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "import analyzer.commands.cli as cli\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "sys.exit(cli.main(['check']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])})  # fmt: skip
    assert "Traceback" not in done.stderr
    assert done.stderr.strip().endswith("stopped.")
    assert done.returncode == 128 + signal.SIGINT
