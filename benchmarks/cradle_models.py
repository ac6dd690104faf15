"""The models of CRADLE's experiment: small forms of published architectures, for Keras and as ONNX, made once.

Keras: `keras.applications` with random weights, and small networks trained for a few epochs. ONNX: classifiers of
`transformers` with random weights, exported by PyTorch for one batch of the size that is compared.
"""

# ruff: noqa: E501

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

CLASSES = 10
TOKENS, WORDS = 12, 300  # length of a text, size of its vocabulary
EPOCHS = 12


@dataclass(frozen=True)
class Made:
    """How one model is made. `loss` (empty: random weights) says what it is trained for; `form` is keras or onnx."""

    text: str
    form: str = "keras"
    loss: str = ""
    epochs: int = EPOCHS

    @property
    def regression(self) -> bool:
        return self.loss == "mse"


def _app(name: str, pixels: int, more: str = "") -> Made:
    return Made(f"A.{name}(weights=None, input_shape=({pixels}, {pixels}, 3), classes=10{more})")


def _headless(name: str) -> Made:
    """Without its large dense layers, which are most of its weights and none of its variety."""
    return Made(f"head(A.{name}(weights=None, input_shape=(32, 32, 3), include_top=False, pooling='avg'))")


def _trained(layers: str, loss: str = "sparse_categorical_crossentropy", epochs: int = EPOCHS) -> Made:
    last = "L.Dense(1)" if loss == "mse" else "L.Dense(10, activation='softmax')"
    return Made(f"S([I((32, 32, 3)), {layers}, {last}])", loss=loss, epochs=epochs)


