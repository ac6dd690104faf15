"""CRADLE's experiment with today's engines: models on several engines in several versions, inconsistencies and bugs.

    python benchmarks/cradle.py --cache DIR [--overlays DIR] [--versions 3.5.0,3.15.1] [--only a,b] [--report]
        [--onnx-versions 1.20.1/2025.3.0,1.31.1/2026.4.1] [--instances 8] [--t-class 8] [--t-mad 0.2] [--percent 0]

Models: `cradle_models`. Data with ground truth is made on the spot: classes are oriented gratings under noise, the
regression target is their angle; texts are random. A cell is one model in one version: Keras on TensorFlow, JAX,
PyTorch and OpenVINO; ONNX on ONNX Runtime, optimised and not, and on OpenVINO. Every pair of engines within a version
is compared by D_CLASS (T_C) and D_MAD (T_M) on `p` per cent of the instances; inconsistencies with the same model, pair
and pattern are one unique inconsistency. Replay says which layer is to blame; faults with one key are one bug. The
script that shows a bug is written below DIR/reports and has run, and the text for upstream lies beside it.

Each cell is kept in DIR/cells as it ends, and is not run again; `--report` prints the table of what is there.
"""

# ruff: noqa: E402

from __future__ import annotations

import argparse
import importlib.metadata
import json
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

from cradle_models import CLASSES, KERAS, MODELS, WORDS, build, gratings

from analyzer.configuration.config import TargetConfig, Thresholds
from analyzer.differential.distances import third_quartile, unique
from analyzer.differential.environments import Overlays, default_folder
from analyzer.differential.explain import StudyBudget
from analyzer.differential.files import write_problems
from analyzer.differential.fresh import FreshProcess
from analyzer.differential.inputs import Inputs, InputSet
from analyzer.differential.plan import families
from analyzer.differential.pool import Pool
from analyzer.differential.runner import Artefact
from analyzer.differential.study import Study, study
from analyzer.differential.verdict import Kind

HOSTS = ("tensorflow", "jax", "torch", "openvino")  # the engines that Keras runs on
SECONDS = 60.0  # of processor time of one cell; a model that takes more in one version is not run in the next

Cell = dict[str, Any]  # one model in one version, as it is kept


def engines(name: str, version: str) -> tuple[str, ...]:
    """The backends of one cell; a version that is installed needs no overlay."""
    if MODELS[name].form == "keras":
        return tuple(_pinned(f"keras-{host}", "keras", version) for host in HOSTS)
    runtime, openvino = version.split("/")
    ours = _pinned("onnxruntime", "onnxruntime", runtime)
    return ours, f"{ours}:opt=disable", _pinned("openvino", "openvino", openvino)


def _pinned(engine: str, package: str, version: str) -> str:
    return engine if importlib.metadata.version(package) == version else f"{engine}@{version}"


def examine(
    name: str, path: Path, version: str, pool: Pool, args: argparse.Namespace
) -> tuple[Study, dict[str, Artefact]]:
    """One model in one version on all its engines."""
    made = MODELS[name]
    file = f"model{path.suffix}"
    kinds = {made.form: Artefact(made.form, {file: path}, {"path": file})}
    target = TargetConfig(name, path=path.name, backends=engines(name, version))

    def given(description: Any) -> Inputs:
        (info,) = description.inputs
        count = int(info.shape[0]) if isinstance(info.shape[0], int) else args.instances
        side = int(info.shape[1 if made.form == "keras" else -1])
        images, labels, angle = gratings(count, side, seed=2)
        if info.dtype == "int64":
            images = np.random.default_rng(2).integers(1, WORDS, (count, side))
        elif made.form == "onnx":
            images = np.ascontiguousarray(np.moveaxis(images, -1, 1))
        return Inputs(
            (InputSet("gratings", {info.name: images}, angle if made.regression else labels % CLASSES),), (), False
        )

    (family,) = families(target.backends, kinds)
    limits = Thresholds(args.t_class, args.t_mad, args.percent)
    return study(family, kinds, target, pool, limits, given, budget=StudyBudget(SECONDS, pool.clock)), kinds


