"""Known numerical bugs in 44 real computation graphs: named, confirmed, repaired, and what else is reported.

    python benchmarks/grist.py --data DIR --policy A|W|H [--case NAME …] [--no-confirm] [--json FILE]

DIR holds the graphs and `manifest.json` (see its README). Policies are those of the manifest:

- A: inputs in their data range, trainable weights in [-1, 1];
- W: inputs in their data range, weights unbounded;
- H: floating inputs in [-50, 50], weights in [-10, 10] if initialised to 0, else their initial range
  widened by its width.

Times of the analysis are CPU milliseconds, the smaller of two runs.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from rich.console import Console
from rich.table import Table

from analyzer.configuration.config import InputSpec, TargetConfig
from analyzer.findings import AnalysisResult, Confidence, Finding
from analyzer.graph import Graph, Role, ValueRange, display_name, role_of
from analyzer.loading.reading import load
from analyzer.numerical.analysis import analyse as analyse_with
from analyzer.numerical.confirm.confirmation import ConfirmationBudget, Confirmer

PUBLISHED = {  # measured figures of the two public tools, from the data's README
    "A": "DEBAR: 48 of 57 TensorFlow graphs, 102 warnings on 216 unsafe operators; RANUM: 59 of 79",
    "W": "DEBAR: 51 of 57 TensorFlow graphs",
    "H": "RANUM: 76 of 79 (67 stopping at the first error)",
}


@dataclass(frozen=True)
class Row:
    case: str
    checked: int
    named: bool
    how: str
    others: int
    gradients: int
    confirmed: bool
    repaired: bool
    seconds: float
    evidence_seconds: float
    confirmed_others: int
    other_names: tuple[str, ...]
    unknown: tuple[str, ...]
    megabytes: float  # the most that one analysis held at a time, the graph itself not counted
    why: str  # of a defect that is not named: what its operator receives


def ranges_of(case: Mapping[str, Any], policy: str) -> TargetConfig:
    """The policy's ranges as a configuration."""
    inputs = {}
    for given in case["inputs"]:
        pairs = given["range"] if isinstance(given["range"][0], list) else [given["range"]]
        lo, hi = float(pairs[0][0]), float(pairs[0][1])
        scalar = given["shape"] is None
        if policy == "H" and "float" in str(given["dtype"] or "float32") and not scalar:
            lo, hi = -50.0, 50.0
        inputs[given["name"]] = InputSpec(range=ValueRange(lo, hi))
    parameters = {}
    for given in case["parameters"]:
        if given["trainable"] is False:
            continue
        lo, hi = given["init_support"] if given.get("init_support") else given["init_range"]
        if policy == "A":
            chosen = ValueRange(-1.0, 1.0)
        elif policy == "W":
            chosen = ValueRange(-math.inf, math.inf)
        elif lo == hi == 0:
            chosen = ValueRange(-10.0, 10.0)
        else:
            chosen = ValueRange(lo - (hi - lo), hi + (hi - lo))
        parameters[given["name"]] = chosen
    return TargetConfig(id=case["case"], path=case["file"], inputs=inputs, parameters=parameters)


def iterator_inputs(graph: Any, case: Mapping[str, Any], config: TargetConfig) -> TargetConfig:
    """The manifest gives one row of ranges for an iterator's components; the graph has one input for each."""
    sources = [g for g in case["inputs"] if isinstance(g["range"][0], list)]
    if not sources:
        return config
    pairs = sources[0]["range"]
    names = [v.name for v in graph.graph.inputs if role_of(v) is Role.INPUT]
    inputs = {n: InputSpec(range=ValueRange(float(lo), float(hi))) for n, (lo, hi) in zip(names, pairs, strict=False)}
    return TargetConfig(id=config.id, path=config.path, inputs=inputs, parameters=config.parameters)


