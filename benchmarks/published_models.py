"""Published architectures that nobody here wrote: what blocks, what is only possible, what is not exported.

    python benchmarks/published_models.py --packages NAMES.txt --work FOLDER [--most 8] [--of 150]
    python benchmarks/published_models.py --work FOLDER --report

`NAMES.txt` holds packages, one a line, drawn by a seed, taken in order until `--of` architectures are checked.
With `--together` the entries of a package share processes (`published_warm`), which costs a fraction of the time.
An architecture is an entry point: the examples of the package's own README as `assay init` reads them (`--most` a
package, drawn by its name; losses included where the example computes one), and the functions of
`published_entries/PACKAGE.py` beside this file. The package's sources are the project, so findings stand on its
lines. A package that does not install, or has neither, is skipped, which is said. Each architecture gets its own
`assay check`; FOLDER/results.jsonl is added to line by line, so a run can be stopped and goes on where it was. Packages
are installed without what they require: what is missing in this environment shows as an entry that cannot be imported,
which is counted apart from failed exports.
"""

from __future__ import annotations

import argparse
import email
import json
import random
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]
ENTRIES = Path(__file__).parent / "published_entries"

CONFIG = """version: 1
timeout: {timeout}
targets:
  - {{id: {name}, entry: "{file}:{function}"}}
"""


# A torchvision built for CUDA finds no operators of its own beside a torch for CPU and cannot be imported without this.
NMS = """
import torch

for name in ("nms", "qnms"):
    torch.library.define(f"torchvision::{name}", "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
"""


