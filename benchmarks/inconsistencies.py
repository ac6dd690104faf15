"""Real inconsistencies between engines: found, the right layer named, the right engine blamed, twins and benign cases silent.

    python benchmarks/inconsistencies.py [--overlays DIR] [--only TEXT] [--out DIR] [--alone]

Every case is a small model in which one published inconsistency sits between healthy layers. Versions other than the
installed ones come as overlays (`pip install --no-deps --target`) that are kept in DIR. Prints one line a case and ends
with exit code 1 when one is not as it should be. With `--alone` nothing but the model is given: no engine, no input, no
version; rows of the installed versions are looked for, and every script is run again from a clean folder.
"""

# ruff: noqa: E501

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from analyzer.configuration.config import TargetConfig, Thresholds
from analyzer.differential.analysis import result_of
from analyzer.differential.environments import Overlays, default_folder
from analyzer.differential.files import write_problems
from analyzer.differential.fresh import FreshProcess
from analyzer.differential.inputs import Inputs, InputSet
from analyzer.differential.plan import families
from analyzer.differential.pool import Pool
from analyzer.differential.runner import Artefact
from analyzer.differential.study import study
from analyzer.differential.whole_scripts import write_whole
from analyzer.differential.worker.contract import machine
from analyzer.findings import AnalysisResult, Finding, Level
from analyzer.walls.process import ProcessSandbox


@dataclass(frozen=True)
class Case:
    """One model on some engines. `expected`: (rule, part of the operator or layer, engine, part of the culprit) or None."""

    row: str
    model: str
    backends: tuple[str, ...]
    expected: tuple[str, str, str, str] | None
    feeds: Mapping[str, np.ndarray] | None = None
    reproduces: bool = True
    everywhere: bool = False  # other layers show it as well
    needs: str = ""  # a feature of the processor without which nothing can be seen


KERAS_MODELS = r"""
import sys
import keras
from keras import layers as L
out = sys.argv[1]
def wrap(name, shape, *middle):
    keras.utils.set_random_seed(0)
    i = keras.Input(shape, name="image")
    x = L.Conv2D(4, 3, padding="same", name="before")(i)
    for layer in middle:
        x = layer(x)
    x = L.Conv2D(4, 1, name="after")(x)
    keras.Model(i, L.GlobalAveragePooling2D(name="pool")(x)).save(f"{out}/{name}.keras")
wrap("avg_same", (8, 8, 3), L.AveragePooling2D(3, 2, padding="same", name="suspect"))
wrap("avg_valid", (8, 8, 3), L.AveragePooling2D(3, 2, padding="valid", name="suspect"))
wrap("avg_shape", (7, 12, 3), L.AveragePooling2D(2, 2, padding="same", name="suspect"))
wrap("conv_transpose", (8, 8, 3), L.Conv2DTranspose(4, 3, 2, padding="same", name="suspect"))
wrap("bn_after_resizing", (8, 8, 3), L.Resizing(6, 6, name="resize"), L.BatchNormalization(name="suspect"))
i = keras.Input((16, 16, 4), name="image")  # what a float16 layer is given is not cast by a layer before it
x = L.Conv2D(4, 1, name="after")(L.GroupNormalization(2, name="suspect")(i))
keras.Model(i, L.GlobalAveragePooling2D(name="pool")(x)).save(f"{out}/group_norm.keras")
wrap("bicubic", (8, 8, 3), L.Resizing(13, 11, interpolation="bicubic", name="suspect"))
wrap("nearest", (13, 11, 3), L.Resizing(5, 7, interpolation="nearest", name="suspect"))
wrap("plain", (8, 8, 3), L.BatchNormalization(name="bn"), L.MaxPooling2D(3, 2, padding="same", name="max"), L.ReLU(name="relu"))
"""

