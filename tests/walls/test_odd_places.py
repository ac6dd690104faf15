"""Hostile content in places where few look; read in this process, where a file that gets through shows at once."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import h5py
import pytest
from onnx import ModelProto, TensorProto, helper

from analyzer.findings import Level
from analyzer.loading.reading import load
from analyzer.loading.scan import custom_operators, refusal, scan
from analyzer.problem import TargetProblem

NODE = helper.make_node


def away(place: str = "/etc/passwd") -> TensorProto:
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[1], data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value=place)
    return tensor


def model(*nodes: Any, functions: Any = (), **graph: Any) -> ModelProto:
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy")
    made = helper.make_graph(list(nodes), "g", [x], [y], **graph)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    return helper.make_model(made, ir_version=9, functions=list(functions), opset_imports=opsets)


def function(name: str, *nodes: Any) -> Any:
    return helper.make_function(
        "own", name, ["x"], ["y"], list(nodes), [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    )


def in_training() -> ModelProto:
    made = model(NODE("Relu", ["x"], ["y"]))
    value = helper.make_tensor_value_info("z", TensorProto.FLOAT, [1])
    made.training_info.add().algorithm.CopyFrom(
        helper.make_graph([NODE("Identity", ["w"], ["z"])], "t", [], [value], [away()])
    )
    return made


def sparse(tensor: TensorProto) -> Any:
    return helper.make_sparse_tensor(tensor, helper.make_tensor("i", TensorProto.INT64, [1], [0]), [2])


ADD = NODE("Add", ["x", "w"], ["y"])
AWAY = {
    "a constant": lambda: model(NODE("Constant", [], ["w"], value=away()), ADD),
    "a constant of a function": lambda: model(
        NODE("F", ["x"], ["y"], domain="own"),
        functions=[function("F", NODE("Constant", [], ["w"], value=away("../../secret")), ADD)],
    ),
    "a sparse weight": lambda: model(ADD, sparse_initializer=[sparse(away())]),
    "a sparse constant": lambda: model(NODE("Constant", [], ["w"], sparse_value=sparse(away())), ADD),
    "a graph of training": in_training,
}


@pytest.mark.parametrize("place", AWAY)
def test_data_outside_are_a_finding_wherever_they_are_named(place: str, tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(AWAY[place]().SerializeToString())
    (found,) = scan(path, tmp_path)
    assert (found.rule, found.level) == ("security/external-data", Level.ERROR)
    assert refusal(path, [found]) is not None


def doubling() -> ModelProto:
    bodies = [function("F0", NODE("Relu", ["x"], ["y"]))]
    for step in range(1, 40):
        called = f"F{step - 1}"
        twice = NODE(called, ["x"], ["a"], domain="own"), NODE(called, ["a"], ["y"], domain="own")
        bodies.append(function(f"F{step}", *twice))
    return model(NODE("F39", ["x"], ["y"], domain="own"), functions=bodies)


def chained() -> ModelProto:
    bodies = [function("F0", NODE("Relu", ["x"], ["y"]))]
    bodies += [function(f"F{n}", NODE(f"F{n - 1}", ["x"], ["y"], domain="own")) for n in range(1, 3000)]
    return model(NODE("F2999", ["x"], ["y"], domain="own"), functions=bodies)


def in_a_branch() -> ModelProto:
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])
    branch = helper.make_graph([NODE("F", ["x"], ["y"], domain="own")], "b", [], [y])
    choice = NODE("If", ["c"], ["y"], then_branch=branch, else_branch=branch)
    yes = NODE("Constant", [], ["c"], value=helper.make_tensor("c", TensorProto.BOOL, [], [True]))
    return model(NODE("F", ["x"], ["y"], domain="own"), functions=[function("F", yes, choice)])


BOMBS = {
    "calls itself": (
        lambda: model(
            NODE("F", ["x"], ["y"], domain="own"), functions=[function("F", NODE("F", ["x"], ["y"], domain="own"))]
        ),
        "calls itself",
    ),
    "calls itself in a branch": (in_a_branch, "calls itself"),
    "doubles forty times": (doubling, "once its functions are inlined"),
    "calls through thousands": (chained, "nested too deeply"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_functions_without_end_are_refused(name: str, tmp_path: Path) -> None:
    make, why = BOMBS[name]
    (tmp_path / "m.onnx").write_bytes(make().SerializeToString())
    with pytest.raises(TargetProblem, match=why):
        load(tmp_path / "m.onnx")


@pytest.mark.parametrize("text", [b"Relu", b"node name", b"graph name"])
def test_names_that_are_no_text_are_refused(text: bytes, tmp_path: Path) -> None:
    made = model(NODE("Relu", ["x"], ["y"], name="node name"))
    made.graph.name = "graph name"
    content = made.SerializeToString().replace(text, b"\xff" * len(text))
    (tmp_path / "m.onnx").write_bytes(content)
    with pytest.raises(TargetProblem, match="not text"):
        load(tmp_path / "m.onnx")


def keras(path: Path, layer: dict[str, Any]) -> Path:
    start = {"module": "keras.layers", "class_name": "InputLayer", "config": {"batch_shape": [None, 2], "name": "i"}}
    config = {"module": "keras", "class_name": "Sequential", "config": {"name": "s", "layers": [start, layer]}}
    weights = io.BytesIO()
    h5py.File(weights, "w").close()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("config.json", json.dumps(config))
        archive.writestr("metadata.json", "{}")
        archive.writestr("model.weights.h5", weights.getvalue())
    return path


def layer(kind: str, module: str = "keras.layers", **config: Any) -> dict[str, Any]:
    return {"module": module, "class_name": kind, "config": {"name": "l", **config}}


def reference(module: str, name: str) -> dict[str, Any]:
    return {"module": module, "class_name": "function", "config": name, "registered_name": name}


LAYERS = {
    "a vocabulary file": (layer("StringLookup", vocabulary="/etc/passwd"), "security/external-data"),
    "a vocabulary file of text": (layer("TextVectorization", vocabulary="/etc/passwd"), "security/external-data"),
    "a download": (layer("Dense", units=2, activation=reference("keras.utils", "get_file")), "security/keras-code"),
    "a download by its inner name": (
        layer("Dense", units=2, activation=reference("keras.src.utils.file_utils", "get_file")), "security/keras-code",
    ),
    "another model": (
        layer("Dense", units=2, kernel_initializer=layer("load_model", "keras.src.saving.saving_lib", path="/x")),
        "security/keras-code",
    ),
    "a function of Python": (layer("Dense", units=2, activation=reference("os", "system")), "security/keras-code"),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYERS)
def test_what_keras_would_open_or_call_is_a_finding(name: str, tmp_path: Path) -> None:
    hostile, rule = LAYERS[name]
    found = scan(keras(tmp_path / "m.keras", hostile), tmp_path)
    assert [(f.rule, f.level) for f in found] == [(rule, Level.ERROR)]


@pytest.mark.parametrize(
    "harmless",
    [
        layer("StringLookup", vocabulary=["a", "b"]),
        layer("Dense", units=2, activation=reference("builtins", "relu")),
        layer("Dense", units=2, activation=reference("keras.ops", "silu")),
    ],
)
def test_usual_layers_are_none(harmless: dict[str, Any], tmp_path: Path) -> None:
    assert scan(keras(tmp_path / "m.keras", harmless), tmp_path) == ()


def test_a_class_of_another_library_is_told_and_not_run(tmp_path: Path) -> None:
    path = keras(tmp_path / "m.keras", {**layer("Evil", "mypackage.evil"), "registered_name": "pkg>Evil"})
    assert scan(path, tmp_path) == ()
    assert custom_operators(path) == ["Evil"]
    assert "Evil" in str(refusal(path, ()))


@pytest.mark.parametrize(("module", "name"), [("mypackage.evil", "act"), ("builtins", "pkg>act")])
def test_a_function_of_another_library_is_told_and_not_run(module: str, name: str, tmp_path: Path) -> None:
    function = {"module": module, "class_name": "function", "config": name, "registered_name": "function"}
    path = keras(tmp_path / "m.keras", layer("Dense", units=2, activation=function))
    assert scan(path, tmp_path) == ()
    assert custom_operators(path) == [name]
    assert name in str(refusal(path, ()))
