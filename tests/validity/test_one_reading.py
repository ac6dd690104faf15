"""An attribute as a literal, the same as a hyperparameter, and the real framework: three readings, one verdict."""

from __future__ import annotations

import random
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analyzer.validity.architecture import Architecture, ModelLayer
from analyzer.validity.decide import VALID_FOR_ALL, decide
from analyzer.validity.evaluator import VALID
from analyzer.validity.explain import check_vector
from analyzer.validity.space import Hyperparameter, Space
from analyzer.validity.space_text import Text
from analyzer.validity.spec import TensorType

SIZE = 1000  # instances for each framework


@dataclass(frozen=True)
class Trial:
    """Layers over inputs, whose whole-number attributes may become hyperparameters."""

    framework: str
    shapes: tuple[tuple[int, ...], ...]
    layers: tuple[tuple[str, Mapping[str, Any]], ...]  # operator and attributes; each reads the one before it
    run: Callable[[list[Any]], Any]


def layered(trial: Trial, lift: bool) -> Space:
    """The trial as a space: one vector, or (`lift`) every whole number a hyperparameter with a second value."""
    domains: list[Hyperparameter] = []

    def value(name: str, item: Any) -> Any:
        if isinstance(item, tuple):
            return tuple(value(f"{name}_{i}", part) for i, part in enumerate(item))
        if type(item) is not int or not lift:
            return item
        domains.append(Hyperparameter(name, (item, item + 1) if item != -1 else (item, 4)))
        return Text(name)

    inputs = {f"x{i}": TensorType(shape, "float32") for i, shape in enumerate(trial.shapes)}
    layers = []
    previous = tuple(inputs)
    for index, (operator, attributes) in enumerate(trial.layers):
        named = {k: value(f"p{index}_{k}", v) for k, v in attributes.items()}
        outputs = tuple(f"l{index}{'' if i == 0 else f':{i}'}" for i in range(4))
        layers.append(ModelLayer(f"l{index}", operator, trial.framework, previous, outputs, named))
        previous = (outputs[0],)
    return Space("trial.yml", Architecture(trial.framework, inputs, tuple(layers)), tuple(domains))


def by_symbols(space: Space, vector: Mapping[str, Any]) -> bool:
    """Whether the decided space holds `vector` valid, read off the evaluated grids."""
    decision = decide(space, boxes=False)
    structure = next(s for s in decision.structures if all(vector[k] == v for k, v in s.fixed.items()))
    if any(s.condition is False for s in structure.program.steps):
        return False
    for part in structure.parts:
        if part.verdict == VALID_FOR_ALL:
            continue
        assert part.first is not None
        place = tuple(list(space.by_name[n].values or ()).index(vector[n]) for n in part.names)
        if part.first[place] != VALID:
            return False
    return True


def real(trial: Trial) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = trial.run(list(trial.shapes))
    except Exception:  # every complaint of a framework counts
        return False
    parts = result if isinstance(result, (tuple, list)) else (result,)
    return all(0 not in getattr(part, "shape", ()) for part in parts)  # an empty image is an illegal shape here


