"""Five models on the CPU and on CUDA in each setting of its arithmetic, held against a float64 run on the CPU.

    python benchmarks/gpu_comparison.py [--only TEXT] [--images 2]

Prints, for each model and setting, the relative error of the outputs, whether it is within what the precision is
entitled to, and the layer that replay blames, if any. Without a CUDA device the table holds the CPU's settings alone.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from analyzer.configuration.config import TargetConfig, Thresholds
from analyzer.differential.analysis import run_studies
from analyzer.differential.compare import GATE
from analyzer.exporting.export import export
from analyzer.walls.process import ProcessSandbox

ENTRIES = """
import torch

IMAGES = {images}
ones = torch.ones(2, 16, dtype=torch.long)

def resnet():
    from transformers import ResNetConfig, ResNetForImageClassification
    config = ResNetConfig(depths=[2, 2, 2, 2], hidden_sizes=[64, 128, 256, 512], layer_type="basic")
    return ResNetForImageClassification(config), (torch.randn(IMAGES, 3, 96, 96),)

def convnext():
    from transformers import ConvNextConfig, ConvNextForImageClassification
    return ConvNextForImageClassification(ConvNextConfig(depths=[1, 1, 3, 1])), (torch.randn(IMAGES, 3, 96, 96),)

def vit():
    from transformers import ViTConfig, ViTForImageClassification
    config = ViTConfig(image_size=64, num_hidden_layers=4)
    return ViTForImageClassification(config), (torch.randn(IMAGES, 3, 64, 64),)

def bert():
    from transformers import BertConfig, BertModel
    return BertModel(BertConfig(num_hidden_layers=4)), {{"input_ids": ones, "attention_mask": ones}}

def gpt2():
    from transformers import GPT2Config, GPT2Model
    return GPT2Model(GPT2Config(n_layer=4, use_cache=False)), {{"input_ids": ones}}
"""
MODELS = ("resnet", "convnext", "vit", "bert", "gpt2")
ON_CPU = ("torch", "torch:precision=mixed_bfloat16")
ON_CUDA = (
    "torch:device=cuda",
    "torch:device=cuda:precision=tf32",
    "torch:device=cuda:cudnn=benchmark",
    "torch:device=cuda:precision=mixed_bfloat16",
    "torch:device=cuda:precision=mixed_float16",
)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="part of a model's name")
    parser.add_argument("--images", type=int, default=2)
    args = parser.parse_args(argv)
    import torch

    here = torch.cuda.is_available()
    print(f"torch {torch.__version__}; {torch.cuda.get_device_name() if here else 'no CUDA device is at hand'}")
    print("| model | setting | relative error | times the floor | blamed |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        (root / "models.py").write_text(ENTRIES.format(images=args.images))
        for model in (m for m in MODELS if args.only in m):
            row(model, root, (*ON_CPU, *(ON_CUDA if here else ())))
    return 0


def row(model: str, root: Path, backends: Sequence[str]) -> None:
    sandbox = ProcessSandbox()
    target = TargetConfig(model, entry=f"models.py:{model}", backends=tuple(backends))
    graph = export(f"models.py:{model}", root, target=target, sandbox=sandbox)
    studies = run_studies(
        graph, target, root=root, output=root / "out", thresholds=Thresholds(), sandbox=sandbox, budget=600.0
    )
    for each in studies:
        for setting, failure in each.missing:
            print(f"| {model} | {setting} | did not run: {failure.message[:80]} | | |", flush=True)
        for result in each.comparison.results if each.comparison is not None else ():
            error, floor = max(zip(result.errors, result.floors, strict=True), default=(0.0, 1.0))
            layers = [p.blame.unit.main.layer or p.blame.unit.main.name for p in each.problems]
            blamed = [n for n, p in zip(layers, each.problems, strict=True) if p.blame.backend == result.runner.name]
            told = ", ".join(blamed) or ("none" if error <= GATE * floor else "no single layer")
            print(f"| {model} | {result.runner.name} | {error:.2g} | {error / floor:.2g} | {told} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
