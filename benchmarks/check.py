"""Time and peak memory of `assay check`, as ratios to one ONNX Runtime inference and to the bare export.

    python benchmarks/check.py [--runs 3] [--only numerical,validity]

Each command runs as a whole process, in turn with what it is compared with; the medians' ratios are printed. The ONNX
models are those that the `onnx` package carries; the exported ones are a small ResNet and a small BERT with random
weights. Nothing is downloaded.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

INFERENCE = """
import sys, numpy as np, onnxruntime as ort
session = ort.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
kinds = {"tensor(float)": np.float32, "tensor(int64)": np.int64}
feeds = {}
for i in session.get_inputs():
    feeds[i.name] = np.ones([d if isinstance(d, int) else 1 for d in i.shape], kinds[i.type])
session.run(None, feeds)
"""

EXPORT = """
import sys, torch
sys.path.insert(0, sys.argv[1])
import entry
module, inputs = getattr(entry, sys.argv[2])()
args, kwargs = (inputs, None) if isinstance(inputs, tuple) else ((), inputs)
program = torch.export.export(module.eval(), args, kwargs)
torch.onnx.export(program, dynamo=True, optimize=False, verbose=False).save(sys.argv[3])
"""

ENTRIES = """
import torch

def resnet_block():
    layers, channels = [], 3
    for width in (32, 64, 128):
        layers += [torch.nn.Conv2d(channels, width, 3, 2, 1), torch.nn.BatchNorm2d(width), torch.nn.ReLU()]
        channels = width
    layers += [torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(128, 10)]
    return torch.nn.Sequential(*layers), (torch.randn(2, 3, 64, 64),)

def bert():
    from transformers import BertConfig, BertModel
    config = BertConfig(
        hidden_size=128, num_hidden_layers=2, num_attention_heads=2, intermediate_size=256, vocab_size=1000
    )
    ones = torch.ones(2, 16, dtype=torch.long)
    return BertModel(config), {"input_ids": ones, "attention_mask": ones}
"""


@dataclass(frozen=True)
class Cost:
    seconds: float
    megabytes: float


def measure(command: list[str], cwd: Path) -> Cost:
    """Wall seconds and the peak resident memory of the largest process of one run."""
    import time

    before = time.perf_counter()
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    complaint = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if code not in (0, 1):
        raise SystemExit(f"{' '.join(command)} ended with {code}: {complaint.decode(errors='replace')[-800:]}")
    return Cost(time.perf_counter() - before, usage.ru_maxrss / 1024)


def compare(ours: list[str], theirs: list[str], cwd: Path, runs: int) -> tuple[Cost, Cost]:
    """Medians over `runs` runs in turn, after one of each that does not count."""
    pairs = [(measure(ours, cwd), measure(theirs, cwd)) for _ in range(runs + 1)][1:]

    def median(side: int) -> Cost:
        return Cost(
            statistics.median(pair[side].seconds for pair in pairs), statistics.median(p[side].megabytes for p in pairs)
        )

    return median(0), median(1)


def light_models() -> list[Path]:
    import onnx.backend.test

    return sorted((Path(onnx.backend.test.__file__).parent / "data" / "light").glob("*.onnx"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default="numerical,validity")
    arguments = parser.parse_args()
    print(f"| model | check s | time ratio | check MB | memory ratio |  compared with | ({arguments.only})")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "entry.py").write_text(ENTRIES)
        assay = [
            sys.executable,
            "-m",
            "analyzer",
            "check",
            "--only",
            arguments.only,
            "--jobs",
            "1",
            "--out",
            "out",
        ]
        for model in light_models():
            ours, theirs = compare(
                [*assay, str(model)], [sys.executable, "-c", INFERENCE, str(model)], folder, arguments.runs
            )
            row(model.stem, ours, theirs, "one inference")
        for entry in ("resnet_block", "bert"):
            ours, theirs = compare(
                [*assay, "--sandbox", "process", f"entry.py:{entry}"],
                [sys.executable, "-c", EXPORT, str(folder), entry, str(folder / "bare.onnx")],
                folder,
                arguments.runs,
            )
            row(entry, ours, theirs, "the bare export")
        ours, theirs = compare(
            [sys.executable, "-m", "analyzer", "--help"],
            [sys.executable, "-c", "pass"],
            folder,
            arguments.runs,
        )
        row("assay --help", ours, theirs, "an empty Python")


def row(name: str, ours: Cost, theirs: Cost, what: str) -> None:
    print(
        f"| {name} | {ours.seconds:.2f} | {ours.seconds / theirs.seconds:.2f} | {ours.megabytes:.0f} "
        f"| {ours.megabytes / theirs.megabytes:.2f} | {what} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
