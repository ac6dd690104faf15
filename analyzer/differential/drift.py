"""Two models, one review: how far the outputs of a changed model move, and which layer moves them.

Both run on the same engine with the same inputs. Tensors are aligned (`alignment`); every layer of the changed model is
fed what it gets in the other one, so that an error that only passes through is told from one that a layer brings in.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import onnx

from analyzer.configuration.config import DriftBudget, TargetConfig
from analyzer.differential.alignment import aligned, layer_outputs, renamed
from analyzer.differential.backend import Backend, parse
from analyzer.differential.compare import instance_distances
from analyzer.differential.distances import relative_error
from analyzer.differential.inputs import NOTHING, Inputs, InputSet, Ranges, generate
from analyzer.differential.localize import Blame, Localization, localize
from analyzer.differential.noise import EPS
from analyzer.differential.plan import onnx_artefact
from analyzer.differential.pool import Pool
from analyzer.differential.rounding import small_scale, typed_eps
from analyzer.differential.runner import Artefact, Runner
from analyzer.differential.structure import Description, Unit, shared_cuts, units
from analyzer.differential.verdict import Failure, Kind
from analyzer.differential.wording import number, plain
from analyzer.findings import DeviationMap, MapNode
from analyzer.graph import Graph

BATCH = 16  # instances of each of the made-up sets
SAME = 64.0 * EPS["float32"]  # relative change of the outputs that is rounding
LITE = "tflite"  # the engine, and the form of model that it alone takes
Model = Graph | Path  # a path: a TensorFlow Lite file, which no other engine reads
# Of one engine on both sides: only the model may differ. A thread more or less keeps the two apart by name.
HEAD, BASE = parse("onnxruntime:opt=disable:threads=1"), parse("onnxruntime:opt=disable")


@dataclass(frozen=True)
class Drift:
    """What a change of a model did to its outputs. `why` is set, and nothing else, where they cannot be compared."""

    instances: int = 0
    broken: int = 0  # instances with a NaN or an infinity where base's outputs are finite
    relative: float = 0.0  # the largest change of an output, of the largest value
    mad: float = 0.0  # mean absolute change, of the mean size of base's outputs
    flips: tuple[tuple[int, int], ...] = ()  # for each instance that changed it: top-1 class before and after
    ranked: bool = False  # whether the output is one row of scores an instance
    d_class: float | None = None  # CRADLE's distances, with ground truth: the largest of the instances
    d_mad: float | None = None
    where: str = ""  # the inputs on which outputs move most
    found: Localization | None = None
    blames: tuple[Blame, ...] = ()
    sets: tuple[InputSet, ...] = ()
    instead: Mapping[str, str] = field(default_factory=dict)  # unit -> the operators that head has in its place
    why: str = ""

    @property
    def top1(self) -> float:
        """Per cent of the instances whose top-1 class changed."""
        return 100.0 * len(self.flips) / self.instances if self.instances else 0.0

    @property
    def moved(self) -> bool:
        return not self.relative <= SAME

    def beyond(self, budget: DriftBudget) -> tuple[str, ...]:
        """What is over the budget, in words."""
        limits = (
            ("top-1 changes on {} % of the instances", self.top1, budget.top1),
            ("the outputs move by {} of their mean size", self.mad, budget.mad),
            ("the outputs move by {} of their largest value", self.relative, budget.relative),
            ("D_CLASS reaches {}", self.d_class, budget.d_class),
            ("D_MAD reaches {}", self.d_mad, budget.d_mad),
        )
        over = [(w, v, limit) for w, v, limit in limits if limit is not None and v is not None and not v <= limit]
        broken = f"the outputs are NaN or infinite on {self.broken} instances"
        return tuple(
            f"{broken if value == math.inf and self.broken else words.format(f'{value:.3g}')} (budget {limit:g})"
            for words, value, limit in over
        )


def drift(
    head: Model,
    base: Model,
    target: TargetConfig,
    pool: Pool,
    folder: Path,
    given: Callable[[Description], Inputs] | None = None,
    ranges: Ranges = NOTHING,
) -> Drift:
    """Run both models on the same inputs. Files are written below `folder`."""
    sides = {"base": _side(base, folder / "base", BASE), "head": _side(head, folder / "head", HEAD)}
    lite = [which for which, (_, artefact) in sides.items() if artefact.kind == LITE]
    if not lite:
        old_path, new_path = (artefact.files[artefact.request["path"]] for _, artefact in sides.values())
        old, new = (onnx.load(path, load_external_data=False) for path in (old_path, new_path))
        onnx.save(renamed(new, aligned(new.graph, old.graph)), new_path)
    runners: dict[str, Runner] = {}
    for which in sorted(sides, key=lambda w: (w in lite, w)):
        backend, artefact = sides[which]
        if runners and which in lite:
            first, other = next(iter(runners.items()))
            artefact = _like(artefact, other, head if first == "head" else base)
        runner = pool.get(backend, artefact)
        if isinstance(runner, Failure):
            return Drift(why=f"the model of the {which} does not run: {plain(runner.message)}")
        runners[which] = runner
    return _measured(runners["base"], runners["head"], target, given, ranges)


def _side(model: Model, folder: Path, backend: Backend) -> tuple[Backend, Artefact]:
    """What runs a model, and the form in which it gets it."""
    if isinstance(model, Path):
        threads = "" if backend is BASE else ":threads=1"
        return parse(f"{LITE}{threads}"), Artefact(LITE, {"model.tflite": model}, {"path": "model.tflite"})
    return backend, onnx_artefact(model, folder)


def _like(artefact: Artefact, other: Runner, model: Model) -> Artefact:
    """`artefact` with the names that inputs, outputs and what layers give have in the other model."""
    description = other.description
    assert description is not None
    sizes = _sizes(model) if isinstance(model, Graph) else {}
    names = {
        "inputs": [{"name": i.name} for i in description.inputs],
        "outputs": list(description.outputs),
        "layers": [(layer, tensor, sizes.get(tensor)) for layer, tensor in layer_outputs(description).items()],
    }
    return replace(artefact, request={**artefact.request, "like": names})


def _sizes(graph: Graph) -> dict[str, list[int | None]]:
    """Tensor -> its sizes, where they are known."""
    values = [v for node in graph.graph for v in node.outputs if v.name and v.shape is not None]
    return {str(v.name): [d if isinstance(d, int) else None for d in v.shape or ()] for v in values}


def _measured(
    base: Runner,
    head: Runner,
    target: TargetConfig,
    given: Callable[[Description], Inputs] | None,
    ranges: Ranges,
) -> Drift:
    structure = base.description
    assert structure is not None
    assert head.description is not None
    changed = _other_inputs(structure, head.description)
    if changed:
        return Drift(why=changed)
    if given is not None:
        inputs = given(structure)
    else:

        def refused(feeds: Mapping[str, np.ndarray]) -> str | None:
            failure = base.run(feeds, state=False).failure
            return None if failure is None else plain(failure.message)

        inputs = generate(structure.inputs, target, refused, batch=BATCH, ranges=ranges)
    outputs = list(structure.outputs)
    cases = [(s.feeds, outputs) for s in inputs.sets]
    pairs = list(zip(inputs.sets, base.replay(cases), head.replay(cases), strict=True))
    failed = next((o.failure for _, mine, theirs in pairs for o in (theirs, mine) if o.failure is not None), None)
    if failed is not None:
        return Drift(why=f"one of the models does not run on the other's inputs: {plain(failed.message)}")
    instances, flips, relative, mads, worst, ranked = 0, [], 0.0, [0.0], (-1.0, 0, ""), False
    broken = 0
    classes: list[float] = []
    distances: list[float] = []
    for index, (each, old, new) in enumerate(pairs):
        for name in outputs:
            a, b = old.arrays[name], new.arrays[name]
            if a.shape != b.shape:
                return Drift(why=f"the output {name} has shape {list(b.shape)} instead of {list(a.shape)}")
            relative = max(relative, relative_error(b, a, small_scale(each.feeds)))
            if a.dtype.kind == "f" and a.size and math.isfinite(scale := float(np.mean(np.abs(a)))) and scale:
                apart = float(np.mean(np.abs(b.astype(np.float64) - a))) / scale
                mads.append(math.inf if math.isnan(apart) else apart)
        first, second = old.arrays[outputs[0]], new.arrays[outputs[0]]
        count = len(first) if first.ndim else 1
        instances += count
        broken += _broken(new.arrays, old.arrays, count)
        if first.dtype.kind == "f" and first.ndim and first.size:
            moves = np.abs(second.astype(np.float64) - first).reshape(len(first), -1).max(axis=1)
            worst = max(
                worst,
                (
                    float(np.nan_to_num(moves, nan=np.inf).max()),
                    index,
                    f"instance {int(moves.argmax())} of {each.name}",
                ),
            )
        if first.ndim == 2 and first.shape[1] > 1 and first.dtype.kind == "f":
            ranked = True
            tops = zip(first.argmax(axis=1), second.argmax(axis=1), strict=True)
            flips += [(int(x), int(y)) for x, y in tops if x != y]
        if each.truth is not None:
            c, m = instance_distances(first, second, each.truth)
            classes += c
            distances += m
    found = None
    instead: dict[str, str] = {}
    blames: list[Blame] = []
    if not relative <= SAME:
        lite = LITE in (base.backend.engine.name, head.backend.engine.name)
        layered = structure if base.backend.engine.name != LITE else head.description  # the one that knows layers
        if not lite:
            described = head.cut_points() or head.description
            instead = {u.id: u.op for u in units(described, shared_cuts(structure, [described]))}
        found = localize(layered, [head], base, pairs[worst[1]][0].feeds, spacing=typed_eps)
        wrong = (Kind.VALUE, Kind.NAN, Kind.SHAPE, Kind.DTYPE)
        blames = sorted((b for b in found.blames if b.kind in wrong), key=lambda b: -b.error)
    return Drift(
        instances, broken, relative, max(mads), tuple(flips), ranked,
        max(classes, default=None), max(distances, default=None), worst[2], found, tuple(blames), inputs.sets, instead,
    )  # fmt: skip


def _broken(head: Mapping[str, np.ndarray], base: Mapping[str, np.ndarray], count: int) -> int:
    """How many of `count` instances have an output that is NaN or infinite where base's is finite."""
    found = np.zeros(count, bool)
    for name, before in base.items():
        if before.dtype.kind == "f":
            worse = np.isfinite(before) & ~np.isfinite(head[name].astype(np.float64))
            found |= worse.reshape(count, -1).any(axis=1) if before.shape[:1] == (count,) else worse.any()
    return int(found.sum())


