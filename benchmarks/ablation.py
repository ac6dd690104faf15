"""What each part of the abstract domain is worth: DEBAR's comparisons (section 6.2, table 4), accuracy and time a mode.

    python benchmarks/ablation.py [--count 100] [--seed 1] [--data DIR]

On generated graphs of real-life patterns (`ablation_models`), where safe and defective operators are known. With DIR
also on a folder of graphs with a ``manifest.json`` that names the defective nodes, the inputs with their data ranges
and the parameters (assumed in [-1, 1]); there a warning on an operator that the manifest does not name counts as other.
Accuracy is DEBAR's: unsafe-or-not decisions that are right, of all operators that have an unsafe condition.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]


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


def modes() -> dict[str, Any]:
    """DEBAR's modes: abstraction of arrays by abstraction of values, and splitting."""
    from analyzer.numerical import Options, Partitioning

    kinds = {
        "array smashing": Partitioning.SMASH,
        "array expansion": Partitioning.EXPAND,
        "tensor partitioning": Partitioning.PARTITION,
    }
    found: dict[str, Any] = {}
    for name, kind in kinds.items():
        for affine in (False, True):
            for splitting in (False, True):
                text = f"{name}, {'intervals + affine' if affine else 'intervals'}{', splitting' if splitting else ''}"
                found[text] = Options(partitioning=kind, affine=affine, splitting=splitting)
    return found


def generated(count: int, seed: int) -> None:
    from ablation_models import models

    from analyzer.graph.model import display_name
    from analyzer.numerical import interpret

    cases = list(models(count, seed))
    print(f"{count} generated graphs, seed {seed}")
    print("| mode | defects named | false alarms | operators | accuracy | time |\n|---|---|---|---|---|---|")
    base = None
    for name, options in modes().items():
        named = false = checked = defects = 0
        started = time.process_time()
        for _, graph, ranges, defective in cases:
            result = interpret(graph, ranges, options=options)
            flagged = {display_name(w.node) for w in result.warnings if not w.backward}
            named, false = named + len(flagged & defective), false + len(flagged - defective)
            checked, defects = checked + result.unsafe_checked, defects + len(defective)
        seconds = time.process_time() - started
        base = base or seconds
        accuracy = (checked - false - (defects - named)) / checked
        print(f"| {name} | {named} of {defects} | {false} | {checked} | {accuracy:.2%} | × {seconds / base:.2f} |")
    assert base is not None
    print(f"× 1 is {base / count * 1e3:.1f} ms of CPU a graph\n")


def stored(data: Path) -> None:
    from analyzer.graph.model import display_name
    from analyzer.loading.reading import load
    from analyzer.numerical import interpret

    cases = json.loads((data / "manifest.json").read_text())["cases"]
    loaded = [(case, load(data / case["file"])) for case in cases]
    print("| mode | defects named | other warnings | operators proved safe | CPU s |\n|---|---|---|---|---|")
    for name, options in modes().items():
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", type=Path)
    arguments = parser.parse_args()
    generated(arguments.count, arguments.seed)
    if arguments.data:
        stored(arguments.data)


if __name__ == "__main__":
    main()
