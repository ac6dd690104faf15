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
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from analyzer.validity.architecture import Architecture, ModelLayer
from analyzer.validity.elaboration import elaborate
from analyzer.validity.space import Space
from analyzer.validity.space_reader import read_space
from benchmarks.refty_models import alexnet, inception, keras_seq2seq, model_text, torch_seq2seq, vgg

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


Domains = Mapping[str, list[Any]]


def operators(fw: str) -> Iterator[tuple[str, list[Space]]]:
    """Single operators. Each domain is typical values, then neighbours, small, large and invalid ones."""
    torch = fw == "torch"
    channels = "c, size, size" if torch else "size, size, c"
    image = {"x": f"{{shape: [batch, {channels}], format: fmt}}"}
    grid: Domains = {
        "batch": [1, 8, 16],
        "fmt": ["NCHW", "NHWC"],
        "c": [3, 4],
        "size": [14, 28, 7],
        "k": [3, 5, 1, 15],
        "s": [1, 2, 4, 0],
    }
    if torch:
        conv = ["{name: conv, op: Conv2d, in_channels: 3, out_channels: 8, kernel_size: k, stride: s}"]
        pool = ["{name: pool, op: MaxPool2d, kernel_size: k, stride: s}"]
        dense = ["{name: fc, op: Linear, in_features: features, out_features: out}"]
    else:
        conv = ["{name: conv, op: Conv2D, filters: 8, kernel_size: k, strides: s}"]
        pool = ["{name: pool, op: MaxPooling2D, pool_size: k, strides: s}"]
        dense = ["{name: fc, op: Dense, units: out, weight: features}"]
    yield "conv2d", [space(fw, image, conv, grid)]
    yield "maxpool2d", [space(fw, image, pool, grid)]
    shape = {"x": "{shape: [batch, c, size, size]}" if torch else "{shape: [batch, size, size, c]}"}
    sizes: Domains = {
        "batch": [1, 8],
        "c": [3, 4, 28],
        "size": [28, 7],
        "features": [3, 28, 4, 7],
        "out": [10, 100, 1, -1],
    }
    yield "linear", [space(fw, shape, dense, sizes)]
    order = "c{0}, n{0}, n{0}" if torch else "n{0}, n{0}, c{0}"
    pair = {name: f"{{shape: [b{i}, {order.format(i)}], dtype: t{i}}}" for i, name in ((1, "x"), (2, "y"))}
    both = {n: v for i in (1, 2) for n, v in ((f"b{i}", [2, 8]), (f"c{i}", [1, 3]), (f"n{i}", [7, 28]))}
    add = ["{name: add, op: add, inputs: [x, y]}" if torch else "{name: add, op: Add, inputs: [x, y]}"]
    yield "add", [space(fw, pair, add, {**both, "t1": ["float32"], "t2": ["float32"]})]
    join = "{name: cat, op: cat, inputs: [x, y], dim: 1}" if torch else "{name: cat, op: Concatenate, inputs: [x, y]}"
    yield "concat", [space(fw, pair, [join], {**both, "t1": ["float32"], "t2": ["float32", "bool"]})]


IMAGES: Mapping[str, Domains] = {
    "AlexNet": {
        "batch": [1, 2],
        "c": [3, 4],
        "size": [224, 64, 12],
        "k": [11, 12, 3, 0],
        "s": [4, 2, 0],
        "pk": [3, 12],
        "ps": [2, 4],
    },
    "VGG-16": {
        "batch": [1],
        "c": [3, 4],
        "size": [224, 112, 16],
        "k": [3, 5, 1, 12],
        "s": [1, 2, 4, 0],
        "pk": [2, 12],
        "ps": [2, 4],
    },
    "Inception-v3": {
        "batch": [1],
        "c": [3, 4],
        "size": [299, 139, 75],
        "k": [3, 5, 1, 12],
        "s": [2, 4, 0],
        "pk": [3, 12],
        "ps": [2, 4],
    },
}
SEQUENCES: Domains = {"bx": [2], "by": [2, 3], "he": [8, 4, 5, 0], "hd": [8, 4]}
DEPTHS = (1, 2, 3)


def models(fw: str) -> Iterator[tuple[str, list[Space]]]:
    """AlexNet, VGG-16, Inception-v3 and the two seq2seq models: one object may be several spaces."""
    image = {"x": f"{{shape: [batch, {'c, size, size' if fw == 'torch' else 'size, size, c'}]}}"}
    builders = {"AlexNet": alexnet, "VGG-16": vgg, "Inception-v3": _inception}
    for name, domains in IMAGES.items():
        yield name, [space(fw, image, builders[name](fw, "k", "s", "pk", "ps"), domains)]
    for kind in ("LSTM", "GRU"):
        if fw == "torch":
            inputs = {"x": "{shape: [5, bx, 12]}", "y": "{shape: [4, by, 10]}"}
            tuned = {**SEQUENCES, "le": list(DEPTHS), "ld": list(DEPTHS)}
            yield f"seq2seq {kind}", [space(fw, inputs, torch_seq2seq(kind), tuned)]
        else:
            inputs = {"x": "{shape: [bx, 5, 12]}", "y": "{shape: [by, 4, 10]}"}
            depths = itertools.product(DEPTHS, DEPTHS)
            yield f"seq2seq {kind}", [space(fw, inputs, keras_seq2seq(kind, e, d), SEQUENCES) for e, d in depths]


def _inception(fw: str, k: Any, s: Any, pk: Any, ps: Any) -> list[str]:
    return inception(fw, (k, 3, 3), s, pk, ps)


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


def _store(values: dict[str, Any], layer: ModelLayer, result: Any) -> None:
    flat: list[Any] = []
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
        if "Pooling" in layer.operator:  # a stride of 0 ends the process in the kernel; its shape inference refuses it
            module(keras.KerasTensor(operands[0].shape, operands[0].dtype))
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


def measure(spaces: Sequence[Space], run: Callable[[Architecture], None]) -> tuple[int, int, int, int, list[str]]:
    """True and false positives, true and false negatives (positive: the vector is an error), and disagreements."""
    counts = {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0}
    apart: list[str] = []
    cached: dict[Any, tuple[bool, str]] = {}
    for one, vector in ((part, vector) for part in spaces for vector in vectors(part)):
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
            for label, spaces in objects:
                tp, fp, tn, fn, apart = measure(spaces, run)
                rows.append((label, tp, fp, tn, fn))
                notes += [f"{label}: {line}" for line in apart[: args.check]]
            table(f"{name}, {title}", rows)
            for note in notes:
                print(f"- {note}")


if __name__ == "__main__":
    main()
