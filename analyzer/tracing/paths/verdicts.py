"""From a finished path to problems, and from problems to findings with a suggestion that is proved by tracing again."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence

from analyzer.findings import Confidence, Evidence, Finding, Level, Location, Suggestion
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.operators.refusals import came_from, shorten
from analyzer.tracing.paths.causes import as_data, of_operands
from analyzer.tracing.paths.frames import Shared
from analyzer.tracing.paths.general_position import EFFORT as GENERAL_EFFORT
from analyzer.tracing.paths.general_position import (
    tell_bound_batch,
    tell_bound_rows,
    tell_documented,
    tell_fixed_batch,
    tell_hardly_ever,
    tell_other_width,
)
from analyzer.tracing.paths.paths import Condition
from analyzer.tracing.paths.problems import DEFAULT_RUN, UNREACHED, Diagnostic
from analyzer.tracing.paths.solver import Effort, first_conflict, forced_multiple, forced_values
from analyzer.tracing.paths.symbols import Site
from analyzer.tracing.paths.tracer import Tracer
from analyzer.tracing.programs.own_sizes import contradicts_itself
from analyzer.validity.terms import Cond, Symbol, Truth, substitute

MOST_EXCLUDED = 8  # values of a flag that one path stands for: more of them are a condition, no list


def close_path(tr: Tracer) -> None:
    """Decide what a path still requires when it ends: no input satisfies it, or a user's value is forced."""
    conditions = tr.path.conditions
    truths = [c.truth for c in conditions]
    if not any(c.kind == "operator" for c in conditions):
        return
    conflict = first_conflict(truths, tr.shared.effort)
    if conflict is not None:
        index, core = conflict
        culprit = conditions[index]
        if culprit.kind == "operator" and not any(_compares_lost(tr, conditions[i]) for i in core):
            tr.report(_unsatisfiable(tr, culprit, [conditions[i] for i in core]))
        return
    with tr.shared.batches.at_most(GENERAL_EFFORT):
        stretched = tell_hardly_ever(tr, conditions)
    if not tr.trusting:  # the numbers that a docstring names are no news
        _forced(tr, conditions, stretched)
    with tr.shared.batches.at_most(GENERAL_EFFORT):
        if tr.in_batches:
            tell_bound_batch(tr, conditions)
            tell_fixed_batch(tr, conditions)
            tell_other_width(tr, conditions)
        if tr.trusting and not tell_bound_rows(tr, conditions):
            tell_documented(tr, conditions)


def _unsatisfiable(tr: Tracer, culprit: Condition, core: Sequence[Condition]) -> Diagnostic:
    others = [c for c in core if c is not culprit]
    sentences = [
        f"{c.message} (line {c.site.line}): {c.truth}" if c.message else f"{c.truth} (line {c.site.line})"
        for c in (*others, culprit)
    ]
    sentences += [
        came_from(t, i) for i, (_, t) in enumerate(culprit.facts) if isinstance(t, Tensor) and t.dims is not None
    ]
    against = f"; with {others[-1].truth} (line {others[-1].site.line}) no input fits" if others else "; no input fits"
    return Diagnostic(
        "tracing/incompatible-shape",
        "error",
        shorten(culprit.message[:140] + against),
        culprit.site,
        culprit.operator,
        tuple(sentences),
        tr.certain and not any(c.doubtful or _rests_on_argument(tr, c) or _rests_on_guess(tr, c) for c in core),
        None,
        culprit.rule,
        from_core=True,
        nth=culprit.nth,
        own_sizes=_concerns_constructor(tr, core) and contradicts_itself(tr, culprit.rule, _tensors(culprit)),
        places=(
            *(c.site for c in reversed(others)),
            *of_operands(t for c in (culprit, *others) for t in _tensors(c)),
        ),
    )


def _tensors(condition: Condition) -> list[Tensor]:
    return [t for _, t in condition.facts if isinstance(t, Tensor)]


def _concerns_constructor(tr: Tracer, core: Sequence[Condition]) -> bool:
    """Whether nothing but arguments of constructors, and what is computed of them, occurs in it."""
    symbols = {s.name for c in core if isinstance(c.truth, Cond) for s in c.truth.symbols}
    return all(tr.symbols.kind(name) in ("param", "derived") for name in symbols)