TORCH_ENTRIES = """
import torch
from torch import nn
from torch.nn import functional as F


class Divisor(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)

    def forward(self, x):
        return torch.relu(F.avg_pool2d(self.conv(x), 2, divisor_override=3))


class Norms(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(64)

    def forward(self, x):
        return self.norm(x * 0.5 + 1e4), torch.var(x * 0.5 + 1e4, dim=-1)


class Half(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(64, 64, bias=False)

    def forward(self, x):
        return torch.sigmoid(self.linear(x)) * 90.0


class Singular(nn.Module):
    def forward(self, x):
        return torch.tan(torch.cosh(torch.cosh(x)))


class Linear(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 4)

    def forward(self, x):
        return torch.relu(self.linear(x))


def mixed():
    return Linear(), (torch.randn(1, 8).half(),)  # one row: Inductor then multiplies by itself, without asking for types


def single():
    return Linear(), (torch.randn(2, 8),)


def divisor():
    return Divisor(), (torch.randn(2, 3, 9, 9),)


def norms():
    return Norms(), (torch.randn(4, 64),)


def half():
    return Half(), (torch.randn(4, 64),)


def singular():
    return Singular(), (torch.linspace(-3, 3, 64).reshape(4, 16),)
"""

KERAS_ENTRIES = """
import keras
import numpy as np
import tensorflow as tf

X = (np.random.default_rng(0).normal(size=(3, 5)).astype("float32"),)


class Nested(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = keras.layers.Dense(4)

    @tf.function
    def call(self, x):
        return self.dense(x)


class Plain(Nested):
    def call(self, x):
        return self.dense(x)


def nested():
    keras.utils.set_random_seed(0)
    model = Nested()
    return (lambda x: model(x)), X


def plain():
    keras.utils.set_random_seed(0)
    model = Plain()
    return (lambda x: model(x)), X
"""

TENSORFLOW_MODELS = r"""
import sys
import numpy as np
import tensorflow as tf
out = sys.argv[1]
tf1 = tf.compat.v1
def save(name, build):
    graph = tf.Graph()
    with graph.as_default():
        build()
    open(f"{out}/{name}.pb", "wb").write(graph.as_graph_def().SerializeToString())
def x(shape=(None, 6), dtype=tf.float32):
    return tf1.placeholder(dtype, shape, name="x")
def dense(value, n=6):
    return tf.matmul(value, tf.constant(np.random.default_rng(0).normal(size=(n, n)).astype("f4"), name="w"), name="dense")
save("cast", lambda: tf.identity(tf.cast(tf.nn.relu(dense(x()), name="relu") * 100.0 + 200.0, tf.int8, name="suspect"), name="out"))
save("reduce_max_nan", lambda: tf.identity(tf.reduce_max(x(), axis=1, name="suspect"), name="out"))
save("in_top_k", lambda: tf.identity(tf.raw_ops.InTopKV2(predictions=x(), targets=tf.zeros([4], tf.int32), k=2, name="suspect"), name="out"))
save("divide", lambda: tf.identity(tf.raw_ops.Div(x=x((None,), tf.int32), y=tf.constant([0, 2, 0, 1]), name="suspect"), name="out"))
save("gather", lambda: tf.identity(tf.gather(tf.constant([1.0, 2.0, 3.0]), x((None,), tf.int32), name="suspect"), name="out"))
save("chaos", lambda: tf.identity(tf.tan(tf.cosh(tf.cosh(x(), name="c1"), name="c2"), name="tan"), name="out"))
save("bf16", lambda: tf.cast(tf.sigmoid(tf.cast(x(), tf.bfloat16, name="narrow"), name="sigmoid"), tf.float32, name="out"))
save("healthy", lambda: tf.nn.softmax(tf.nn.relu(dense(x()), name="relu"), name="out"))
"""


