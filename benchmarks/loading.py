"""Loading: seconds and memory per model file, as ratios to the cheapest thing one can do with the same file.

    python benchmarks/loading.py --data DIR

For every model below DIR: processor seconds of `load` (median of five), and the ratio to protobuf's own parser of the
same file (its text parser for ``.pbtxt``), which gives messages and no graph; then, for the largest file of each
format, a fresh process that loads it; then an ONNX file of 100 million parameters, every weight looked at.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from google.protobuf import text_format
from onnx import helper, numpy_helper

from analyzer.loading.formats import detect
from analyzer.loading.graphdef import enumerator
from analyzer.loading.reading import load
from analyzer.loading.search import find_models
from analyzer.loading.tensorflow_schema import message_class


def seconds(action: Callable[[], Any], repeats: int = 5) -> float:
    """Median processor time."""
    taken = []
    for _ in range(repeats):
        start = time.process_time()
        action()
        taken.append(time.process_time() - start)
    return statistics.median(taken)


def fresh_process(path: Path) -> tuple[float, int]:
    """Processor seconds and peak memory in MB of a process that imports Assay and loads one file."""
    code = """
import resource, sys
from pathlib import Path
from analyzer.loading.reading import load
graph = load(Path(sys.argv[1]))
for value in graph.graph.initializers.values():
    value.const_value.numpy().sum()
usage = resource.getrusage(resource.RUSAGE_SELF)
print(usage.ru_utime + usage.ru_stime)
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""
    done = subprocess.run([sys.executable, "-c", code, str(path)], check=True, capture_output=True, text=True)
    used, peak = done.stdout.split()
    return float(used), int(peak) // 1024


def parsed(path: Path) -> None:
    """What protobuf alone does with the file."""
    data = path.read_bytes()
    if path.suffix == ".pbtxt":
        numbers = re.sub(rb"\bDT_\w+", lambda match: b"%d" % (enumerator(match.group().decode()) or 0), data)
        text_format.Parse(numbers, message_class("GraphDef")(), allow_unknown_field=True)
    elif path.suffix == ".onnx":
        onnx.ModelProto().ParseFromString(data)
    else:
        message_class("GraphDef").FromString(data)


def large_model(folder: Path) -> Path:
    """25 layers of 2000 x 2000 float32 weights."""
    weights = [numpy_helper.from_array(np.ones((2000, 2000), np.float32), f"w{i}") for i in range(25)]
    nodes = [helper.make_node("MatMul", [f"x{i}", f"w{i}"], [f"x{i + 1}"]) for i in range(25)]
    ends = [helper.make_tensor_value_info(name, 1, ["n", 2000]) for name in ("x0", "x25")]
    path = folder / "large.onnx"
    path.write_bytes(helper.make_model(helper.make_graph(nodes, "g", ends[:1], ends[1:], weights)).SerializeToString())
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with model files")
    largest: dict[str, Path] = {}
    times, ratios = [], []
    for path in find_models(parser.parse_args().data):
        kind = detect(path)
        if kind is None or not kind.has_graph or path.is_dir():
            continue
        taken, bare = seconds(partial(load, path)), seconds(partial(parsed, path))
        times.append(taken)
        ratios.append(taken / max(bare, 1e-6))
        print(f"{path.name:24} {kind.value:18} {len(load(path)):6} nodes {taken:7.3f} s {ratios[-1]:6.1f} x the parser")
        if kind not in largest or path.stat().st_size > largest[kind].stat().st_size:
            largest[kind] = path
    middle, ratio = statistics.median(times), statistics.median(ratios)
    print(f"median {middle:.3f} s, worst {max(times):.3f} s; {ratio:.2f} x the parser (median)")
    for kind, path in largest.items():
        used, peak = fresh_process(path)
        print(f"fresh process, {kind} {path.name}: {used:.2f} s, {peak} MB")
    with tempfile.TemporaryDirectory() as folder:
        used, peak = fresh_process(large_model(Path(folder)))
        print(
            f"fresh process, 100 million parameters (400 MB): {used:.2f} s, {peak} MB, {peak / 400:.1f} x its weights"
        )


if __name__ == "__main__":
    main()
