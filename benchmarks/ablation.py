"""What each part of the abstract domain is worth: DEBAR's comparisons on a folder of graphs with known defects.

    python benchmarks/ablation.py --data DIR

DIR holds the graphs and a ``manifest.json`` that names the defective nodes, the inputs with their data ranges and the
parameters. Parameters are assumed in [-1, 1]. A warning on an operator that the manifest does not name counts as other.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


def ranges_of(case: dict[str, Any], graph: Any) -> dict[str, Any]:
    """The manifest's ranges by the names of the graph's own inputs."""
    from analyzer.graph import ValueRange

    stated: dict[str, Any] = {p["name"]: ValueRange(-1, 1) for p in case["parameters"]}
    for item in case["inputs"]:
        bounds = item["range"]
        if bounds and not isinstance(bounds[0], list):
            stated[item["name"]] = ValueRange(float(bounds[0]), float(bounds[1]))
    values = [*graph.graph.inputs, *graph.graph.initializers.values()]
    return {v.name: stated[v.name.split(":")[0]] for v in values if v.name and v.name.split(":")[0] in stated}


def main() -> None:
    from analyzer.graph.model import display_name
    from analyzer.loading import load
    from analyzer.numerical import Options, Partitioning, interpret

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    arguments = parser.parse_args()
    modes = {
        "partition + affine + splitting": Options(),
        "array smashing": Options(partitioning=Partitioning.SMASH),
        "array expansion": Options(partitioning=Partitioning.EXPAND),
        "interval alone": Options(affine=False),
        "without splitting": Options(splitting=False),
        "smashing, interval alone, no splitting": Options(
            partitioning=Partitioning.SMASH, affine=False, splitting=False
        ),
    }
    cases = json.loads((arguments.data / "manifest.json").read_text())["cases"]
    loaded = [(case, load(arguments.data / case["file"])) for case in cases]
    print("| mode | defects named | other warnings | operators proved safe | CPU s |\n|---|---|---|---|---|")
    for name, options in modes.items():
        named = others = safe = checked = 0
        started = time.process_time()
        for case, graph in loaded:
            result = interpret(graph, ranges_of(case, graph), options=options)
            flagged = {display_name(w.node) for w in result.warnings if w.root is None}
            known = {*case["defective_nodes"], *case["also_defective"]}
            named += bool(flagged & set(case["defective_nodes"]))
            others += len(flagged - known)
            safe, checked = safe + result.unsafe_safe, checked + result.unsafe_checked
        seconds = time.process_time() - started
        print(f"| {name} | {named} of {len(cases)} | {others} | {safe} of {checked} | {seconds:.2f} |")


if __name__ == "__main__":
    main()