KERAS = {
    "LeNet-5": _trained(
        "L.Conv2D(6, 5, activation='tanh'), L.AveragePooling2D(3, 2, padding='same'),"
        " L.Conv2D(16, 5, activation='tanh'), L.AveragePooling2D(3, 2, padding='same'), L.Flatten(), L.Dense(84, activation='tanh')"
    ),
    "Dave": _trained(
        "L.Conv2D(12, 5, 2, activation='elu'), L.Conv2D(18, 3, 2, activation='elu'), L.Flatten(), L.Dense(50, activation='elu')",
        "mse",
    ),
    "decoder": _trained(
        "L.Conv2D(8, 3, 2, padding='same', activation='relu'), L.Conv2DTranspose(8, 3, 2, padding='same', activation='relu'),"
        " L.Conv2D(4, 3, 2, padding='same'), L.Flatten()",
        "mse",
    ),
    "MLP": _trained("L.Flatten(), L.Dense(64, activation='relu'), L.Dropout(0.2), L.Dense(32, activation='selu')"),
    "AlexNet": _trained(
        "L.Conv2D(16, 5, 2, activation='relu'), L.MaxPooling2D(3, 2, padding='same'), L.BatchNormalization(),"
        " L.Conv2D(24, 3, padding='same', activation='relu'), L.MaxPooling2D(3, 2), L.Flatten(), L.Dense(48, activation='relu')"
    ),
    "All-CNN": _trained(
        "L.GaussianNoise(0.1), L.Conv2D(16, 3, activation='leaky_relu'), L.Conv2D(24, 3, 2, padding='same', activation='relu'),"
        " L.Conv2D(24, 3, dilation_rate=2, activation='relu'), L.GlobalAveragePooling2D()"
    ),
    "separable CNN": _trained(
        "L.SeparableConv2D(16, 3, padding='same', activation='silu'), L.DepthwiseConv2D(3, 2, padding='same'),"
        " L.GroupNormalization(4), L.Conv2D(24, 1, activation='gelu'), L.GlobalMaxPooling2D()"
    ),
    "1-D CNN": _trained(
        "L.Reshape((32, 96)), L.Conv1D(24, 5, padding='causal', activation='relu'), L.AveragePooling1D(3, 2, padding='same'),"
        " L.Conv1D(24, 3, 2, padding='same', activation='relu'), L.MaxPooling1D(2), L.Flatten()"
    ),
    "3-D CNN": _trained(
        "L.Reshape((32, 32, 3, 1)), L.Conv3D(6, (3, 3, 2), 2, activation='relu'), L.MaxPooling3D((2, 2, 1)), L.Flatten()"
    ),
    "LSTM": _trained("L.Reshape((32, 96)), L.LSTM(24, return_sequences=True), L.LSTM(16)"),
    "GRU": _trained("L.Reshape((32, 96)), L.Bidirectional(L.GRU(16)), L.LayerNormalization()"),
    "ConvLSTM": _trained("L.Reshape((4, 8, 32, 3)), L.ConvLSTM2D(6, 3, padding='same'), L.Flatten()", epochs=4),
    "super-resolution": _trained(
        "L.Conv2D(8, 3, padding='same', activation='relu'), L.UpSampling2D(2, interpolation='bilinear'), L.ZeroPadding2D(1),"
        " L.Conv2D(4, 3, 4, activation='relu'), L.Cropping2D(1), L.Flatten()",
        "mse",
    ),
    "resized": _trained(
        "L.Resizing(20, 20, interpolation='bicubic'), L.Conv2D(8, 3, activation='relu'), L.Rescaling(0.5), L.Flatten()", "mse"
    ),
    "transformer": Made("transformer()", loss="sparse_categorical_crossentropy"),
    "MLP-Mixer": Made("mixer()", loss="sparse_categorical_crossentropy"),
    "U-Net": Made("unet()", loss="mse", epochs=6),
    "MobileNet": Made(  # the averages of its batch normalisation need longer than its weights
        "A.MobileNet(weights=None, alpha=0.25, input_shape=(32, 32, 3), classes=10, dropout=0.0)",
        loss="sparse_categorical_crossentropy", epochs=40,
    ),
    "VGG16": _headless("VGG16"),
    "VGG19": _headless("VGG19"),
    "ResNet50": _app("ResNet50", 32),
    "ResNet50V2": _app("ResNet50V2", 32),
    "MobileNetV2": _app("MobileNetV2", 32, ", alpha=0.35"),
    "MobileNetV3Small": _app("MobileNetV3Small", 32, ", alpha=0.75, include_preprocessing=False"),
    "EfficientNetB0": _app("EfficientNetB0", 32),
    "EfficientNetV2B0": _app("EfficientNetV2B0", 32),
    "DenseNet": Made("densenet.DenseNet([3, 6, 12, 8], weights=None, input_shape=(32, 32, 3), classes=10)"),
    "ConvNeXt": Made(
        "convnext.ConvNeXt([1, 1, 2, 1], [16, 32, 64, 128], weights=None, input_shape=(32, 32, 3), classes=10,"
        " include_preprocessing=False)"
    ),
    "Xception": _app("Xception", 71),
    "InceptionV3": _app("InceptionV3", 75),
}  # fmt: skip

_TEXT = (
    "hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96, vocab_size=300, num_labels=10"
)
_IMAGE = "hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96, image_size=32, patch_size=8, num_labels=10"
_STAGES = "embedding_size=16, hidden_sizes=[16, 32, 48, 64], num_labels=10"


def _onnx(name: str, kind: str, settings: str, family: str = "") -> Made:
    return Made(f"{name}For{kind}({family or name}Config({settings}))", "onnx")


