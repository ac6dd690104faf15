"""Real models nobody here wrote: exported through the sandbox and loaded; time and memory against the bare export.

    python benchmarks/exports.py [--only PATTERN] [--json FILE]

Models: the light ONNX zoo inside the `onnx` package, `keras.applications` with random weights, and `transformers` from
small configurations. For each: does it load, how many nodes, how many have a layer and a source line, and the ratio of
time and peak memory of `analyzer.exporting.export` (process sandbox) to the framework's own export of the same model.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

KERAS = (
    "MobileNetV2", "MobileNetV3Small", "EfficientNetB0", "EfficientNetV2B0", "ResNet50", "ResNet50V2", "DenseNet121",
    "NASNetMobile", "InceptionV3", "Xception", "VGG16", "ConvNeXtTiny",
)  # fmt: skip

_SIZES = "hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128"
TRANSFORMERS = {
    "bert": ("BertModel", f"BertConfig({_SIZES})", "tokens"),
    "gpt2": (
        "GPT2LMHeadModel",
        "GPT2Config(n_embd=64, n_layer=2, n_head=4, vocab_size=1000, use_cache=False)",
        "tokens",
    ),
    "vit": (
        "ViTForImageClassification",
        f"ViTConfig({_SIZES}, image_size=64)",
        "image",
    ),
    "t5": (
        "T5ForConditionalGeneration",
        "T5Config(d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4, vocab_size=1000, use_cache=False)",
        "both",
    ),
    "distilbert": (
        "DistilBertForSequenceClassification",
        "DistilBertConfig(dim=64, n_layers=2, n_heads=4, hidden_dim=128)",
        "tokens",
    ),
    "llama": (
        "LlamaForCausalLM",
        "LlamaConfig(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,"
        " intermediate_size=128, vocab_size=1000, use_cache=False)",
        "tokens",
    ),
    "whisper": (
        "WhisperModel",
        "WhisperConfig(d_model=64, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,"
        " decoder_attention_heads=4, encoder_ffn_dim=128, decoder_ffn_dim=128, vocab_size=1000, pad_token_id=0,"
        " bos_token_id=1, eos_token_id=2, decoder_start_token_id=1, use_cache=False)",
        "speech",
    ),
}  # fmt: skip

_INPUTS = {
    "tokens": "{'input_ids': torch.ones(2, 16, dtype=torch.long)}",
    "image": "{'pixel_values': torch.rand(2, 3, 64, 64)}",
    "both": "{'input_ids': torch.ones(2, 16, dtype=torch.long), 'decoder_input_ids': torch.ones(2, 8).long()}",
    "speech": "{'input_features': torch.rand(2, 80, 3000), 'decoder_input_ids': torch.ones(2, 8, dtype=torch.long)}",
}

_TORCH = '''
import torch
from torch import nn
from transformers import {config_class}, {model_class}


class Model(nn.Module):
    """Keyword tensors in, a tuple of tensors out."""

    def __init__(self):
        super().__init__()
        self.inner = {model_class}({config})

    def forward(self, **inputs):
        return self.inner(**inputs, return_dict=False)[0]


def build():
    torch.manual_seed(0)
    return Model().eval(), {inputs}
'''

KERAS_SOURCE = """
import keras


def build():
    keras.utils.set_random_seed(0)
    return keras.applications.{name}(weights=None)
"""


def sources() -> dict[str, str]:
    """Model name -> source of an entry file whose ``build`` gives it."""
    found = {f"keras/{name}": KERAS_SOURCE.format(name=name) for name in KERAS}
    for name, (model_class, config, kind) in TRANSFORMERS.items():
        config_class = config.partition("(")[0]
        found[f"transformers/{name}"] = _TORCH.format(
            model_class=model_class, config_class=config_class, config=config, inputs=_INPUTS[kind]
        )
    return found


def light_zoo() -> dict[str, Path]:
    """The ONNX models inside the `onnx` package."""
    import onnx

    folder = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
    return {f"onnx/{path.stem.removeprefix('light_')}": path for path in sorted(folder.glob("*.onnx"))}


def bare(name: str, project: Path) -> dict[str, Any]:
    """The framework's own export of the same model, nothing else."""
    sys.path.insert(0, str(project))
    import importlib

    started = time.perf_counter()
    built = importlib.import_module("entry").build()
    if name.startswith("keras/"):
        import tensorflow as tf

        function = tf.function(lambda x: built(x, training=False))
        concrete = function.get_concrete_function(tf.TensorSpec([None, *built.input.shape[1:]], tf.float32))
        (project / "graph.pb").write_bytes(concrete.graph.as_graph_def().SerializeToString())
    else:
        import torch

        program = torch.export.export(built[0], (), built[1])
        torch.onnx.export(program, dynamo=True, optimize=False, verbose=False).save(str(project / "model.onnx"))
    return {"seconds": time.perf_counter() - started}


