"""The Refty study (section 4, RQ1 and RQ2) against what PyTorch and Keras really do with each vector.

    python benchmarks/refty.py [--framework torch|keras|both] [--check 4]

For every vector of every object the ground truth is one real forward pass of a model built from the same description
(crash, or an assertion on silent errors: an unsupported layout, an empty dimension), and the verdict is ours. Prints
the paper's two tables: true and false positives and negatives, precision and recall.
"""

from __future__ import annotations

import argparse
import itertools
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from analyzer.validity.architecture import Architecture, Layer, elaborate
from analyzer.validity.space import Space
from analyzer.validity.space_reader import read_space
from benchmarks.refty_models import alexnet, inception, model_text, seq2seq, vgg

Vector = Mapping[str, Any]


class Silent(Exception):
    """An assertion of the study: the run does not crash, but its result is wrong."""


def space(fw: str, inputs: Mapping[str, str], layers: list[str], domains: Mapping[str, list[Any]]) -> Space:
    text = model_text(fw, inputs, layers) + "hyperparameters:\n"
    text += "".join(f"  {name}: {values}\n" for name, values in domains.items())
    return read_space(text, f"{fw}.yml")


def vectors(one: Space) -> Iterator[dict[str, Any]]:
    names = list(one.by_name)
    for values in itertools.product(*(h.values or () for h in one.by_name.values())):
        yield dict(zip(names, values, strict=True))


# -------------------------------------------------------------------------------------------------- objects


def operators(fw: str) -> Iterator[tuple[str, Space]]:
    """Single operators with typical, neighbouring, small, large and invalid values."""
    torch = fw == "torch"
    channels = "c, size, size" if torch else "size, size, c"
    image = {"x": f"{{shape: [batch, {channels}], format: fmt}}"}
    grid = {
        "batch": [1, 8, 16],
        "fmt": ["NCHW", "NHWC"],
        "c": [3, 4],
        "size": [7, 14, 28],
        "k": [1, 3, 5, 15],
        "s": [1, 2, 4, 0],
    }
    if torch:
        conv = ["{name: conv, op: Conv2d, in_channels: 3, out_channels: 8, kernel_size: k, stride: s}"]
        pool = ["{name: pool, op: MaxPool2d, kernel_size: k, stride: s}"]
    else:
        conv = ["{name: conv, op: Conv2D, filters: 8, kernel_size: k, strides: s}"]
        pool = ["{name: pool, op: MaxPooling2D, pool_size: k, strides: s}"]
    yield "conv2d", space(fw, image, conv, grid)
    yield "maxpool2d", space(fw, image, pool, grid)
    shape = {"x": "{shape: [batch, c, size, size]}" if torch else "{shape: [batch, size, size, c]}"}
    if torch:
        dense = ["{name: fc, op: Linear, in_features: features, out_features: out}"]
    else:
        dense = ["{name: fc, op: Dense, units: out, weight: features}"]
    sizes = {"batch": [1, 8], "c": [3, 4, 28], "size": [7, 28], "features": [3, 4, 7, 28], "out": [1, 10, 100, -1]}
    yield "linear", space(fw, shape, dense, sizes)
    last = (lambda c, n: f"{c}, {n}, {n}") if torch else (lambda c, n: f"{n}, {n}, {c}")
    pair = {
        "x": f"{{shape: [b1, {last('c1', 'n1')}], dtype: t1}}",
        "y": f"{{shape: [b2, {last('c2', 'n2')}], dtype: t2}}",
    }
    both = {n: v for i in (1, 2) for n, v in ((f"b{i}", [2, 8]), (f"c{i}", [1, 3]), (f"n{i}", [7, 28]))}
    add = ["{name: add, op: add, inputs: [x, y]}" if torch else "{name: add, op: Add, inputs: [x, y]}"]
    yield "add", space(fw, pair, add, {**both, "t1": ["float32"], "t2": ["float32"]})
    join = "{name: cat, op: cat, inputs: [x, y], dim: 1}" if torch else "{name: cat, op: Concatenate, inputs: [x, y]}"
    yield "concat", space(fw, pair, [join], {**both, "t1": ["float32"], "t2": ["float32", "bool"]})