TRANSFORMERS = {
    "BERT": _onnx("Bert", "SequenceClassification", _TEXT),
    "RoBERTa": _onnx("Roberta", "SequenceClassification", _TEXT),
    "ELECTRA": _onnx("Electra", "SequenceClassification", f"{_TEXT}, embedding_size=32"),
    "ALBERT": _onnx("Albert", "SequenceClassification", f"{_TEXT}, embedding_size=32"),
    "DistilBERT": _onnx(
        "DistilBert", "SequenceClassification", "dim=48, n_layers=2, n_heads=4, hidden_dim=96, vocab_size=300, num_labels=10"
    ),
    "GPT-2": _onnx(
        "GPT2", "SequenceClassification", "n_embd=48, n_layer=2, n_head=4, vocab_size=300, num_labels=10, pad_token_id=0, use_cache=False"
    ),
    "Llama": _onnx(
        "Llama", "SequenceClassification", f"{_TEXT}, num_key_value_heads=2, pad_token_id=0, use_cache=False"
    ),
    "ViT": _onnx("ViT", "ImageClassification", _IMAGE),
    "DeiT": _onnx("DeiT", "ImageClassification", _IMAGE),
    "BEiT": _onnx("Beit", "ImageClassification", f"{_IMAGE}, use_relative_position_bias=True"),
    "Swin": _onnx(
        "Swin", "ImageClassification", "image_size=64, embed_dim=24, depths=[2, 2], num_heads=[2, 4], window_size=4, num_labels=10"
    ),
    "ConvNeXt (torch)": _onnx(
        "ConvNext", "ImageClassification", "hidden_sizes=[16, 32, 48, 64], depths=[1, 1, 2, 1], image_size=32, num_labels=10"
    ),
    "ResNet-18": _onnx("ResNet", "ImageClassification", f"{_STAGES}, depths=[2, 2, 2, 2], layer_type='basic'"),
    "RegNet": _onnx("RegNet", "ImageClassification", f"{_STAGES}, depths=[1, 1, 2, 1], groups_width=8"),
    "MobileNetV2 (torch)": _onnx("MobileNetV2", "ImageClassification", "depth_multiplier=0.35, image_size=32, num_labels=10"),
    "PoolFormer": _onnx("PoolFormer", "ImageClassification", "hidden_sizes=[16, 32, 48, 64], depths=[1, 1, 1, 1], num_labels=10"),
}  # fmt: skip

MODELS = {**KERAS, **TRANSFORMERS}

_KERAS_SCRIPT = """
import json, sys
import keras
import numpy as np
from keras import applications as A, layers as L
from keras.src.applications import convnext, densenet
S, I, M = keras.Sequential, keras.Input, keras.Model
def head(base):
    return M(base.input, L.Dense(10, activation="softmax")(base.output))
def tail(i, x):
    return M(i, L.Dense(10, activation="softmax")(x))
def patches(i):
    return L.Reshape((64, 24))(L.Conv2D(24, 4, 4)(i))
def transformer():
    i = I((32, 32, 3)); x = patches(i)
    for _ in range(2):
        h = L.LayerNormalization()(x); x = L.Add()([x, L.MultiHeadAttention(3, 8)(h, h)])
        h = L.LayerNormalization()(x); x = L.Add()([x, L.Dense(24)(L.Dense(48, activation="gelu")(h))])
    return tail(i, L.GlobalAveragePooling1D()(x))
def mixer():
    i = I((32, 32, 3)); x = patches(i)
    for _ in range(2):
        h = L.Permute((2, 1))(L.LayerNormalization()(x)); x = L.Add()([x, L.Permute((2, 1))(L.Dense(64, activation="gelu")(h))])
        h = L.LayerNormalization()(x); x = L.Add()([x, L.Dense(24, activation="gelu")(h)])
    return tail(i, L.GlobalAveragePooling1D()(x))
def unet():
    i = I((32, 32, 3)); a = L.Conv2D(8, 3, padding="same", activation="relu")(i)
    b = L.Conv2D(12, 3, padding="same", activation="relu")(L.MaxPooling2D(2)(a))
    c = L.Conv2D(16, 3, padding="same", activation="relu")(L.AveragePooling2D(2)(b))
    b = L.Concatenate()([b, L.Conv2DTranspose(12, 3, 2, padding="same")(c)])
    a = L.Concatenate()([a, L.UpSampling2D(2, interpolation="nearest")(L.Conv2D(8, 3, padding="same", activation="relu")(b))])
    return M(i, L.Dense(1)(L.GlobalAveragePooling2D()(L.Conv2D(8, 3, padding="same", activation="tanh")(a))))
folder, jobs = sys.argv[1], json.loads(sys.argv[2])
data = np.load(f"{folder}/train.npz")
for name, text, epochs, loss in jobs:
    keras.utils.set_random_seed(0)
    try:
        model = eval(text)
        if loss:
            truth = data["angle" if loss == "mse" else "labels"]
            model.compile(optimizer=keras.optimizers.Adam(2e-3), loss=loss)
            model.fit(data["x"], truth, batch_size=32, epochs=epochs, verbose=0)
            print(name, "loss", model.evaluate(data["x"], truth, verbose=0), flush=True)
        model.save(f"{folder}/{name}.keras")
    except Exception as error:
        print(name, "is not made:", type(error).__name__, str(error)[:300], flush=True)
"""