def install(package: str, folder: Path) -> bool:
    """The package alone, without what it requires, in a folder of its own."""
    if folder.is_dir():
        return any(folder.iterdir())
    folder.mkdir(parents=True)
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-compile", "-t", str(folder), package]
    try:
        return subprocess.run(command, capture_output=True, timeout=180, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def project_of(package: str, folder: Path, examples: bool = True) -> list[tuple[str, str]]:
    """Makes the installed folder a project with entry points; returns their (file, function) in order.

    Without `examples` of its README, which large packages take minutes to be read for.
    """
    from analyzer.selecting.example_calls import example_calls, written
    from analyzer.selecting.model_code import read_model_code

    for metadata in folder.glob("*.dist-info/METADATA"):
        message = email.message_from_string(metadata.read_text(encoding="utf-8", errors="replace"))
        (folder / "README.md").write_text(str(message.get_payload()), encoding="utf-8")
    found = []
    calls = example_calls(read_model_code(folder)) if examples else ()
    if calls:
        (folder / "assay_models.py").write_text(written(calls), encoding="utf-8")
        text = (folder / "assay_models.py").read_text(encoding="utf-8")
        (folder / "assay_models.py").write_text(text + NMS, encoding="utf-8")
        found = [("assay_models.py", call.name) for call in calls]
    own = ENTRIES / f"{package.replace('-', '_')}.py"
    if own.is_file():
        shutil.copy(own, folder / "assay_entries.py")
        found += [("assay_entries.py", name) for name in re.findall(r"^def ([a-z]\w*)\(\)", own.read_text(), re.M)]
    return found


def check(folder: Path, file: str, function: str, only: str, timeout: int) -> dict[str, Any]:
    """What `assay check` says of one entry point."""
    (folder / ".assay.yml").write_text(CONFIG.format(timeout=timeout, name=function, file=file, function=function))
    out = folder.parent.parent / "reports" / f"{folder.name}-{function}"
    shutil.rmtree(out, ignore_errors=True)
    started = time.perf_counter()
    command = [sys.executable, "-m", "analyzer", "check", "--sandbox=process", f"--only={only}", f"--out={out}"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    result = {"exit": run.returncode, "seconds": round(time.perf_counter() - started, 1)}
    if not (out / "report.json").exists():
        return {**result, "status": "no report", "error": run.stderr[-400:]}
    report = json.loads((out / "report.json").read_text())
    target = report["targets"][0]
    shown = ("level", "confidence", "rule", "message", "node", "location", "reproducer")
    return {
        **result,
        "status": target["status"],
        "error": target.get("error"),
        "nodes": target.get("nodes"),
        "unsafe": target.get("unsafe_operators"),
        "findings": [
            {**{k: f.get(k) for k in shown}, "evidence": (f.get("evidence") or {}).get("sentences")}
            for f in report["findings"]
        ],
    }


Check = Callable[[Path, Sequence[tuple[str, str]]], Iterator[tuple[str, dict[str, Any]]]]


def study(packages: list[str], work: Path, most: int, wanted: int, checks: Check) -> None:
    """Goes through the packages until `wanted` architectures are checked; `checks` gives a row for each entry."""
    results = work / "results.jsonl"
    done = {(r["package"], r["entry"]) for r in rows(results)}
    count = sum(bool(r["entry"]) and not foreign(r) for r in rows(results))
    for package in packages:
        if count >= wanted:
            return
        if (package, "") in done:
            continue
        folder = work / "packages" / package
        entries = project_of(package, folder, most > 0) if install(package, folder) else []
        if not entries:
            _add(results, {"package": package, "entry": "", "status": "skipped"})
        examples = [e for e in entries if e[0] == "assay_models.py"]
        chosen = random.Random(package).sample(examples, min(most, len(examples)))
        chosen += [e for e in entries if e[0] != "assay_models.py"]
        left = [e for e in chosen if (package, e[1]) not in done][: wanted - count]
        for function, row in checks(folder, left) if left else ():
            _add(results, {"package": package, "entry": function, **row})
            count += not foreign(row)
            print(_line({"package": package, "entry": function, **row}), flush=True)


def rows(path: Path) -> Iterator[dict[str, Any]]:
    if path.is_file():
        yield from (json.loads(line) for line in path.read_text().splitlines())


def _add(path: Path, row: dict[str, Any]) -> None:
    with path.open("a") as file:
        file.write(json.dumps(row) + "\n")


def _errors(row: dict[str, Any], blocking: bool) -> list[dict[str, Any]]:
    """Errors that block a merge, or those that are only possible."""
    proved = ("proved", "confirmed")
    return [f for f in row.get("findings") or [] if f["level"] == "error" and (f["confidence"] in proved) is blocking]


def foreign(row: dict[str, Any]) -> bool:
    """Whether the entry failed for want of a library, a download or a device: nothing of Assay's."""
    wanting = (
        r"No module named|is not installed|load this library|urlopen|cannot import name|ImportError|download|URLError|"
        r"HTTPError|CUDA|No such file"
    )
    return row["status"] != "analysed" and bool(re.search(wanting, str(row.get("error"))))


def _line(row: dict[str, Any]) -> str:
    unsafe = row.get("unsafe") or {}
    return (
        f"| {row['package']}/{row['entry']} | {row['status']} | {unsafe.get('safe')} of {unsafe.get('checked')} | "
        f"{len(_errors(row, True))} | {len(_errors(row, False))} | {row.get('seconds')} |"
    )


def report(work: Path) -> None:
    """The table, and every block and possible error in full."""
    every = list(rows(work / "results.jsonl"))
    counted = [r for r in every if r["entry"] and not foreign(r)]
    print("| architecture | ended | proved safe | blocking | possible | seconds |\n|---|---|---|---|---|---|")
    for row in counted:
        print(_line(row))
    for title, blocking in (("Blocking", True), ("Possible", False)):
        print(f"\n{title}:")
        for row in counted:
            for f in _errors(row, blocking):
                place = f["location"] or {}
                where = f"{place.get('path')}:{place.get('line')}"
                print(f"- {row['package']}/{row['entry']} {f['rule']} {f['node']} {where}: {f['message']}")
                for sentence in f["evidence"] or []:
                    print(f"    {sentence[:300]}")
    failed = [r for r in counted if r["status"] != "analysed"]
    print("\nNot exported:")
    for row in failed:
        print(f"- {row['package']}/{row['entry']}: {str(row.get('error'))[:300]}")
    blocks, possible = (sum(len(_errors(r, b)) for r in counted) for b in (True, False))
    unsafe = [r["unsafe"] for r in counted if r.get("unsafe")]
    print(
        f"\n{len(counted)} architectures of {len({r['package'] for r in counted})} packages; {blocks} blocking "
        f"findings in {sum(bool(_errors(r, True)) for r in counted)}, {possible} possible errors in "
        f"{sum(bool(_errors(r, False)) for r in counted)}; {len(failed)} not exported; "
        f"{sum(u['safe'] for u in unsafe)} of {sum(u['checked'] for u in unsafe)} operators proved safe. "
        f"Not counted: {sum(r['entry'] != '' and foreign(r) for r in every)} entries that lack a library or download, "
        f"{sum(not r['entry'] for r in every)} packages without entry points."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--most", type=int, default=8)
    parser.add_argument("--of", type=int, default=150)
    parser.add_argument("--only", default="numerical,validity")
    parser.add_argument("--timeout", type=int, default=300, help="seconds for one architecture")
    parser.add_argument("--together", action="store_true", help="in warm processes instead of the command's")
    parser.add_argument("--report", action="store_true")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    if arguments.packages is not None:
        names = arguments.packages.read_text().split()
        work = arguments.work.resolve()

        def one_by_one(folder: Path, entries: Sequence[tuple[str, str]]) -> Iterator[tuple[str, dict[str, Any]]]:
            for file, function in entries:
                yield function, check(folder, file, function, arguments.only, arguments.timeout)

        if arguments.together:
            from published_warm import Warm

            with Warm(work / "reports") as warm:
                study(names, work, arguments.most, arguments.of, partial(warm.checks, timeout=arguments.timeout))
        else:
            study(names, work, arguments.most, arguments.of, one_by_one)
    if arguments.report:
        report(arguments.work)


if __name__ == "__main__":
    main()