def _other_inputs(base: Description, head: Description) -> str:
    """In one sentence, why one model cannot be given the other's inputs; empty where it can."""
    mine, theirs = {i.name: i for i in head.inputs}, {i.name: i for i in base.inputs}
    if set(mine) != set(theirs):
        return f"the inputs are {', '.join(sorted(mine)) or 'none'} instead of {', '.join(sorted(theirs)) or 'none'}"
    for name, info in mine.items():
        fixed = [
            (a, b)
            for a, b in zip(info.shape, theirs[name].shape, strict=False)
            if isinstance(a, int) and isinstance(b, int) and a != b
        ]
        if info.dtype != theirs[name].dtype or len(info.shape) != len(theirs[name].shape) or fixed:
            return (
                f"the input {name} is {info.dtype} {list(info.shape)} instead of {theirs[name].dtype} "
                f"{list(theirs[name].shape)}, so no inputs fit both"
            )
    return ""


def sentence(done: Drift) -> str:
    """One line for the comment."""
    if done.why:
        return f"Head and base cannot be compared by their outputs: {done.why}."
    count = f"{done.instances} instances"
    if not done.moved:
        rounding = f"the outputs are equal within rounding ({number(done.relative)})"
        return f"Head computes what base computes: on {count} {rounding}."
    moved = f"the outputs move by {number(done.relative)} of their largest value"
    if done.broken:
        moved = f"the outputs are NaN or infinite on {done.broken} of them, where base's are finite"
    parts = [f"Head against base on {count}: {moved}"]
    if done.ranked:
        common = _commonest(done.flips)
        parts.append(f"top-1 changes on {done.top1:.3g} %{f' ({common})' if common else ''}")
    if done.d_class is not None:
        parts.append(f"D_CLASS up to {done.d_class:.3g}")
    if done.d_mad is not None:
        parts.append(f"D_MAD up to {done.d_mad:.3g}")
    text = ", ".join(parts) + f", most on {done.where}"
    if done.found is not None and len(done.found.units) == 1 and len(done.found.units[0].operations) > 1:
        return text + "; no tensor inside of the two could be matched, so no layer is named."
    if not done.blames:
        return text + "; no single layer that both have computes something else."
    named = ", ".join(
        f"{_layers(b.unit)} ({_operators(b.unit, done)}, {number(b.error)} alone)" for b in done.blames[:3]
    )
    more = f" and {len(done.blames) - 3} more layers" if len(done.blames) > 3 else ""
    return f"{text}; brought in by {named}{more}."