def onnx_models(folder: Path) -> None:
    """Each suspect stands between a Sigmoid or Neg and a Relu, so that there is something to tell it from."""
    rng = np.random.default_rng(0)

    def save(name: str, nodes: list[onnx.NodeProto], weights: Mapping[str, np.ndarray], shape: list[int]) -> None:
        graph = helper.make_graph(
            nodes,
            name,
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
            [numpy_helper.from_array(a, n) for n, a in weights.items()],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
        model.ir_version = 10
        onnx.save(model, folder / f"{name}.onnx")

    pads = np.array([0, 0, 1, 1, 0, 0, 1, 1], np.int64)
    conv = rng.standard_normal((4, 3, 3, 3)).astype(np.float32)
    pool = {"kernel_shape": [3, 3], "strides": [2, 2]}

    def chain(*middle: onnx.NodeProto) -> list[onnx.NodeProto]:
        first = helper.make_node("Conv", ["x", "w"], ["c"], name="conv")
        second = helper.make_node("Sigmoid", ["c"], ["s"], name="sigmoid")
        third = helper.make_node("Neg", ["s"], ["n"], name="neg")
        return [first, second, third, *middle, helper.make_node("Tanh", ["m"], ["y"], name="tanh")]

    pad = helper.make_node("Pad", ["n", "pads"], ["p"], name="pad")
    average = helper.make_node("AveragePool", ["p"], ["m"], name="suspect", count_include_pad=0, **pool)
    maximum = helper.make_node("MaxPool", ["p"], ["m"], name="suspect", **pool)
    save("pad_average", chain(pad, average), {"w": conv, "pads": pads}, [2, 3, 10, 10])
    save("pad_max", chain(pad, maximum), {"w": conv, "pads": pads}, [2, 3, 10, 10])
    valid = helper.make_node("MaxPool", ["n"], ["m"], name="suspect", **pool)
    save("max_alone", chain(valid), {"w": conv}, [2, 3, 10, 10])
    two, eps, scale, bias = (np.array(v, np.float32) for v in (2.0, 1e-5, [1.5], [0.1]))
    axes = np.array([-1], np.int64)
    norm = [
        helper.make_node("ReduceMean", ["n", "axes"], ["mean"], name="mean"),
        helper.make_node("Sub", ["n", "mean"], ["d"], name="sub"),
        helper.make_node("Pow", ["d", "two"], ["sq"], name="pow"),
        helper.make_node("ReduceMean", ["sq", "axes"], ["var"], name="variance"),
        helper.make_node("Add", ["var", "eps"], ["ve"], name="add_eps"),
        helper.make_node("Sqrt", ["ve"], ["sd"], name="sqrt"),
        helper.make_node("Div", ["d", "sd"], ["q"], name="div"),
        helper.make_node("Mul", ["q", "scale"], ["qs"], name="scale_mul"),
        helper.make_node("Add", ["qs", "bias"], ["m"], name="shift_add"),
    ]
    weights = {"w": conv, "two": two, "eps": eps, "scale": scale, "bias": bias, "axes": axes}
    save("layer_norm_1", chain(*norm), weights, [2, 3, 10, 10])
    wide = {**weights, "scale": np.full(8, 1.5, np.float32), "bias": np.full(8, 0.1, np.float32)}
    save("layer_norm", chain(*norm), wide, [2, 3, 10, 10])
    save("layer_norm_offset", [
        helper.make_node("Add", ["x", "offset"], ["n"], name="offset_add"), *norm, helper.make_node("Tanh", ["m"], ["y"], name="tanh"),
    ], {**wide, "offset": np.array(1e4, np.float32)}, [2, 3, 10, 8])  # fmt: skip
    resize = {"coordinate_transformation_mode": "half_pixel", "mode": "cubic", "cubic_coeff_a": -0.5}
    sizes = {"w": conv, "sizes": np.array([2, 4, 5, 5], np.int64)}
    save("resize_antialias", chain(helper.make_node("Resize", ["n", "", "", "sizes"], ["m"], name="suspect", antialias=1, **resize)), sizes, [2, 3, 13, 13])  # fmt: skip
    save("resize_plain", chain(helper.make_node("Resize", ["n", "", "", "sizes"], ["m"], name="suspect", **resize)), sizes, [2, 3, 13, 13])  # fmt: skip
    corners = {"coordinate_transformation_mode": "align_corners", "mode": "linear"}
    scales = {"w": conv, "scales": np.array([1, 1, 0.6, 0.6], np.float32)}
    save("resize_corners", chain(helper.make_node("Resize", ["n", "", "scales"], ["m"], name="suspect", **corners)), scales, [2, 3, 6, 6])  # fmt: skip


def cases() -> list[Case]:
    """Rows are those of the published list; a twin is the same model where it is fixed."""
    layer, crash, common = "differential/inconsistent-layer", "differential/crash", "differential/common-mode"
    tf, torch_ = "keras-tensorflow", "keras-torch"
    nan = np.array(
        [[1, np.nan, 2, 3, 4, 5], [np.nan, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, np.nan], [3, 2, 1, 0, 1, 2]], np.float32
    )
    large = np.random.default_rng(0).normal(0, 1e5, (2, 16, 16, 4)).astype(np.float32)  # beyond float16
    leading = np.where(np.isnan(nan), nan, nan + np.array([10, 0, 0, 0, 0, 0], np.float32))  # class 0 is in the top 2
    return [
        Case("1 average pooling same", "avg_same.keras", (tf, torch_), (layer, "suspect", torch_, "")),
        Case("1 keras 3.14.1", "avg_same.keras", (f"{tf}@3.14.1", f"{torch_}@3.14.1"), (layer, "suspect", torch_, "")),
        Case("1 twin: padding valid", "avg_valid.keras", (tf, torch_), None),
        Case("2 average pooling, H != W", "avg_shape.keras", (f"{tf}@3.3.3", f"{torch_}@3.3.3"), ("differential/shape", "suspect", torch_, "")),
        Case("2 twin: keras 3.5.0", "avg_shape.keras", (f"{tf}@3.5.0", f"{torch_}@3.5.0"), None),
        Case("3 transposed convolution", "conv_transpose.keras", (f"{tf}@3.14.1", f"{torch_}@3.14.1", f"{torch_}@3.15.0"), (layer, "suspect", torch_, "3.14.1")),
        Case("3 twin: keras 3.15.0", "conv_transpose.keras", (f"{tf}@3.15.0", f"{torch_}@3.15.0"), None),
        Case("5 batch norm after resizing", "bn_after_resizing.keras", (f"{tf}:call=plain", "keras-jax:call=plain"), ("differential/state-mutated", "", tf, "")),
        Case("5 twin: training=False", "bn_after_resizing.keras", (tf, "keras-jax"), None),
        Case("5 twin: keras 3.5.0", "bn_after_resizing.keras", (f"{tf}@3.5.0:call=plain", "keras-jax@3.5.0:call=plain"), None),
        Case("6 group norm in float16", "group_norm.keras", (f"{tf}@3.14.1:precision=mixed_float16", f"{torch_}@3.14.1:precision=mixed_float16"), (common, "suspect", "keras", ""), {"image": large}),
        Case("6 twin: keras 3.15.0", "group_norm.keras", (f"{tf}@3.15.0:precision=mixed_float16", f"{torch_}@3.15.0:precision=mixed_float16"), None, {"image": large}),
        Case("7 bicubic on Torch", "bicubic.keras", (tf, torch_), (layer, "suspect", torch_, "")),
        Case("9 OpenVINO's own precision", "max_alone.onnx", ("openvino:precision=default", "openvino"), (layer, "conv", "openvino:precision=default", "precision=default"), everywhere=True, needs="amx_bf16"),
        Case("9 Keras on OpenVINO's own precision", "plain.keras", (tf, "keras-openvino:precision=default"), (layer, "before", "keras-openvino:precision=default", "precision=default"), everywhere=True, needs="amx_bf16"),
        Case("9 twin: float32 by name", "max_alone.onnx", ("openvino",), None),
        Case("9 twin: Keras on OpenVINO in float32", "plain.keras", (tf, "keras-openvino"), None),
        Case("10 OpenVINO antialias", "resize_antialias.onnx", ("openvino", "onnxruntime"), (layer, "suspect", "openvino", "")),
        Case("10 twin: no antialias", "resize_plain.onnx", ("openvino", "onnxruntime"), None),
        Case("11 Keras on OpenVINO, nearest", "nearest.keras", (tf, "keras-openvino"), (layer, "suspect", "keras-openvino", "")),
        Case("13 Pad into AveragePool", "pad_average.onnx", ("onnxruntime@1.20.1", "onnxruntime@1.20.1:opt=disable"), (layer, "suspect", "onnxruntime", "Pad_Fusion")),
        Case("13 versions", "pad_average.onnx", ("onnxruntime@1.20.1", "onnxruntime@1.21.0"), (layer, "suspect", "onnxruntime", "is gone from 1.21.0")),
        Case("13 twin: 1.21.0", "pad_average.onnx", ("onnxruntime@1.21.0",), None),
        Case("14 Pad into MaxPool", "pad_max.onnx", ("onnxruntime@1.31.1", "onnxruntime@1.31.1:opt=disable"), (layer, "suspect", "onnxruntime", "Pad_Fusion")),
        Case("14 versions", "pad_max.onnx", ("onnxruntime@1.19.2", "onnxruntime@1.20.1", "onnxruntime@1.31.1"), (layer, "suspect", "onnxruntime", "between 1.19.2 and 1.20.1")),
        Case("14 twin: 1.19.2", "pad_max.onnx", ("onnxruntime@1.19.2",), None),
        Case("14 twin: 1.32.0", "pad_max.onnx", ("onnxruntime@1.32.0",), None),
        Case("14 twin: no Pad", "max_alone.onnx", ("onnxruntime",), None),
        Case("15 layer norm fusion", "layer_norm_1.onnx", ("onnxruntime@1.19.2", "onnxruntime@1.19.2:opt=disable"), (crash, "", "onnxruntime", "LayerNorm"), reproduces=False),
        Case("15 twin: 1.24.4", "layer_norm_1.onnx", ("onnxruntime@1.24.4",), None),
        Case("15 twin: scale of full shape", "layer_norm.onnx", ("onnxruntime@1.19.2",), None),
        Case("16 resize, align_corners", "resize_corners.onnx", ("onnxruntime", "openvino"), (common, "suspect", "", ""), reproduces=False),
        Case("20 reduce_max of NaN", "reduce_max_nan.pb", ("tensorflow", "tensorflow:mode=xla"), ("differential/nan", "suspect", "tensorflow", "mode=xla"), {"x:0": nan}),
        Case("20 in_top_k of NaN", "in_top_k.pb", ("tensorflow", "tensorflow:mode=xla"), (layer, "suspect", "tensorflow", "mode=xla"), {"x:0": leading}),
        Case("20 twin: in_top_k of numbers", "in_top_k.pb", ("tensorflow", "tensorflow:mode=xla"), None, {"x:0": np.nan_to_num(leading)}),
        Case("18 Keras call as a tf.function, in XLA", "lazy.py:nested", ("tensorflow", "tensorflow:mode=xla"), (layer, "dense", "tensorflow", "mode=xla")),
        Case("18 twin: a plain call", "lazy.py:plain", ("tensorflow", "tensorflow:mode=xla"), None),
        Case("21 cast out of range", "cast.pb", ("tensorflow", "tensorflow:mode=xla"), (layer, "suspect", "tensorflow", "mode=xla")),
        Case("21 gather out of range", "gather.pb", ("tensorflow", "tensorflow:mode=xla"), (crash, "suspect", "tensorflow:mode=xla", "TensorFlow in function mode refuses"), {"x:0": np.array([0, 5], np.int32)}),
        Case("21 division by zero", "divide.pb", ("tensorflow", "tensorflow:mode=xla"), (crash, "suspect", "tensorflow:mode=xla", "TensorFlow in function mode refuses"), {"x:0": np.array([5, 4, 1, 2], np.int32)}),
        Case("21 twin: in range", "healthy.pb", ("tensorflow", "tensorflow:mode=eager", "tensorflow:mode=xla"), None),
        Case("22 divisor_override lost", "models.py:divisor", ("torch", "onnxruntime"), (layer, "avg_pool2d", "", "export"), reproduces=False),
        Case("24 float16 into a float32 Linear", "models.py:mixed", ("torch", "torch:mode=compile"), (crash, "linear", "torch:mode=compile", "eager mode refuses: RuntimeError: mat1 and mat2 must have the same dtype")),
        Case("24 twin: float32", "models.py:single", ("torch", "torch:mode=compile"), None),
        Case("benign: bicubic table", "bicubic.keras", (tf, "keras-jax"), None),
        Case("benign: bfloat16 sigmoid", "bf16.pb", ("tensorflow", "tensorflow:mode=xla"), None),
        Case("benign: tan(cosh(cosh x))", "chaos.pb", ("tensorflow", "tensorflow:mode=xla"), None, {"x:0": np.linspace(-2.6, 2.6, 48, dtype=np.float32).reshape(8, 6)}),
        Case("benign: layer norm of mean 1e4, ONNX", "layer_norm_offset.onnx", ("onnxruntime", "onnxruntime:opt=disable", "openvino"), None),
        Case("benign: layer norm and var of mean 1e4", "models.py:norms", ("torch", "torch:mode=compile"), None),
        Case("benign: bfloat16 under Inductor", "models.py:half", ("torch:precision=bfloat16", "torch:mode=compile:precision=bfloat16"), None),
        Case("benign: tan(cosh(cosh x)), Torch", "models.py:singular", ("torch", "onnxruntime"), None),
        Case("benign: healthy Keras model", "plain.keras", (tf, "keras-jax", torch_), None),
    ]  # fmt: skip


def build(folder: Path, overlays: Overlays) -> None:
    """Make all models; Keras' with an old version, whose files all later ones read."""
    onnx_models(folder)
    (folder / "models.py").write_text(TORCH_ENTRIES, encoding="utf-8")
    (folder / "lazy.py").write_text(KERAS_ENTRIES, encoding="utf-8")
    env = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "KERAS_BACKEND": "tensorflow"}
    subprocess.run([sys.executable, "-c", TENSORFLOW_MODELS, str(folder)], check=True, env=env, capture_output=True)
    env["PYTHONPATH"] = str(overlays("keras", "3.3.3"))
    subprocess.run([sys.executable, "-c", KERAS_MODELS, str(folder)], check=True, env=env, capture_output=True)


