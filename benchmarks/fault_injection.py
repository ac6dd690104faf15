"""Faults put into one engine's layer: the rank of the culprit by replay, and by CRADLE's R_l.

    python benchmarks/fault_injection.py [--count 300] [--models a,b] [--seed 0]

One or two layers of a real architecture are changed in the model that one engine gets, as a bug in its kernel would
change them: CRADLE's four kinds (batch norm's epsilon, padding, pooling, parameter layout) and ten more. Each injection is
localized; the culprit's rank among all layers is counted by replayed error and by R_l.
"""

# ruff: noqa: E501, E402

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]

from differential_models import all_models

from analyzer.differential.backend import parse
from analyzer.differential.localize import localize
from analyzer.differential.runner import Artefact, Runner
from analyzer.differential.transport import Environment, ProcessTransport

Fault = Callable[[onnx.NodeProto, dict[str, onnx.TensorProto], np.random.Generator], bool]


def _attribute(node: onnx.NodeProto, name: str, value: object) -> None:
    for a in list(node.attribute):
        if a.name == name:
            node.attribute.remove(a)
    node.attribute.append(helper.make_attribute(name, value))


def _get(node: onnx.NodeProto, name: str, default: object = None) -> object:
    return next((helper.get_attribute_value(a) for a in node.attribute if a.name == name), default)


def _weight(
    node: onnx.NodeProto,
    weights: dict[str, onnx.TensorProto],
    position: int,
    change: Callable[[np.ndarray], np.ndarray],
) -> bool:
    """Give this node alone a changed copy of one of its weights."""
    if len(node.input) <= position or node.input[position] not in weights:
        return False
    old = numpy_helper.to_array(weights[node.input[position]])
    new = np.ascontiguousarray(change(old)).astype(old.dtype)
    if new.shape != old.shape or np.array_equal(new, old):
        return False
    name = f"{node.input[position]}/fault/{node.name}"
    weights[name] = numpy_helper.from_array(new, name)
    node.input[position] = name
    return True


def epsilon_outside(node, weights, rng):  # type: ignore[no-untyped-def]
    """CRADLE: sqrt(var) + eps instead of sqrt(var + eps), with Keras' eps of 1e-3."""
    return node.op_type == "BatchNormalization" and _weight(node, weights, 4, lambda v: (np.sqrt(v) + 1e-3) ** 2)


def epsilon_changed(node, weights, rng):  # type: ignore[no-untyped-def]
    if node.op_type not in ("BatchNormalization", "LayerNormalization"):
        return False
    _attribute(node, "epsilon", 0.05)
    return True


def padding_shifted(node, weights, rng):  # type: ignore[no-untyped-def]
    """CRADLE: the padding on the other side."""
    pads = _get(node, "pads")
    if node.op_type not in ("Conv", "MaxPool", "AveragePool") or not pads or len(pads) != 4 or not any(pads):
        return False
    _attribute(node, "pads", [pads[0] + pads[2], pads[1] + pads[3], 0, 0])
    return True


def pooling_counts_padding(node, weights, rng):  # type: ignore[no-untyped-def]
    """CRADLE: padded cells counted in the mean; where nothing is padded, the maximum instead of the mean."""
    if node.op_type == "AveragePool":
        if any(_get(node, "pads") or []):
            _attribute(node, "count_include_pad", 1 - int(_get(node, "count_include_pad", 0)))
        else:
            node.op_type = "MaxPool"
            for a in list(node.attribute):
                if a.name == "count_include_pad":
                    node.attribute.remove(a)
        return True
    if node.op_type == "GlobalAveragePool":
        node.op_type = "GlobalMaxPool"
        return True
    return False


def kernel_flipped(node, weights, rng):  # type: ignore[no-untyped-def]
    """CRADLE: convolution instead of cross-correlation."""
    return node.op_type in ("Conv", "ConvTranspose") and _weight(node, weights, 1, lambda w: w[:, :, ::-1, ::-1])


def channels_rolled(node, weights, rng):  # type: ignore[no-untyped-def]
    return node.op_type in ("Conv", "Gemm", "MatMul") and _weight(node, weights, 1, lambda w: np.roll(w, 1, axis=1))


def bias_lost(node, weights, rng):  # type: ignore[no-untyped-def]
    return node.op_type in ("Conv", "Gemm") and _weight(node, weights, 2, np.zeros_like)


def weight_rounded(node, weights, rng):  # type: ignore[no-untyped-def]
    """Eight bits of mantissa: a kernel that runs in bfloat16 unasked."""

    def narrow(w: np.ndarray) -> np.ndarray:
        return (w.view(np.uint32) & 0xFFFF0000).view(np.float32)

    return node.op_type in ("Conv", "Gemm", "MatMul") and _weight(node, weights, 1, narrow)


def relu_leaks(node, weights, rng):  # type: ignore[no-untyped-def]
    if node.op_type != "Relu":
        return False
    node.op_type = "LeakyRelu"
    _attribute(node, "alpha", 0.1)
    return True


def relu_bounded(node, weights, rng):  # type: ignore[no-untyped-def]
    if node.op_type != "Relu":
        return False
    node.op_type = "HardSigmoid"
    return True


def sigmoid_hard(node, weights, rng):  # type: ignore[no-untyped-def]
    if node.op_type not in ("Sigmoid", "Erf", "Tanh"):
        return False
    node.op_type = {"Sigmoid": "HardSigmoid", "Erf": "Tanh", "Tanh": "Softsign"}[node.op_type]
    return True


def softmax_axis(node, weights, rng):  # type: ignore[no-untyped-def]
    if node.op_type != "Softmax":
        return False
    _attribute(node, "axis", 0)
    return True


