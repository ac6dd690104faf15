"""How the time of the numerical analysis grows: linear in nodes, independent of tensor sizes.

    python benchmarks/numerical_speed.py [--data DIR]

With `--data`, also the CPU time of every graph of that folder (``*.pbtxt``, ``*.onnx``) with default ranges.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


def chain(layers: int, width: int) -> Any:
    """`layers` times matrix product, bias, normalisation by hand, ReLU, with weights of `width` squared."""
    from onnx import TensorProto, helper, numpy_helper

    from analyzer.graph import Graph

    rng = np.random.default_rng(0)
    w = numpy_helper.from_array((rng.normal(size=(width, width)) / width**0.5).astype(np.float32), "w")
    constants = [w, numpy_helper.from_array(np.zeros(width, np.float32), "b")]
    constants += [numpy_helper.from_array(np.float32(1e-5), "eps"), numpy_helper.from_array(np.array([1]), "axes")]
    nodes, x = [], "x"
    for i in range(layers):
        steps = (
            ("MatMul", [x, "w"]), ("Add", ["0", "b"]), ("ReduceMean", ["1", "axes"]), ("Sub", ["1", "2"]),
            ("Mul", ["3", "3"]), ("ReduceMean", ["4", "axes"]), ("Add", ["5", "eps"]),
            ("Sqrt", ["6"]), ("Div", ["3", "7"]), ("Relu", ["8"]),
        )  # fmt: skip
        for j, (op, inputs) in enumerate(steps):
            names = [f"{i}_{n}" if n.isdigit() else n for n in inputs]
            nodes.append(helper.make_node(op, names, [f"{i}_{j}"], name=f"{op}_{i}_{j}"))
        x = f"{i}_9"
    info = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", width])
    out = helper.make_tensor_value_info(x, TensorProto.FLOAT, ["n", width])
    model = helper.make_model(
        helper.make_graph(nodes, "g", [info], [out], constants), opset_imports=[helper.make_opsetid("", 20)]
    )
    return Graph(ir.from_proto(model))


def cpu_seconds(graph: Any, assumptions: dict[str, Any], repeat: int = 5) -> float:
    from analyzer.numerical import interpret

    times = []
    for _ in range(repeat):
        started = time.process_time()
        interpret(graph, assumptions)
        times.append(time.process_time() - started)
    return min(times)


def main() -> None:
    from analyzer.graph import ValueRange

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    arguments = parser.parse_args()
    base = cpu_seconds(chain(10, 64), {"x": ValueRange(-1, 1)})
    print(f"100 nodes of width 64: {base * 1e3:.1f} ms; relative to that:")
    for layers, width in ((20, 64), (40, 64), (100, 64), (10, 256), (10, 1024)):
        seconds = cpu_seconds(chain(layers, width), {"x": ValueRange(-1, 1)})
        print(f"  {layers * 10:5d} nodes, width {width:4d}: x {seconds / base:.2f}  ({seconds * 1e3:.1f} ms)")
    if arguments.data:
        from analyzer.loading import load

        times = {}
        for path in sorted([*arguments.data.glob("*.pbtxt"), *arguments.data.glob("*.onnx")]):
            graph = load(path)
            ranges = {v.name or "": ValueRange(-1, 1) for v in graph.graph.inputs}
            times[path.name] = cpu_seconds(graph, ranges, 3)
        worst = max(times, key=lambda name: times[name])
        print(
            f"{len(times)} graphs: median {statistics.median(times.values()) * 1e3:.1f} ms, "
            f"worst {times[worst] * 1e3:.1f} ms ({worst})"
        )


if __name__ == "__main__":
    main()
