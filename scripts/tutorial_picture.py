"""Make the picture of the tutorial anew: what its first commands print in a terminal.

    python scripts/tutorial_picture.py

Follows `docs/tutorial.md` in a fresh folder, up to the first review. Needs Chromium and Playwright.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import DEFAULT_TERMINAL_THEME
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
COLUMNS = 106  # what the tutorial's page shows without scrolling
PROGRESS = re.compile("[\u2800-\u28ff]")  # the spinner, which a terminal overwrites
SHOWN = ("assay init --yes", "assay check")


def main() -> int:
    blocks = re.findall(r"^```bash[^\n]*\n(.*?)^```$", (ROOT / "docs/tutorial.md").read_text("utf-8"), re.M | re.S)
    shown = next(i for i, block in enumerate(blocks) if block.strip() == SHOWN[-1])
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        environment = {
            **os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT), "FORCE_COLOR": "1", "COLUMNS": str(COLUMNS),
        }  # fmt: skip
        for block in (b.strip() for b in blocks[1 : shown + 1]):
            ran = subprocess.run(["bash", "-c", block], cwd=folder, env=environment, capture_output=True, text=True)
            folder = next((d for d in folder.iterdir() if d.is_dir() and block.startswith("mkdir")), folder)
            if block in SHOWN:
                console.print(f"$ {block}", highlight=False)
                lines = (ran.stdout + ran.stderr).splitlines()
                kept = [line for line in lines if not PROGRESS.search(line)]
                console.print(Text.from_ansi("\n".join(kept)), soft_wrap=True)
        page = Path(scratch) / "terminal.html"
        style = "<style>pre { font-size: 13px; padding: 12px; margin: 0; white-space: pre-wrap }</style>"
        page.write_text(console.export_html(theme=DEFAULT_TERMINAL_THEME) + style, encoding="utf-8")
        _shoot(page, ROOT / "docs/pictures/init.png")
    return 0


def _shoot(page: Path, target: Path) -> None:
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page(viewport={"width": 900, "height": 700})
        tab.goto(page.as_uri())
        tab.locator("pre").screenshot(path=target)
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