def examine(case: Case, folder: Path, pool: Pool, output: Path) -> AnalysisResult:
    """Run one case through the analysis, on workers that earlier cases left warm."""
    if ".py:" in case.model:
        from analyzer.commands.diff import graph_of
        from analyzer.differential.analysis import analyse

        target = TargetConfig(case.model, entry=case.model, backends=case.backends)
        graph = graph_of(target, folder, pool.sandbox)
        with Pool(sandbox=pool.sandbox) as own:
            return analyse(graph, target, root=folder, output=output, thresholds=Thresholds(), pool=own)
    path = folder / case.model
    kind = {".onnx": "onnx", ".keras": "keras", ".pb": "tensorflow"}[path.suffix]
    kinds = {kind: Artefact(kind, {f"model{path.suffix}": path}, {"path": f"model{path.suffix}"})}
    target = TargetConfig(case.model, path=case.model, backends=case.backends)
    given = Inputs((InputSet("given", case.feeds),), ("given inputs",), False) if case.feeds else None
    studies = [
        study(f, kinds, target, pool, Thresholds(), (lambda _: given) if given else None)
        for f in families(case.backends, kinds)
    ]
    fresh = FreshProcess(ARGUMENTS.overlays)
    studies = [write_whole(write_problems(each, kinds, output, fresh), kinds, output, fresh) for each in studies]
    return result_of(studies, target, Thresholds())


