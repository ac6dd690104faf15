"""Weights files read without their frameworks hold what the frameworks wrote."""

from __future__ import annotations

import argparse
import json
import pickle
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from analyzer.loading.formats import Format, detect
from analyzer.loading.pickles import PickledCall, read_pickle
from analyzer.loading.weight import Weight
from analyzer.loading.weights import open_weights
from analyzer.problem import TargetProblem


def check(found: Mapping[str, Weight], expected: Mapping[str, Any]) -> None:
    assert set(found) == set(expected)
    for name, array in expected.items():
        array = np.asarray(array)
        weight = found[name]
        assert weight.shape == array.shape
        assert weight.dtype.numpy() == array.dtype
        np.testing.assert_array_equal(weight.array().astype(np.complex128), array.astype(np.complex128))


def arrays() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    return {
        "a.weight": rng.normal(size=(3, 4)).astype(np.float32),
        "a.bias": rng.normal(size=4).astype(np.float16),
        "scalar": np.array(3, np.int64),
        "empty": np.zeros((0, 5), np.float64),
        "flags": np.array([True, False]),
    }


def test_safetensors(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    save_file(arrays(), tmp_path / "w.bin", metadata={"format": "pt"})
    assert detect(tmp_path / "w.bin") is Format.SAFETENSORS
    check(open_weights(tmp_path / "w.bin"), arrays())


def test_safetensors_bfloat16(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from safetensors.torch import save_file

    tensor = torch.randn(3, 2).to(torch.bfloat16)
    save_file({"t": tensor}, tmp_path / "w.safetensors")
    expected = tensor.float().numpy().astype(ml_dtypes.bfloat16)
    check(open_weights(tmp_path / "w.safetensors"), {"t": expected})


@pytest.mark.parametrize(
    ("header", "data", "reason"),
    [
        ({"t": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}}, 4, "does not fit"),
        ({"t": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}, 4, "does not fit"),
        ({"t": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}}, 8, "overlap or leave a hole"),
        ({"t": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}}, 4, "not allowed"),
        ({"t": {"dtype": "X9", "shape": [1], "data_offsets": [0, 4]}}, 4, "not allowed"),
        ({}, 4, "belong to no tensor"),
    ],
)
def test_safetensors_that_lie(tmp_path: Path, header: dict[str, Any], data: int, reason: str) -> None:
    text = json.dumps(header).encode()
    (tmp_path / "w.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + b"\0" * data)
    with pytest.raises(TargetProblem, match=reason):
        open_weights(tmp_path / "w.safetensors")


def test_safetensors_name_twice(tmp_path: Path) -> None:
    entry = '{"dtype":"U8","shape":[1],"data_offsets":[0,1]}'
    text = f'{{"t":{entry},"t":{entry}}}'.encode()
    (tmp_path / "w.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + b"\0")
    with pytest.raises(TargetProblem, match="twice"):
        open_weights(tmp_path / "w.safetensors")


@pytest.mark.parametrize("zipped", [True, False])
def test_torch_state_dict(tmp_path: Path, zipped: bool) -> None:
    torch = pytest.importorskip("torch")
    model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
    torch.save(model.state_dict(), tmp_path / "m.pt", _use_new_zipfile_serialization=zipped)
    assert detect(tmp_path / "m.pt") is Format.TORCH
    check(open_weights(tmp_path / "m.pt"), {k: v.numpy() for k, v in model.state_dict().items()})


def test_torch_views_and_types(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    base = torch.arange(24, dtype=torch.float32).reshape(4, 6)
    state = {
        "slice": base[1:3, ::2],
        "transposed": base.T,
        "parameter": torch.nn.Parameter(base[:1]),
        "half": base.half(),
        "brain": base.to(torch.bfloat16),
        "complex": torch.complex(base, base),
        "bits": torch.tensor([True, False]),
        "unsigned": torch.tensor([1, 60000], dtype=torch.uint16),
        "empty": torch.zeros(0, 3),
    }
    torch.save(state, tmp_path / "m.pth")
    found = open_weights(tmp_path / "m.pth")
    for name, tensor in state.items():
        assert found[name].shape == tuple(tensor.shape)
        number = tensor.detach().to(torch.complex128).numpy()
        np.testing.assert_array_equal(found[name].array().astype(np.complex128), number, err_msg=name)


def test_torch_checkpoint_with_objects_beside_the_model(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    model = torch.nn.Linear(2, 2)
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    checkpoint = {
        "epoch": 3,
        "arguments": argparse.Namespace(rate=0.1),
        "state_dict": model.state_dict(),
        "optimizer": optimizer.state_dict(),
    }
    torch.save(checkpoint, tmp_path / "c.ckpt")
    found = open_weights(tmp_path / "c.ckpt")
    np.testing.assert_array_equal(found["weight"].array(), model.weight.detach().numpy())
    assert "optimizer.state.0.exp_avg" in found


def test_pickle_is_read_and_not_run(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> Any:
            return exec, (f"open({str(tmp_path / 'ran')!r}, 'w')",)

    data = pickle.dumps({"x": Evil(), "y": [1, (2.5, None, {"s"})]})
    value, used, names = read_pickle(data)
    assert used == len(data)
    assert [str(n) for n in names] == ["builtins.exec"]
    assert isinstance(value["x"], PickledCall)
    assert value["y"] == [1, (2.5, None, ["s"])]
    (tmp_path / "w.pkl").write_bytes(data)
    with pytest.raises(TargetProblem, match="torch did not write"):
        open_weights(tmp_path / "w.pkl")
    assert not (tmp_path / "ran").exists()


def test_numpy_archives(tmp_path: Path) -> None:
    expected = arrays() | {"fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3))}
    np.savez(tmp_path / "plain.npz", **expected)
    np.savez_compressed(tmp_path / "packed.npz", **expected)
    check(open_weights(tmp_path / "plain.npz"), expected)
    check(open_weights(tmp_path / "packed.npz"), expected)


def test_numpy_objects_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "o.npz", o=np.array([{"a": 1}], object))
    with pytest.raises(TargetProblem, match="Python objects"):
        open_weights(tmp_path / "o.npz")


def test_tensorflow_checkpoints(tmp_path: Path) -> None:
    tf = pytest.importorskip("tensorflow")
    variables = {f"layer{i}/kernel": np.random.default_rng(i).normal(size=[3, i + 1]) for i in range(40)}
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        made = [v1.get_variable(n, initializer=v) for n, v in variables.items()]
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            v1.train.Saver(made).save(session, str(tmp_path / "named" / "model.ckpt"))
    check(open_weights(tmp_path / "named" / "model.ckpt.index"), variables)
    check(open_weights(tmp_path / "named" / "model.ckpt"), variables)

    module = tf.Module()
    module.first = tf.Variable([1.0, 2.0], name="scope/first")
    module.second = tf.Variable([[3]], name="second")
    tf.train.Checkpoint(model=module).write(str(tmp_path / "objects" / "ckpt"))
    found = open_weights(tmp_path / "objects" / "ckpt")
    np.testing.assert_array_equal(found["scope/first"].array(), [1.0, 2.0])
    np.testing.assert_array_equal(found["second"].array(), [[3]])


def test_keras_weights(tmp_path: Path) -> None:
    keras = pytest.importorskip("keras")
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, name="d"), keras.layers.BatchNormalization()])
    for name in ("m.keras", "m.h5", "m.weights.h5"):
        (model.save_weights if "weights" in name else model.save)(tmp_path / name)
        found = open_weights(tmp_path / name)
        shapes = sorted(w.shape for n, w in found.items() if "optimizer" not in n)
        assert shapes == sorted(tuple(v.shape) for v in model.variables if v.dtype != "uint32")
        kernel = next(w for n, w in found.items() if w.shape == (4, 3))
        np.testing.assert_array_equal(kernel.array(), model.get_layer("d").kernel.numpy())


def test_hdf5_links_are_refused(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "secret.h5", "w") as file:
        file["s"] = np.ones(3)
    for number, link in enumerate([h5py.ExternalLink("secret.h5", "s"), h5py.SoftLink("/layers")]):
        path = tmp_path / f"{number}.weights.h5"
        with h5py.File(path, "w") as file:
            file["layers/x"] = link
        with pytest.raises(TargetProblem, match="links are refused"):
            open_weights(path)
    path = tmp_path / "external.weights.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("layers/x", (3,), "f8", external=[("secret.h5", 0, 24)])
    with pytest.raises(TargetProblem, match="another file"):
        open_weights(path)


def test_opening_weights_imports_no_framework(tmp_path: Path) -> None:
    np.savez(tmp_path / "w.npz", a=np.ones(2))
    code = (
        "import sys; from pathlib import Path; from analyzer.loading.weights import open_weights;"
        f"open_weights(Path({str(tmp_path / 'w.npz')!r}));"
        "assert not {'torch', 'tensorflow', 'keras', 'jax', 'onnxruntime'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
