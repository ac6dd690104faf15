"""Sizes that fit each other by being 1 alone: NumPy's stretching lets them through, and nobody has meant it.

Correct code adds a row of n to one of n; who adds it to one of 2·n has hardly meant that n is always 1. So sizes that
are free are taken to be more than 1, as those of data and of layers are: what then never fits is told as possible.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from analyzer.tracing.contracts.declared_shapes import MANY
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.operators.refusals import shorten
from analyzer.tracing.paths.causes import of_operands
from analyzer.tracing.paths.paths import Condition
from analyzer.tracing.paths.problems import Diagnostic
from analyzer.tracing.paths.solver import Effort, forced_values, satisfiable
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.specs.convolution import CHANNELS
from analyzer.validity.specs.linear import IN_FEATURES
from analyzer.validity.specs.normalization import FEATURES
from analyzer.validity.terms import App, Cond, Poly, Symbol, Truth, any_of, equal, substitute, symbol, unequal

_FREE = ("dim", "unknown", "param", "stretched")  # kinds of symbols that callers and data choose
MOST_ASKED = 12  # pairs of sizes on one path
_TYING = frozenset((IN_FEATURES.id, CHANNELS.id, FEATURES.id))
EFFORT = 40_000  # of the solver, on one path
# Names of arguments that say how wide the input is.
_TELLS_WIDTH = re.compile(
    r"(n_|num_|d_)?(in|input|inp)_?(size|dim|dims|channels?|features?|feats?|ch|nc|planes|width|units)"
)
LARGE = 11  # no size that code writes out, of an axis that may have any
MOST_LISTED = 3  # values that a message names
MOST_TOLD_APART = 4  # sizes in one condition
BATCH = frozenset(("n", "b", "bs", "bsz", "batch", "batchsize", "batch_size", "batch_dim", "nbatch"))  # its names


def tell_hardly_ever(tr: Tracer, conditions: Sequence[Condition]) -> bool:
    """Advise of the first two sizes that stretch to each other and, being more than 1, would never be the same."""
    asked = {s for c in conditions if c.kind == "branch" and isinstance(c.truth, Cond) for s in c.truth.symbols}
    left, effort = MOST_ASKED, tr.shared.batches
    for index, condition in enumerate(conditions):
        if condition.kind != "operator" or condition.rule != "broadcast" or condition.doubtful:
            continue
        for one, other in _pairs(condition):
            symbols = {*one.symbols, *other.symbols}
            if symbols & asked or not all(_is_free(tr, s) for s in symbols) or not left:
                continue
            left -= 1
            before = _simple(conditions[:index])
            if _never_same(before, one, other, effort):
                _tell(tr, condition, one, other, symbols)
                if tr.assumed_rank is not None:
                    _leave_out(tr, conditions[index + 1 :])
                return True
    return False


def _leave_out(tr: Tracer, later: Sequence[Condition]) -> None:
    """What comes after sizes that hardly ever fit has hardly ever gone well."""
    places = {(c.site.path, c.site.line, c.operator) for c in later if c.kind == "operator"}
    tr.reported |= {place for place in tr.passed if place[:3] in places}
    for condition in reversed(later):
        if condition.kind == "operator":
            tr.failed_nth[condition.site.path, condition.site.line, condition.operator] = condition.nth


def tell_bound_batch(tr: Tracer, conditions: Sequence[Condition]) -> None:
    """Advise of the first operator that lets an input through only where two axes of it are as large as each other.

    One of them is the batch, or what a layer takes as channels; of inputs with three axes and more: what has two may be
    a square matrix.
    """
    effort = tr.shared.batches
    branches = {s.name for c in conditions if c.kind == "branch" and isinstance(c.truth, Cond) for s in c.truth.symbols}
    for batch, others, what in [*_batches(tr, conditions), *_channels(tr, conditions)]:
        if any(s.name in branches for s in batch.symbols):
            continue
        sizes = batch.symbols.union(*(other.symbols for other in others))
        apart = [size >= 2 for size in (batch, *others)] + [unequal(batch, other) for other in others]
        for index, condition in enumerate(conditions):
            if condition.kind != "operator" or condition.doubtful or not isinstance(condition.truth, Cond):
                continue
            if len(condition.truth.symbols) < 2 or not sizes & condition.truth.symbols:
                continue  # a number that an axis must be is no other axis
            before = _simple(conditions[:index])
            if satisfiable([*before, condition.truth, *apart], effort) is not False:
                continue
            if satisfiable([*before, *apart], effort) is True:
                message = f"{what} {batch} gets through only where it is as large as another axis"
                _warn(tr, condition, message, str(batch))
            return


def tell_fixed_batch(tr: Tracer, conditions: Sequence[Condition]) -> None:
    """Advise of the first operator that stretches a batch to a number, so that hardly any batch gets through.

    The batch is the first axis of an input with three axes and more.
    """
    effort = tr.shared.batches
    sizes = _sizes_of_inputs(tr, conditions).items()
    batches = [s for name, s in sizes if name.endswith(".0") and f"{name[:-1]}2" in tr.symbols.known]
    for index, condition in enumerate(conditions):
        if condition.rule != "broadcast" or condition.doubtful or not isinstance(condition.truth, Cond):
            continue
        batch = next((Poly({(s,): 1}) for s in batches if condition.truth.symbols == {s}), None)
        if batch is None or any(c.kind == "branch" and batch.symbols & c.truth.symbols for c in conditions[:index]
                                if isinstance(c.truth, Cond)):  # fmt: skip
            continue
        before = _simple(conditions[:index])
        if satisfiable([*before, condition.truth, batch >= LARGE], effort) is not False:
            continue
        if satisfiable([*before, batch >= LARGE], effort) is True:
            message = f"a batch of {batch} gets through only where it is a number that the code has"
            _warn(tr, condition, message, str(batch))
            return


def tell_documented(tr: Tracer, conditions: Sequence[Condition]) -> None:
    """Advise of the first operator that lets sizes through only where two that a docstring tells apart are the same.

    They are two axes of one argument, or its batch and a size of anything else. A height may well have to be a width.
    """
    effort = tr.shared.batches
    branches = {s for c in conditions if c.kind == "branch" and isinstance(c.truth, Cond) for s in c.truth.symbols}
    for tensor in tr.documented:
        named = dict.fromkeys(d for d in tensor.dims or () if isinstance(d, Poly) and len(d.symbols) == 1)
        own = [d for d in named if not d.symbols & branches and all(_is_free(tr, s) for s in d.symbols)]
        batch = next((d for d in own[:1] if d is (tensor.dims or (None,))[0] and _label(tr, d).lower() in BATCH), None)
        for index, condition in enumerate(conditions):
            if condition.kind != "operator" or condition.doubtful or not isinstance(condition.truth, Cond):
                continue
            sizes = [d for d in own if d.symbols & condition.truth.symbols]
            if batch in sizes and batch is not None:
                others = condition.truth.symbols - branches - batch.symbols
                sizes += [Poly({(s,): 1}) for s in others if _is_free(tr, s) and not _is_batch(tr, s)]
            sizes = list(dict.fromkeys(sizes))
            if len(sizes) < 2 or len(sizes) > MOST_TOLD_APART:
                continue
            apart = [size >= 2 for size in sizes]
            apart += [unequal(a, b) for a, b in combinations(sizes, 2) if not _is_picture(_label(tr, a), _label(tr, b))]
            before = _simple(conditions[:index])
            if satisfiable([*before, condition.truth, *apart], effort) is not False:
                continue
            if satisfiable([*before, *apart], effort) is True:
                names = " and ".join(f"`{_label(tr, size)}`" for size in sizes)
                _warn(tr, condition, f"only sizes {names} that are the same get through", names)
            return


def _label(tr: Tracer, size: Poly) -> str:
    (sym,) = size.symbols
    return tr.symbols.known[sym.name].label


def _is_batch(tr: Tracer, sym: Symbol) -> bool:
    """Whether it is called one, or is the first axis of a tensor, which may well be one."""
    label = tr.symbols.known[sym.name].label
    return "batch" in label.lower() or label.endswith(".0")


def _is_picture(one: str, other: str) -> bool:
    return {one[:1].lower(), other[:1].lower()} == {"h", "w"}


def tell_bound_rows(tr: Tracer, conditions: Sequence[Condition]) -> bool:
    """Advise of the first operator that lets what a docstring calls `...` through for some sizes of its axis alone."""
    seen = [s for c in conditions if c.kind == "operator" and isinstance(c.truth, Cond) for s in c.truth.symbols]
    rows = [s for s in seen if s.name in tr.symbols.known and tr.symbols.known[s.name].label == MANY][:1]
    if not rows:
        return False
    row, effort = Poly({(rows[0],): 1}), tr.shared.batches
    others = [Poly({(s,): 1}) for s in dict.fromkeys(seen) if s is not rows[0] and tr.symbols.kind(s.name) == "dim"]
    apart = [row >= LARGE, *(size >= 2 for size in others), *(unequal(row, size) for size in others)]
    for index, condition in enumerate(conditions):
        if condition.kind != "operator" or condition.doubtful or not isinstance(condition.truth, Cond):
            continue
        if rows[0] not in condition.truth.symbols:
            continue
        before = _simple(conditions[:index])
        if satisfiable([*before, condition.truth, *apart], effort) is not False:
            continue
        if satisfiable([*before, *apart], effort) is True:
            message = "what the docstring calls `...` gets through only for some sizes of its axis"
            _warn(tr, condition, message, MANY)
            return True
        return False
    return False


def tell_other_width(tr: Tracer, conditions: Sequence[Condition]) -> None:
    """Advise of a layer that takes another width of what a model is given than an argument says it has.

    Code that joins its inputs calls the layer with what it has joined, and that is no input.
    """
    for condition in conditions:
        if condition.rule not in _TYING or condition.kind != "operator" or condition.doubtful:
            continue
        found = _width_of_input(tr, condition.truth)
        if found is not None:
            size, wanted, label = found
            message = f"`{label}` says how wide an input is, but of {size} {wanted} are taken"
            _warn(tr, condition, message, label)
            return


def _width_of_input(tr: Tracer, truth: Truth) -> tuple[Symbol, Poly | int, str] | None:
    """The size of an input, what it must be, and the argument it is made of, where that tells it and is another."""
    if not isinstance(truth, Cond) or truth.kind != "eq" or len(truth.symbols) != 2 or not _is_linear(truth.args[0]):
        return None
    by_kind = {tr.symbols.kind(s.name): s for s in truth.symbols}
    size, width = by_kind.get("dim"), by_kind.get("param")
    if size is None or width is None or not _TELLS_WIDTH.fullmatch(tr.symbols.known[width.name].label):
        return None
    terms = dict(truth.args[0].terms)
    sign = -terms.get((size,), 0)
    wanted = Poly({m: n * sign for m, n in terms.items() if m != (size,)})
    return (size, wanted, tr.symbols.known[width.name].label) if abs(sign) == 1 and wanted != _alone(width) else None


def _alone(sym: Symbol) -> Poly:
    return Poly({(sym,): 1})


def _batches(tr: Tracer, conditions: Sequence[Condition]) -> Iterator[tuple[Poly, list[Poly], str]]:
    """The first size of each input of three axes and more, with the others."""
    by_name = _sizes_of_inputs(tr, conditions)
    for name, sym in by_name.items():
        owner, _, axis = name.rpartition(".")
        others = [by_name[n] for n in (f"{owner}.{i}" for i in range(1, 6)) if n in by_name]
        if axis == "0" and f"{owner}.2" in tr.symbols.known and others:
            yield Poly({(sym,): 1}), [Poly({(other,): 1}) for other in others], "a batch of"


def _channels(tr: Tracer, conditions: Sequence[Condition]) -> Iterator[tuple[Poly, list[Poly], str]]:
    """The axis of each input that a layer takes as its channels or features, with the others but the batch."""
    by_name = _sizes_of_inputs(tr, conditions)
    for condition in conditions:
        if condition.rule not in _TYING or condition.doubtful or not isinstance(condition.truth, Cond):
            continue
        for name in [s.name for s in condition.truth.symbols if s.name in by_name]:
            owner, _, axis = name.rpartition(".")
            others = [by_name[n] for n in (f"{owner}.{i}" for i in range(1, 6)) if n in by_name and n != name]
            if axis.isdigit() and axis != "0" and f"{owner}.2" in tr.symbols.known and others:
                yield Poly({(by_name[name],): 1}), [Poly({(other,): 1}) for other in others], "a width of"


def _sizes_of_inputs(tr: Tracer, conditions: Sequence[Condition]) -> dict[str, Symbol]:
    seen: set[Symbol] = set()
    for condition in conditions:
        if condition.kind == "operator" and isinstance(condition.truth, Cond):
            seen |= condition.truth.symbols
    return {s.name: s for s in seen if tr.symbols.kind(s.name) == "dim"}


def _simple(conditions: Sequence[Condition]) -> list[Truth]:
    """What operators demand, but for products of sizes, which take the solver long and tell little of single ones."""
    plain = [c.truth for c in conditions if c.kind != "branch" and not c.deferred]
    return [t for t in plain if not isinstance(t, Cond) or all(_is_linear(part) for part in t.args)]


def _is_linear(part: Cond | Poly) -> bool:
    if isinstance(part, Cond):
        return all(_is_linear(p) for p in part.args)
    return all(len(monomial) <= 1 and all(isinstance(a, Symbol) for a in monomial) for monomial, _ in part.terms)


def _pairs(condition: Condition) -> Iterator[tuple[Poly, Poly]]:
    """The two sizes, none of them a number, that the condition makes stretch to each other."""
    shapes = [t.dims[::-1] for _, t in condition.facts if isinstance(t, Tensor) and t.dims is not None]
    for left, right in combinations(shapes, 2):
        for a, b in zip(left, right, strict=False):
            if isinstance(a, Poly) and isinstance(b, Poly) and a != b and condition.truth == _stretches(a, b):
                yield a, b


def _stretches(a: Poly, b: Poly) -> Truth:
    return any_of(equal(a, b), equal(a, 1), equal(b, 1))


def _is_free(tr: Tracer, sym: Symbol) -> bool:
    known = tr.symbols.known.get(sym.name)
    return known is not None and known.kind in _FREE


def _never_same(before: Sequence[Truth], one: Poly, other: Poly, effort: Effort) -> bool:
    """Whether both may be more than 1 by what came before, and then differ; a width beside its multiple, too."""
    large = {s.name: symbol(s.name, 2) for s in _widths(one) | _widths(other)}
    first, second = substitute(one, large), substitute(other, large)
    wide = [first >= 2, second >= 2, *(substitute(truth, large) for truth in before)]
    return satisfiable([*wide, equal(first, second)], effort) is False and satisfiable(wide, effort) is True


def _widths(size: Poly) -> set[Symbol]:
    """The symbols whose multiples it is a sum of, also behind a choice; not numbers of groups, or strides."""
    found: set[Symbol] = set()
    for monomial, _ in size.terms:
        for atom in monomial if len(monomial) == 1 else ():
            if isinstance(atom, Symbol):
                found.add(atom)
            elif isinstance(atom, App) and atom.kind == "ite":
                found = found.union(*(_widths(part) for part in atom.args[1:] if isinstance(part, Poly)))
    return found


def _tell(tr: Tracer, condition: Condition, one: Poly, other: Poly, symbols: set[Symbol]) -> None:
    label = ""
    subject = f"the sizes {one} and {other} only fit where one of them is 1"
    if len(symbols) == 1:
        (sym,) = symbols
        label = tr.symbols.known[sym.name].label
        values = forced_values([condition.truth], sym, tr.shared.batches)
        if values is not None and len(values) <= MOST_LISTED:
            subject = f"only inputs whose `{label}` is {' or '.join(map(str, values))} get through"
    _warn(tr, condition, subject, label)


def _warn(tr: Tracer, condition: Condition, subject: str, label: str) -> None:
    told = (f"{condition.message} (line {condition.site.line}): {condition.truth}",)
    tr.report(
        Diagnostic(
            "tracing/forced-dimension", "warning", shorten(f"{subject}: {condition.message}"), condition.site,
            condition.operator, told, False, None, label, nth=condition.nth,
            places=of_operands(t for _, t in condition.facts if isinstance(t, Tensor)),
        )
    )  # fmt: skip