def _rests_on_argument(tr: Tracer, condition: Condition) -> bool:
    """Whether this is a branch on an argument of a function that nobody calls: callers may never take it."""
    if condition.kind != "branch" or not isinstance(condition.truth, Cond):
        return False
    return any(tr.symbols.kind(s.name) not in ("flag", "batch") for s in condition.truth.symbols)


def _rests_on_guess(tr: Tracer, condition: Condition) -> bool:
    """Whether a size in it came from a call that is not understood, or was lost by this analysis."""
    return isinstance(condition.truth, Cond) and any(
        tr.symbols.kind(s.name) in ("lost", "asked", "stretched") for s in condition.truth.symbols
    )


def _compares_lost(tr: Tracer, condition: Condition) -> bool:
    """Whether this is a branch on sizes that this analysis has lost, one beside another: they may well be the same."""
    if condition.kind != "branch" or not isinstance(condition.truth, Cond):
        return False
    kinds = {s.name: tr.symbols.kind(s.name) for s in condition.truth.symbols}
    return len(kinds) > 1 and set(kinds.values()) == {"lost"}


def _forced(tr: Tracer, conditions: Sequence[Condition], stretched: bool = False) -> None:
    """Symbols that a user sets and that the operators, not the branches taken, restrict to few values or a multiple.

    With `stretched` it was told already that sizes fit by being 1 alone.
    """
    operators = [c for c in conditions if c.kind == "operator" and isinstance(c.truth, Cond)]
    seen: dict[str, Symbol] = {}
    for condition in operators:
        if isinstance(condition.truth, Cond):
            for sym in condition.truth.symbols:
                if tr.symbols.kind(sym.name) in ("flag", "batch", "param"):
                    seen.setdefault(sym.name, sym)
    everything = [c.truth for c in conditions]
    branches = [c.truth for c in conditions if c.kind in ("branch", "definition")]
    for name, sym in list(seen.items())[:12]:
        known = tr.symbols.known[name]
        equalities = [
            c
            for c in operators
            if isinstance(c.truth, Cond) and sym in c.truth.symbols and c.truth.kind in ("eq", "or", "ge")
        ]
        if not any(c.truth.kind in ("eq", "or") for c in equalities if isinstance(c.truth, Cond)) or (
            known.kind == "param" and not known.label.isidentifier()
        ):
            continue
        values = forced_values(everything, sym, tr.shared.contracts)
        if values is not None and branches and forced_values(branches, sym, tr.shared.contracts) == values:
            continue
        multiple = forced_multiple(everything, sym, tr.shared.contracts) if values is None else None
        if values is None and multiple is None:
            continue
        if values == [] or (stretched and values == [1]):
            continue
        wanted = " or ".join(map(str, values)) if values is not None else f"a multiple of {multiple}"
        culprit = next(c for c in equalities if isinstance(c.truth, Cond) and c.truth.kind != "ge")
        default = known.default if isinstance(known.default, int) else None
        fits = default is not None and (default in values if values is not None else default % (multiple or 1) == 0)
        what = "the dimension" if known.kind == "batch" else "the argument" if known.kind == "param" else "the flag"
        taken = [c.truth for c in conditions if c.kind == "branch"]
        verb, behind, fits = _beside_branches(wanted, values, taken, branches, sym, default, fits, tr.shared.contracts)
        message = f"{what} `{known.label}` {verb}{behind}: {culprit.message}"
        if default is not None:
            message += f" (default {default}: {'fits' if fits else 'does not fit'})"
        # A layer that stands in a list asks the same of every one: once is enough.
        sentences = list(dict.fromkeys(f"{c.message} (line {c.site.line}): {c.truth}" for c in equalities))[:3]
        contract = known.kind == "param" and values is None  # what callers must know, no bug
        tr.report(
            Diagnostic(
                "tracing/forced-dimension",
                "note" if contract else "warning",
                shorten(message),
                culprit.site,
                culprit.operator,
                tuple(sentences),
                True,
                None,
                known.label,
                places=of_operands(_tensors(culprit)),
            )
        )