def verdict(case: Case, result: AnalysisResult, output: Path) -> tuple[bool, str]:
    """Whether the findings are the expected ones, and what they were."""
    loud = list(result.findings)
    if case.expected is None:
        return not loud, "silent" if not loud else "; ".join(f"{f.rule} {f.message}" for f in loud)
    rule, place, engine, culprit = case.expected
    innocent = [f.message for f in loud if f.level is Level.ERROR and f.layer and not _at(f, place)]
    if innocent and not case.everywhere:
        return False, f"blames other layers too: {'; '.join(innocent)}"
    for finding in loud:
        text = " ".join((finding.message, finding.operand, *finding.evidence.sentences))
        if finding.rule != rule or not _at(finding, place) or engine not in str(finding.evidence.data.get("backend")):
            continue
        if culprit not in text:
            continue
        shown = finding.message
        if case.reproduces and finding.reproducer:
            env = {k: v for k, v in os.environ.items() if k != "KERAS_BACKEND"}
            version = str(finding.evidence.data["backend"]).partition("@")[2].partition(":")[0]
            if version:
                package = "keras" if "keras" in str(finding.evidence.data["backend"]) else "onnxruntime"
                env["PYTHONPATH"] = str(ARGUMENTS.overlays(package, version))
            done = subprocess.run(
                [sys.executable, str(output / finding.reproducer)], env=env, capture_output=True, text=True
            )
            if done.returncode != 1:
                return False, f"the reproducer ends with {done.returncode}: {done.stderr[-300:]}"
            shown += " [reproducer deviates]"
        elif case.reproduces and rule != "differential/state-mutated":
            return False, f"no reproducer: {finding.message}"
        return True, shown
    extra = "; ".join(f"{f.rule} {f.message} ({f.evidence.data.get('backend')})" for f in loud) or "no finding"
    return False, f"expected {case.expected}, got {extra} {result.notes}"


