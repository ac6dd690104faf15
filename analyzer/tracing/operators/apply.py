"""From a call to a refinement type of `analyzer.validity` and back to a traced tensor."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Sequence
from typing import Any

from analyzer.tracing.complexity import MOST_PARTS, parts
from analyzer.tracing.operators import strides
from analyzer.tracing.operators.element_types import dtype_name
from analyzer.tracing.operators.spec_facts import defaults_of, open_ended
from analyzer.tracing.operators.table import Op
from analyzer.tracing.paths import Condition, PathEnd
from analyzer.tracing.tracer import Problem, ShapeFailure, Tracer
from analyzer.tracing.values import ListV, OpenSize, Shape, Size, Tensor, Unknown, Value, show_shape
from analyzer.validity.registry import spec as find_spec
from analyzer.validity.spec import Category, Outcome, Requirement, Spec, Status, TensorType, check
from analyzer.validity.terms import Cond, Poly, Term, product, symbol

_SPATIAL = {
    "kernel_size", "stride", "strides", "padding", "dilation", "dilation_rate", "output_padding", "pool_size", "size",
    "scale_factor", "output_size", "cropping", "pad",
}  # fmt: skip
_SIZES = {
    "in_channels", "out_channels", "in_features", "out_features", "num_features", "num_embeddings",
    "embedding_dim", "units",
    "filters", "groups", "num_groups", "num_channels", "input_dim", "output_dim", "hidden_size", "input_size",
    "embed_dim",
    "num_heads", "upscale_factor", "downscale_factor", "n", "k", "in1_features", "in2_features", "num_classes",
    "chunks",
    "dim", "axis", "dim0", "dim1", "start_dim", "end_dim", "length", "start", "index", "depth_multiplier",
    "d_model", "nhead",
    "num_parameters", "proj_size", "block_size", "height", "width", "kdim", "vdim", "key_dim", "value_dim",
    "split_size_or_sections",
}  # fmt: skip
_FLOATS = ("float16", "bfloat16", "float32", "float64")
_DTYPES = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "long": "int64",
    "int": "int32",
    "short": "int16",
    "str": "string",
}


def tensor_of(tr: Tracer, value: Value, framework: str, name: str = "") -> Tensor | None:
    """The value as a tensor: numbers are scalars, nested lists arrays, unknowns tensors of unknown rank."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, Unknown):
        if value.value is not None:
            return tensor_of(tr, value.value[0], framework, name)
        if value.pytype in ("float", "int", "bool"):
            return Tensor((), None, framework, value=value.term)
        tensor = tr.tensor_of(value, framework)
        if tensor.framework == "unknown":
            tensor.framework = framework
        return tensor
    if isinstance(value, Cond):
        return Tensor(Shape(None, vague=True), "bool", framework)  # of unknowns, which may be tensors
    if isinstance(value, (bool, int, float, Poly, complex)):
        number = value if isinstance(value, (int, Poly)) and not isinstance(value, bool) else None
        return Tensor((), None, framework, value=number)
    if isinstance(value, Size):
        return Tensor((len(value),), "int32" if framework == "tf" else None, framework, value=tuple(value))
    if isinstance(value, OpenSize):
        return Tensor((tr.rank_of(value.tensor),), None, framework)
    if isinstance(value, (tuple, ListV)):
        return _array(tr, value, framework)
    return None


def _array(tr: Tracer, value: Any, framework: str) -> Tensor | None:
    items = value.items if isinstance(value, ListV) else list(value)
    if isinstance(value, ListV) and value.open:
        first = tensor_of(tr, items[0], framework) if items and isinstance(items[0], (ListV, tuple, Tensor)) else None
        if first is not None and first.dims is not None:
            return Tensor((tr.fresh("rows", "unknown", 0), *first.dims), None, framework)
        return Tensor(None, None, framework)
    if not items:
        return Tensor((0,), None, framework)
    if all(isinstance(i, (int, Poly)) for i in items):
        return Tensor((len(items),), None, framework, value=tuple(items))
    parts = [tensor_of(tr, i, framework) for i in items[:64]]
    if any(p is None or p.dims is None for p in parts):
        return Tensor(None, None, framework)
    first_dims = parts[0].dims  # type: ignore[union-attr]
    if any(p.dims != first_dims for p in parts if p is not None):
        return Tensor(None, None, framework)
    assert first_dims is not None
    nested = tuple(p.value for p in parts if p is not None)
    known = len(items) <= 64 and all(v is not None for v in nested)
    sources = tuple(p for p in parts if p is not None and p.graph)
    return Tensor(
        (len(items), *first_dims),
        None,
        framework,
        value=nested if known else None,
        sources=sources,
        graph=bool(sources),
    )


