"""Real architectures of 20 to 400 layers with random weights and small inputs, made once and kept in a folder.

`keras.applications` as `.keras` files, `transformers` and Torch networks as ONNX, and the light ONNX zoo.
"""

# ruff: noqa: E501

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnx

KERAS = {
    "VGG16": "A.VGG16(weights=None, input_shape=(48, 48, 3), include_top=False, pooling='avg')",
    "MobileNet": "A.MobileNet(weights=None, alpha=0.25, input_shape=(64, 64, 3), classes=50)",
    "MobileNetV2": "A.MobileNetV2(weights=None, alpha=0.35, input_shape=(64, 64, 3), classes=50)",
    "MobileNetV3Small": "A.MobileNetV3Small(weights=None, alpha=0.75, input_shape=(64, 64, 3), classes=50, include_preprocessing=False)",
    "EfficientNetB0": "A.EfficientNetB0(weights=None, input_shape=(64, 64, 3), classes=50)",
    "ResNet50": "A.ResNet50(weights=None, input_shape=(48, 48, 3), classes=50)",
    "ResNet50V2": "A.ResNet50V2(weights=None, input_shape=(48, 48, 3), classes=50)",
    "DenseNet": "densenet.DenseNet([3, 6, 12, 8], weights=None, input_shape=(64, 64, 3), classes=50)",
    "Xception": "A.Xception(weights=None, input_shape=(71, 71, 3), classes=50)",
    "InceptionV3": "A.InceptionV3(weights=None, input_shape=(75, 75, 3), classes=50)",
    "ConvNeXt": "convnext.ConvNeXt([2, 2, 4, 2], [16, 32, 64, 128], weights=None, input_shape=(64, 64, 3), classes=50, include_preprocessing=False, name='convnext')",
}

_SIZES = "hidden_size=48, num_hidden_layers={n}, num_attention_heads=4, intermediate_size=96"
_TOKENS = "{'input_ids': torch.randint(0, 500, (2, 12))}"
_IMAGE = "{'pixel_values': torch.randn(2, 3, 64, 64)}"
TRANSFORMERS = {
    "BERT": (f"BertModel(BertConfig({_SIZES.format(n=4)}, vocab_size=500))", _TOKENS),
    "GPT-2": ("GPT2LMHeadModel(GPT2Config(n_embd=48, n_layer=3, n_head=4, vocab_size=500, use_cache=False))", _TOKENS),
    "ViT": (f"ViTForImageClassification(ViTConfig({_SIZES.format(n=4)}, image_size=64))", _IMAGE),
    "ResNet-18 (torch)": (
        "ResNetForImageClassification(ResNetConfig(embedding_size=16, hidden_sizes=[16, 32, 48, 64], depths=[2, 2, 2, 2], layer_type='basic'))",
        _IMAGE,
    ),
    "Swin": (
        "SwinForImageClassification(SwinConfig(image_size=64, embed_dim=24, depths=[2, 2], num_heads=[2, 4], window_size=4))",
        _IMAGE,
    ),
    "RegNet": (
        "RegNetForImageClassification(RegNetConfig(embedding_size=16, hidden_sizes=[16, 32, 48, 64], depths=[1, 1, 2, 1], groups_width=8))",
        _IMAGE,
    ),
    "ConvNeXt (torch)": (
        "ConvNextForImageClassification(ConvNextConfig(hidden_sizes=[16, 32, 48, 64], depths=[1, 1, 2, 1], image_size=64))",
        _IMAGE,
    ),
}

_KERAS_SCRIPT = """
import sys
import keras
import numpy as np
from keras import applications as A
from keras.applications import convnext, densenet
keras.utils.set_random_seed(0)
rng = np.random.default_rng(0)
for pair in sys.argv[2:]:
    name, _, text = pair.partition("=")
    model = eval(text)
    for v in model.variables:
        value = keras.ops.convert_to_numpy(v)
        if value.ndim == 1:  # norms and biases that do nothing would hide what is done to them
            value = value + 0.1 * rng.standard_normal(value.shape)
            v.assign(np.abs(value) + 0.05 if "variance" in v.path else value)
    model.save(f"{sys.argv[1]}/{name}.keras")
"""