def examine(data: Path, case: Mapping[str, Any], policy: str, confirmer: Confirmer | None, output: Path) -> Row:
    """One graph under one policy."""
    graph = load(data / case["file"])
    config = iterator_inputs(graph, case, ranges_of(case, policy))
    seconds = math.inf
    for _ in range(2):  # the first run of all imports the transfer functions
        started = time.process_time()
        plain = analyse_with(graph, config, confirm=False, explain=False)
        seconds = min(seconds, time.process_time() - started)
    tracemalloc.start()
    analyse_with(graph, config, confirm=False, explain=False)
    megabytes = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    result = plain
    evidence = 0.0
    if confirmer is not None:
        started = time.perf_counter()
        result = analyse_with(graph, config, output=output, confirmer=confirmer)
        evidence = time.perf_counter() - started
    wanted, allowed = set(case["defective_nodes"]), set(case["also_defective"])
    backward = case["kind"] == "backward"
    hits = [f for f in result.findings if f.node in wanted and bool(f.evidence.data["backward"]) == backward]
    grouped = [f for f in result.findings if wanted & set(f.evidence.data["follows"])]
    forward = [f for f in result.findings if not f.evidence.data["backward"]]
    others = [f for f in forward if f not in hits and f.node not in allowed | wanted]
    return Row(
        case["case"],
        result.unsafe_operators.checked,
        bool(hits),
        "named" if hits else "grouped" if grouped else "missed",
        len(others),
        sum(bool(f.evidence.data["backward"]) for f in result.findings if f not in hits),
        any(f.confidence is not Confidence.POSSIBLE for f in hits),
        any(_repaired(f) for f in hits),
        seconds,
        evidence,
        sum(f.confidence is not Confidence.POSSIBLE for f in others),
        tuple(
            f"{f.node}:{f.rule.partition('/')[2]}{'*' if f.confidence is not Confidence.POSSIBLE else ''}"
            for f in others
        ),
        tuple(result.unknown_operators),
        megabytes,
        "" if hits else received(graph, wanted, result),
    )


def received(graph: Graph, wanted: set[str], result: AnalysisResult) -> str:
    """What the defective operators receive: sound bounds, so a defect that they exclude is out of reach."""
    parts = []
    for node in graph.nodes():
        if display_name(node) in wanted:
            bounds = [result.intervals.get(v.name or "") for v in node.inputs if v is not None]
            shown = ", ".join("?" if b is None else f"[{b[0]:.4g}, {b[1]:.4g}]" for b in bounds)
            parts.append(f"{display_name(node)} gets {shown}")
    return "; ".join(parts)


def _repaired(finding: Finding) -> bool:
    return finding.suggestion is not None and finding.suggestion.proved


def report(rows: Sequence[Row], policy: str, console: Console) -> None:
    table = Table(title=f"policy {policy}")
    for heading in (
        "case",
        "unsafe",
        "defect",
        "confirmed",
        "repaired",
        "other",
        "gradient",
        "ms",
        "MB",
        "evidence s",
        "others, or what the operator receives",
    ):
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(
            row.case,
            str(row.checked),
            row.how,
            "yes" if row.confirmed else "",
            "yes" if row.repaired else "",
            f"{row.others} ({row.confirmed_others})",
            str(row.gradients),
            f"{1000 * row.seconds:.0f}",
            f"{row.megabytes:.1f}",
            f"{row.evidence_seconds:.1f}",
            " ".join(row.other_names) or row.why,
        )
    console.print(table)
    times = sorted(r.seconds for r in rows)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    console.print(
        f"{policy}: {sum(r.named for r in rows)} of {len(rows)} defective operators named, "
        f"{sum(r.confirmed for r in rows)} confirmed, {sum(r.repaired for r in rows)} repaired; "
        f"{sum(r.others for r in rows)} other forward warnings ({sum(r.confirmed_others for r in rows)} of them "
        f"confirmed by a run) on {sum(r.checked for r in rows)} unsafe operators, "
        f"{sum(r.gradients for r in rows)} gradient warnings; "
        f"median {1000 * times[len(times) // 2]:.0f} ms, worst {1000 * times[-1]:.0f} ms, peak {peak:.0f} MB."
    )
    console.print(f"For comparison: {PUBLISHED[policy]}.")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--policy", choices=("A", "W", "H"), required=True)
    parser.add_argument("--case", action="append", default=[])
    parser.add_argument("--no-confirm", action="store_true", help="intervals only")
    parser.add_argument("--json", type=Path, help="write the rows to this file")
    given = parser.parse_args(arguments)
    manifest = json.loads((given.data / "manifest.json").read_text())
    cases = [c for c in manifest["cases"] if not given.case or c["case"] in given.case]
    console = Console(width=180)
    rows = []
    with tempfile.TemporaryDirectory() as folder, Confirmer(ConfirmationBudget(search=6.0)) as confirmer:
        for case in cases:
            rows.append(examine(given.data, case, given.policy, None if given.no_confirm else confirmer, Path(folder)))
    report(rows, given.policy, console)
    if given.json:
        given.json.write_text(json.dumps([vars(r) for r in rows], indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