def _beside_branches(
    wanted: str, values: list[int] | None, taken: Sequence[Truth], bounds: Sequence[Truth], sym: Symbol,
    default: int | None, fits: bool, effort: Effort,
) -> tuple[str, str, bool]:  # fmt: skip
    """What the operators of this path leave a value that also chose the path: elsewhere it is free.

    ``("can be all but 3", "", fits)`` where the path fails for few values, else the branch: ``" where n < 4"``.
    """
    own = list(dict.fromkeys(b for b in taken if isinstance(b, Cond) and sym in b.symbols))
    if not own:
        return f"can only be {wanted}", "", fits
    fits = fits or (default is not None and any(substitute(b, {sym.name: default}) is False for b in own))
    admitted = forced_values(bounds, sym, effort, MOST_EXCLUDED) if values is not None else None
    if admitted is not None and values is not None:
        failing = [str(v) for v in admitted if v not in values]
        return f"can be all but {' and '.join(failing)}", "", fits
    return f"can only be {wanted}", f" where {' and '.join(str(b) for b in own[:2])}", fits


def to_findings(
    shared: Shared, target: str, source: dict[str, str], retrace: Callable[[str, str], Iterable[Diagnostic]] | None
) -> list[Finding]:
    """Findings in the order of the source. `retrace(path, new text)` traces again with one file replaced."""
    findings = []
    problems = sorted(shared.problems.values(), key=lambda p: (p.site.path, p.site.line, p.rule))
    assumptions = tuple(f"{name} {version}" for name, version in shared.versions.described().items())
    for problem in problems:
        level = Level(problem.level)
        confidence = Confidence.PROVED if problem.proved else Confidence.POSSIBLE
        if not problem.proved and level is Level.ERROR:
            level = Level.WARNING
        findings.append(
            Finding(
                rule=problem.rule,
                level=level,
                confidence=confidence,
                message=shorten(_worded(problem)),
                target=target,
                layer=problem.layer,
                node=_node_name(problem, source),
                op=problem.operator.rpartition(".")[2],
                operand=problem.operand,
                location=_location(problem.site, source),
                evidence=Evidence(
                    "trace", _sentences(problem), assumptions=assumptions, data=as_data(problem.places, problem.site)
                ),
                suggestion=_suggestion(problem, source, retrace),
            )
        )
    return findings


def _worded(problem: Diagnostic) -> str:
    """The default run is named in the message itself: it is what everybody runs first."""
    return f"the default run fails: {problem.message}" if problem.tier == DEFAULT_RUN else problem.message


def _sentences(problem: Diagnostic) -> tuple[str, ...]:
    unreached = (UNREACHED,) if problem.unreached else ()
    return (*((problem.tier,) if problem.tier else ()), *unreached, *problem.sentences)


def _location(site: Site, source: dict[str, str]) -> Location:
    """The place of a site, whose column counts bytes of UTF-8 from 0, as Python's syntax trees do."""
    lines = source.get(site.path, "").splitlines()
    if not site.column or site.line > len(lines):
        return Location(site.path, site.line, column=1 if 0 < site.line <= len(lines) else None)
    before = lines[site.line - 1].encode("utf-8", "surrogatepass")[: site.column]
    return Location(site.path, site.line, column=len(before.decode("utf-8", "ignore")) + 1)


def _node_name(problem: Diagnostic, source: dict[str, str]) -> str:
    """The source line itself names the place: it survives edits elsewhere in the file."""
    lines = source.get(problem.site.path, "").splitlines()
    text = lines[problem.site.line - 1].strip() if 0 < problem.site.line <= len(lines) else ""
    return text[:120]


def _suggestion(
    problem: Diagnostic, source: dict[str, str], retrace: Callable[[str, str], Iterable[Diagnostic]] | None
) -> Suggestion | None:
    """One literal replaced, offered only if tracing the changed file no longer gives the problem nor another error."""
    if problem.fix is None or retrace is None:
        return None
    node, path, replacement = problem.fix
    text = source.get(path)
    if (
        text is None
        or not isinstance(node, ast.Constant)
        or node.end_col_offset is None
        or node.lineno != node.end_lineno
    ):
        return None
    lines = text.splitlines(keepends=True)
    if node.lineno > len(lines):
        return None
    line = lines[node.lineno - 1]
    encoded = line.encode()
    changed = (encoded[: node.col_offset] + replacement.encode() + encoded[node.end_col_offset :]).decode()
    if ast.unparse(node) != encoded[node.col_offset : node.end_col_offset].decode():
        return None
    lines[node.lineno - 1] = changed
    left = [p for p in retrace(path, "".join(lines)) if p.level == "error"]
    if left:
        return None
    return Suggestion(
        f"Replace {ast.unparse(node)} by {replacement}.",
        path,
        node.lineno,
        node.lineno,
        changed.rstrip("\r\n"),
        proved=True,
    )
