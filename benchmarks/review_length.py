"""How long the demo's review is before anything is unfolded, in words and pixels, by this code or another tree's.

    python -m benchmarks.review_length --report assay-demo/repository/assay-report [--code TREE]

The report of a demo that has run is posted again by the action, to the simulator, by the code of TREE (a checkout of
Assay; default: this one), and its page is measured. Needs Chromium and Playwright.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DESK, PHONE = 1040, 390  # pixels, as scripts/pictures.py takes them

# In the other tree: fields of the report that its code does not know are left out.
POST = """
import dataclasses, json, runpy, sys
from pathlib import Path
sys.path.insert(0, ".")
from action.demo.run import run_demo
from analyzer.findings import Finding, TargetReport
report, kept, out = map(Path, sys.argv[1:])
data = json.loads((report / "report.json").read_text())
for key, cls in (("targets", TargetReport), ("findings", Finding), ("fixed", Finding)):
    known = {f.name for f in dataclasses.fields(cls)} | {"fingerprint"}
    data[key] = [{k: v for k, v in item.items() if k in known} for item in data[key]]
for finding in data["findings"] + data["fixed"]:
    if finding["location"]:
        finding["location"].pop("column", None)
kept.mkdir()
(kept / "report.json").write_text(json.dumps(data))
replay = runpy.run_path("scripts/pictures.py")["Replay"](kept)
run_demo(out, lambda _: None, launch=replay.launch)
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", type=Path, required=True, help="the folder `assay-report` that a demo has left")
    parser.add_argument("--code", type=Path, default=ROOT, help="the checkout whose code posts it")
    parser.add_argument("--pictures", type=Path, help="a folder for what was measured, as PNG")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch, "demo")
        program = [sys.executable, "-c", POST, str(options.report.resolve()), str(Path(scratch, "report")), str(out)]
        subprocess.run(program, cwd=options.code, check=True)
        measure(out / "review.html", options.pictures)
    return 0


def measure(page: Path, pictures: Path | None) -> None:
    """Prints words and heights of the summary comment and of the comments on lines."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for element, called in (("section.comment", "summary"), ("section.remark", "comments on lines")):
            seen, every, high = 0, 0, []
            for width in (DESK, PHONE):
                tab = browser.new_page(viewport={"width": width, "height": 900}, color_scheme="light")
                tab.goto(page.as_uri())
                found = tab.locator(element).all()
                texts = [f.locator(".body").inner_text() for f in found]
                seen, every = sum(len(t.split()) for t in texts), sum(len(f.text_content().split()) for f in found)
                high.append(sum((f.bounding_box() or {"height": 0})["height"] for f in found))
                if pictures is not None and found:
                    pictures.mkdir(parents=True, exist_ok=True)
                    found[0].screenshot(path=pictures / f"{called.split()[0]}-{width}.png")
                tab.close()
            print(
                f"{called} ({len(found)}): {seen} words seen, {every} in all; {high[0]:.0f} px, phone {high[1]:.0f} px"
            )
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
