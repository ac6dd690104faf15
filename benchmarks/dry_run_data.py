"""What the scripts of `dry_run_scripts/third` find where people have their data: small files of the right form.

`run_really` runs a twin in plain Python on them, so that each pair is known to fail, and to work, by itself; the dry
run gets none of them. Data sets that a library downloads, and weights, are replaced by a few lines before the script
(`BEFORE`).
"""

from __future__ import annotations

import csv
import json
import os
import pickle
import random
import re
import subprocess
import sys
import wave
from collections.abc import Callable
from pathlib import Path

import numpy as np

WANDB = """
class _Any(dict):
    def __getattr__(self, name): return self.get(name, self)
    def __call__(self, *a, **k): return self
config, Artifact, _run = _Any(), _Any(), _Any()
def init(project=None, config=None, **k):
    globals()["config"].update(config or {}); return _run
def watch(*a, **k): pass
def log(*a, **k): pass
"""

_FAKE_PICTURES = """
import numpy, torchvision
from torchvision import datasets
class {name}(datasets.FakeData):
    def __init__(self, root, train=True, download=False, transform=None):
        super().__init__({count}, {size}, 10, transform)
datasets.{name} = {name}
"""

BEFORE = {
    "cifar_mixup": _FAKE_PICTURES.format(name="CIFAR10", count=200, size=(3, 32, 32)),
    "fire_vae": _FAKE_PICTURES.format(name="MNIST", count=300, size=(3, 28, 28)).replace(
        "10, transform)", "10, lambda im: transform(im.convert('L')))"
    ),
    "tape_autoencoder": """
import numpy, tensorflow as tf
def load_data():
    pictures = numpy.random.default_rng(0).integers(0, 255, (300, 28, 28)).astype("uint8")
    return (pictures, pictures[:, 0, 0] % 10), (pictures[:50], pictures[:50, 0, 0] % 10)
tf.keras.datasets.fashion_mnist.load_data = load_data
""",
    "timm_head": """
import timm
_made = timm.create_model
timm.create_model = lambda name, pretrained=False, **k: _made(name, pretrained=False, **k)
""",
    "hf_trainer_weights": """
import transformers
from transformers import BertConfig, BertForSequenceClassification
class _Tokenizer:
    def __call__(self, texts, truncation, padding, max_length):
        rows = [[hash(w) % 900 for w in t.split()][:max_length] for t in texts]
        pad = [[0] * (max_length - len(r)) for r in rows]
        return {"input_ids": [r + p for r, p in zip(rows, pad)],
                "attention_mask": [[1] * len(r) + p for r, p in zip(rows, pad)]}
def _model(name, num_labels):
    return BertForSequenceClassification(BertConfig(vocab_size=1000, hidden_size=32, num_hidden_layers=1,
        num_attention_heads=2, intermediate_size=64, num_labels=num_labels))
transformers.AutoTokenizer.from_pretrained = staticmethod(lambda name: _Tokenizer())
transformers.AutoModelForSequenceClassification.from_pretrained = staticmethod(_model)
""",
}


def _pictures(folder: Path, classes: list[str], count: int, size: int) -> None:
    from PIL import Image

    rng = np.random.default_rng(0)
    for name in classes:
        (folder / name).mkdir(parents=True, exist_ok=True)
        for i in range(count):
            Image.fromarray(rng.integers(0, 255, (size, size, 3), dtype=np.uint8)).save(folder / name / f"{i}.jpg")


def _digits(folder: Path) -> None:
    (folder / "data").mkdir()
    rng = np.random.default_rng(0)
    np.savez(folder / "data" / "digits.npz", images=rng.integers(0, 255, (300, 784)), labels=rng.integers(0, 10, 300))


def _birds(folder: Path) -> None:
    import torch
    from torch import nn
    from torchvision import models

    _pictures(folder / "data/birds/val", [f"bird{i:02}" for i in range(20)], 2, 260)
    model = models.resnet18(weights=None)
    model.fc = nn.Linear(model.fc.in_features, 20)
    (folder / "runs/exp3").mkdir(parents=True)
    torch.save({"state_dict": {f"module.{k}": v for k, v in model.state_dict().items()}}, folder / "runs/exp3/best.pth")


def _wandb(folder: Path) -> None:
    (folder / "wandb.py").write_text(WANDB, encoding="utf-8")


def _reviews(folder: Path) -> None:
    (folder / "data").mkdir()
    with (folder / "data" / "train.csv").open("w", newline="", encoding="utf-8") as out:
        rows = csv.writer(out)
        rows.writerow(["text", "label"])
        rows.writerows([[f"a review of number {i}", i % 3] for i in range(40)])


