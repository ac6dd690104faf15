"""Warnings -> findings: one for each first failure, with what rests on it, follows from it, shows it and mends it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from analyzer.findings import Confidence, Evidence, Finding, Level, Suggestion
from analyzer.graph import (
    Graph,
    Role,
    call_site_of,
    display_name,
    fails_as_recorded,
    in_framework_layer,
    is_frozen,
    layer_of,
    location_of,
)
from analyzer.graph.ranges import Origin
from analyzer.numerical.assumptions import Assumption
from analyzer.numerical.confirm.outcome import NEAR, Standing
from analyzer.numerical.confirm.training import ENOUGH, PLANS, STEPS
from analyzer.numerical.explanation import (
    behind,
    certain,
    denormal_only,
    expression,
    interval_table,
    message,
    operand_text,
    operator_text,
    rests_on,
)
from analyzer.numerical.hidden_overflows import rests_on_defaults
from analyzer.numerical.null_sets import null_weights
from analyzer.numerical.result import Alarm, Interpretation
from analyzer.numerical.sensitivity import Precondition
from analyzer.numerical.shown_ranges import BEYOND
from analyzer.numerical.written_operands import written_operand
from analyzer.operators.conditions import GRADIENT_OF_INFINITE_FACTOR

KEPT = (
    "It depends on the engine and the processor: PyTorch keeps denormal numbers on a CPU; TensorFlow's kernels, ONNX "
    "Runtime's softmax on processors without AVX-512, fast-math code and some accelerators flush them to 0."
)
OWN_WEIGHTS = (
    "It happens inside a layer of the framework, and only weights of exactly such values bring it about: no input "
    "does, and training hardly ever does."
)
ASSUMED_INPUTS = (
    "How large it becomes rests on an input range that nobody stated: declare the true one under `inputs` to be sure."
)
BEYOND_EXAMPLES = (
    "It takes values of {names} that neither example nor name shows (another sign, more than {times:g} times as large, "
    "0 where the example keeps away from it, labels outside [0, 1], padding alone, another order, rows or steps that "
    "are all alike, matrices that are no covariances), and nobody stated that range: declare the true one under "
    "`inputs` to be sure."
)
FRACTIONS = (
    "It happens only where {names} holds fractions: its example holds whole numbers alone (labels, counts, values of "
    "pixels), and with such it was not found to fail."
)
NOT_TRAINED = "No trained weight comes before it: its gradient is computed only where that of the input is asked for."
NULL_SET = (
    "It happens only where {weights} exactly, where training never leaves a weight and chance never puts several "
    "numbers: no merge is blocked."
)
ZEROS = (
    "It happens only where a polynomial of {weights} is 0: on a set of weights without volume, where training never "
    "leaves them, so no merge is blocked."
)
SHORT_ROWS = (
    "It happens only where a row of {weights} is shorter than 1e-16: next to no weights are, and training never leaves "
    "them there, so no merge is blocked."
)
NOT_REACHED = (
    "The failure reaches nothing: on these inputs and weights the model's results and losses, and the gradients that "
    "training computes, stay finite."
)
TRAINED_AWAY = (
    "The weights would have to go far from where training starts: no failure was found at the initial weights or up to "
    "{near:.1%} of the way from them, and {runs} short training runs of the model's own loss (Adam and SGD, rates of "
    "{least:g} to {most:g}, up to {steps} steps) do not fail."
)
CHOSEN_TOGETHER = (
    "The weights would have to move together, a good part of their way: no failure was found at the initial weights or "
    "up to {near:.1%} of the way from them, nor with {plain} draws of the weights at random from all of their ranges, "
    "whatever the inputs."
)
ELSEWHERE = "PyTorch's own kernels round otherwise and do not fail on these inputs."
RUNNING = (
    "It takes running statistics of batch normalisation that do not fit the batch (of a model that was not trained, of "
    "other inputs): no run fails in which each batch is normalised by its own, as the model's training does."
)
RELATED = (
    "It happens only where several numbers of {names} meet one exact relation: moved at random by a thousandth to a "
    "hundredth of their range, zeros, whole and equal numbers as they are, they never fail."
)
FIXED_NUMBERS = (
    "The model asks for its own values at or before this place (a branch, a size, a number), and its record holds "
    "those of the example inputs: whether the model fails with the numbers that other inputs give is not known."
)
READ_APART = (
    "The model asks for its own values at or before this place (a branch, a size, a number): those of inputs "
    "from which nothing else is computed, and which stand here as in the example. With others it may go another way."
)
LED = "It fails for the same values as `{node}`, which stands before it."
EDGE = "It fails where the operand of `{node}` is exactly 0, at the edge of the values below 0 at which that one fails."
BOTH_PARTS = (
    "What it divides by is complex: it is 0 only where both of its parts are at once, and no run was found in which "
    "they are."
)
HIDDEN = "; it shows once what fails before it is mended"
SHOWN = 8  # assumptions and followers listed one by one


@dataclass(frozen=True)
class Support:
    """What was found out about one warning beyond its intervals."""

    shown_by: str = ""  # "ONNX Runtime 1.24: 3 of 20 results are not finite …" of a real run
    precondition: Precondition | None = None
    suggestion: Suggestion | None = None
    standing: Standing | None = None
    beyond: tuple[str, ...] = ()  # inputs that nobody described and that must be unlike their examples
    fractional: tuple[str, ...] = ()  # those of them that need fractions, where their examples hold whole numbers
    times: float = BEYOND  # as large as the examples, at most: what is larger is unlike them
    apart: bool = False  # safe where norms of trained weights keep away from 0
    hidden: bool = False  # behind failures that come first
    led: Finding | None = None  # of an operator before it that fails for the same values of the same operand
    both: bool = False  # a complex divisor, of which no run shows both parts to be 0
    edge: Finding | None = None  # of the root that is divided by: shown to fail below 0 where the division fails at 0


def finding_of(
    graph: Graph,
    target: str,
    interpretation: Interpretation,
    warning: Alarm,
    assumptions: Sequence[Assumption],
    followers: Sequence[Alarm],
    support: Support,
    root: Path | None = None,
) -> Finding:
    """The finding for one root warning; `root`: the folder that source locations are relative to."""
    denormal = denormal_only(warning, interpretation)
    # ONNX Runtime keeps or flushes denormal numbers by processor, and no verdict may depend on who reviews.
    failed = bool(support.shown_by) and not (denormal and graph.framework != "tensorflow")
    frozen = not fails_as_recorded(warning.node)
    proved = certain(warning) and not is_frozen(warning.node)
    confidence = Confidence.PROVED if proved else Confidence.CONFIRMED if failed else Confidence.POSSIBLE
    if failed:
        confidence = Confidence.POSSIBLE if frozen else Confidence.CONFIRMED
    rests = rests_on(behind(graph.graph, warning), assumptions)
    suggestion = support.suggestion
    if is_frozen(warning.node) and suggestion is not None:
        suggestion = replace(suggestion, proved=False)
        support = replace(support, suggestion=suggestion)
    sentences = _sentences(warning, followers, support, proved, denormal, frozen)
    degenerate = not proved and only_degenerate_weights(warning, rests)
    factor = warning.rule == GRADIENT_OF_INFINITE_FACTOR  # its gradient is that of the other operand, which is trained
    untrained = warning.backward and not factor and not trains_through(rests, assumptions)
    if degenerate or untrained:
        sentences += (OWN_WEIGHTS if degenerate else NOT_TRAINED,)
    assumed = any(w is warning for w in interpretation.overflows) and rests_on_defaults(graph, warning, assumptions)
    if assumed:
        sentences += (ASSUMED_INPUTS,)
    beyond = () if proved or support.fractional else support.beyond
    if beyond:
        names = " and ".join(f"`{name}`" for name in beyond[:3])
        sentences += (BEYOND_EXAMPLES.format(names=names, times=support.times),)
    elsewhere = support.standing is not None and support.standing.elsewhere
    if elsewhere:
        sentences += (ELSEWHERE,)
    running = not proved and support.standing is not None and support.standing.running
    if running:
        sentences += (RUNNING,)
    related = () if proved or support.standing is None else support.standing.related
    if related:
        sentences += (RELATED.format(names=" and ".join(f"`{name}`" for name in related[:SHOWN])),)
    note = "" if proved else unimportant(support.standing) or _without_volume(graph, warning, assumptions, support)
    if not note and support.apart and not proved and (short := normed_weights(graph, rests)):
        note = SHORT_ROWS.format(weights=" and ".join(f"`{name}`" for name in short[:3]))
    if support.fractional and not proved and not note:
        note = FRACTIONS.format(names=" and ".join(f"`{name}`" for name in support.fractional[:3]))
    untried = "" if proved or note else _never_trained_there(support.standing)
    sentences += tuple(s for s in (*_weights_moved(support.standing), note or untried) if s)
    foreign = elsewhere and graph.framework == "torch"
    doubtful = degenerate or untrained or assumed or foreign or running or bool(beyond or untried or related)
    level = Level.WARNING if doubtful else level_of(warning, graph, confidence)
    if frozen and not certain(warning):  # about one way of several that the model may go
        level = Level.WARNING if failed else Level.NOTE
    if support.led is not None and not proved:
        sentences += (LED.format(node=support.led.node),)
        level = max(level, support.led.level, key=list(Level).index)  # the milder one
    if support.edge is not None and not proved:
        sentences += (EDGE.format(node=support.edge.node),)
        level = max(level, Level.WARNING, key=list(Level).index)  # what is in error is the root
    if support.both and not proved:
        sentences += (BOTH_PARTS,)
        level = max(level, Level.WARNING, key=list(Level).index)
    table = interval_table(graph, interpretation, warning)
    written = written_operand(root, warning.node, warning.operand) if root is not None else ""
    return Finding(
        rule=warning.rule,
        level=Level.NOTE if note else level,
        confidence=confidence,
        message=message(warning, (failed or proved) and not frozen, interpretation, written)
        + (HIDDEN if support.hidden else ""),
        target=target,
        layer=layer_of(warning.node),
        node=display_name(warning.node),
        op=warning.node.op_type,
        operand=operand_text(warning),
        location=location_of(warning.node),
        evidence=Evidence(
            "interval",
            sentences,
            (table,),
            _listed([str(a) for a in rests]),
            {
                "interval": [_number(warning.interval.lo), _number(warning.interval.hi)],
                "may_be_nan": warning.interval.may_be_nan,
                "dtype": warning.dtype,
                "danger": warning.danger,
                "backward": warning.backward,
                "follows": [display_name(w.node) for w in followers],
                "called_at": call_site_of(warning.node),
                "expression": expression(warning),
                "related": bool(related),
            },
        ),
        suggestion=suggestion,
    )


def _without_volume(graph: Graph, warning: Alarm, assumptions: Sequence[Assumption], support: Support) -> str:
    """Why a failure that no run has shown has no volume; empty if it may have."""
    weights = () if support.standing is not None else null_weights(graph, warning, assumptions)
    named = [f"`{name}`" for name in weights[:SHOWN]]
    more = f" and {len(weights) - SHOWN} more" if len(weights) > SHOWN else ""
    return ZEROS.format(weights=" and ".join(named) + more) if weights else ""


def normed_weights(graph: Graph, rests: Sequence[Assumption]) -> tuple[str, ...]:
    """The weights among `rests` of which the model takes a norm itself, as weight normalisation does."""
    read = {v.name for n in graph.nodes() if n.op_type == "ReduceL2" and (v := n.inputs[0]) is not None}
    return tuple(a.name for a in rests if a.role is Role.PARAMETER and a.name in read)


def at_an_edge(warning: Alarm, roots: Sequence[Alarm], found: Mapping[int, tuple[Finding, Support]]) -> Finding | None:
    """The shown warning of the root that is divided by, where the root fails below 0 and the division at 0 alone."""
    value = warning.node.inputs[warning.operand] if warning.operand >= 0 else None
    root = value.producer() if value is not None else None
    if warning.rule != "numerical/division-by-zero" or root is None or root.op_type != "Sqrt":
        return None
    below = next((w for w in roots if w.node is root and w.rule == "numerical/sqrt-of-negative"), None)
    finding, support = found.get(id(below), (None, None))
    if finding is None or support is None or not support.shown_by or finding.level is Level.NOTE:
        return None
    return finding if _reaches(support) else None


def limited(found: Finding, support: Support) -> bool:
    """Whether a finding blocks nothing because of the values at which its operator fails, not because of its reach."""
    return found.level is not Level.ERROR and _reaches(support)


def _reaches(support: Support) -> bool:
    """Whether what a run shows is seen outside of the model, as far as that is known."""
    return support.standing is None or support.standing.reached != ""


def _alone(standing: Standing | None) -> str:
    """That one training run alone fails; empty if none or several do."""
    once = standing.training.once if standing is not None and standing.training is not None else ""
    return f" One does ({once}), and not again with other seeds." if once else ""


def unimportant(standing: Standing | None) -> str:
    """Why a failure that a run shows blocks nothing; empty if it may block (see docs/ranges.md, "General position")."""
    if standing is None:
        return ""
    if standing.exact:
        named = " and ".join(f"`{name}` is {value}" for name, value in standing.exact)
        return NULL_SET.format(weights=named)
    if standing.reached == "":
        return NOT_REACHED
    if standing.at_ends:
        return _never_trained_there(standing)
    return ""


def blocks(standing: Standing | None) -> bool:
    """Whether nothing in where a witness stands speaks against an error."""
    if standing is None:
        return True
    doubtful = standing.elsewhere or standing.running or bool(standing.related)
    return not (doubtful or unimportant(standing) or _never_trained_there(standing))


def _never_trained_there(standing: Standing | None) -> str:
    """That no run brings a failure of weights far from where training starts about; empty if one does."""
    training = standing.training if standing is not None else None
    if standing is not None and standing.plain and not (training is not None and training.failed):
        return CHOSEN_TOGETHER.format(near=NEAR, plain=standing.plain) + _alone(standing)
    if training is None or training.runs < ENOUGH or training.failed:
        return ""
    rates = [plan.rate for plan in PLANS]
    told = TRAINED_AWAY.format(runs=training.runs, least=min(rates), most=max(rates), steps=STEPS, near=NEAR)
    return told + _alone(standing)


def _weights_moved(standing: Standing | None) -> tuple[str, ...]:
    if standing is None or standing.exact or not standing.moved:
        return ()
    parts = [f"`{name}` from {a:.4g} to {b:.4g} ({part:.0%} of its range)" for name, a, b, part in standing.moved[:3]]
    more = f" and {len(standing.moved) - 3} more" if len(standing.moved) > 3 else ""
    found = (f"Weights moved from their initial values: {', '.join(parts)}{more}.",)
    training = standing.training
    if training is not None and training.failed:
        return (*found, f"A short training run of the model's own loss fails there: {training.failed}.")
    return found


def level_of(warning: Alarm, graph: Graph, confidence: Confidence) -> Level:
    """A gradient matters where the model is trained: an error only if the model came with its training code or loss."""
    if not warning.backward:
        return Level.ERROR
    trained = graph.framework != "onnx" or bool(graph.losses)
    return Level.ERROR if trained and confidence is Confidence.CONFIRMED else Level.WARNING


def trains_through(rests: Sequence[Assumption], assumptions: Sequence[Assumption]) -> bool:
    """Whether training computes the gradient of something that rests on `rests`.

    A loss by itself has no weights: what it is given comes from a model. Where there are weights, what is computed from
    the input alone (degrees of a graph, distances of its points) has no gradient that training needs.
    """
    weights = [a for a in assumptions if a.role is Role.PARAMETER]
    return not weights or any(a.role is Role.PARAMETER for a in rests)


def only_degenerate_weights(warning: Alarm, rests: Sequence[Assumption]) -> bool:
    """Whether a framework's own layer fails for assumed values of its trained weights alone, whatever the input.

    Weight normalisation divides by the norm of a weight: nobody who uses the layer means to guard that.
    """
    assumed = all(a.role is Role.PARAMETER and a.range.origin is not Origin.DECLARED for a in rests)
    return bool(rests) and assumed and in_framework_layer(warning.node)


def _sentences(
    warning: Alarm, followers: Sequence[Alarm], support: Support, proved: bool, denormal: bool, frozen: bool
) -> tuple[str, ...]:
    found = []
    name = operator_text(warning.node)
    if support.shown_by:
        run = "A run of the record" if frozen else "A real run"
        found.append(f"{run} shows it. {support.shown_by}.")
    if frozen or is_frozen(warning.node):
        found.append(FIXED_NUMBERS if frozen else READ_APART)
    if denormal:
        found.append(KEPT)
    if proved:
        found.append(f"Every value that `{name}` can receive here is unsafe, so every run fails.")
    if warning.backward:
        found.append("The forward value is finite; training meets the gradient.")
    if support.precondition is not None:
        found.append(str(support.precondition))
    if followers:
        names = [f"`{display_name(w.node)}`" for w in followers[:SHOWN]]
        more = f" and {len(followers) - SHOWN} more" if len(followers) > SHOWN else ""
        found.append(f"Fails with it, further on: {', '.join(names)}{more}.")
    if support.suggestion is not None and support.suggestion.proved:
        found.append(f"Proved safe by re-analysis: {support.suggestion.description}")
    return tuple(found)


def _listed(texts: list[str]) -> tuple[str, ...]:
    if len(texts) <= SHOWN:
        return tuple(texts)
    return (*texts[:SHOWN], f"and {len(texts) - SHOWN} more")


def _number(value: float) -> float | str:
    """JSON has no infinities."""
    return value if abs(value) < float("inf") else ("inf" if value > 0 else "-inf")