def alone(case: Case, folder: Path, output: Path) -> AnalysisResult:
    """What a review of the file finds that is told nothing more."""
    from analyzer.commands.diff import graph_of
    from analyzer.differential.analysis import analyse

    named = {"entry": case.model} if ".py:" in case.model else {"path": case.model}
    target, sandbox = TargetConfig(case.model, **named), ProcessSandbox()
    graph = graph_of(target, folder, sandbox)
    return analyse(graph, target, root=folder, output=output, thresholds=Thresholds(), sandbox=sandbox)


def told(case: Case, result: AnalysisResult, folder: Path, output: Path) -> tuple[bool, bool, bool, str]:
    """Whether the row is found, in the right layer, with a script that shows it from a clean folder; and in words."""
    assert case.expected is not None
    rule, place, engine, _ = case.expected
    mine = [f for f in result.findings if f.rule == rule and engine in str(f.evidence.data.get("backend"))]
    right = [f for f in mine if _at(f, place)]
    blocked = [f.message for f in result.findings if f.level is Level.ERROR and f.layer and not _at(f, place)]
    shown = False
    for finding in right:
        if not finding.reproducer:
            continue
        with tempfile.TemporaryDirectory() as clean:
            script = output / finding.reproducer
            for each in script.parent.glob(f"{script.stem}*"):
                Path(clean, each.name).write_bytes(each.read_bytes())
            env = {k: v for k, v in os.environ.items() if k != "KERAS_BACKEND"}
            project = [str(folder)] if script.name.startswith("state-mutated") else []  # these run its entry point
            done = subprocess.run(
                [sys.executable, script.name, *project], cwd=clean, env=env, capture_output=True, text=True
            )
            shown |= done.returncode == 1
    text = (right or mine)[0].message if mine else "; ".join(f.message for f in result.findings) or "no finding"
    known = next((f.evidence.data["known"] for f in right if f.evidence.data.get("known")), None)
    text += f" [known: {known}]"
    return bool(mine), bool(right) and not (blocked and not case.everywhere), shown, text