def torch_trial(rng: random.Random) -> Trial:
    import torch
    from torch import nn
    from torch.nn import functional as F

    def sized(rank: int, low: int = 1, high: int = 6) -> tuple[int, ...]:
        return tuple(rng.randint(low, high) for _ in range(rank))

    def call(function: Callable[..., Any]) -> Callable[[list[Any]], Any]:
        def run(shapes: list[Any]) -> Any:
            torch.manual_seed(0)
            with torch.no_grad():
                return function(*(torch.zeros(s) for s in shapes))

        return run

    def one(operator: str, shapes: tuple[Any, ...], attributes: dict[str, Any], function: Any = None) -> Trial:
        made = function or (lambda *x: getattr(nn, operator)(**attributes).eval()(*x))
        return Trial("torch", shapes, ((operator, attributes),), call(made))

    kind = rng.randrange(17)
    if kind == 0:
        mode = rng.choice(["nearest", "nearest-exact", "area", "linear", "bilinear", "bicubic", "trilinear"])
        corners = rng.choice([None, True, False])
        given = rng.choice([{"size": rng.choice([1, 4, 0, -1])}, {"scale_factor": rng.choice([1, 2, 3])}])
        if rng.random() < 0.2:
            given = {"size": sized(rng.choice([1, 2, 3]))}
        return one("Upsample", (sized(rng.choice([2, 3, 4, 5])),), {"mode": mode, "align_corners": corners, **given})
    if kind == 1:
        mode = rng.choice(["constant", "reflect", "replicate", "circular"])
        pad = tuple(rng.randint(-1, 3) for _ in range(rng.choice([1, 2, 2, 4, 4, 6, 8])))
        attributes = {"pad": pad, "mode": mode}
        return one("pad", (sized(rng.choice([1, 2, 3, 4, 5])),), attributes, lambda x: F.pad(x, pad, mode))
    if kind == 2:
        shape = sized(rng.choice([2, 3, 4]), 1, 4)
        a, b = rng.randrange(len(shape)), rng.randrange(len(shape))
        moved = list(shape)
        moved[a], moved[b] = moved[b], moved[a]
        cut = rng.randrange(len(moved))
        target = rng.choice([(-1,), (*moved[:cut], -1), (moved[0], -1), (-1, moved[-1]), tuple(moved)])
        layers = (("transpose", {"dim0": a, "dim1": b}), ("view", {"shape": target}))
        return Trial("torch", (shape,), layers, call(lambda x: x.transpose(a, b).view(target)))
    if kind == 3:
        order = list(range(3))
        rng.shuffle(order)
        shape = sized(3, 1, 4)
        moved = [shape[i] for i in order]
        target = rng.choice([(-1,), (moved[0] * moved[1], moved[2]), (moved[0], -1), (moved[0], moved[1] * moved[2])])
        layers = (("permute", {"dims": tuple(order)}), ("view", {"shape": target}))
        return Trial("torch", (shape,), layers, call(lambda x: x.permute(order).view(target)))
    if kind in (4, 5):
        name = rng.choice(["LSTM", "LSTM", "GRU", "RNN"])
        x = sized(rng.choice([2, 3, 3]), 1, 4)
        attributes = {"input_size": x[-1], "hidden_size": rng.choice([1, 3, 4]), "num_layers": rng.choice([1, 2])}
        if name == "LSTM":
            attributes["proj_size"] = rng.choice([0, 0, 1, 2, 3, -1])
        hidden = attributes.get("proj_size") or attributes["hidden_size"]
        state = (attributes["num_layers"], *x[1:-1], max(1, hidden))
        cell = (attributes["num_layers"], *x[1:-1], attributes["hidden_size"])
        states = rng.choice([(), (state,), (state, cell)]) if name == "LSTM" else rng.choice([(), (state,)])

        def recurrent(x: Any, *given: Any) -> Any:
            module = getattr(nn, name)(**attributes)
            return module(x, *([] if not given else [given if name == "LSTM" and len(given) > 1 else given[0]]))

        return one(name, (x, *states), attributes, recurrent)
    if kind in (6, 7):
        channels = rng.choice([2, 4, 6])
        attributes = {
            "in_channels": channels,
            "out_channels": rng.choice([2, 4, 6]),
            "kernel_size": rng.choice([1, 3, (3, 2)]),
            "groups": rng.choice([1, 2, 3, -1, 0]),
            "padding": rng.choice([0, 1, -1, "same", "valid"]),
            "padding_mode": rng.choice(["zeros", "zeros", "reflect", "circular", "replicate"]),
            "stride": rng.choice([1, 1, 2]),
        }
        return one("Conv2d", ((1, channels, *sized(2, 1, 5)),), attributes)
    if kind == 8:
        embed = rng.choice([2, 4])
        kdim, vdim = rng.choice([None, 2, 3, embed]), rng.choice([None, 2, 3, embed])
        attributes = {"embed_dim": embed, "num_heads": rng.choice([1, 2]), "kdim": kdim, "vdim": vdim}
        shapes = ((3, 1, embed), (4, 1, kdim or embed), (4, 1, rng.choice([vdim or embed, 3])))
        return one("MultiheadAttention", shapes, attributes)
    if kind == 9:
        shape = sized(rng.choice([1, 2, 3]), 1, 4)
        target = tuple(rng.choice([d, -1, 5]) for d in shape)
        target = (*rng.choice([(), (2,), (-1,)]), *target)
        return one("expand", (shape,), {"size": target}, lambda x: x.expand(target))
    if kind == 10:
        shape = sized(rng.choice([1, 2, 3]), 1, 6)
        target = tuple(rng.choice([-1, 1, 2, shape[0], 0]) for _ in range(rng.choice([1, 2, 3])))
        return one("reshape", (shape,), {"shape": target}, lambda x: x.reshape(target))
    if kind == 11:
        shape = sized(rng.choice([1, 2, 3]), 1, 6)
        sizes = tuple(rng.choice([-1, 1, 2, 3]) for _ in range(2))
        attributes = {"dim": rng.choice([0, 1, -1]), "unflattened_size": sizes}
        return one("Unflatten", (shape,), attributes)
    if kind == 12:
        size = rng.choice([1, 3, (2, None), (None, 2), (None, None), 0, -1])
        return one("AdaptiveAvgPool2d", (sized(rng.choice([2, 3, 4])),), {"output_size": size})
    if kind == 13:
        attributes = {"kernel_size": rng.choice([1, 2, 3]), "stride": rng.choice([None, 1, 2, 0])}
        attributes |= {"padding": rng.choice([0, 1, 2]), "ceil_mode": rng.choice([True, False])}
        return one(rng.choice(["MaxPool2d", "AvgPool2d"]), (sized(rng.choice([3, 4])),), attributes)
    if kind == 14:
        shape = sized(rng.choice([2, 3, 4]), 1, 6)
        return one("GroupNorm", (shape,), {"num_groups": rng.choice([1, 2, 3, -1, 0]), "num_channels": shape[1]})
    if kind == 15:
        channels = rng.choice([2, 4])
        attributes = {
            "in_channels": channels,
            "out_channels": rng.choice([2, 4]),
            "kernel_size": rng.choice([1, 2, 3]),
            "stride": rng.choice([1, 2]),
            "padding": rng.choice([0, 1, 2]),
            "output_padding": rng.choice([0, 1]),
            "groups": rng.choice([1, 2, -1]),
        }
        return one("ConvTranspose2d", ((1, channels, *sized(2, 1, 4)),), attributes)
    shape = sized(rng.choice([1, 2, 3]), 2, 6)
    sections = rng.choice([1, 2, 3, (1, shape[0] - 1), (shape[0],)])
    function = lambda x: torch.split(x, sections, dim=0)  # noqa: E731
    return one("split", (shape,), {"split_size_or_sections": sections, "dim": 0}, function)


