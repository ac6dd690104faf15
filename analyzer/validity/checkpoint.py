"""Checkpoints against architectures, and the health of the weights themselves. Parsed, never executed."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from analyzer.findings import AnalysisResult, Confidence, Evidence, Finding, Level, Table
from analyzer.graph import Graph, Role, role_of
from analyzer.loading.weights import open_weights
from analyzer.validity.spec import show
from analyzer.validity.specs.element_types import onnx_dtype

MAX_LISTED = 12  # names in one message
DENORMAL_SHARE = 0.01  # of the values that are not zero
MIN_CONSTANT = 16  # elements below which a constant tensor says nothing
BLOCK = 1 << 22  # elements read at once

# Written by frameworks, not by models: optimiser slots, counters, saving machinery.
_BOOKKEEPING = re.compile(
    r"(^|[/.])(optimizer|optimizers?_state\w*|save_counter|global_step|_CHECKPOINTABLE_OBJECT_GRAPH|num_batches_tracked"
    r"|Adam(_\d+)?|Momentum|RMSProp(_\d+)?|ExponentialMovingAverage|beta[12]_power|OPTIMIZER_SLOT|iterations"
    r"|learning_rate|seed_generator(_state)?|epoch|step|keras_api|_METADATA)([/.]|$)",
    re.IGNORECASE,
)
# Values that are constant by design: fresh normalisation parameters and statistics, biases.
_FLAT_BY_DESIGN = re.compile(
    r"(^|[/._])(bias|beta|gamma|scale|running_mean|running_var|moving_mean|moving_variance|mean|variance|offset|norm\w*"
    r"|bn\w*|mask|position_ids|inv_freq|attn_bias|masked_bias)(\.weight|[/._]?\d*)?(:0)?$|norm[^/]*[/.]weight$",
    re.IGNORECASE,
)
_WRAPPERS = (
    "module.",
    "model.",
    "_orig_mod.",
    "state_dict.",
    "model_state_dict.",
    "net.",
    "network.",
    "ema.",
    "params.",
)


@dataclass(frozen=True)
class TensorEntry:
    """One tensor of a checkpoint or of an architecture, by type and shape."""

    name: str
    dtype: str | None
    shape: tuple[int | None, ...] | None


@dataclass(frozen=True)
class Renaming:
    """An entry that the architecture has under another name, with how alike the names are (0 to 1)."""

    found: str
    expected: str
    similarity: float


@dataclass(frozen=True)
class CheckpointComparison:
    """A checkpoint held against an architecture."""

    matched: int = 0
    missing: tuple[TensorEntry, ...] = ()
    unexpected: tuple[TensorEntry, ...] = ()
    renamed: tuple[Renaming, ...] = ()
    shapes: tuple[tuple[TensorEntry, TensorEntry], ...] = ()  # (in the checkpoint, in the architecture)
    types: tuple[tuple[TensorEntry, TensorEntry], ...] = ()
    prefix: tuple[str, str] = ("", "")  # (in the checkpoint, in the architecture) that all matched names differ by
    expected: int = 0


def compare(found: Iterable[TensorEntry], expected: Iterable[TensorEntry]) -> CheckpointComparison:
    """Match entries by name (after a common wrapper prefix), then pair what is left by shape and similar names."""
    given = {e.name: e for e in found if not _BOOKKEEPING.search(e.name)}
    wanted = {e.name: e for e in expected if not _BOOKKEEPING.search(e.name)}
    prefix = _prefix(given, wanted)
    aligned = {_aligned(name, prefix): entry for name, entry in given.items()}
    shapes, types = [], []
    matched = 0
    for name, entry in wanted.items():
        own = aligned.get(name)
        if own is None:
            continue
        matched += 1
        if not _same_shape(own.shape, entry.shape):
            shapes.append((own, entry))
        elif own.dtype is not None and entry.dtype is not None and own.dtype != entry.dtype:
            types.append((own, entry))
    missing = [e for n, e in wanted.items() if n not in aligned]
    unexpected = [e for n, e in aligned.items() if n not in wanted]
    renamed = list(_renamings(unexpected, missing))
    gone, new = {r.expected for r in renamed}, {r.found for r in renamed}
    return CheckpointComparison(
        matched,
        tuple(e for e in missing if e.name not in gone),
        tuple(e for e in unexpected if e.name not in new),
        tuple(renamed),
        tuple(shapes),
        tuple(types),
        prefix,
        len(wanted),
    )


def _same_shape(a: Sequence[int | None] | None, b: Sequence[int | None] | None) -> bool:
    if a is None or b is None:
        return True
    return len(a) == len(b) and all(m is None or n is None or m == n for m, n in zip(a, b, strict=True))


def _prefix(given: Mapping[str, TensorEntry], wanted: Mapping[str, TensorEntry]) -> tuple[str, str]:
    """The wrapper prefix that makes most names agree; nothing when plain names agree best."""
    best, score = ("", ""), sum(n in wanted for n in given)
    heads = {n.split(".", 1)[0] + "." for n in given if "." in n} | {
        n.split("/", 1)[0] + "/" for n in given if "/" in n
    }
    others = {n.split(".", 1)[0] + "." for n in wanted if "." in n} | {
        n.split("/", 1)[0] + "/" for n in wanted if "/" in n
    }
    candidates = [(p, "") for p in (*heads, *_WRAPPERS)] + [("", p) for p in (*others, *_WRAPPERS)]
    for candidate in candidates:
        agree = sum(_aligned(n, candidate) in wanted for n in given if not candidate[0] or n.startswith(candidate[0]))
        if agree > score:
            best, score = candidate, agree
    return best


def _aligned(name: str, prefix: tuple[str, str]) -> str:
    return prefix[1] + (name.removeprefix(prefix[0]) if prefix[0] else name)


def _renamings(unexpected: Sequence[TensorEntry], missing: Sequence[TensorEntry]) -> Iterator[Renaming]:
    """Greedy pairing of equal shapes by name similarity; a unique shape suffices for names that are little alike."""
    scored = []
    for own in unexpected:
        for entry in missing:
            if own.shape is not None and entry.shape is not None and tuple(own.shape) == tuple(entry.shape):
                likeness = _similarity(own.name, entry.name)
                lonely = _alone(own, unexpected) and _alone(entry, missing) and len(own.shape) > 1
                if likeness >= 0.6 or (lonely and likeness >= 0.3):
                    scored.append((likeness, own.name, entry.name))
    used: set[str] = set()
    for likeness, own_name, entry_name in sorted(scored, key=lambda item: (-item[0], item[1], item[2])):
        if "<" + own_name not in used and ">" + entry_name not in used:
            used |= {"<" + own_name, ">" + entry_name}
            yield Renaming(own_name, entry_name, round(likeness, 2))


def _alone(entry: TensorEntry, among: Sequence[TensorEntry]) -> bool:
    return sum(e.shape == entry.shape for e in among) == 1


def _similarity(a: str, b: str) -> float:
    """How alike two parameter names are: by text and by their parts, where the last part weighs most."""
    parts_a, parts_b = (re.split(r"[./_:]+", n.lower().removesuffix(":0")) for n in (a, b))
    text = difflib.SequenceMatcher(None, a.lower(), b.lower(), autojunk=False).ratio()
    shared = len(set(parts_a) & set(parts_b)) / max(1, len(set(parts_a) | set(parts_b)))
    tail = 0.15 if parts_a[-1] == parts_b[-1] else -0.15
    numbers = [p for p in parts_a if p.isdigit()] == [p for p in parts_b if p.isdigit()]
    return max(0.0, min(1.0, max(text, shared) + tail - (0 if numbers else 0.25)))


# ------------------------------------------------------------------------------------------- health of weights


@dataclass(frozen=True)
class Health:
    """What stands in one tensor. `size` counts its elements."""

    size: int
    nan: int = 0
    infinite: int = 0
    zeros: int = 0
    denormal: int = 0
    constant: float | None = None  # the only value, if there is one


def health(array: Any) -> Health:
    """Count what a weight should not have, block by block, so that a mapped file is never held in memory."""
    flat = np.asarray(array).reshape(-1)
    floating = np.issubdtype(flat.dtype, np.floating) or flat.dtype.name in ("bfloat16", "float16")
    nan = infinite = zeros = denormal = 0
    low, high = np.inf, -np.inf
    tiny = _smallest_normal(flat.dtype) if floating else 0.0
    for start in range(0, flat.size, BLOCK):
        part = flat[start : start + BLOCK]
        zeros += int(np.count_nonzero(part == 0))
        if not floating:
            low, high = min(low, float(part.min())), max(high, float(part.max()))
            continue
        wide = part.astype(np.float32) if part.dtype.itemsize < 4 else part
        bad = ~np.isfinite(wide)
        if bad.any():
            nan += int(np.count_nonzero(np.isnan(wide)))
            infinite += int(np.count_nonzero(np.isinf(wide)))
            wide = wide[~bad]
        if wide.size:
            magnitude = np.abs(wide)
            denormal += int(np.count_nonzero((magnitude > 0) & (magnitude < tiny)))
            low, high = min(low, float(wide.min())), max(high, float(wide.max()))
    constant = low if flat.size and low == high and not nan and not infinite else None
    return Health(flat.size, nan, infinite, zeros, denormal, constant)


def _smallest_normal(dtype: np.dtype[Any]) -> float:
    if dtype.name == "bfloat16":
        return float(np.finfo(np.float32).smallest_normal)
    return float(np.finfo(dtype).smallest_normal)


# ---------------------------------------------------------------------------------------------------- findings


def inspect(path: Path, target: str, *, root: Path | None = None) -> AnalysisResult:
    """The health of every weight in a checkpoint.

    Raises TargetProblem when the file cannot be parsed.
    """
    weights = open_weights(path)
    return AnalysisResult(tuple(_health_findings(weights, target)), notes=(_summary(weights),))


def _summary(weights: Mapping[str, Any]) -> str:
    count = sum(int(np.prod(w.shape, dtype=np.int64)) for w in weights.values())
    return f"{len(weights)} tensors with {count:,} values were read."


def _health_findings(weights: Mapping[str, Any], target: str) -> Iterator[Finding]:
    zero: list[str] = []
    for name, weight in weights.items():
        dtype = onnx_dtype(int(weight.dtype)) or ""
        if not dtype.startswith(("float", "bfloat", "int", "uint")) or dtype[-1:] == "4" or "float8" in dtype:
            continue
        if _BOOKKEEPING.search(name):
            continue
        found = health(weight.array())
        facts = Table(
            ("values", "NaN", "infinite", "zero", "denormal"),
            ((found.size, found.nan, found.infinite, found.zeros, found.denormal),),
        )
        shape = show(weight.shape)
        if found.nan or found.infinite:
            kinds = [f"{n:,} {k}" for n, k in ((found.nan, "NaN"), (found.infinite, "infinite")) if n]
            message = f"`{name}` holds {' and '.join(kinds)} of {found.size:,} values ({shape})."
            yield _finding("not-finite", Level.ERROR, message, target, name, (facts,))
            continue
        if not found.size:
            continue
        trainable = len(weight.shape) >= 2 and dtype.startswith(("float", "bfloat"))
        if found.zeros == found.size:
            if trainable and not _FLAT_BY_DESIGN.search(name):
                zero.append(name)
                message = (
                    f"All {found.size:,} values of `{name}` ({shape}) are zero, so that the layer passes nothing on."
                )
                yield _finding("all-zero", Level.WARNING, message, target, name, (facts,))
            continue
        if found.constant is not None and trainable and found.size >= MIN_CONSTANT and not _FLAT_BY_DESIGN.search(name):
            message = f"All {found.size:,} values of `{name}` ({shape}) are {found.constant:g}: it looks untrained."
            yield _finding("constant", Level.WARNING, message, target, name, (facts,))
        share = found.denormal / max(1, found.size - found.zeros)
        if found.denormal and share > DENORMAL_SHARE:
            message = (
                f"{share:.0%} of the values of `{name}` ({shape}) are denormal, which is slow and flushes to zero."
            )
            yield _finding("denormal", Level.WARNING, message, target, name, (facts,))


def _finding(
    rule: str,
    level: Level,
    message: str,
    target: str,
    name: str,
    tables: tuple[Table, ...] = (),
    more: Sequence[str] = (),
) -> Finding:
    return Finding(
        rule=f"checkpoint/{rule}",
        level=level,
        confidence=Confidence.PROVED,
        message=message if len(message) <= 200 else message[:198].rsplit(" ", 1)[0] + " …",
        target=target,
        layer=name.rpartition(".")[0] or name.rpartition("/")[0],
        node=name,
        operand=name,
        evidence=Evidence("weights", tuple(more), tables),
    )


def entries_of_weights(weights: Mapping[str, Any]) -> list[TensorEntry]:
    """The entries of a checkpoint."""
    return [TensorEntry(n, onnx_dtype(int(w.dtype)), tuple(int(d) for d in w.shape)) for n, w in weights.items()]


def entries_of_graph(graph: Graph) -> list[TensorEntry]:
    """The parameters and state of an architecture: initializers that are no mere constants, and variables."""
    entries = []
    inputs = [v for v in graph.graph.inputs if role_of(v) in (Role.PARAMETER, Role.STATE)]
    for value in (*graph.graph.initializers.values(), *inputs):
        if not value.name or value.shape is None:
            continue
        if value.is_initializer() and not _is_parameter(value):
            continue
        shape = tuple(d if isinstance(d, int) else None for d in value.shape)
        dtype = onnx_dtype(int(value.dtype)) if value.dtype is not None else None
        entries.append(TensorEntry(value.name, dtype, shape))
    return entries


def _is_parameter(value: Any) -> bool:
    """Exporters keep parameters' own names; constants that they fold get made-up ones."""
    if role_of(value) is Role.STATE:
        return True
    name = value.name or ""
    made_up = re.fullmatch(
        r"(val|const|onnx::\w+|_?lifted_tensor|tensor|constant|c_?lifted\w*)[_\d]*", name, re.IGNORECASE
    )
    return not made_up and bool("." in name or "/" in name or (value.shape is not None and len(value.shape) > 0))


