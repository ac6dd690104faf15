"""How the numerical analysis grows, and what a whole process costs.

    python benchmarks/numerical_speed.py [--data DIR] [--only growth process weights data]

``growth``: linear in nodes, independent of tensor sizes (ratios of one run). ``process``: CPU seconds and peak memory
of a process that loads a file and analyses it, for an ONNX file and for a GraphDef. ``weights``: peak memory of a
process for a model of 100 million parameters, over the memory of its weights. ``data``: CPU time of every graph of DIR
(``*.pbtxt``, ``*.onnx``) with default ranges. All are CPU seconds, the least of several runs, as machines may be busy.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
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


ONE_PROCESS = """
import json, resource, sys
from pathlib import Path
from analyzer.configuration.config import TargetConfig
from analyzer.loading.reading import load
from analyzer.numerical import interpret
from analyzer.numerical.assumptions import as_ranges, assume
graph = load(Path(sys.argv[1]))
result = interpret(graph, as_ranges(assume(graph, TargetConfig(id="x", path=sys.argv[1]))))
used = resource.getrusage(resource.RUSAGE_SELF)
frameworks = sorted({"tensorflow", "torch", "jax", "keras"} & set(sys.modules))
peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))  # of this program
print(json.dumps([used.ru_utime + used.ru_stime, peak / 1024, result.unsafe_checked, frameworks]))
"""


def one_process(path: Path, repeat: int = 3) -> tuple[float, float, int, list[str]]:
    """Least CPU seconds and memory (MiB) of processes that analyse one file; operators checked; frameworks imported."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[1]), "OPENBLAS_NUM_THREADS": "1"}
    runs = []
    for _ in range(repeat):
        command = [sys.executable, "-c", ONE_PROCESS, str(path)]
        ran = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        runs.append(json.loads(ran.stdout))
    seconds, memory, checked, frameworks = min(runs)
    return seconds, memory, checked, frameworks


def dense_model(layers: int, width: int) -> Any:
    """An ONNX model of `layers` matrices of `width` squared, then log(softmax)."""
    from onnx import TensorProto, helper, numpy_helper

    rng = np.random.default_rng(0)
    nodes, weights, x = [], [], "x"
    for i in range(layers):
        w = rng.standard_normal((width, width), dtype=np.float32) * np.float32(0.02)
        weights.append(numpy_helper.from_array(w, f"w{i}"))
        nodes += [helper.make_node("MatMul", [x, f"w{i}"], [f"m{i}"]), helper.make_node("Relu", [f"m{i}"], [f"r{i}"])]
        x = f"r{i}"
    nodes += [helper.make_node("Softmax", [x], ["p"]), helper.make_node("Log", ["p"], ["y"], name="log")]
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, ["n", width]) for n in "xy"]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def graphdef_text(steps: int) -> str:
    """A GraphDef of `steps` times log(1e-3 + exp(-|x|)) in text form."""
    const = (
        'node {{ name: "{0}" op: "Const" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }} attr {{ key: "value" value '
        "{{ tensor {{ dtype: DT_FLOAT tensor_shape {{ }} float_val: {1} }} }} }} }}\n"
    )
    node = 'node {{ name: "{0}" op: "{1}" {2} attr {{ key: "T" value {{ type: DT_FLOAT }} }} }}\n'
    text = (
        'node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value '
        "{ shape { dim { size: -1 } dim { size: 64 } } } } }\n"
    )
    text += const.format("eps", 1e-3)
    last = "x"
    for i in range(steps):
        for op, *more in (("Abs",), ("Neg",), ("Exp",), ("AddV2", "eps"), ("Log",)):
            name = f"{op}_{i}"
            inputs = " ".join(f'input: "{v}"' for v in (last, *more))
            text += node.format(name, op, inputs)
            last = name
    return text + "versions { producer: 1882 }\n"


def growth() -> None:
    from analyzer.graph import ValueRange

    base = cpu_seconds(chain(10, 64), {"x": ValueRange(-1, 1)})
    print(f"100 nodes of width 64: {base * 1e3:.1f} ms; relative to that:")
    for layers, width in ((20, 64), (40, 64), (100, 64), (10, 256), (10, 1024)):
        seconds = cpu_seconds(chain(layers, width), {"x": ValueRange(-1, 1)})
        print(f"  {layers * 10:5d} nodes, width {width:4d}: x {seconds / base:.2f}  ({seconds * 1e3:.1f} ms)")


def process() -> None:
    import onnx

    with tempfile.TemporaryDirectory() as folder:
        onnx_file, graphdef = Path(folder, "model.onnx"), Path(folder, "graph.pbtxt")
        onnx.save(dense_model(8, 64), onnx_file)
        graphdef.write_text(graphdef_text(40))
        empty = min(_bare() for _ in range(3))
        print(f"a process that imports onnx_ir and does nothing: {empty:.2f} s of CPU")
        for name, path in (("ONNX file, 18 nodes", onnx_file), ("GraphDef in text form, 200 nodes", graphdef)):
            seconds, memory, checked, frameworks = one_process(path)
            text = f"frameworks imported: {', '.join(frameworks) or 'none'}"
            print(f"{name}: {seconds:.2f} s of CPU, {memory:.0f} MiB, {checked} operators checked, {text}")


def _bare() -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", "import onnx_ir"], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def weights() -> None:
    import onnx

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.onnx")
        model = dense_model(24, 2048)
        onnx.save(model, path)
        size = path.stat().st_size / 2**20
        del model
        seconds, memory, _, _ = one_process(path, 1)
        ratio = f"{memory:.0f} MiB, x {memory / size:.2f}"
        print(f"100 million parameters ({size:.0f} MiB of weights): {ratio}, {seconds:.1f} s of CPU")


def data(folder: Path) -> None:
    from analyzer.graph import ValueRange
    from analyzer.loading.reading import load

    times = {}
    for path in sorted([*folder.glob("*.pbtxt"), *folder.glob("*.onnx")]):
        graph = load(path)
        ranges = {v.name or "": ValueRange(-1, 1) for v in graph.graph.inputs}
        times[path.name] = cpu_seconds(graph, ranges, 3)
    worst = max(times, key=lambda name: times[name])
    print(
        f"{len(times)} graphs: median {statistics.median(times.values()) * 1e3:.1f} ms, "
        f"worst {times[worst] * 1e3:.1f} ms ({worst})"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--only", nargs="*", default=["growth", "process", "weights", "data"])
    arguments = parser.parse_args()
    for name, part in (("growth", growth), ("process", process), ("weights", weights)):
        if name in arguments.only:
            part()
    if arguments.data and "data" in arguments.only:
        data(arguments.data)


if __name__ == "__main__":
    main()
