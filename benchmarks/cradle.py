"""CRADLE's experiment with today's Keras: models on several backends in several versions, inconsistencies and unique ones.

    python benchmarks/cradle.py --cache DIR [--overlays DIR] [--versions 3.5.0,3.12.0,3.15.1] [--only a,b]
        [--backends tensorflow,jax,torch] [--instances 16] [--t-class 8] [--t-mad 0.2] [--percent 0]

Models: `keras.applications` with random weights, one of them and three small networks of the kinds in CRADLE's corpus
trained for a few epochs. Data with ground truth is made on the spot: classes are oriented gratings under noise, the
regression target is their angle. Every pair of backends within a version is compared by D_CLASS (T_C) and D_MAD (T_M)
on `p` per cent of the instances; inconsistencies with the same model, pair and pattern are one unique inconsistency.
Each unique one is localized: the layer to blame by replay, and how many layers CRADLE's map would highlight.
"""

# ruff: noqa: E402, E501

from __future__ import annotations

import argparse
import itertools
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

from analyzer.configuration.config import TargetConfig, Thresholds
from analyzer.differential.distances import Thresholded, third_quartile, unique
from analyzer.differential.environments import Overlays, default_folder
from analyzer.differential.inputs import Inputs, InputSet
from analyzer.differential.plan import families
from analyzer.differential.pool import Pool
from analyzer.differential.runner import Artefact
from analyzer.differential.study import Study, study

CLASSES = 10
APPLICATIONS = {
    "ResNet50": "A.ResNet50(weights=None, input_shape=(48, 48, 3), classes=10)",
    "MobileNetV2": "A.MobileNetV2(weights=None, alpha=0.35, input_shape=(64, 64, 3), classes=10)",
    "DenseNet": "densenet.DenseNet([3, 6, 12, 8], weights=None, input_shape=(64, 64, 3), classes=10)",
    "InceptionV3": "A.InceptionV3(weights=None, input_shape=(75, 75, 3), classes=10)",
    "EfficientNetB0": "A.EfficientNetB0(weights=None, input_shape=(64, 64, 3), classes=10)",
    "NASNetMobile": "A.NASNetMobile(weights=None, input_shape=(64, 64, 3), classes=10)",
}
TRAINED = {  # epochs, loss, model
    "MobileNet (trained)": (  # the averages of its batch normalisation need longer than its weights
        60, "sparse_categorical_crossentropy",
        "A.MobileNet(weights=None, alpha=0.25, input_shape=(32, 32, 3), classes=10, dropout=0.0)",
    ),
    "LeNet-5 (trained)": (
        12, "sparse_categorical_crossentropy",
        "S([I((32, 32, 3)), L.Conv2D(6, 5, activation='tanh'), L.AveragePooling2D(3, 2, padding='same'),"
        " L.Conv2D(16, 5, activation='tanh'), L.AveragePooling2D(3, 2, padding='same'), L.Flatten(),"
        " L.Dense(84, activation='tanh'), L.Dense(10, activation='softmax')])",
    ),
    "Dave (trained)": (
        12, "mse",
        "S([I((32, 32, 3)), L.Conv2D(12, 5, 2, activation='elu'), L.Conv2D(18, 3, 2, activation='elu'), L.Flatten(),"
        " L.Dense(50, activation='elu'), L.Dense(1)])",
    ),
    "decoder (trained)": (
        12, "mse",
        "S([I((32, 32, 3)), L.Conv2D(8, 3, 2, padding='same', activation='relu'),"
        " L.Conv2DTranspose(8, 3, 2, padding='same', activation='relu'), L.Conv2D(4, 3, 2, padding='same'), L.Flatten(),"
        " L.Dense(1)])",
    ),
}  # fmt: skip