_TORCH_SCRIPT = """
import sys
import torch
from transformers import *
name, text, inputs, path = sys.argv[1:]
torch.manual_seed(0)
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = eval(text)
    def forward(self, **inputs):
        return self.inner(**inputs, return_dict=False)[0]
model = Model().eval()
with torch.no_grad():
    for n, p in [*model.named_parameters(), *model.named_buffers()]:
        if p.ndim == 1 and p.is_floating_point():
            p.copy_(p + 0.1 * torch.randn_like(p)).abs_() if "var" in n else p.add_(0.1 * torch.randn_like(p))
    inputs = eval(inputs)
    torch.onnx.export(model, (), path, kwargs=inputs, dynamo=True, optimize=False, verbose=False, external_data=False)
"""


def make(folder: Path, names: Sequence[str]) -> dict[str, Path]:
    """The models called `names`, made where `folder` does not hold them yet; name -> file."""
    import onnx

    folder.mkdir(parents=True, exist_ok=True)
    wanted = [n for n in names if n in KERAS and not (folder / f"{n}.keras").is_file()]
    if wanted:
        pairs = [f"{n}={KERAS[n]}" for n in wanted]
        _python(_KERAS_SCRIPT, [str(folder), *pairs], KERAS_BACKEND="numpy")
    for name in names:
        path = folder / f"{name}.onnx"
        if name in TRANSFORMERS and not path.is_file():
            _python(_TORCH_SCRIPT, [name, *TRANSFORMERS[name], str(path)])
        elif name not in KERAS and name not in TRANSFORMERS and not path.is_file():
            from differential_models import all_models

            model = all_models(only=name)[name]
            onnx.save(_smaller(model, SMALLER[name]) if name in SMALLER else model, path)
    return {n: folder / f"{n}.{'keras' if n in KERAS else 'onnx'}" for n in names}


SMALLER = {  # pixels of the input; what comes after the last feature map wants the original size and is cut off
    "light_squeezenet": 96, "light_resnet50": 64, "light_inception_v1": 96, "light_vgg19": 64, "light_inception_v2": 96,
    "light_densenet121": 64, "light_bvlc_alexnet": 96, "light_zfnet512": 96,
}  # fmt: skip
OTHERS = (*SMALLER, "light_shufflenet", "encoder_decoder", "transformer")
ALL = (*KERAS, *TRANSFORMERS, *OTHERS)


def _smaller(model: onnx.ModelProto, pixels: int) -> onnx.ModelProto:
    """The same network on smaller images, up to its last feature map."""
    import onnx
    from onnx.utils import Extractor

    for axis in (2, 3):
        model.graph.input[0].type.tensor_type.shape.dim[axis].dim_value = pixels
    del model.graph.value_info[:]
    tail = {"Flatten", "Reshape", "Gemm", "Softmax", "Dropout"}
    end = next((i for i, n in enumerate(model.graph.node) if n.op_type in tail), len(model.graph.node))
    while model.graph.node[end - 1].op_type in ("AveragePool", "GlobalAveragePool", "MaxPool"):
        end -= 1
    last = model.graph.node[end - 1].output[0]
    model.graph.output.append(onnx.helper.make_tensor_value_info(last, onnx.TensorProto.FLOAT, None))
    cut = Extractor(model).extract_model([model.graph.input[0].name], [last])
    cut.opset_import[0].CopyFrom(model.opset_import[0])
    return cut


def _python(script: str, arguments: Sequence[str], **environment: str) -> None:
    env = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "TRANSFORMERS_VERBOSITY": "error", **environment}
    done = subprocess.run([sys.executable, "-c", script, *arguments], env=env, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{arguments[0]}: {done.stderr[-1500:]}")