def apply(
    op: Op,
    framework: str,
    spec_name: str,
    inputs: Sequence[Value],
    hyperparameters: dict[str, Value] | None = None,
    *,
    dtype: str | None = "",
) -> Any:
    """Run the refinement type; the result is a tensor, a tuple of tensors, or an unknown tensor."""
    tr = op.tr
    found = find_spec(spec_name, framework)
    tensors = [None if v is None else tensor_of(tr, v, framework) for v in inputs]
    graph = any(t is not None and t.graph for t in tensors)
    sources = tuple(t for t in tensors if t is not None)
    if found is None or any(t is None and v is not None for t, v in zip(tensors, inputs, strict=True)):
        return unknown_tensor(op, framework, sources)
    clean = _hyperparameters(tr, found, hyperparameters or {}, spec_name)
    if clean is None:
        return unknown_tensor(op, framework, sources)
    stated = clean.get("dtype")
    if stated is _OPEN_TYPE:
        del clean["dtype"]
    free = stated is _OPEN_TYPE or (stated is None and (tr.types_open or framework != "torch"))
    if free and "dtype" in defaults_of(found) and tensors and tensors[0] is not None and tensors[0].dtype in _FLOATS:
        clean["dtype"] = tensors[0].dtype  # a module may have been moved to another floating type
    outcome = outcome_of(tr, found, tensors, clean, framework)
    if outcome is None or outcome.status is Status.UNKNOWN:
        return unknown_tensor(op, framework, sources)
    record(op, outcome, sources, graph)
    if outcome.status is Status.INVALID:
        assert outcome.failure is not None
        fix = _repair(op, found, tensors, clean, outcome, framework)
        fail(op, outcome.failure.rule.id, outcome.failure.sentence(), sources, fix, outcome.failure)
    results = [
        Tensor(
            Shape(_bounded(tr, t.shape)) if t.shape is not None else _shape_with_last(t.last),
            t.dtype if dtype == "" else dtype,
            framework,
            site=op.where,
            name="",
            value=t.value,
            sources=sources,
            graph=graph,
        )
        for t in outcome.outputs
        if t is not None
    ]
    if len(results) < len(outcome.outputs):
        return unknown_tensor(op, framework, sources)
    for result in results:
        result.operation = op.number
    if not tr.speculating:
        tr.shared.passed.add((op.where.path, op.where.line, op.name))
    if framework == "torch":
        _lay_out(spec_name, sources, clean, results)
    if len(results) == 1:
        return results[0]
    return tuple(results)


def _bounded(tr: Tracer, dims: tuple[Term, ...]) -> tuple[Term, ...]:
    """Sizes that have become too complicated to reason about are given a name of their own."""
    return tuple(d if isinstance(d, int) or parts(d) <= MOST_PARTS else tr.fresh("size", "derived", 0) for d in dims)


def _lay_out(name: str, sources: Sequence[Tensor], clean: dict[str, Any], results: Sequence[Tensor]) -> None:
    if name in strides.SHARING:
        if sources:
            strides.of_applied(name, sources[0], clean, results)
        return
    for result in results:
        result.strides = strides.of_result(name, sources, result)


def _shape_with_last(last: Any) -> Shape:
    shape = Shape(None)
    if last is not None:
        shape.back[-1] = last
    return shape


def outcome_of(
    tr: Tracer, found: Spec, tensors: Sequence[Tensor | None], clean: dict[str, Any], framework: str
) -> Outcome | None:
    version = tr.shared.versions.get({"tf": "tensorflow"}.get(framework, framework))
    open_ones = list({id(t): t for t in tensors if t is not None and t.dims is None}.values())
    if len(open_ones) > 1:
        return None
    try:
        if not open_ones:
            return check(found, [_type(t) for t in tensors], clean, version=version)
        return _with_open_rank(tr, found, tensors, clean, version, open_ones[0])
    except (TypeError, ValueError, AttributeError, IndexError, KeyError, ZeroDivisionError) as error:
        tr.note(f"the rule of {found.name} does not cover this call ({type(error).__name__})")
        return None