def against(path: Path, graph: Graph, target: str, *, root: Path | None = None) -> AnalysisResult:
    """A checkpoint against the architecture of `graph`, and its health.

    Raises TargetProblem when the checkpoint cannot be parsed.
    """
    weights = open_weights(path)
    shown = path.name
    comparison = compare(entries_of_weights(weights), entries_of_graph(graph))
    findings = [*comparison_findings(comparison, target, shown), *_health_findings(weights, target)]
    note = f"{comparison.matched} of {comparison.expected} parameters stand in {shown}."
    return AnalysisResult(tuple(findings), notes=(note, _summary(weights)))


def comparison_findings(comparison: CheckpointComparison, target: str, shown: str) -> Iterator[Finding]:
    """Findings, one a kind and entry; long lists end in one finding that counts the rest."""
    if not comparison.expected:
        return
    if not comparison.matched and not comparison.renamed:
        message = (
            f"None of the {comparison.expected} parameters of the architecture stand in {shown}: it is another model's."
        )
        yield _finding("another-model", Level.ERROR, message, target, shown)
        return
    for own, entry in comparison.shapes[:MAX_LISTED]:
        message = f"`{own.name}` is {_shape(own)} in {shown} but {_shape(entry)} in the architecture."
        yield _finding("wrong-shape", Level.ERROR, message, target, own.name)
    for own, entry in comparison.types[:MAX_LISTED]:
        level = Level.WARNING if _floating(own.dtype) and _floating(entry.dtype) else Level.ERROR
        message = f"`{own.name}` is {own.dtype} in {shown} but {entry.dtype} in the architecture."
        yield _finding("wrong-type", level, message, target, own.name)
    for renaming in comparison.renamed[:MAX_LISTED]:
        message = (
            f"`{renaming.expected}` seems to be stored as `{renaming.found}` (in {shown}, of the same shape, names"
            f" {renaming.similarity:.0%} alike); it would not be loaded."
        )
        yield _finding("renamed", Level.ERROR, message, target, renaming.found)
    for entry in comparison.missing[:MAX_LISTED]:
        message = f"`{entry.name}` ({_shape(entry)}) is missing in {shown}; it would keep its random initial values."
        yield _finding("missing", Level.ERROR, message, target, entry.name)
    for entry in comparison.unexpected[:MAX_LISTED]:
        message = (
            f"`{entry.name}` ({_shape(entry)}) in {shown} is no parameter of the architecture; it would be ignored."
        )
        yield _finding("unexpected", Level.WARNING, message, target, entry.name)
    for kind in ("shapes", "types", "renamed", "missing", "unexpected"):
        rest = len(getattr(comparison, kind)) - MAX_LISTED
        if rest > 0:
            rule = {"shapes": "wrong-shape", "types": "wrong-type"}.get(kind, kind)
            level = Level.WARNING if kind == "unexpected" else Level.ERROR
            message = f"{rest} more entries of {shown}: {rule.replace('-', ' ')}."
            yield _finding(rule, level, message, target, f"{rest} more")
    lost = len(comparison.missing) + len(comparison.renamed)
    if lost:
        loaded = comparison.matched - len(comparison.shapes)
        message = (
            f"Only {loaded} of {comparison.expected} parameters of {shown} would be loaded, and a load that is not"
            " strict says nothing about it."
        )
        rows = (
            ("would be loaded", loaded),
            ("missing", len(comparison.missing)),
            ("under another name", len(comparison.renamed)),
            ("of another shape", len(comparison.shapes)),
            ("not in the architecture", len(comparison.unexpected)),
        )
        advice = "`load_state_dict(strict=False)`, `load_weights(skip_mismatch=True)` and `expect_partial()` accept it."
        yield _finding(
            "partial-load", Level.ERROR, message, target, shown, (Table(("entries", "count"), rows),), (advice,)
        )
    if comparison.prefix != ("", ""):
        given, wanted = comparison.prefix
        change = f"strip `{given}` from" if given else f"put `{wanted}` before"
        message = (
            f"All names differ from the architecture's by a prefix: {change} the names in {shown} when loading it."
        )
        yield _finding("prefix", Level.NOTE, message, target, shown)


def _floating(dtype: str | None) -> bool:
    return dtype is not None and "float" in dtype


def _shape(entry: TensorEntry) -> str:
    return "of unknown shape" if entry.shape is None else show(entry.shape)
