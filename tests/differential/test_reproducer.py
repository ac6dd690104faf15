"""Scripts that stand alone, run as a person would: they agree with the engine wherever the specification does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper

from analyzer.differential.backend import parse
from analyzer.differential.corrected import NOT_PLAIN, WRONG_BEFORE, corrected_operators
from analyzer.differential.reproducer import onnx_script
from analyzer.differential.runner import Artefact
from analyzer.differential.worker.reference_repairs import REPAIRS

SaveModel = Callable[..., Artefact]
RNG = np.random.default_rng(0)
SQUARE = [2, 4, 6, 6]
STATISTICS = {
    name: np.abs(RNG.standard_normal(4)).astype(np.float32) + 0.5 for name in ("scale", "shift", "mean", "variance")
}
NODES = {
    "batch norm 9": (9, helper.make_node("BatchNormalization", ["x", *STATISTICS], ["y"]), STATISTICS, True),
    "batch norm 15": (15, helper.make_node("BatchNormalization", ["x", *STATISTICS], ["y"]), STATISTICS, False),
    "softmax 11": (11, helper.make_node("Softmax", ["x"], ["y"], axis=1), {}, True),
    "softmax 13": (13, helper.make_node("Softmax", ["x"], ["y"], axis=1), {}, False),
    "log softmax 9": (9, helper.make_node("LogSoftmax", ["x"], ["y"], axis=2), {}, True),
    "local response": (13, helper.make_node("LRN", ["x"], ["y"], size=3, alpha=0.5), {}, True),
    "padded max pool": (
        12,
        helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 0, 0]),
        {},
        True,
    ),
    "max pool": (12, helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[3, 3], strides=[2, 2]), {}, False),
}


def run(script: Path) -> subprocess.CompletedProcess[str]:
    """Without Assay: the script may import what is installed, and nothing of the repository."""
    env = {"PATH": os.environ["PATH"], "HOME": str(script.parent)}
    command = [sys.executable, "-I", str(script)]
    return subprocess.run(command, env=env, cwd=script.parent, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("case", NODES)
def test_a_healthy_engine_agrees_with_the_script(case: str, tmp_path: Path, save_model: SaveModel) -> None:
    opset, node, weights, corrected = NODES[case]
    artefact = save_model(tmp_path / "model.onnx", [node], weights, SQUARE, opset=opset)
    model = artefact.files["model.onnx"].read_bytes()
    feeds = {"x": RNG.standard_normal(SQUARE).astype(np.float32)}
    script = onnx_script(model, feeds, parse("onnxruntime:opt=disable"), 1e-4, tmp_path, "script")
    assert bool(corrected_operators(model).names) is corrected
    assert "analyzer" not in script.read_text()
    done = run(script)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "relative error" in done.stdout


def test_a_script_with_a_corrected_operator_still_deviates(tmp_path: Path, save_model: SaveModel) -> None:
    """The zeros that Pad_Fusion loses before a max pool with padding of its own."""
    nodes = [
        helper.make_node("Pad", ["x", "pads"], ["p"]),
        helper.make_node("MaxPool", ["p"], ["y"], kernel_shape=[3, 3], strides=[2, 2], pads=[0, 0, 1, 1]),
    ]
    pads = {"pads": np.array([0, 0, 1, 1, 0, 0, 1, 1], np.int64)}
    artefact = save_model(tmp_path / "model.onnx", nodes, pads, SQUARE, opset=18)
    feeds = {"x": -np.abs(RNG.standard_normal(SQUARE)).astype(np.float32) - 1}
    model = artefact.files["model.onnx"].read_bytes()
    assert corrected_operators(model).names == ("Pad", "MaxPool")
    for settings, code in (("", 1), (":opt=disable", 0)):
        done = run(onnx_script(model, feeds, parse(f"onnxruntime{settings}"), 1e-4, tmp_path, "script"))
        assert done.returncode == code, done.stdout + done.stderr


def test_an_unreadable_opset_is_the_oldest() -> None:
    proto = helper.make_model(helper.make_graph([helper.make_node("Softmax", ["x"], ["y"])], "g", [], []))
    del proto.opset_import[:]
    assert corrected_operators(proto.SerializeToString()).names == ("Softmax",)


def test_every_repaired_operator_is_carried() -> None:
    assert {operator.__name__ for operator in REPAIRS} <= {*WRONG_BEFORE, *NOT_PLAIN}


def test_a_script_about_a_loop_stacks_what_its_steps_give(tmp_path: Path, save_model: SaveModel) -> None:
    info, kind = helper.make_tensor_value_info, TensorProto.FLOAT
    body = helper.make_graph(
        [helper.make_node("Add", ["v", "v"], ["next"]), helper.make_node("Identity", ["next"], ["given"]),
         helper.make_node("Identity", ["c"], ["going"])],
        "body",
        [info("i", TensorProto.INT64, []), info("c", TensorProto.BOOL, []), info("v", kind, SQUARE)],
        [info("going", TensorProto.BOOL, []), info("next", kind, SQUARE), info("given", kind, SQUARE)],
    )  # fmt: skip
    nodes = [helper.make_node("Loop", ["trips", "", "x"], ["last", "y"], body=body)]
    artefact = save_model(tmp_path / "model.onnx", nodes, {"trips": np.array(3)}, SQUARE)
    model = artefact.files["model.onnx"].read_bytes()
    assert corrected_operators(model).names == ("Loop",)
    feeds = {"x": RNG.standard_normal(SQUARE).astype(np.float32)}
    done = run(onnx_script(model, feeds, parse("onnxruntime"), 1e-4, tmp_path, "script"))
    assert done.returncode == 0, done.stdout + done.stderr