def _type(tensor: Tensor | None) -> TensorType | None:
    if tensor is None:
        return None
    value = tensor.value
    return TensorType(
        tensor.dims, _DTYPES.get(tensor.dtype or "", tensor.dtype), value=value, last=tensor.shape.back.get(-1)
    )


def _with_open_rank(
    tr: Tracer, found: Spec, tensors: Sequence[Tensor | None], clean: dict[str, Any], version: Any, subject: Tensor
) -> Outcome | None:
    """Try every rank; if one alone is possible, the tensor has it from here on."""
    possible: list[tuple[int, Outcome]] = []
    refused: list[Outcome] = []
    least = max([axis + 1 for axis in subject.shape.front] + [-axis for axis in subject.shape.back], default=0)
    for rank in range(least, 7):
        dims = tuple(_dimension_for_trial(subject, axis, rank) for axis in range(rank))
        types = [TensorType(dims, t.dtype) if t is subject else _type(t) for t in tensors]
        outcome = check(found, types, clean, version=version)
        if outcome.status is not Status.INVALID:
            possible.append((rank, outcome))
        else:
            refused.append(outcome)
    if not possible:
        return _refused_at_every_rank(refused)
    if len(possible) == 1 and possible[0][1].status is not Status.UNKNOWN:
        tr.set_rank(subject, possible[0][0])
        return check(found, [_type(t) for t in tensors], clean, version=version)
    shapes = [o.outputs for _, o in possible]
    if all(len(s) == 1 for s in shapes):
        lasts = [s[0].shape[-1] for s in shapes if s[0].shape]
        same_last = lasts and len(lasts) == len(shapes) and all(last == lasts[0] for last in lasts)
        ranks = {len(s[0].shape) for s in shapes if s[0].shape is not None}
        if len(ranks) == 1 and all(s[0].shape is not None for s in shapes):
            per_axis = list(zip(*[s[0].shape or () for s in shapes], strict=True))
            dims = tuple(
                axis[0] if all(a == axis[0] for a in axis) and not _is_trial(axis[0]) else tr.fresh("dim", "dim", 0)
                for axis in per_axis
            )
            return Outcome(Status.DEPENDS, (TensorType(dims, shapes[0][0].dtype),))
        if same_last and not _is_trial(lasts[0]):
            return Outcome(Status.DEPENDS, (TensorType(None, shapes[0][0].dtype, last=lasts[0]),))
    return None


def _refused_at_every_rank(outcomes: Sequence[Outcome]) -> Outcome | None:
    """The refusal that tells most, given those at all ranks up to 6; None where a larger rank may fit.

    A rule reads ranks uniformly: one that refuses ranks 4, 5 and 6 for the same reason refuses those above.
    """
    rules = [o.failure.rule if o.failure is not None else None for o in outcomes]
    if None in rules or len({rule.id for rule in rules[-3:] if rule is not None}) != 1:
        return None
    incompatible = (Category.INCOMPATIBLE_SHAPE, Category.INCOMPATIBLE_ELEMENT_TYPE)
    telling = [o for o, rule in zip(outcomes, rules, strict=True) if rule is not None and rule.category in incompatible]
    return (telling or list(outcomes))[-1]


def _dimension_for_trial(subject: Tensor, axis: int, rank: int) -> Term:
    shape = subject.shape
    if axis in shape.front:
        return shape.front[axis]
    if axis - rank in shape.back:
        return shape.back[axis - rank]
    return symbol(f"trial.{axis - rank}", 1)


def _is_trial(term: Any) -> bool:
    return isinstance(term, Poly) and any(s.name.startswith("trial.") for s in term.symbols)