def models(fw: str) -> Iterator[tuple[str, Space]]:
    """AlexNet, VGG-16, Inception-v3 and the two seq2seq models."""
    image = "3, size, size" if fw == "torch" else "size, size, 3"
    tuned = {"k": [3, 7, 11, 12], "s": [1, 2, 4], "pk": [2, 3, 12], "ps": [1, 2, 4]}
    net = {"x": f"{{shape: [batch, {image}]}}"}
    for name, build, size, batches in (
        ("AlexNet", alexnet, 224, [1, 2]),
        ("VGG", vgg, 224, [1]),
        ("Inception-v3", _inception, 299, [1]),
    ):
        yield name, space(fw, net, build(fw, "k", "s", "pk", "ps"), {"batch": batches, "size": [size], **tuned})
    for kind in ("LSTM", "GRU"):
        both = {"he": [4, 8, 0], "le": [1, 2, 3], "hd": [4, 8], "ld": [1, 2, 3]}
        if fw == "torch":
            inputs = {"x": "{shape: [5, 2, 12]}", "y": "{shape: [4, 2, 10]}"}
            yield f"seq2seq {kind}", space(fw, inputs, seq2seq(fw, kind, "he", "le", "hd", "ld"), both)
        else:
            yield f"seq2seq {kind}", keras_seq2seq(kind, both)


def _inception(fw: str, k: Any, s: Any, pk: Any, ps: Any) -> list[str]:
    return inception(fw, (k, 3, 3), s, pk, ps)


def keras_seq2seq(kind: str, domains: Mapping[str, list[Any]]) -> Space:
    """Keras stacks layers one by one: three recurrent layers on each side, whose first states are handed over."""
    width = 2 if kind == "LSTM" else 1
    states = ", ".join(f"enc:{i}" for i in range(1, width + 1))
    layers = [
        f"{{name: pre, op: {kind}, input: x, units: he, return_sequences: true}}",
        f"{{name: enc, op: {kind}, input: pre, units: he, return_state: true}}",
        f"{{name: dec, op: {kind}, inputs: [y, {states}], units: hd, return_sequences: true}}",
        "{name: out, op: Dense, input: dec, units: 7}",
    ]
    text = {k: v for k, v in domains.items() if k in ("he", "hd")} | {
        "batch": [1, 2],
        "time": [4, 5],
        "width": [10, 12],
    }
    return space("keras", {"x": "{shape: [batch, 5, 12]}", "y": "{shape: [batch, time, width]}"}, layers, text)


# --------------------------------------------------------------------------------------------- ground truth


def run_torch(architecture: Architecture) -> None:
    """One real batch through modules built from the description; raises whatever PyTorch raises, or Silent."""
    import torch
    from torch import nn

    values: dict[str, Any] = {}
    for name, tensor in architecture.inputs.items():
        if tensor.format not in (None, "NCHW"):
            raise Silent("PyTorch takes the channels of an NHWC batch for its rows")
        values[name] = torch.zeros(tensor.dims, dtype=getattr(torch, tensor.dtype or "float32"))
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for layer in architecture.layers:
            operands = [values[i] for i in layer.inputs if i is not None]
            parameters = dict(layer.hyperparameters)
            if layer.operator == "cat":
                result: Any = torch.cat(operands, **parameters)
            elif layer.operator == "add":
                result = operands[0] + operands[1]
            elif layer.operator in ("LSTM", "GRU"):
                module = getattr(nn, layer.operator)(**parameters)
                state = operands[1:]
                result = module(operands[0], *([tuple(state) if len(state) > 1 else state[0]] if state else []))
            else:
                result = getattr(nn, layer.operator)(**parameters).eval()(*operands)
            _store(values, layer, result)


def _store(values: dict[str, Any], layer: Layer, result: Any) -> None:
    flat = []
    for item in result if isinstance(result, (tuple, list)) else [result]:
        flat.extend(item if isinstance(item, (tuple, list)) else [item])
    for name, tensor in zip(layer.outputs, flat, strict=False):
        if any(d <= 0 for d in tensor.shape):
            raise Silent(f"{layer.name} gives an empty tensor")
        values[name] = tensor