def _flowers(folder: Path) -> None:
    for part in ("train", "valid"):
        _pictures(folder / "datasets/flowers" / part, ["one", "two", "three"], 10, 64)


def _photos(folder: Path) -> None:
    _pictures(folder / "photos", ["daisy", "rose", "tulip", "sunflower"], 10, 64)


def _ratings(folder: Path) -> None:
    (folder / "ml").mkdir()
    rng = np.random.default_rng(0)
    lines = [f"{rng.integers(1, 20)},{rng.integers(1, 30)},{rng.integers(1, 11) / 2},{i}" for i in range(500)]
    (folder / "ml/ratings.csv").write_text("userId,movieId,rating,timestamp\n" + "\n".join(lines), encoding="utf-8")


def _scans(folder: Path) -> None:
    rng = np.random.default_rng(0)
    for part in ("images", "masks"):
        (folder / "scans/train" / part).mkdir(parents=True)
        for i in range(5):
            np.save(folder / "scans/train" / part / f"{i}.npy", rng.integers(0, 2, (256, 260)))


def _vocabulary(folder: Path) -> None:
    (folder / "prepared").mkdir()
    rnd = random.Random(0)
    words = [f"w{i}" for i in range(100)]
    vocabulary = {"<pad>": 0, "<unk>": 1, **{w: i + 2 for i, w in enumerate(words)}}
    texts = [(rnd.choices(words, k=rnd.randint(3, 40)), rnd.choice(["good", "bad", "odd"])) for _ in range(100)]
    (folder / "prepared/vocab.pkl").write_bytes(pickle.dumps(vocabulary))
    (folder / "prepared/train.pkl").write_bytes(pickle.dumps(texts))


def _sentences(folder: Path) -> None:
    (folder / "corpus").mkdir()
    rnd = random.Random(0)
    for part in ("train", "dev"):
        rows = []
        for _ in range(40):
            n = rnd.randint(3, 20)
            rows.append(
                {
                    "tokens": [f"w{rnd.randrange(50)}" for _ in range(n)],
                    "tags": rnd.choices(["O", "B-PER", "I-PER"], k=n),
                }
            )
        (folder / f"corpus/{part}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def _cora(folder: Path) -> None:
    (folder / "data/cora").mkdir(parents=True)
    rnd = random.Random(0)
    rows = [f"{100 + i}\t" + "\t".join(str(rnd.randrange(2)) for _ in range(30)) + f"\tclass{i % 4}" for i in range(60)]
    (folder / "data/cora/cora.content").write_text("\n".join(rows), encoding="utf-8")
    cites = [f"{100 + rnd.randrange(60)}\t{100 + rnd.randrange(60)}" for _ in range(150)]
    (folder / "data/cora/cora.cites").write_text("\n".join(cites), encoding="utf-8")


def _words(folder: Path) -> None:
    for word in ("yes", "no", "up"):
        (folder / "speech_commands" / word).mkdir(parents=True)
        for i in range(8):
            with wave.open(str(folder / "speech_commands" / word / f"{i}.wav"), "wb") as out:
                out.setnchannels(1)
                out.setsampwidth(2)
                out.setframerate(16000)
                out.writeframes(np.random.default_rng(i).integers(-3000, 3000, 15000, dtype=np.int16).tobytes())


DATA: dict[str, Callable[[Path], None]] = {
    "resume_npz": _digits,
    "eval_topk": _birds,
    "wandb_config": _wandb,
    "hf_trainer_weights": _reviews,
    "timm_head": _flowers,
    "tfdata_images": _photos,
    "keras_ratings": _ratings,
    "amp_unet": _scans,
    "pickle_vocab": _vocabulary,
    "click_jsonl": _sentences,
    "gcn_cora": _cora,
    "audio_spectrogram": _words,
}


def run_really(name: str, script: Path, root: Path, seconds: float) -> tuple[str, str]:
    """(`fails`, `passes` or `no time`, the error or the last line) of `script` in `root`, in plain Python."""
    if name in DATA:
        DATA[name](root)
    command = [sys.executable, script.name]
    if name in BEFORE:
        (script.parent / "before_it.py").write_text(
            f"import runpy\n{BEFORE[name]}\nrunpy.run_path({script.name!r}, run_name='__main__')\n", encoding="utf-8"
        )
        command = [sys.executable, "before_it.py"]
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "HF_HUB_OFFLINE": "1"}
    try:
        done = subprocess.run(
            command, cwd=script.parent, env=environment, capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return "no time", ""
    said = [line for line in (done.stderr if done.returncode else done.stdout).splitlines() if line.strip()]
    raised = [line for line in said if done.returncode and re.match(r"[\w.]+(Error|Exception)\b", line)]
    return ("fails" if done.returncode else "passes"), "".join((raised or said)[-1:])