def cell_of(name: str, version: str, done: Study, reports: Path, seconds: float) -> Cell:
    """What is kept of one model in one version."""
    comparison = done.comparison
    results = comparison.results if comparison is not None else ()
    return {
        "model": name,
        "version": version,
        "seconds": round(seconds, 1),
        "layers": len(done.structure.operations) if done.structure is not None else 0,
        "failures": {
            **{_engine(b): f.message[:300] for b, f in done.missing},
            **{_engine(r.runner.name): r.failure.message[:300] for r in results if r.failure is not None},
        },
        "errors": {_engine(r.runner.name): max(r.errors) for r in results if r.errors and r.failure is None},
        "pairs": [
            {
                "pair": f"{_engine(a)}, {_engine(b)}",
                "metric": m.metric,
                "inconsistent": m.inconsistent,
                "pattern": m.pattern,
                "worst": max(m.distances, default=0.0),
            }
            for (a, b), metrics in (comparison.pairs.items() if comparison is not None else ())
            for m in metrics
        ],
        "bugs": [
            {
                "key": p.key,
                "engine": _engine(p.blame.backend),
                "layer": p.blame.unit.main.layer or p.blame.unit.main.name,
                "operator": p.blame.unit.op,
                "kind": p.blame.kind.value,
                "error": p.blame.error,
                "known": p.known.id if p.known else "",
                "script": str(reports / "differential" / p.script) if p.script else "",
                "unshown": p.unshown,
            }
            for p in done.problems
            if p.blame.kind not in (Kind.UNSUPPORTED, Kind.MISSING)
        ],
        "highlighted": _highlighted(done),
    }


def _engine(name: str) -> str:
    """A backend without its version: ``keras-torch@3.5.0`` is torch."""
    head, *knobs = name.split(":")
    return ":".join([head.partition("@")[0].removeprefix("keras-"), *knobs])


def _highlighted(done: Study) -> list[int]:
    """How many layers CRADLE's map of the first localized backend highlights, and of how many."""
    for backend, found in done.localizations.items():
        reference = next((n for n in found.hidden if n != backend), "")
        rates = found.rates(reference, backend)
        quartile = third_quartile(list(rates.values()))
        return [sum(r > quartile for r in rates.values()), len(rates)]
    return []


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cache", type=Path, required=True, help="where models, cells and reports are kept")
    parser.add_argument("--overlays", type=Path, default=default_folder())
    parser.add_argument("--versions", default="3.5.0,3.15.1")
    parser.add_argument("--onnx-versions", default="1.20.1/2025.3.0,1.31.1/2026.4.1")
    parser.add_argument("--only", default="")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--instances", type=int, default=8)
    parser.add_argument("--t-class", type=float, default=8.0)
    parser.add_argument("--t-mad", type=float, default=0.2)
    parser.add_argument("--percent", type=float, default=0.0)
    args = parser.parse_args(argv)
    names = [n for n in MODELS if not args.only or n in args.only.split(",")]
    kept = args.cache / "cells"
    kept.mkdir(parents=True, exist_ok=True)
    if not args.report:
        overlays = Overlays(args.overlays)
        files = build(args.cache, names, overlays("keras", "3.3.3"), args.instances)
        for form, versions in (("onnx", args.onnx_versions), ("keras", args.versions)):
            for version in versions.split(","):
                run([n for n in names if n in files and MODELS[n].form == form], version, files, kept, overlays, args)
    report([json.loads(path.read_text()) for path in sorted(kept.glob("*.json"))])
    return 0


