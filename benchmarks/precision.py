"""How many operators of healthy architectures are proved safe, and why the others are not.

    python benchmarks/precision.py [--only 'keras/*'] [--json FILE] [--largest MILLIONS]

Every architecture of `keras.applications`, seven of `transformers` and the light zoo of the `onnx` package, each in a
process of its own. Images lie in [-3, 3] (preprocessed), or in [0, 255] where the model preprocesses them itself; all
else is as the analysis assumes it. Weights twice: exactly their random values (a file that runs), and widened (code
that is trained). With `--json` a run can be stopped and goes on where it was.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

SELF_PREPROCESSING = ("EfficientNet", "MobileNetV3", "ConvNeXt")


def keras_names() -> list[str]:
    """All architectures of `keras.applications`, small ones first."""
    import inspect

    import keras

    found = [
        n for n in dir(keras.applications) if n[0].isupper() and inspect.isfunction(getattr(keras.applications, n))
    ]
    large = ("XLarge", "Large", "Base", "B7", "B6", "B5", "V2L", "V2M", "VGG", "152", "ResNetV2")
    return sorted(found, key=lambda n: (any(part in n for part in large), n))


def image_range(name: str) -> tuple[float, float]:
    """What a model takes: its own preprocessing starts from bytes."""
    return (0.0, 255.0) if name.removeprefix("keras/").startswith(SELF_PREPROCESSING) else (-3.0, 3.0)


def graph_of(name: str, source: str | None, file: str | None) -> Any:
    """The model's graph, through the sandboxed export or the loader."""
    if file is not None:
        from analyzer.loading.reading import load

        return load(Path(file))
    from analyzer.configuration.config import TargetConfig
    from analyzer.exporting.export import export
    from analyzer.walls import ResourceLimits
    from analyzer.walls.process import ProcessSandbox

    assert source is not None
    large = ResourceLimits(seconds=1200, memory=16 << 30, output=4 << 30)  # the largest has 350 million parameters
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "entry.py").write_text(source)
        return export(
            "entry.py:build",
            Path(folder),
            target=TargetConfig(id=name, entry="entry.py:build"),
            sandbox=ProcessSandbox(),
            limits=large,
        )


def study(name: str, source: str | None, file: str | None) -> dict[str, Any]:
    """Figures of one model, with exact and with widened weights."""
    return figures(name, graph_of(name, source, file), ("exact", "widened"))


def figures(name: str, graph: Any, modes: tuple[str, ...]) -> dict[str, Any]:
    """Operators checked, proved safe, and the warnings, for weights that are exact or widened."""
    from analyzer.configuration.config import TargetConfig
    from analyzer.graph import Role, ValueRange, display_name, layer_of, role_of
    from analyzer.numerical import interpret
    from analyzer.numerical.assumptions import as_ranges, assume

    row: dict[str, Any] = {"model": name, "nodes": len(list(graph.nodes()))}
    for mode in modes:
        code = mode == "widened"
        target = TargetConfig(id=name, entry="entry.py:build") if code else TargetConfig(id=name, path="model")
        ranges = as_ranges(assume(graph, target))
        for value in graph.graph.inputs:
            image = (
                value.shape is not None and len(value.shape) == 4 and value.dtype and value.dtype.is_floating_point()
            )
            if image and role_of(value) is Role.INPUT and value.name:
                ranges[value.name] = ValueRange(*image_range(name))
        started = time.process_time()
        result = interpret(graph, ranges)
        row[mode] = {
            "seconds": time.process_time() - started,
            "checked": result.unsafe_checked,
            "safe": result.unsafe_safe,
            "unknown": dict(result.unknown),
            "warnings": [
                {
                    "rule": w.rule,
                    "node": display_name(w.node),
                    "operator": w.node.op_type,
                    "layer": layer_of(w.node) or "",
                    "interval": [w.interval.lo, w.interval.hi],
                    "root": w.root is None,
                }
                for w in result.warnings
                if not w.backward
            ],
        }
    return row


def models(only: str) -> list[tuple[str, str | None, str | None]]:
    """(name, source of an entry file, path of a model file) of every architecture that `only` matches."""
    from exports import KERAS_SOURCE, light_zoo, sources

    found: list[tuple[str, str | None, str | None]] = [(n, None, str(path)) for n, path in light_zoo().items()]
    found += [(n, text, None) for n, text in sources().items() if n.startswith("transformers/")]
    if fnmatch.fnmatch("keras/", only.split("*")[0] + "*") or only.startswith(("keras", "*")):
        found += [(f"keras/{n}", KERAS_SOURCE.format(name=n), None) for n in keras_names()]
    return [m for m in found if fnmatch.fnmatch(m[0], only)]


def show(row: dict[str, Any]) -> None:
    if "error" in row:
        print(f"| {row['model']} | failed: {row['error']} | | | |", flush=True)
        return
    cells = []
    for mode in ("exact", "widened"):
        part = row[mode]
        cells.append(f"{part['safe']} of {part['checked']} | {part['seconds']:.2f}")
    print(f"| {row['model']} | {row['nodes']} | {' | '.join(cells)} |", flush=True)
    for mode in ("exact", "widened"):
        for warning in row[mode]["warnings"]:
            lo, hi = warning["interval"]
            print(f"    {mode}: {warning['rule']} at {warning['node']} ({warning['layer']}): [{lo:.4g}, {hi:.4g}]")
        if row[mode]["unknown"]:
            print(f"    {mode}: unknown operators {row[mode]['unknown']}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="*", help="glob on the model's name, such as 'transformers/*'")
    parser.add_argument("--json", type=Path, help="one line of figures a model; models found there are not run again")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        name, source, file = json.loads(arguments.one)
        print("\n" + json.dumps(study(name, source, file)))
        return
    rows: dict[str, dict[str, Any]] = {}
    if arguments.json and arguments.json.exists():
        for line in arguments.json.read_text().splitlines():
            known = json.loads(line)
            if "error" not in known:
                rows[known["model"]] = known
    print("| model | nodes | proved safe, exact weights | s | proved safe, widened weights | s |")
    print("|---|---|---|---|---|---|")
    for name, source, file in models(arguments.only):
        if name not in rows:
            command = [sys.executable, __file__, "--one", json.dumps([name, source, file])]
            ran = subprocess.run(command, capture_output=True, text=True)
            lines = ran.stdout.strip().splitlines()
            if ran.returncode or not lines:
                rows[name] = {"model": name, "error": (ran.stderr.strip().splitlines() or ["no output"])[-1][:200]}
            else:
                rows[name] = json.loads(lines[-1])
            if arguments.json:
                with arguments.json.open("a") as out:
                    out.write(json.dumps(rows[name]) + "\n")
        show(rows[name])
    done = [r for n, r in rows.items() if "error" not in r and fnmatch.fnmatch(n, arguments.only)]
    for mode in ("exact", "widened"):
        safe, checked = sum(r[mode]["safe"] for r in done), sum(r[mode]["checked"] for r in done)
        if checked:
            share = f"{safe} of {checked} operators ({safe / checked:.2%})"
            print(f"{mode} weights: {share} of {len(done)} models proved safe")


if __name__ == "__main__":
    main()