SCRIPT = """
import json, sys
import keras
import numpy as np
from keras import applications as A, layers as L
from keras.src.applications import densenet
S, I = keras.Sequential, keras.Input
folder, jobs = sys.argv[1], json.loads(sys.argv[2])
for name, text, epochs, loss in jobs:
    keras.utils.set_random_seed(0)
    model = eval(text)
    if epochs:
        data = np.load(f"{folder}/train.npz")
        truth = data["angle" if loss == "mse" else "labels"]
        model.compile(optimizer=keras.optimizers.Adam(2e-3), loss=loss)
        model.fit(data["x"], truth, batch_size=32, epochs=epochs, verbose=0)
        print(name, "loss", model.evaluate(data["x"], truth, verbose=0))
    model.save(f"{folder}/{name}.keras")
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


@dataclass(frozen=True)
class Row:
    model: str
    version: str
    pair: tuple[str, str]
    metric: Thresholded


def build(folder: Path, names: Sequence[str], overlay: Path) -> None:
    """Save the models that `folder` lacks, with the oldest version, whose files all later ones read."""
    import json

    folder.mkdir(parents=True, exist_ok=True)
    x, labels, angle = gratings(480, 32, seed=1)
    np.savez(folder / "train.npz", x=x, labels=labels, angle=angle)
    jobs = [(n, t, 0, "") for n, t in APPLICATIONS.items()] + [(n, t, e, s) for n, (e, s, t) in TRAINED.items()]
    jobs = [j for j in jobs if j[0] in names and not (folder / f"{j[0]}.keras").is_file()]
    if jobs:
        env = {**os.environ, "KERAS_BACKEND": "tensorflow", "PYTHONPATH": str(overlay), "TF_CPP_MIN_LOG_LEVEL": "3"}
        subprocess.run([sys.executable, "-c", SCRIPT, str(folder), json.dumps(jobs)], check=True, env=env)


def examine(name: str, path: Path, backends: Sequence[str], pool: Pool, args: argparse.Namespace) -> Study:
    """One model in one version on all backends."""
    kinds = {"keras": Artefact("keras", {"model.keras": path}, {"path": "model.keras"})}
    target = TargetConfig(name, path=path.name, backends=tuple(backends))

    def given(description: object) -> Inputs:
        (info,) = description.inputs  # type: ignore[attr-defined]
        images, labels, angle = gratings(args.instances, int(info.shape[1]), seed=2)
        truth = angle if name in TRAINED and TRAINED[name][1] == "mse" else labels
        return Inputs((InputSet("gratings", {info.name: images}, truth),), (), False)

    (family,) = families(target.backends, kinds)
    return study(family, kinds, target, pool, Thresholds(args.t_class, args.t_mad, args.percent), given)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cache", type=Path, required=True, help="where models are kept")
    parser.add_argument("--overlays", type=Path, default=default_folder())
    parser.add_argument("--versions", default="3.5.0,3.12.0,3.15.1")
    parser.add_argument("--backends", default="tensorflow,jax,torch")
    parser.add_argument("--only", default="")
    parser.add_argument("--instances", type=int, default=16)
    parser.add_argument("--t-class", type=float, default=8.0)
    parser.add_argument("--t-mad", type=float, default=0.2)
    parser.add_argument("--percent", type=float, default=0.0)
    args = parser.parse_args(argv)
    names = [n for n in (*TRAINED, *APPLICATIONS) if not args.only or n in args.only.split(",")]
    versions = args.versions.split(",")
    overlays = Overlays(args.overlays)
    build(args.cache, names, overlays("keras", "3.3.3"))
    rows: list[Row] = []
    blamed: dict[tuple[str, str], list[str]] = {}
    compared = 0
    for version in versions:
        backends = [f"keras-{b}@{version}" for b in args.backends.split(",")]
        with Pool(overlay=overlays, deadline=900.0) as pool:
            for name in names:
                began = time.perf_counter()
                done = examine(name, args.cache / f"{name}.keras", backends, pool, args)
                for backend, failure in done.missing:
                    print(f"{name} {version}: {backend} did not run: {failure.message[:120]}")
                if done.comparison is None:
                    continue
                for result in done.comparison.results:
                    if result.failure is not None:
                        print(f"{name} {version}: {result.runner.name}: {result.failure.message[:300]}")
                for (a, b), metrics in done.comparison.pairs.items():
                    pair = (_backend(a), _backend(b))
                    compared += len(metrics)
                    rows += [Row(name, version, pair, m) for m in metrics if m.inconsistent]
                errors = {
                    _backend(r.runner.name): max(r.errors)
                    for r in done.comparison.results
                    if r.errors and not r.failure
                }
                blamed[name, version] = [_place(p.blame.backend, p.blame.unit.id, p.known) for p in done.problems]
                shown = ", ".join(f"{b} {e:.1e}" for b, e in errors.items())
                inconsistent = [
                    f"{'-'.join(r.pair)} {r.metric.metric}" for r in rows if r.model == name and r.version == version
                ]
                print(
                    f"{name:22s} {version:7s} error against float64: {shown}; inconsistent: {inconsistent or 'none'}; "
                    f"blamed: {blamed[name, version] or 'none'}{_map(done)}; {time.perf_counter() - began:.0f} s",
                    flush=True,
                )
    report(rows, blamed, compared)
    return 0


def _backend(name: str) -> str:
    return name.partition("@")[0].removeprefix("keras-")


def _place(backend: str, layer: str, known: object) -> str:
    return f"{layer} on {_backend(backend)}{f' [{known.id}]' if known else ''}"  # type: ignore[attr-defined]


def _map(done: Study) -> str:
    """How many layers CRADLE's map of the first localized backend highlights."""
    for backend, found in done.localizations.items():
        reference = next((n for n in found.hidden if n != backend), "")
        rates = found.rates(reference, backend)
        quartile = third_quartile(list(rates.values()))
        high = sum(r > quartile for r in rates.values())
        return f" (R_l highlights {high} of {len(rates)} layers)"
    return ""


def report(rows: Sequence[Row], blamed: dict[tuple[str, str], list[str]], compared: int) -> None:
    keys = {
        f"{r.model}|{'-'.join(r.pair)}|{r.metric.metric}|{r.version}": (
            r.model,
            f"{'-'.join(r.pair)} {r.metric.metric}",
            r.metric.pattern,
        )
        for r in rows
    }
    groups = unique(keys)
    print(
        f"\n{compared} comparisons (model, pair of backends, version, metric): {len(rows)} inconsistencies, {len(groups)} unique"
    )
    print(f"{'model':22s} {'pair':18s} {'metric':6s} {'pattern':22s} {'worst':>6s} {'versions':22s} blamed by replay")
    by_key = {f"{r.model}|{'-'.join(r.pair)}|{r.metric.metric}|{r.version}": r for r in rows}
    for (model, _, pattern), members in groups.items():
        first = by_key[members[0]]
        versions = [by_key[m].version for m in members]
        worst = max(max(by_key[m].metric.distances) for m in members)
        layers = sorted(set(itertools.chain.from_iterable(blamed[model, v] for v in versions)))
        print(
            f"{model:22s} {'-'.join(first.pair):18s} {first.metric.metric:6s} {pattern!s:22s} {worst:6.2f} "
            f"{','.join(versions):22s} {'; '.join(layers) or 'no layer'}"
        )


if __name__ == "__main__":
    sys.exit(main())