_TORCH_SCRIPT = """
import json, sys
import torch
from transformers import *
class Logits(torch.nn.Module):
    def __init__(self, inner, name):
        super().__init__()
        self.inner, self.name = inner, name
    def forward(self, given):
        return self.inner(**{self.name: given}, return_dict=False)[0]
folder, jobs, count, words, tokens = sys.argv[1], json.loads(sys.argv[2]), *map(int, sys.argv[3:])
for name, text in jobs:
    torch.manual_seed(0)
    try:
        inner = eval(text)
        image = inner.main_input_name == "pixel_values"
        given = torch.randn(count, 3, 32, 32) if image else torch.randint(1, words, (count, tokens))
        torch.onnx.export(Logits(inner, inner.main_input_name).eval(), (given,), f"{folder}/{name}.onnx", dynamo=True, verbose=False, external_data=False)
    except Exception as error:
        print(name, "is not exported:", type(error).__name__, str(error)[:300], flush=True)
"""


def gratings(count: int, size: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Images (count, size, size, 3), their class 0..9, and the angle of their grating in [0, 1)."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, CLASSES, count)
    angle = (labels + rng.random(count) * 0.6) / CLASSES
    y, x = np.mgrid[0:size, 0:size] / size
    phase = rng.random((count, 1, 1)) * 6.28
    turned = np.cos(np.pi * angle)[:, None, None] * x + np.sin(np.pi * angle)[:, None, None] * y
    waves = np.sin(2 * np.pi * 4 * turned + phase)[..., None] * np.array([1.0, 0.7, 0.4])
    return (waves + 0.3 * rng.standard_normal(waves.shape)).astype(np.float32), labels, angle.astype(np.float32)


def build(folder: Path, names: Sequence[str], overlay: Path, instances: int) -> dict[str, Path]:
    """Save the models that `folder` lacks; name -> file of those that could be made.

    Keras models with the version in `overlay`, an old one: all later ones read its files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    x, labels, angle = gratings(480, 32, seed=1)
    np.savez(folder / "train.npz", x=x, labels=labels, angle=angle)
    files = {n: folder / f"{n}.{MODELS[n].form}" for n in names}
    lacking = {n: MODELS[n] for n, path in files.items() if not path.is_file()}
    keras = [(n, m.text, m.epochs, m.loss) for n, m in lacking.items() if m.form == "keras"]
    onnx = [(n, m.text) for n, m in lacking.items() if m.form == "onnx"]
    quiet = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "TRANSFORMERS_VERBOSITY": "error"}
    if keras:
        env = {**quiet, "KERAS_BACKEND": "tensorflow", "PYTHONPATH": str(overlay)}
        subprocess.run([sys.executable, "-c", _KERAS_SCRIPT, str(folder), json.dumps(keras)], check=True, env=env)
    if onnx:
        sizes = [str(n) for n in (instances, WORDS, TOKENS)]
        subprocess.run(
            [sys.executable, "-c", _TORCH_SCRIPT, str(folder), json.dumps(onnx), *sizes], check=True, env=quiet
        )
    return {n: path for n, path in files.items() if path.is_file()}