def through_assay(name: str, project: Path) -> dict[str, Any]:
    """`export` in the process sandbox, then what the graph holds."""
    from analyzer.configuration.config import TargetConfig
    from analyzer.exporting.export import export
    from analyzer.graph import layer_of, location_of
    from analyzer.walls.process import ProcessSandbox

    started = time.perf_counter()
    target = TargetConfig(id=name, entry="entry.py:build")
    graph = export("entry.py:build", project, target=target, sandbox=ProcessSandbox())
    seconds = time.perf_counter() - started
    nodes = list(graph.nodes())
    return {
        "seconds": seconds,
        "nodes": len(nodes),
        "layers": sum(1 for n in nodes if layer_of(n)) / len(nodes),
        "lines": sum(1 for n in nodes if location_of(n)) / len(nodes),
        "versions": dict(graph.versions),
    }


def _measured(mode: str, name: str, source: str) -> dict[str, Any]:
    """Run one mode in a process of its own; {"error": …} when it fails."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "entry.py").write_text(source)
        ran = subprocess.run(
            [sys.executable, __file__, "--mode", mode, "--name", name, "--project", folder],
            capture_output=True,
            text=True,
        )
    lines = ran.stdout.strip().splitlines()
    if ran.returncode or not lines:
        return {"error": (ran.stderr.strip().splitlines() or ["no output"])[-1][:200]}
    result: dict[str, Any] = json.loads(lines[-1])
    return result


def _child(mode: str, name: str, project: Path) -> None:
    result = (bare if mode == "bare" else through_assay)(name, project)
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(json.dumps({**result, "peak": peak * 1024}))


def _row(name: str, source: str) -> dict[str, Any]:
    assay = _measured("assay", name, source)
    row: dict[str, Any] = {"model": name, **assay}
    if "error" not in assay:
        own = _measured("bare", name, source)
        if "error" not in own:
            row["time_ratio"] = assay["seconds"] / own["seconds"]
            row["memory_ratio"] = assay["peak"] / own["peak"]
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="*", help="glob on the model's name, such as 'transformers/*'")
    parser.add_argument("--json", type=Path, help="write all figures there")
    parser.add_argument("--mode", help=argparse.SUPPRESS)
    parser.add_argument("--name", help=argparse.SUPPRESS)
    parser.add_argument("--project", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.mode:
        _child(args.mode, args.name, args.project)
        return
    rows = []
    for name, path in light_zoo().items():
        if fnmatch.fnmatch(name, args.only):
            from analyzer.loading.reading import load

            started = time.perf_counter()
            graph = load(path)
            rows.append({"model": name, "nodes": len(graph), "seconds": time.perf_counter() - started})
            _show(rows[-1])
    for name, source in sources().items():
        if fnmatch.fnmatch(name, args.only):
            rows.append(_row(name, source))
            _show(rows[-1])
    failed = [row["model"] for row in rows if "error" in row]
    print(f"{len(rows) - len(failed)} of {len(rows)} models became graphs" + (f"; failed: {failed}" if failed else ""))
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1))


def _show(row: dict[str, Any]) -> None:
    if "error" in row:
        print(f"{row['model']:34} FAILED {row['error']}", flush=True)
        return
    parts = [f"{row['model']:34} {row['nodes']:5} nodes {row['seconds']:6.1f} s"]
    if "layers" in row:
        parts.append(f"{row['layers']:4.0%} with a layer {row['lines']:4.0%} with a line")
    if "time_ratio" in row:
        parts.append(f"time × {row['time_ratio']:.2f} memory × {row['memory_ratio']:.2f}")
    print("  ".join(parts), flush=True)


if __name__ == "__main__":
    main()