def run_keras(architecture: Architecture) -> None:
    """One real batch through Keras layers built from the description."""
    import keras
    import tensorflow as tf

    values: dict[str, Any] = {}
    for name, tensor in architecture.inputs.items():
        if tensor.format not in (None, "NHWC"):
            raise Silent("the layers read channels last")
        values[name] = tf.zeros(tensor.dims, dtype=tensor.dtype or "float32")
    for layer in architecture.layers:
        operands = [values[i] for i in layer.inputs if i is not None]
        parameters = dict(layer.hyperparameters)
        expected = parameters.pop("weight", None)
        module = getattr(keras.layers, layer.operator)(**parameters)
        if expected is not None:
            module.build((None, expected))  # the number of features that the layer was written for
            if operands[0].shape[-1] != expected:
                raise Silent(f"{layer.name} was built for {expected} features")
        if layer.operator in ("LSTM", "GRU"):
            result = module(operands[0], initial_state=operands[1:] or None)
        elif layer.operator in ("Add", "Concatenate"):
            result = module(operands)
        else:
            result = module(*operands)
        _store(values, layer, result)


def verdict(one: Space, vector: Vector) -> tuple[bool, Architecture]:
    """Whether our types refuse the vector, and the architecture on plain numbers."""
    architecture, _ = one.instantiate(vector)
    program = elaborate(architecture)
    return any(s.condition is False for s in program.steps), architecture


def measure(one: Space, run: Callable[[Architecture], None]) -> tuple[int, int, int, int, list[str]]:
    """True and false positives, true and false negatives (positive: the vector is an error), and disagreements."""
    counts = {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0}
    apart: list[str] = []
    cached: dict[Any, tuple[bool, str]] = {}
    for vector in vectors(one):
        refused, architecture = verdict(one, vector)
        key = repr((architecture.inputs, [(x.name, x.hyperparameters) for x in architecture.layers]))
        if key not in cached:
            try:
                run(architecture)
                cached[key] = (False, "")
            except Exception as error:
                cached[key] = (True, (str(error).splitlines() or [type(error).__name__])[0][:120])
        failed, reason = cached[key]
        counts[(refused, failed)] += 1
        if refused != failed:
            apart.append(f"{dict(vector)}: ours {'refuses' if refused else 'accepts'}; {reason or 'it runs'}")
    return counts[(True, True)], counts[(True, False)], counts[(False, False)], counts[(False, True)], apart


def table(title: str, rows: list[tuple[str, int, int, int, int]]) -> None:
    print(
        f"\n{title}\n\n| object | vectors | TP | FP | TN | FN | precision | recall |\n|---|---|---|---|---|---|---|---|"
    )
    for name, tp, fp, tn, fn in rows:
        precision = f"{tp / (tp + fp):.1%}" if tp + fp else "–"
        recall = f"{tp / (tp + fn):.1%}" if tp + fn else "–"
        print(f"| {name} | {tp + fp + tn + fn} | {tp} | {fp} | {tn} | {fn} | {precision} | {recall} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--framework", choices=("torch", "keras", "both"), default="both")
    parser.add_argument("--check", type=int, default=4, help="disagreements to print for an object")
    parser.add_argument("--only", choices=("operators", "models"), help="one of the two tables")
    args = parser.parse_args()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("KERAS_BACKEND", "tensorflow")
    chosen = ("torch", "keras") if args.framework == "both" else (args.framework,)
    for fw in chosen:
        run = run_torch if fw == "torch" else run_keras
        name = "PyTorch" if fw == "torch" else "TensorFlow (Keras)"
        for title, objects in (("individual operators", operators(fw)), ("real-world models", models(fw))):
            if args.only and args.only not in title:
                continue
            rows, notes = [], []
            for label, one in objects:
                tp, fp, tn, fn, apart = measure(one, run)
                rows.append((label, tp, fp, tn, fn))
                notes += [f"{label}: {line}" for line in apart[: args.check]]
            table(f"{name}, {title}", rows)
            for note in notes:
                print(f"- {note}")


if __name__ == "__main__":
    main()
