"""Keras files read as text and HDF5 compute, in ONNX Runtime, what Keras computes."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest

keras = pytest.importorskip("keras")
L = keras.layers

from analyzer.graph import Graph, Role, layer_of, role_of  # noqa: E402
from analyzer.loading.formats import Format, detect  # noqa: E402
from analyzer.loading.reading import load  # noqa: E402
from analyzer.problem import TargetProblem  # noqa: E402
from tests.loading.graph_bytes import to_bytes  # noqa: E402


def randomised(model: Any) -> Any:
    rng = np.random.default_rng(1)
    for variable in model.variables:
        if "float" in variable.dtype:
            values = rng.normal(size=variable.shape) * 0.3
            variable.assign((np.abs(values) + 0.5 if "variance" in variable.name else values).astype(variable.dtype))
    return model


def examples(model: Any) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    made = []
    for value in model.inputs:
        shape = [3 if i == 0 else d or 7 for i, d in enumerate(value.shape)]
        whole = "int" in value.dtype
        made.append((rng.integers(0, 5, shape) if whole else rng.normal(size=shape)).astype(value.dtype))
    return made


def agree(model: Any, path: Path, feeds: list[np.ndarray] | None = None, tolerance: float = 2e-5) -> Graph:
    """Save, load, run both; returns the loaded graph, which has a rule for every layer."""
    model.save(path)
    graph = load(path)
    assert {node.domain for node in graph.nodes()} == {""}
    feeds = examples(model) if feeds is None else feeds
    expected = model.predict_on_batch(feeds if len(feeds) > 1 else feeds[0])
    expected = list(expected.values()) if isinstance(expected, dict) else expected
    expected = expected if isinstance(expected, list | tuple) else [expected]
    data = to_bytes(graph)
    onnx.checker.check_model(onnx.load_from_string(data), full_check=True)  # declared shapes against inferred ones
    session = ort.InferenceSession(data, providers=["CPUExecutionProvider"])
    names = [value.name for value in session.get_inputs()]
    found = session.run(None, dict(zip(names, feeds, strict=True)))
    for a, b in zip(found, expected, strict=True):
        b = np.asarray(b)
        assert a.shape == b.shape
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * (np.abs(b).max() + 1e-9))
    return graph


Build = Callable[[], Any]
CASES: dict[str, Build] = {}


def sequential(name: str, shape: tuple[int | None, ...], *layers: Callable[[], Any], dtype: str = "float32") -> None:
    CASES[name] = lambda: keras.Sequential([keras.Input(shape, dtype=dtype), *(make() for make in layers)])


for activation in (
    "relu", "relu6", "sigmoid", "tanh", "softmax", "log_softmax", "softplus", "softsign", "elu", "selu", "celu", "gelu",
    "exponential", "mish", "leaky_relu", "hard_sigmoid", "silu", "hard_silu", "log_sigmoid", "tanh_shrink", "linear",
):  # fmt: skip
    sequential(f"dense {activation}", (5,), lambda a=activation: L.Dense(4, activation=a))
for padding in ("same", "valid"):
    for stride, dilation in ((1, 1), (2, 1), (3, 1), (1, 2)):
        key = f"{padding} {stride} {dilation}"
        options = {"strides": stride, "padding": padding, "dilation_rate": dilation}
        sequential(f"conv2d {key}", (9, 10, 4), lambda o=options: L.Conv2D(6, (3, 4), groups=2, **o))
        sequential(f"depthwise {key}", (9, 10, 4), lambda o=options: L.DepthwiseConv2D(3, depth_multiplier=2, **o))
    for stride in (1, 2, 3):
        for size in (1, 3, 4):
            sequential(
                f"transposed {padding} {stride} {size}",
                (6, 5, 3),
                lambda p=padding, s=stride, k=size: L.Conv2DTranspose(4, k, strides=s, padding=p),
            )
    sequential(f"separable {padding}", (9, 10, 4), lambda p=padding: L.SeparableConv2D(5, 3, strides=2, padding=p))
    sequential(f"conv1d {padding}", (9, 4), lambda p=padding: L.Conv1D(6, 3, strides=2, padding=p))
    sequential(f"conv3d {padding}", (7, 8, 9, 2), lambda p=padding: L.Conv3D(3, 3, strides=2, padding=p))
    sequential(f"max {padding}", (9, 10, 4), lambda p=padding: L.MaxPooling2D(3, strides=2, padding=p))
    sequential(f"average {padding}", (9, 10, 4), lambda p=padding: L.AveragePooling2D((2, 3), strides=2, padding=p))
for extra in (0, 1):
    sequential(
        f"transposed output_padding {extra}",
        (6, 5, 3),
        lambda e=extra: L.Conv2DTranspose(4, 3, strides=2, padding="same", output_padding=e),
    )
sequential("causal", (9, 4), lambda: L.Conv1D(6, 3, padding="causal", dilation_rate=2))
sequential(
    "unknown sizes",
    (None, None, 3),
    lambda: L.Conv2D(4, 3, padding="same", strides=2),
    lambda: L.Conv2D(4, 3, padding="same"),
    lambda: L.MaxPooling2D(2, padding="same"),
)
sequential("global", (5, 6, 3), lambda: L.GlobalAveragePooling2D(keepdims=True), lambda: L.GlobalMaxPooling2D())
sequential("batch norm images", (5, 6, 3), lambda: L.BatchNormalization())
sequential("batch norm vectors", (5,), lambda: L.BatchNormalization(scale=False))
sequential("batch norm axis", (5, 6, 3), lambda: L.BatchNormalization(axis=1, center=False))
sequential("layer norm", (5, 6), lambda: L.LayerNormalization(), lambda: L.LayerNormalization(axis=[1, 2], scale=False))
sequential("group norm", (5, 6, 8), lambda: L.GroupNormalization(4), lambda: L.GroupNormalization(-1))
sequential("other norms", (4, 5), lambda: L.UnitNormalization(), lambda: L.RMSNormalization())
for number, options in enumerate(
    ({}, {"max_value": 2.0}, {"negative_slope": 0.1}, {"threshold": 0.5},
     {"negative_slope": 0.2, "threshold": 0.3, "max_value": 1.0})
):  # fmt: skip
    sequential(f"relu layer {number}", (9,), lambda o=options: L.ReLU(**o))
sequential(
    "activation layers",
    (5, 4),
    lambda: L.LeakyReLU(0.2),
    lambda: L.ELU(0.7),
    lambda: L.PReLU(shared_axes=[1]),
    lambda: L.Softmax(axis=1),
)
sequential(
    "reshaping",
    (5, 4, 3),
    lambda: L.Flatten(),
    lambda: L.Reshape((3, -1)),
    lambda: L.Permute((2, 1)),
    lambda: L.Flatten(),
    lambda: L.RepeatVector(3),
)
sequential(
    "borders",
    (5, 4, 3),
    lambda: L.ZeroPadding2D(((1, 2), (0, 3))),
    lambda: L.Cropping2D(((0, 1), (2, 0))),
    lambda: L.UpSampling2D((2, 3)),
    lambda: L.UpSampling2D(2, interpolation="bilinear"),
)
sequential(
    "preprocessing",
    (5, 4, 3),
    lambda: L.Rescaling(1 / 255.0, offset=-1.0),
    lambda: L.Resizing(8, 7),
    lambda: L.Normalization(mean=[1.0, 2.0, 3.0], variance=[1.0, 4.0, 9.0]),
)
sequential("embedding", (6,), lambda: L.Embedding(10, 4), lambda: L.GlobalAveragePooling1D(), dtype="int32")
for kind in (L.LSTM, L.GRU, L.SimpleRNN):
    for options in ({}, {"return_sequences": True, "go_backwards": True}, {"use_bias": False, "activation": "relu"}):
        sequential(f"{kind.__name__} {options}", (6, 5), lambda k=kind, o=options: k(4, **o))
sequential("GRU reset before", (6, 5), lambda: L.GRU(4, reset_after=False))
for mode in ("concat", "sum", "mul", "ave"):
    sequential(
        f"bidirectional {mode}",
        (6, 5),
        lambda m=mode: L.Bidirectional(L.LSTM(3, return_sequences=m != "mul"), merge_mode=m),
    )
sequential(
    "time distributed",
    (6, 5, 5, 2),
    lambda: L.TimeDistributed(L.Conv2D(3, 2)),
    lambda: L.TimeDistributed(L.Flatten()),
    lambda: L.TimeDistributed(L.Dense(3)),
)


def merging() -> Any:
    a, b = keras.Input((6, 5)), keras.Input((6, 5))
    shared = L.Dense(5)
    x, y = shared(a), shared(b)
    kinds = (L.Add, L.Subtract, L.Average, L.Maximum, L.Minimum, L.Concatenate)
    return keras.Model([a, b], [kind()([x, y]) for kind in kinds] + [L.Multiply()([x, y, a])])


def attention() -> Any:
    a, b = keras.Input((6, 5)), keras.Input((4, 5))
    heads = L.MultiHeadAttention(2, 3, value_dim=4)(a, b)
    return keras.Model([a, b], [heads, L.Attention()([a, b]), L.MultiHeadAttention(2, 3, use_bias=False)(a, a, a)])


def nested() -> Any:
    image = keras.Input((8, 8, 3), name="image")
    x = L.Conv2D(4, 3, activation="relu")(image)
    inner = keras.Sequential([keras.Input((6, 6, 4)), L.BatchNormalization(), L.Dense(4)], name="inner")
    entry = keras.Input((6, 6, 4))
    block = keras.Model(entry, L.Conv2D(4, 1)(inner(entry)), name="block")
    y = block(block(x)) + L.Dense(4)(x)
    y = keras.ops.relu(L.Add()([x, y]) * 2.0 - x)[:, 1:3, ::2]
    y = keras.ops.mean(y, axis=1)
    return keras.Model(image, {"a": L.LSTM(5)(y), "b": keras.ops.exp(-y / 3.0)})


def states() -> Any:
    a = keras.Input((6, 5))
    sequence, h, c = L.LSTM(4, return_sequences=True, return_state=True)(a)
    return keras.Model(a, [sequence, L.LSTM(4)(a, initial_state=[h, c]), h])


CASES |= {"merging": merging, "attention": attention, "nested": nested, "states": states}
LEGACY = ("conv2d same 2 1", "batch norm axis", "LSTM {}", "bidirectional concat", "time distributed", "merging",
          "attention", "nested", "states", "separable same", "depthwise same 2 1")  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_layers(tmp_path: Path, name: str) -> None:
    keras.backend.clear_session()
    agree(randomised(CASES[name]()), tmp_path / "m.keras")


@pytest.mark.parametrize("name", LEGACY)
def test_legacy_files(tmp_path: Path, name: str) -> None:
    keras.backend.clear_session()
    agree(randomised(CASES[name]()), tmp_path / "m.h5")


@pytest.mark.parametrize(
    ("name", "size"),
    [("MobileNetV3Small", 64), ("EfficientNetB0", 64), ("ConvNeXtTiny", 64)],
)
def test_applications(tmp_path: Path, name: str, size: int) -> None:
    keras.backend.clear_session()
    model = getattr(keras.applications, name)(weights=None, input_shape=(size, size, 3), classes=10)
    image = np.random.default_rng(0).uniform(0, 255, (2, size, size, 3)).astype(np.float32)
    agree(model, tmp_path / "m.keras", [image], tolerance=1e-3)


def test_mixed_precision(tmp_path: Path) -> None:
    model = keras.Sequential(
        [keras.Input((5,)), L.Dense(4, dtype="mixed_float16", activation="relu"), L.Dense(2, dtype="float32")]
    )
    agree(randomised(model), tmp_path / "m.keras", tolerance=2e-3)


def test_names_layers_and_roles(tmp_path: Path) -> None:
    graph = agree(randomised(nested()), tmp_path / "m.keras")
    assert [v.name for v in graph.graph.inputs] == ["image"]
    assert graph.framework == "keras"
    assert graph.versions["keras"] == keras.__version__
    assert "block/inner/batch_normalization" in {layer_of(node).rpartition("_")[0] for node in graph.nodes()} | {
        layer_of(node) for node in graph.nodes()
    }
    roles = {v.name.rpartition("/")[2]: role_of(v) for v in graph.graph.initializers.values()}
    assert roles["gamma"] is Role.PARAMETER
    assert roles["moving_variance"] is Role.STATE


def test_lambda_is_kept_and_never_run(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    model = keras.Sequential([keras.Input((3,)), L.Lambda(lambda x: x), L.Dense(2)])
    model.save(tmp_path / "m.keras")
    with zipfile.ZipFile(tmp_path / "m.keras") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    config = members["config.json"].replace(b'"class_name": "__lambda__"', b'"class_name": "__import__"')
    members["config.json"] = config.replace(b"__import__", f"open('{marker}','w')".encode())
    with zipfile.ZipFile(tmp_path / "evil.keras", "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    for name in ("m.keras", "evil.keras"):
        graph = load(tmp_path / name)
        assert [node.op_type for node in graph.nodes() if node.domain == "keras"] == ["Lambda"]
    assert not marker.exists()


def test_masks_make_recurrent_layers_unknown(tmp_path: Path) -> None:
    model = keras.Sequential([keras.Input((6,), dtype="int32"), L.Embedding(9, 3, mask_zero=True), L.LSTM(2)])
    model.save(tmp_path / "m.keras")
    assert "LSTM" in {node.op_type for node in load(tmp_path / "m.keras").nodes() if node.domain == "keras"}


def test_custom_layers_are_not_mistaken_for_ours(tmp_path: Path) -> None:
    @keras.saving.register_keras_serializable(package="project", name="Dense")
    class Dense(L.Layer):
        def call(self, x: Any) -> Any:
            return x / 0.0

    model = keras.Sequential([keras.Input((3,)), Dense()])
    model.save(tmp_path / "m.keras")
    assert {(n.domain, n.op_type) for n in load(tmp_path / "m.keras").nodes()} == {("keras", "Dense")}


def test_subclassed_model_asks_for_an_entry_point(tmp_path: Path) -> None:
    class Model(keras.Model):
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            self.dense = L.Dense(2)

        def call(self, x: Any) -> Any:
            return self.dense(x)

    model = Model()
    model(np.ones((1, 3)))
    model.save(tmp_path / "m.keras")
    assert detect(tmp_path / "m.keras") is Format.KERAS
    with pytest.raises(TargetProblem, match="entry point"):
        load(tmp_path / "m.keras")


def damaged(tmp_path: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    model = keras.Sequential([keras.Input((3,), name="x"), L.Dense(2, name="d")])
    model.save(tmp_path / "m.keras")
    with zipfile.ZipFile(tmp_path / "m.keras") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    config = json.loads(members["config.json"])
    change(config)
    members["config.json"] = json.dumps(config).encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    (tmp_path / "bad.keras").write_bytes(buffer.getvalue())
    return tmp_path / "bad.keras"


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c["config"].pop("layers"),
        lambda c: c["config"].update(layers=[]),
        lambda c: c["config"].update(layers=[{}]),
        lambda c: c["config"]["layers"][0]["config"].update(batch_shape="wide"),
        lambda c: c["config"]["layers"][0]["config"].update(batch_shape=[None, -3]),
        lambda c: c["config"]["layers"][1].update(class_name=None),
        lambda c: c["config"]["layers"][1].update(config=None),
        lambda c: c["config"]["layers"][1].update(class_name="Conv2D"),
        lambda c: c.update(class_name="Functional"),
    ],
)
def test_damaged_architectures(tmp_path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    with pytest.raises(TargetProblem) as problem:
        load(damaged(tmp_path, change))
    assert str(problem.value).endswith(".")
    assert "\n" not in str(problem.value)