def _operators(unit: Unit, done: Drift) -> str:
    """Those of base, and what head has in their place."""
    head = done.instead.get(unit.id, unit.op)
    return unit.op if head == unit.op else f"{unit.op}, in head {head}"


def _layers(unit: Unit) -> str:
    """The layer of a unit, and those that the two models do not let tell from it."""
    main = unit.main.layer or unit.main.name
    more = [o.layer for o in unit.operations if o.layer not in ("", main)]
    others = ", ".join(f"`{name}`" for name in dict.fromkeys(more))
    return f"`{main}` with {others}" if others else f"`{main}`"


def _commonest(flips: tuple[tuple[int, int], ...]) -> str:
    counts: dict[tuple[int, int], int] = {}
    for pair in flips:
        counts[pair] = counts.get(pair, 0) + 1
    best = sorted(counts.items(), key=lambda item: -item[1])[:2]
    return ", ".join(f"{n} from class {a} to {b}" for (a, b), n in best)


def picture(done: Drift) -> DeviationMap | None:
    """The base's graph with the layers that head computes otherwise; None where nothing moved."""
    found = done.found
    if found is None:
        return None
    blamed = {b.unit.id for b in done.blames}
    head = next(iter(found.errors))
    deltas = found.deltas(next((name for name in found.hidden if name != head), ""), head)
    errors = found.errors[head]
    nodes = tuple(
        MapNode(
            id=u.id, label=u.main.layer or u.main.name, kind=u.main.layer_class or u.op,
            deviation=_finite(deltas.get(u.id)), rate=None, replayed=_finite(errors.get(u.id)),
            responsible=u.id in blamed, highlighted=False,
        )
        for u in found.units
    )  # fmt: skip
    edges = tuple((before, u.id) for u in found.units for before in found.inbound[u.id])
    return DeviationMap("Head against base", "base", "head", nodes, edges)


def with_weights_of(base: Graph, head: Graph) -> None:
    """Give `base`, an export, the weights of `head` wherever names and shapes agree: an entry point that initialises at
    random makes others each time, and only its code is compared."""
    mine: Mapping[str, object] = head.graph.initializers
    for name, value in base.graph.initializers.items():
        other = head.graph.initializers[name] if name in mine else None
        data, theirs = value.const_value, other.const_value if other is not None else None
        if (
            data is not None
            and theirs is not None
            and data.dtype == theirs.dtype
            and list(data.shape) == list(theirs.shape)
        ):
            value.const_value = theirs


def _finite(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else min(value, 1e300)
