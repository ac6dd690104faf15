"""How many operators of healthy architectures are proved safe, and why the others are not.

    python benchmarks/precision.py [--models light keras transformers]

Weights as they are, images in [-3, 3] (preprocessed), everything else as the analysis assumes it by itself.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


def light() -> Iterator[tuple[str, Any]]:
    """The ONNX package's light zoo: real architectures whose weights are replaced by constants of shape."""
    import onnx

    from analyzer.loading import load

    for path in sorted((Path(onnx.__file__).parent / "backend/test/data/light").glob("light_*.onnx")):
        yield path.stem, load(path)


def torch_models() -> Iterator[tuple[str, Any]]:
    """Small transformers from configurations, exported by torch."""
    import torch
    from transformers import BertConfig, BertModel, GPT2Config, GPT2Model, ViTConfig, ViTModel

    from analyzer.loading import load

    ids = torch.randint(0, 100, (1, 16))
    image = torch.rand(1, 3, 32, 32)
    small = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}
    models = {
        "bert": (BertModel(BertConfig(vocab_size=100, **small)), ids),
        "gpt2": (GPT2Model(GPT2Config(vocab_size=100, n_embd=64, n_layer=2, n_head=4, use_cache=False)), ids),
        "vit": (ViTModel(ViTConfig(image_size=32, patch_size=8, **small)), image),
    }
    for name, (model, example) in models.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.onnx"
            program = torch.onnx.export(model.eval(), (example,), dynamo=True, optimize=False, verbose=False)
            assert program is not None
            program.save(str(path))
            yield name, load(path)


def keras_models() -> Iterator[tuple[str, Any]]:
    """`keras.applications` with random weights, exported to ONNX by Keras itself."""
    import keras

    from analyzer.loading import load

    for name in ("MobileNetV2", "ResNet50V2", "DenseNet121", "EfficientNetB0"):
        model = getattr(keras.applications, name)(weights=None, input_shape=(64, 64, 3), classes=10)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.onnx"
            model.export(str(path), format="onnx", verbose=False)
            yield name, load(path)


SOURCES = {"light": light, "transformers": torch_models, "keras": keras_models}


def main() -> None:
    from analyzer.config import TargetConfig
    from analyzer.graph import Role, ValueRange, role_of
    from analyzer.graph.model import display_name
    from analyzer.numerical import interpret
    from analyzer.numerical.assumptions import as_ranges, assume

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="*", choices=sorted(SOURCES), default=["light"])
    arguments = parser.parse_args()
    total = safe = 0
    for source in arguments.models:
        for name, graph in SOURCES[source]():
            assumed = assume(graph, TargetConfig(id=name))
            images = [v for v in graph.graph.inputs if v.shape is not None and len(v.shape) == 4]
            ranges = {**as_ranges(assumed)}
            for value in images:
                if role_of(value) is Role.INPUT and value.name and not value.is_initializer():
                    ranges[value.name] = ValueRange(-3, 3)
            result = interpret(graph, ranges)
            total, safe = total + result.unsafe_checked, safe + result.unsafe_safe
            print(
                f"{name}: {result.unsafe_safe} of {result.unsafe_checked} proved safe, unknown {dict(result.unknown)}"
            )
            for warning in result.warnings:
                if not warning.backward:
                    interval = warning.interval
                    print(f"   {warning.rule} at {display_name(warning.node)}: [{interval.lo:.4g}, {interval.hi:.4g}]")
    print(f"total: {safe} of {total}" + (f" ({safe / total:.2%})" if total else ""))


if __name__ == "__main__":
    main()