def sum_swapped(node, weights, rng):  # type: ignore[no-untyped-def]
    if node.op_type not in ("Add", "Sum") or len(node.input) != 2 or any(i in weights for i in node.input):
        return False
    node.op_type = "Max"
    return True


def concat_order(node, weights, rng):  # type: ignore[no-untyped-def]
    if node.op_type != "Concat" or len(set(node.input)) < 2:
        return False
    names = list(node.input)[::-1]
    del node.input[:]
    node.input.extend(names)
    return True


def lrn_size(node, weights, rng):  # type: ignore[no-untyped-def]
    if node.op_type != "LRN":
        return False
    _attribute(node, "alpha", 50 * float(_get(node, "alpha", 1e-4)))
    return True


FAULTS: tuple[Fault, ...] = (
    epsilon_outside, padding_shifted, pooling_counts_padding, kernel_flipped, epsilon_changed, channels_rolled, bias_lost,
    weight_rounded, relu_leaks, relu_bounded, sigmoid_hard, softmax_axis, sum_swapped, concat_order, lrn_size,
)  # fmt: skip


def inject(
    model: onnx.ModelProto, number: int, rng: np.random.Generator
) -> tuple[onnx.ModelProto, list[tuple[str, str]]]:
    """A faulty copy, and (output of the node, fault) for each injected fault."""
    faulty = onnx.ModelProto()
    faulty.CopyFrom(model)
    weights = {i.name: i for i in faulty.graph.initializer}
    done: list[tuple[str, str]] = []
    for fault in rng.permutation(np.array(FAULTS, dtype=object)):
        for index in rng.permutation(len(faulty.graph.node))[:200]:
            node = faulty.graph.node[int(index)]
            if node.output[0] not in [d[0] for d in done] and fault(node, weights, rng):
                done.append((node.output[0], fault.__name__))
                break
        if len(done) == number:
            break
    del faulty.graph.initializer[:]
    faulty.graph.initializer.extend(weights.values())
    return faulty, done


def rank(scores: dict[str, float], culprit: str) -> int:
    """1 is best; a tie counts against the culprit."""
    mine = scores.get(culprit, -np.inf)
    return 1 + sum(s >= mine for name, s in scores.items() if name != culprit)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--models", default="")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(argv)
    models = {n: m for n, m in all_models().items() if not args.models or n in args.models.split(",")}
    rows: list[tuple[str, str, int, int, bool, bool]] = []
    silent = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        knobs = "onnxruntime:opt=disable:threads=1"
        right, wrong = (Runner(parse(knobs), ProcessTransport("onnxruntime", Environment())) for _ in range(2))
        wrong.backend = parse("onnxruntime:opt=disable:threads=2")
        for number, (name, model) in enumerate(models.items()):
            path = folder / "right.onnx"
            onnx.save(model, path)
            structure = right.load(Artefact("onnx", {"model.onnx": path}, {"path": "model.onnx"}))
            shape = [d.dim_value or 1 for d in model.graph.input[0].type.tensor_type.shape.dim]
            share = args.count // len(models) + (number < args.count % len(models))
            started = time.perf_counter()
            for trial in range(share):
                rng = np.random.default_rng((args.seed, number, trial))
                faulty, faults = inject(model, 1 + trial % 2, rng)
                bad = folder / "wrong.onnx"
                onnx.save(faulty, bad)
                wrong.load(Artefact("onnx", {"model.onnx": bad}, {"path": "model.onnx"}))
                feeds = {model.graph.input[0].name: rng.standard_normal(shape).astype(np.float32)}
                found = localize(structure, [wrong], right, feeds)
                errors = dict(found.errors[wrong.name])
                r = found.rates(right.name, wrong.name)
                blamed = {b.unit.id for b in found.blames}
                culprits = {c for c, _ in faults if errors.get(c, 0.0) > 0.0}
                silent += len(faults) - len(culprits)
                for culprit, kind in faults:
                    if culprit not in culprits:
                        continue  # the fault changes nothing on this input: a kernel of ones, a pool that pads nothing
                    others = culprits - {culprit}
                    alone = {u: e for u, e in errors.items() if u not in others}
                    rates = {u: e for u, e in r.items() if u not in others}
                    rows.append(
                        (
                            name,
                            kind,
                            rank(alone, culprit),
                            rank(rates, culprit),
                            culprit in blamed,
                            bool(blamed - culprits),
                        )
                    )
            seconds = (time.perf_counter() - started) / max(1, share)
            mine = [x for x in rows if x[0] == name]
            print(
                f"{name:20s} {len(structure.operations):4d} nodes  {_line(mine)}  {seconds:.1f} s an injection",
                flush=True,
            )
        right.close()
        wrong.close()
    print(f"{'all':20s} {'':10s}  {_line(rows)}; {silent} injected faults changed nothing on their input")
    for kind in sorted({x[1] for x in rows}):
        print(f"  {kind:24s} {_line([x for x in rows if x[1] == kind])}")
    return 0


def _line(rows: Sequence[tuple[str, str, int, int, bool, bool]]) -> str:
    if not rows:
        return "0 faults"
    n = len(rows)
    return (
        f"{n:3d} faults: rank 1 by replay {sum(x[2] == 1 for x in rows) / n:6.1%}, by R_l {sum(x[3] == 1 for x in rows) / n:6.1%} "
        f"(median {int(np.median([x[3] for x in rows]))}); blamed {sum(x[4] for x in rows) / n:6.1%}, "
        f"innocent layer blamed {sum(x[5] for x in rows) / n:6.1%}"
    )


if __name__ == "__main__":
    sys.exit(main())
