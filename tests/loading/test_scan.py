"""Security findings, each on a real file of its kind."""

from __future__ import annotations

import os
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from analyzer.findings import Confidence, Finding, Level
from analyzer.loading.reading import load
from analyzer.loading.scan import scan
from analyzer.loading.weights import open_weights
from analyzer.problem import TargetProblem


class Evil:
    def __reduce__(self) -> Any:
        return os.system, ("echo broken",)


def rules(findings: tuple[Finding, ...]) -> set[tuple[str, Level, Confidence]]:
    return {(f.rule, f.level, f.confidence) for f in findings}


UNSAFE = {("security/unsafe-pickle", Level.ERROR, Confidence.PROVED)}


def test_torch_archives(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    torch = pytest.importorskip("torch")
    torch.save({"w": torch.ones(2)}, tmp_path / "good.pt")
    assert scan(tmp_path / "good.pt") == ()
    for zipped in (True, False):
        torch.save(
            {"w": torch.ones(2), "::error::x": Evil()}, tmp_path / "bad.pt", _use_new_zipfile_serialization=zipped
        )
        found = scan(tmp_path / "bad.pt", target="weights")
        assert rules(found) == UNSAFE
        assert "system" in found[0].message
        assert found[0].target == "weights"
        assert len(found[0].message) <= 200
        assert open_weights(tmp_path / "bad.pt")["w"].array().tolist() == [1, 1]
    captured = capfd.readouterr()
    assert captured.out == captured.err == ""


def test_unknown_classes_are_possible_only(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    import argparse

    torch.save({"w": torch.ones(2), "arguments": argparse.Namespace()}, tmp_path / "c.ckpt")
    assert rules(scan(tmp_path / "c.ckpt")) == {("security/unsafe-pickle", Level.WARNING, Confidence.POSSIBLE)}


def test_pickles_and_arrays_of_objects(tmp_path: Path) -> None:
    (tmp_path / "w.pkl").write_bytes(pickle.dumps(Evil()))
    assert rules(scan(tmp_path / "w.pkl")) == UNSAFE
    np.savez(tmp_path / "o.npz", good=np.ones(2), bad=np.array([Evil()], object))
    assert rules(scan(tmp_path / "o.npz")) == UNSAFE
    np.savez(tmp_path / "p.npz", good=np.ones(2))
    assert scan(tmp_path / "p.npz") == ()


def test_keras_lambda(tmp_path: Path) -> None:
    keras = pytest.importorskip("keras")
    model = keras.Sequential(
        [keras.Input((2,)), keras.layers.Lambda(lambda x: x + 1, name="plus"), keras.layers.Dense(1)]
    )
    for name in ("m.keras", "m.h5"):
        model.save(tmp_path / name)
        (found,) = scan(tmp_path / name)
        assert (found.rule, found.layer, found.level) == ("security/keras-code", "plus", Level.ERROR)


def external(tmp_path: Path, location: str) -> Path:
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2], data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value=location)
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])
    graph = helper.make_graph([helper.make_node("Add", ["x", "w"], ["y"])], "g", [x], [y], [tensor])
    path = tmp_path / "model" / "m.onnx"
    path.parent.mkdir(exist_ok=True)
    onnx.save(helper.make_model(graph), path)
    return path


@pytest.mark.parametrize(
    "location", ["../secret", "/etc/passwd", "a/../../secret", "..\\secret", "C:secret", "~/secret", "./../secret", ""]
)
def test_external_data_elsewhere(tmp_path: Path, location: str) -> None:
    (tmp_path / "secret").write_bytes(bytes(8))
    path = external(tmp_path, location)
    with pytest.raises(TargetProblem, match="outside the model's folder"):
        load(path)
    assert rules(scan(path)) == {("security/external-data", Level.ERROR, Confidence.PROVED)}


def test_external_data_by_links(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(bytes(8))
    path = external(tmp_path, "data.bin")
    (path.parent / "data.bin").symlink_to(tmp_path / "secret")
    with pytest.raises(TargetProblem, match="symbolic link"):
        load(path)
    assert scan(path)[0].rule == "security/external-data"
    (path.parent / "data.bin").unlink()
    os.link(tmp_path / "secret", path.parent / "data.bin")
    with pytest.raises(TargetProblem, match="hard links"):
        load(path)
    assert scan(path)[0].rule == "security/external-data"
    (path.parent / "data.bin").unlink()
    (path.parent / "data.bin").write_bytes(np.array([1, 2], np.float32).tobytes())
    assert scan(path) == ()
    (value,) = load(path).graph.initializers.values()
    assert value.const_value is not None
    assert value.const_value.numpy().tolist() == [1, 2]
    path = external(tmp_path, "folder/data.bin")
    (path.parent / "folder").symlink_to(tmp_path)
    with pytest.raises(TargetProblem, match="symbolic link"):
        load(path)


def test_external_data_missing_or_short(tmp_path: Path) -> None:
    path = external(tmp_path, "data.bin")
    with pytest.raises(TargetProblem, match="cannot be read"):
        load(path)
    (path.parent / "data.bin").write_bytes(bytes(4))
    with pytest.raises(TargetProblem, match="needs 8 bytes"):
        load(path)
    assert scan(path) == ()


def test_tensorflow_side_effects(tmp_path: Path) -> None:
    tf = pytest.importorskip("tensorflow")
    with tf.Graph().as_default() as graph:
        tf.io.write_file("/tmp/x", tf.constant("y"), name="sneaky")
        (tmp_path / "g.pb").write_bytes(graph.as_graph_def().SerializeToString())
    (found,) = scan(tmp_path / "g.pb")
    assert (found.rule, found.node, found.op) == ("security/unsafe-operator", "sneaky", "WriteFile")


def test_archives_that_point_outside(tmp_path: Path) -> None:
    for number, name in enumerate(("../x/data.pkl", "/data.pkl", "a\\data.pkl")):
        path = tmp_path / f"{number}.pt"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(name, b"\x80\x02.")
            archive.writestr("m/data.pkl", b"\x80\x02}.")
        with pytest.raises(TargetProblem, match="points outside"):
            open_weights(path)