def record(op: Op, outcome: Outcome, sources: tuple[Tensor, ...], graph: bool) -> None:
    """Keep what the operator still demands of unknown sizes."""
    number = op.number
    for requirement in outcome.requirements:
        if requirement.condition is True or requirement.condition is False:
            continue
        if not isinstance(requirement.condition, Cond):
            continue
        op.tr.path.conditions.append(
            Condition(
                requirement.condition, "operator", op.where, requirement.rule.id, describe(op,
                requirement.sentence()), op.name, graph,
                number, tuple((f"operand {i}", t) for i, t in enumerate(sources)),
            )
        )  # fmt: skip


def describe(op: Op, sentence: str) -> str:
    label = op.layer or op.short
    return f"{label}: {sentence}"


def require(op: Op, truth: Any, rule: str, sentence: str, sources: tuple[Tensor, ...] = ()) -> None:
    """A demand that no refinement type states."""
    if truth is True:
        return
    if truth is False:
        fail(op, rule, sentence, sources)
    graph = any(t.graph for t in sources)
    op.tr.path.conditions.append(
        Condition(
            truth, "operator", op.where, rule, describe(op, sentence), op.name, graph, op.number,
            tuple((f"operand {i}", t) for i, t in enumerate(sources)),
        )
    )  # fmt: skip


def fail(
    op: Op,
    rule: str,
    sentence: str,
    sources: tuple[Tensor, ...] = (),
    fix: Any = None,
    requirement: Requirement | None = None,
) -> None:
    """The operator refuses on this path: raise, as the framework does."""
    tr = op.tr
    if not tr.feasible():
        raise PathEnd
    sentences = [came_from(t, index) for index, t in enumerate(sources) if t.dims is not None]
    sentences += [
        f"The path is taken when {d.text} is {'true' if d.taken else 'false'} (line {d.site.line})."
        for d in tr.path.decisions[-4:]
    ]
    if fix is not None:
        sentences.append(f"Expected here: {fix[2]}.")
    message = describe(op, sentence)
    element = requirement is not None and requirement.rule.category is Category.INCOMPATIBLE_ELEMENT_TYPE
    name = "tracing/incompatible-element-type" if element else "tracing/incompatible-shape"
    raise ShapeFailure(
        Problem(name, "error", shorten(message), op.where, op.name, tuple(sentences), tr.certain, fix, rule, op.layer)
    )


def shorten(text: str) -> str:
    return text if len(text) <= 200 else text[:197] + "…"


def came_from(tensor: Tensor, index: int) -> str:
    name = f"`{tensor.name}`" if re.fullmatch(r"[\w.]+", tensor.name or "") else f"operand {index}"
    place = f", made at {tensor.site.path}:{tensor.site.line}" if tensor.site else ""
    return f"{name} has the shape {show_shape(tensor.dims or ())}{place}."


def unknown_tensor(op: Op, framework: str, sources: tuple[Tensor, ...] = (), dims: Any = None) -> Tensor:
    """A result that this analysis cannot tell."""
    return Tensor(
        Shape(dims, vague=True), None, framework, site=op.where, sources=sources, graph=any(t.graph for t in sources)
    )


def _hyperparameters(tr: Tracer, found: Spec, given: dict[str, Value], name: str) -> dict[str, Any] | None:
    """Hyperparameters as the type takes them; None where one is unknown that must be known."""
    defaults = defaults_of(found)
    unnamed = open_ended(found)
    clean: dict[str, Any] = {}
    for key, value in given.items():
        if key not in defaults and not unnamed:
            continue
        if key == "dtype":
            named = dtype_name(value)
            if key in defaults and value is not None:
                clean[key] = named if named in _FLOATS else _OPEN_TYPE
            continue
        if isinstance(value, Unknown) and value.value is None:
            converted = _of_unknown(tr, key, value, name)
            if converted is _DROP:
                if key in defaults and defaults[key] is not inspect.Parameter.empty:
                    continue
                return None
            if converted is None:
                return None
            clean[key] = converted
            continue
        converted = plain(tr, value)
        if converted is _DROP:
            if key in defaults and defaults[key] is inspect.Parameter.empty:
                return None
            if key in _SPATIAL or key in _SIZES or key in ("shape", "dims", "target_shape", "normalized_shape"):
                return None
            continue
        clean[key] = converted
    return clean


_DROP = object()
_OPEN_TYPE = object()  # a stated element type that is not known


