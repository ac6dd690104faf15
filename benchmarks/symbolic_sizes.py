"""Every ONNX architecture with symbolic sizes against real runs: `python benchmarks/symbolic_sizes.py FOLDER`.

Each input dimension that may change becomes a symbol; for 20 sizes the rules with that size put in are compared with
a run in ONNX Runtime: accepted wrongly, refused wrongly, undecided.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Mapping
from pathlib import Path

import architectures
import numpy as np
import onnx
import onnx_ir as ir
import onnxruntime

from analyzer.graph import Graph
from analyzer.validity.architecture import Requirements
from analyzer.validity.graph_reader import program_of, read_graph
from analyzer.validity.terms import substitute


def symbolic(model: onnx.ModelProto) -> Mapping[str, int]:
    """Name the sizes of the model's inputs in place; equal sizes at equal axes share a name. Name -> exported size."""
    sizes: dict[str, int] = {}
    constants = {i.name for i in model.graph.initializer}
    for value in model.graph.input:
        if value.name in constants:
            continue
        for axis, dim in enumerate(value.type.tensor_type.shape.dim):
            if axis == 1 and len(value.type.tensor_type.shape.dim) == 4:
                continue  # channels
            name = f"d{axis}_{dim.dim_value}"
            sizes[name] = dim.dim_value or 1
            dim.dim_param = name
    del model.graph.value_info[:]
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")
    return sizes


def verdict(program: Requirements, sizes: Mapping[str, int]) -> bool | None:
    """Whether all rules hold at these sizes; None where one is not decided."""
    answers = [substitute(step.condition, sizes) for step in program.steps]
    if any(a is False for a in answers):
        return False
    return True if all(a is True for a in answers) else None


def runs(session: onnxruntime.InferenceSession, sizes: Mapping[str, int]) -> bool:
    """Whether ONNX Runtime computes the model at these sizes."""
    feeds = {}
    for value in session.get_inputs():
        shape = [sizes[d] if isinstance(d, str) else d for d in value.shape]
        feeds[value.name] = np.zeros(shape, np.int64 if "int64" in value.type else np.float32)
    try:
        session.run(None, feeds)
    except Exception:  # ONNX Runtime's errors are of several kinds
        return False
    return True


def compared(path: Path, count: int, seed: int) -> Mapping[str, int]:
    """Agreements and disagreements of one model at `count` sizes."""
    model = onnx.load(path)
    sizes = symbolic(model)
    program = program_of(read_graph(Graph(ir.serde.deserialize_model(model))))
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    rng = random.Random(seed)
    found = {"right": 0, "of which invalid": 0, "accepted wrongly": 0, "refused wrongly": 0, "undecided": 0}
    for trial in range(count):
        name = list(sizes)[trial % len(sizes)]
        at = {**sizes, name: rng.choice([1, 2, 3, sizes[name] * 2, rng.randint(1, sizes[name] * 3)])}
        said, real = verdict(program, at), runs(session, at)
        key = (
            "undecided"
            if said is None
            else "right"
            if said is real
            else "accepted wrongly"
            if said
            else "refused wrongly"
        )
        found[key] += 1
        found["of which invalid"] += key == "right" and not real
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", default=[n for n in architectures.ALL if n not in architectures.KERAS])
    parser.add_argument("--sizes", type=int, default=20)
    parser.add_argument("--seed", type=int, default=17)
    arguments = parser.parse_args()
    for name, path in architectures.make(arguments.folder, arguments.only).items():
        print(name, compared(path, arguments.sizes, arguments.seed), f"(seed {arguments.seed})", flush=True)


if __name__ == "__main__":
    main()
