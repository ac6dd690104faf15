"""CPU time of a finding: `assay check` with one confirmed finding, less the same check of its silent twin.

    python benchmarks/finding_time.py [--runs 3] [--only tensorflow,onnx,torch]

A TensorFlow graph, an ONNX file and a PyTorch entry point, each a small network with the logarithm of a ReLU and a
twin with something added. CPU seconds of all processes that a command starts; the last column is the difference by the
import of the framework that the confirmation needs, measured in turn with it.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36  # processes that outlive their parent are this one's children and are counted too
ENGINES = {"tensorflow": "tensorflow", "onnx": "torch", "torch": "torch"}
ENTRY = """
import torch
from torch import nn


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(6, 3)

    def forward(self, x):
        return torch.log(torch.relu(self.head(x)) + {added}).mean()


def build():
    torch.manual_seed(0)
    return Head(), {{"x": torch.randn(4, 6)}}
"""
GRAPH = """
import sys
import numpy as np
import tensorflow as tf

weight = np.random.default_rng(0).normal(size=(6, 3)).astype(np.float32)
for name, added in (("finding", 0.0), ("silent", 0.01)):
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, (4, 6), name="x")
        rows = tf.nn.relu(x @ tf.constant(weight))
        tf.reduce_mean(tf.math.log(rows if name == "finding" else rows + added), name="loss")
    with open(f"{sys.argv[1]}/{name}.pb", "wb") as file:
        file.write(graph.as_graph_def().SerializeToString())
"""


def onnx_file(path: Path, added: float) -> None:
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper, save

    weight = np.random.default_rng(0).normal(size=(6, 3)).astype(np.float32)
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["made"]),
        helper.make_node("Relu", ["made"], ["rows"]),
        helper.make_node("Add", ["rows", "added"], ["lifted"]),
        helper.make_node("Log", ["lifted"], ["loss"]),
    ]
    graph = helper.make_graph(
        nodes,
        path.stem,
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, (4, 6))],
        [helper.make_tensor_value_info("loss", TensorProto.FLOAT, (4, 3))],
        [numpy_helper.from_array(weight, "w"), numpy_helper.from_array(np.float32(added), "added")],
    )
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10), path)


def targets(folder: Path, only: Sequence[str]) -> dict[str, tuple[str, str]]:
    """The target with a finding and its silent twin, for each format."""
    for name, added in (("finding", 0.0), ("silent", 0.01)):
        (folder / f"{name}.py").write_text(ENTRY.format(added=added))
        onnx_file(folder / f"{name}.onnx", added)
    if "tensorflow" in only:
        subprocess.run([sys.executable, "-c", GRAPH, str(folder)], check=True, capture_output=True)
    ends = {"tensorflow": ".pb", "onnx": ".onnx", "torch": ".py:build"}
    return {kind: (f"finding{ends[kind]}", f"silent{ends[kind]}") for kind in only}


def spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cpu(command: Sequence[str], cwd: Path) -> float:
    """CPU seconds of a command and of every process that it leaves behind."""
    before = spent()
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr[-800:]}")
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return spent() - before


def found(folder: Path) -> list[str]:
    return [finding["confidence"] for finding in json.loads((folder / "out" / "report.json").read_text())["findings"]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default="tensorflow,onnx,torch")
    arguments = parser.parse_args()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    check = [sys.executable, "-m", "analyzer", "check", "--only", "numerical,validity", "--jobs", "1", "--out", "out"]
    print("| target | silent s | with a finding s | import s | difference by import |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for kind, (loud, silent) in targets(folder, arguments.only.split(",")).items():
            rows = []
            for _ in range(arguments.runs + 1):  # the first does not count
                bare = cpu([sys.executable, "-c", f"import {ENGINES[kind]}"], folder)
                quiet = cpu([*check, silent], folder)
                assert not found(folder), "the twin is not silent"
                with_finding = cpu([*check, loud], folder)
                assert "confirmed" in found(folder), "the finding is not confirmed"
                rows.append((quiet, with_finding, bare, (with_finding - quiet) / bare))
            middle = [statistics.median(column) for column in zip(*rows[1:], strict=True)]
            print(f"| {kind} | {middle[0]:.2f} | {middle[1]:.2f} | {middle[2]:.2f} | {middle[3]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