def _of_unknown(tr: Tracer, key: str, value: Unknown, name: str) -> Any:
    if key in _SIZES:
        term = tr.term_of(value, key)
        return _DROP if term is None else term
    if key in _SPATIAL:
        if key == "padding" and value.pytype != "int":
            return None
        if value.pytype == "int" or value.term is not None:
            return tr.term_of(value, key)
        count = next((int(c) for c in name if c.isdigit()), 0)
        if not count:
            return None
        return tuple(tr.fresh(value.label or key, "unknown", 0) for _ in range(count))
    return _DROP


def plain(tr: Tracer, value: Value) -> Any:
    """A hyperparameter as the types take it: numbers, terms, text, tuples; `_DROP` for anything else."""
    if isinstance(value, Unknown):
        if value.value is not None:
            return plain(tr, value.value[0])
        term = tr.term_of(value) if value.pytype in ("", "int", "number") else None
        return _DROP if term is None else term
    if value is None or isinstance(value, (bool, int, float, str, Poly)):
        return value
    if isinstance(value, Tensor):
        if value.value is not None and isinstance(value.value, (int, tuple, Poly)):
            return value.value
        term = tr.term_of(value) if value.dims == () else None
        return _DROP if term is None else term
    if isinstance(value, OpenSize) and value.tensor.dims is not None:
        return value.tensor.dims
    if isinstance(value, ListV):
        value = _DROP if value.open else tuple(value.items)
    if isinstance(value, tuple):
        parts = tuple(plain(tr, v) for v in value)
        return _DROP if any(p is _DROP for p in parts) else parts
    return _DROP


def dropped(value: Any) -> bool:
    return value is _DROP


# -------------------------------------------------------------------------------------------------- repair


def _repair(
    op: Op, found: Spec, tensors: Sequence[Tensor | None], clean: dict[str, Any], outcome: Outcome, framework: str
) -> tuple[ast.expr, str, str] | None:
    """One literal in the source that, replaced, makes this application valid."""
    if outcome.failure is None or any(t is not None and t.dims is None for t in tensors):
        return None
    version = op.tr.shared.versions.get({"tf": "tensorflow"}.get(framework, framework))
    types = [_type(t) for t in tensors]
    facts = [
        v for f in outcome.failure.facts.values() for v in (f if isinstance(f, tuple) else (f,)) if isinstance(v, int)
    ]

    def works(changed: dict[str, Any]) -> bool:
        try:
            return check(found, types, changed, version=version).status is not Status.INVALID
        except (TypeError, ValueError, AttributeError, IndexError, KeyError):
            return False

    path = op.where.path
    for name, node in op.nodes.items():
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, int)
            and not isinstance(node.value, bool)
            and name in clean
        ):
            for value in dict.fromkeys(facts):
                if value != clean[name] and value > 0 and works({**clean, name: value}):
                    return node, path, str(value)
    shape = clean.get("shape", clean.get("target_shape"))
    entries = op.nodes.get("shape") or op.nodes.get("target_shape")
    if isinstance(entries, (ast.Tuple, ast.List)) and isinstance(shape, tuple) and len(entries.elts) == len(shape):
        return _repair_entry(entries, shape, types[0], works, clean, path)
    return None


def _repair_entry(
    entries: Any, shape: tuple[Any, ...], source: TensorType | None, works: Any, clean: dict[str, Any], path: str
) -> tuple[ast.expr, str, str] | None:
    key = "shape" if "shape" in clean else "target_shape"
    if source is None or source.shape is None:
        return None
    total = product(source.shape if key == "shape" else source.shape[1:])
    for index, node in enumerate(entries.elts):
        if not (isinstance(node, ast.Constant) and isinstance(node.value, int)):
            continue
        others = [s for i, s in enumerate(shape) if i != index and s != -1]
        for axis in range(len(source.shape)):
            candidate: Any = source.shape[axis] if -1 in shape else None
            if -1 not in shape and isinstance(total, int):
                rest = product(others)
                candidate = total // rest if isinstance(rest, int) and rest and total % rest == 0 else None
            elif -1 in shape and index != list(shape).index(-1):
                candidate = product(source.shape[axis:])
            if isinstance(candidate, int) and candidate > 0:
                changed = (*shape[:index], candidate, *shape[index + 1 :])
                if changed != shape and works({**clean, key: changed}):
                    return node, path, str(candidate)
    return None