def keras_trial(rng: random.Random) -> Trial:
    import keras
    import numpy as np

    def sized(rank: int, low: int = 1, high: int = 5) -> tuple[int, ...]:
        return tuple(rng.randint(low, high) for _ in range(rank))

    def one(operator: str, shapes: tuple[Any, ...], attributes: dict[str, Any]) -> Trial:
        def run(shapes: list[Any]) -> Any:
            layer = getattr(keras.layers, operator)(**attributes)
            tensors = [keras.ops.convert_to_tensor(np.zeros(s, "float32")) for s in shapes]
            return layer(tensors) if operator == "Dot" else layer(*tensors)

        return Trial("keras", shapes, ((operator, attributes),), run)

    kind = rng.randrange(12)
    if kind == 0:
        rank = rng.choice([1, 2, 3])
        order = list(range(1, rank + 1))
        rng.shuffle(order)
        if rng.random() < 0.3:
            order[0] = rng.choice([0, 1, 4])
        return one("Permute", (sized(rng.choice([rank, rank + 1, rank + 1])),), {"dims": tuple(order)})
    if kind == 1:
        target = tuple(rng.choice([-1, 1, 2, 3, 4]) for _ in range(rng.choice([1, 2, 3])))
        return one("Reshape", (sized(rng.choice([2, 3])),), {"target_shape": target})
    if kind == 2:
        attributes = {"groups": rng.choice([-1, 1, 2, 3, 0, 32]), "axis": rng.choice([-1, 1])}
        return one("GroupNormalization", ((2, *sized(rng.choice([1, 2, 3]))),), attributes)
    if kind in (3, 4):
        equations = ["ab,bc->ac", "abc,cd->abd", "abc,cde->abde", "...x,xy->...y", "abc,cd->ab", "abc,bd->adc"]
        equation = rng.choice([*equations, "ab,bc->abc", "abc,cd->acb", "ab,cd->ad", "abc,cb->ab"])
        letters = equation.partition(",")[0]
        shape = sized(len(letters) - rng.choice([0, 0, 1]) if "." not in letters else rng.choice([2, 3, 4]), 2, 4)
        shape = shape if len(shape) > 1 else (*shape, 2)
        sizes: tuple[Any, ...] = tuple(
            rng.choice([None, 2, 3, shape[-1], shape[1]]) for _ in range(rng.choice([1, 2, 3]))
        )
        return one("EinsumDense", (shape,), {"equation": equation, "output_shape": sizes})
    if kind == 5:
        axes = rng.choice([1, 2, -1, (1, 1), (2, 1), (1, 2), (-1, -1), 0])
        return one("Dot", (sized(rng.choice([2, 3]), 1, 3), sized(rng.choice([2, 3]), 1, 3)), {"axes": axes})
    if kind == 6:
        channels = rng.choice([2, 4])
        attributes = {
            "filters": rng.choice([2, 4, 3, 0]),
            "kernel_size": rng.choice([1, 2, 3]),
            "strides": rng.choice([1, 2]),
            "dilation_rate": rng.choice([1, 1, 2]),
            "groups": rng.choice([1, 2, -1, 0]),
            "padding": rng.choice(["same", "valid"]),
        }
        return one("Conv2D", ((1, *sized(2), channels),), attributes)
    if kind == 7:
        attributes = {"num_heads": rng.choice([1, 2, 0]), "key_dim": rng.choice([1, 2, 0])}
        attributes["value_dim"] = rng.choice([None, 1, 3, 0])
        batch = rng.choice([1, 2])
        return one("MultiHeadAttention", ((batch, 3, 4), (rng.choice([batch, 1]), 2, rng.choice([4, 3]))), attributes)
    if kind == 8:
        attributes = {"cropping": rng.choice([0, 1, (1, 1), ((1, 0), (0, 2)), -1])}
        return one("Cropping2D", ((1, *sized(2), 2),), attributes)
    if kind == 9:
        attributes = {"axis": rng.choice([-1, 1, 2, (1, 2), (-1, 1), (1, 1), 0, 4])}
        return one("LayerNormalization", (sized(rng.choice([2, 3])),), attributes)
    if kind == 10:
        attributes = {"size": rng.choice([1, 2, (2, 3), 0])}
        attributes["interpolation"] = rng.choice(["nearest", "bilinear", "cubic"])
        return one("UpSampling2D", (sized(rng.choice([3, 4, 4])),), attributes)
    attributes = {"filters": rng.choice([2, 3]), "kernel_size": rng.choice([1, 2, 3]), "strides": rng.choice([1, 2, 3])}
    attributes |= {"padding": rng.choice(["same", "valid"]), "output_padding": rng.choice([None, 0, 1, 2])}
    return one("Conv2DTranspose", ((1, *sized(2, 1, 4), 2),), attributes)


def three_readings(trial: Trial) -> tuple[bool, bool, bool]:
    """The verdicts of the literal, of the symbol and of the framework."""
    literal = check_vector(layered(trial, lift=False), {}) is None
    lifted = layered(trial, lift=True)
    vector = {h.name: h.first for h in lifted.hyperparameters}
    return literal, by_symbols(lifted, vector), real(trial)


@pytest.mark.parametrize("make", [torch_trial, keras_trial])
def test_literal_symbol_and_framework_agree(make: Callable[[random.Random], Trial]) -> None:
    seen: Counter[tuple[str, bool]] = Counter()

    @settings(max_examples=SIZE, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    @given(st.integers(0, 2**32))
    def agrees(seed: int) -> None:
        trial = make(random.Random(seed))
        literal, symbol, framework = three_readings(trial)
        seen[trial.layers[-1][0], framework] += 1
        assert (literal, symbol) == (framework, framework), (seed, trial.shapes, trial.layers)

    agrees()
    assert sum(seen.values()) >= SIZE
    assert len({operator for operator, _ in seen}) >= 11