def without_names(folder: Path, output: Path, only: str) -> int:
    """The rows that are alive in the installed versions, and their twins, with nothing but the model."""
    rows = found = placed = shown = loud = twins = 0
    seen: set[str] = set()
    for case in cases():
        if case.feeds is not None or case.model in seen or not all(_of_itself(b) for b in case.backends):
            continue  # of other versions, of a choice or of inputs that a model alone does not bring with it
        if only and not any(case.row.startswith(o) for o in only.split(",")):
            continue
        if case.expected is None and "twin" not in case.row and "healthy" not in case.row:
            continue
        if case.needs and case.needs not in machine()["cpu"]:
            continue
        if case.expected is None and any(
            c.model == case.model and c.expected and all(_of_itself(b) for b in c.backends) for c in cases()
        ):
            continue  # a twin by its engines, not by its model
        seen.add(case.model)
        started = time.perf_counter()
        result = alone(case, folder, output)
        seconds = time.perf_counter() - started
        if case.expected is None:
            twins += 1
            blocking = [f.message for f in result.findings]
            loud += bool(blocking)
            print(f"{'BAD' if blocking else 'ok '} {case.row:50s} {seconds:5.1f} s  {blocking or 'silent'}", flush=True)
            continue
        a, b, c, text = told(case, result, folder, output)
        rows, found, placed, shown = rows + 1, found + a, placed + b, shown + c
        marks = ", ".join(w for w, yes in (("found", a), ("right layer", b), ("reproducer shows it", c)) if yes)
        print(
            f"{'ok ' if a and b and c else 'BAD'} {case.row:50s} {seconds:5.1f} s  {marks or 'missed'}: {text}",
            flush=True,
        )
    print(
        f"{rows} rows: {found} found, {placed} in the right layer, {shown} shown by a script; {loud} of {twins} twins loud"
    )
    return 0 if rows == found == placed == shown and not loud else 1


