"""Make the pictures of docs/pictures anew: a review of the demo pull request, as seen on a desk and on a phone.

    python scripts/pictures.py                      runs the demo first (some minutes)
    python scripts/pictures.py --report FOLDER      takes the report of a demo that has run (FOLDER/report.json)

Needs Chromium and Playwright. The comments go through the real action and the GitHub simulator in either case.
"""

from __future__ import annotations

import argparse
import io
import json
import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from action.__main__ import main as action_main  # noqa: E402
from action.demo.run import Demo, run_demo  # noqa: E402
from action.github import GitHub, RetryBudget  # noqa: E402
from action.run import Outside  # noqa: E402
from analyzer.findings import Report  # noqa: E402
from analyzer.rendering import files  # noqa: E402
from analyzer.rendering.report_json import from_json  # noqa: E402

FOLDER = ROOT / "docs" / "pictures"
DESK, PHONE = 1040, 390
SETTLED = 700  # milliseconds in which a page has scrolled to where a script sent it
SCALE = {DESK: 1, PHONE: 2}


@dataclass(frozen=True)
class Picture:
    """An element of a page, at most `height` pixels of it, after a script has opened what should be open."""

    name: str
    page: str
    element: str
    height: int
    script: str = ""


OPEN_CHECK = "document.querySelectorAll('.check details').forEach((d, i) => { if (!i) d.open = false })"
SHOWN_IN_GRAPH = "document.querySelector('button.goto')?.click()"
WITH_CHANGE = "section.remark:has(code.suggestion)"
PICTURES = (
    Picture("review", "review.html", "section.comment", 900),
    Picture("comment", "review.html", WITH_CHANGE, 900, "document.querySelectorAll('.remark details')[0].open = true"),
    Picture("check", "review.html", "section.check", 760, OPEN_CHECK),
    Picture("page", "report.html", "body", 1000),
    Picture("page-graph", "report.html", "section[aria-labelledby=h-graph]", 900, SHOWN_IN_GRAPH),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", type=Path, help="the folder `assay-report` that a demo has left")
    parser.add_argument("--out", type=Path, default=FOLDER)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        launch = Replay(options.report).launch if options.report else None
        demo = run_demo(Path(scratch) / "demo", print, launch=launch)
        take(demo, options.out)
        graphs = sorted(demo.report.rglob("deviation-1.png"))
        if graphs:
            shutil.copyfile(graphs[0], options.out / "graph.png")
    return 0


@dataclass(frozen=True)
class Replay:
    """The action with a report that was made before: everything but the analyses happens again."""

    folder: Path

    def launch(self, environment: Mapping[str, str], log: Path) -> int:
        stored = from_json(json.loads((self.folder / "report.json").read_text(encoding="utf-8")))
        report = replace(stored, targets=tuple(replace(t, pictures=()) for t in stored.targets))

        def analyse(*_: Any, **__: Any) -> Report:
            return report

        outside = Outside(
            github=lambda s: GitHub(s.repository, s.api_url, s.graphql_url, s.token, RetryBudget(pause=0)),
            sandbox=lambda settings, plan, base: (None, None),
            pipeline=analyse,
            write=files.write,
        )
        stream = io.StringIO()
        code = action_main(dict(environment), stream, outside)
        log.write_text(stream.getvalue(), encoding="utf-8")
        return code


def take(demo: Demo, out: Path) -> None:
    """One PNG a picture and width."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    pages = {"review.html": demo.page, "report.html": demo.report / "report.html"}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for picture in PICTURES:
            for width in (DESK, PHONE):
                target = out / f"{picture.name}{'-phone' if width == PHONE else ''}.png"
                context = browser.new_context(
                    viewport={"width": width, "height": 900}, device_scale_factor=SCALE[width], color_scheme="light"
                )
                tab = context.new_page()
                tab.goto(pages[picture.page].as_uri())
                if picture.script:
                    tab.evaluate(picture.script)
                    tab.wait_for_timeout(SETTLED)
                box = tab.locator(picture.element).first.bounding_box()
                if box is None:
                    print(f"{target.name}: nothing on the page is `{picture.element}`")
                    continue
                box["y"] += tab.evaluate("scrollY")  # a script may have scrolled; the clip is one of the whole page
                clip = {**box, "height": min(box["height"], picture.height)}
                tab.screenshot(path=target, clip=clip, full_page=True)
                context.close()
                print(f"{target.name}: {clip['width']:.0f} × {clip['height']:.0f}")
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