def run(
    names: Sequence[str],
    version: str,
    files: Mapping[str, Path],
    kept: Path,
    overlays: Overlays,
    args: argparse.Namespace,
) -> None:
    """The cells of one version that are not there yet."""
    dear = {c["model"] for c in (json.loads(p.read_text()) for p in kept.glob("*.json")) if c["seconds"] > SECONDS}
    with Pool(overlay=overlays, deadline=300.0) as pool:
        for name in names:
            stem = f"{name} {version}".replace("/", "+").replace(" ", "_")
            path = kept / f"{stem}.json"
            if path.is_file() or name in dear:
                continue
            began, reports = pool.clock(), args.cache / "reports" / stem
            done, kinds = examine(name, files[name], version, pool, args)
            seconds = pool.clock() - began  # before the scripts run, whose starts are not the comparison's
            done = write_problems(done, kinds, reports, FreshProcess(overlays))
            cell = cell_of(name, version, done, reports.relative_to(args.cache), seconds)
            path.write_text(json.dumps(cell))
            inconsistent = [f"{p['pair']} {p['metric']}" for p in cell["pairs"] if p["inconsistent"]]
            print(
                f"{time.strftime('%X')} {name} {version}: errors {cell['errors']}; inconsistent {inconsistent}; bugs "
                f"{[(b['layer'], b['engine'], b['known'], bool(b['script'])) for b in cell['bugs']]}; "
                f"failures {cell['failures']}; {seconds:.0f} s",
                flush=True,
            )


def report(cells: Sequence[Cell]) -> None:
    """The table of unique inconsistencies, and that of bugs."""
    rows = {
        (c["model"], p["pair"], p["metric"], c["version"]): (c, p)
        for c in cells
        for p in c["pairs"]
        if p["inconsistent"]
    }
    groups = unique({"|".join(k): (k[0], f"{k[1]} {k[2]}", tuple(p["pattern"])) for k, (_, p) in rows.items()})
    compared = sum(len(c["pairs"]) for c in cells)
    forms = Counter("Keras" if c["model"] in KERAS else "ONNX" for c in {c["model"]: c for c in cells}.values())
    print(f"\n{len(cells)} cells, models {dict(forms)}, {compared} comparisons")
    print(f"{len(rows)} inconsistencies, {len(groups)} unique")
    print("\n| model | pair, metric | pattern | worst | versions | blamed by replay |\n|---|---|---|---|---|---|")
    for (model, pair, pattern), members in groups.items():
        mine = [rows[tuple(m.split("|"))] for m in members]  # type: ignore[index]
        bugs_here = (b for c, p in mine for b in c["bugs"] if b["engine"] in p["pair"].split(", "))
        blamed = dict.fromkeys(f"`{b['layer']}` on {b['engine']}" for b in bugs_here)
        print(
            f"| {model} | {pair} | {' '.join(map(str, pattern))} | {max(p['worst'] for _, p in mine):.2f} | "
            f"{', '.join(c['version'] for c, _ in mine)} | {', '.join(blamed) or 'no layer'} |"
        )
    bugs: dict[str, list[tuple[Cell, dict[str, Any]]]] = {}
    for cell in cells:
        for bug in cell["bugs"]:
            bugs.setdefault(bug["key"], []).append((cell, bug))
    print("\n| bug | engine | operator | worst | models | versions | known | script that ran |")
    print("|---|---|---|---|---|---|---|---|")
    for key, found in bugs.items():
        _, first = found[0]
        shown = next((b["script"] for _, b in found if b["script"]), f"none: {first['unshown']}")
        print(
            f"| {key} | {first['engine']} | {first['operator']} | {max(b['error'] for _, b in found):.2g} | "
            f"{', '.join(dict.fromkeys(c['model'] for c, _ in found))} | "
            f"{', '.join(dict.fromkeys(c['version'] for c, _ in found))} | {first['known'] or 'no'} | {shown} |"
        )
    failures = Counter((e, c["version"], m) for c in cells for e, m in c["failures"].items())
    for (engine, version, message), count in failures.items():
        print(f"{engine} {version} did not run {count} models: {message[:160]}")
    dear = {f"{c['model']} {c['version']}": c["seconds"] for c in cells if c["seconds"] > SECONDS}
    print(
        f"above {SECONDS:g} s: {dear or 'none'}; all cells: {sum(c['seconds'] for c in cells):.0f} s of processor time"
    )


if __name__ == "__main__":
    sys.exit(main())