def _of_itself(backend: str) -> bool:
    """Whether a review that is told nothing can have this engine: the installed version, in no chosen precision."""
    name, _, version = backend.partition(":")[0].partition("@")
    package = "keras" if name.startswith("keras") else name
    return "precision=" not in backend and (not version or version == metadata.version(package))


def _at(finding: Finding, place: str) -> bool:
    return place in f"{finding.layer} {finding.node} {finding.op}"


class ARGUMENTS:
    overlays: Overlays


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--overlays", type=Path, default=default_folder())
    parser.add_argument("--only", default="")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--alone", action="store_true", help="nothing but the model: no engines, inputs or versions")
    args = parser.parse_args(argv)
    ARGUMENTS.overlays = overlays = Overlays(args.overlays)
    bad = 0
    with (
        tempfile.TemporaryDirectory() as temporary,
        Pool(overlay=overlays, sandbox=ProcessSandbox(), deadline=900.0) as pool,
    ):
        folder, output = Path(temporary, "models"), args.out or Path(temporary, "out")
        folder.mkdir()
        build(folder, overlays)
        if args.alone:
            return without_names(folder, output, args.only)
        for case in cases():
            if args.only and not any(case.row.startswith(o) for o in args.only.split(",")):
                continue
            if case.needs and case.needs not in machine()["cpu"]:
                print(f"--  {case.row:55s}          cannot be shown: this processor has no {case.needs}", flush=True)
                continue
            started = time.perf_counter()
            right, text = verdict(case, examine(case, folder, pool, output), output)
            bad += not right
            print(
                f"{'ok ' if right else 'BAD'} {case.row:55s} {time.perf_counter() - started:5.1f} s  {text}", flush=True
            )
    print(f"{bad} cases are not as they should be")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
