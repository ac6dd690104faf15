"""The answer for a space from code: all forks together, what could not be followed, and the predicate as a module."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from analyzer.problem import UsageProblem
from analyzer.validity.answer import answer
from analyzer.validity.architecture import Structural
from analyzer.validity.decide import UNDECIDED, VALID_FOR_NONE, SpaceDecision, decide
from analyzer.validity.evaluator import compile_text, names_of
from analyzer.validity.explain import check_vector
from analyzer.validity.expressions import evaluate
from analyzer.validity.recording.record import Fork, Recording
from analyzer.validity.solver import Z3Process
from analyzer.validity.space_text import size_path
from analyzer.validity.spec import TensorType
from analyzer.validity.terms import negate

OPEN = (
    2  # a size that the space leaves open, such as the batch's, where a vector does not name it: as real runs have it
)


@dataclass(frozen=True)
class ForkAnswer:
    """One fork with its decision; `caveat` says why its decision is not to be relied on."""

    fork: Fork
    decision: SpaceDecision | None
    caveat: str

    @property
    def sound(self) -> bool:
        return self.decision is not None and not self.caveat and self.decision.verdict != UNDECIDED


@dataclass(frozen=True)
class CodeAnswer:
    """The whole space. Counts are of the forks that were decided; None where one is not finite."""

    recording: Recording
    forks: tuple[ForkAnswer, ...]

    @property
    def total(self) -> int:
        return sum(f.decision.total or 0 for f in self.forks if f.sound and f.decision is not None)

    @property
    def valid(self) -> int:
        return sum(f.decision.valid or 0 for f in self.forks if f.sound and f.decision is not None)

    @property
    def checked(self) -> tuple[int, int]:
        """Real constructions, and how many of them agree with the decision."""
        return (
            sum(len(f.fork.samples) for f in self.forks),
            sum(len(f.fork.samples) for f in self.forks if f.sound),
        )

    @property
    def caveats(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(f"{_where(f.fork)}: {f.caveat}" for f in self.forks if f.caveat))

    @property
    def undecided(self) -> bool:
        return not self.recording.complete or any(not f.sound for f in self.forks)


def decided(recording: Recording, solver: Z3Process) -> CodeAnswer:
    """Decide every fork and compare it with the vectors that were really built."""
    found = []
    for fork in recording.forks:
        try:
            decision = decide(fork.space, solver=solver, boxes=False)
        except UsageProblem as problem:
            if "exclude every vector" not in str(problem):
                found.append(ForkAnswer(fork, None, str(problem)))
            continue
        found.append(ForkAnswer(fork, decision, _caveat(fork, decision, solver)))
    return CodeAnswer(recording, tuple(found))


def _caveat(fork: Fork, decision: SpaceDecision, solver: Z3Process) -> str:
    """Why the decision is not to be relied on; empty where it is."""
    if fork.error is not None and not fork.samples:
        return f"no vector could be built ({fork.error})"
    for sample in fork.samples:
        vector = {n: sample.vector.get(n, h.first) for n, h in fork.space.by_name.items()}
        step = check_vector(fork.space, vector)
        if (step is None) is not sample.runs:
            said = "accepted" if step is None else f"refused ({step.sentence()})"
            real = "runs" if sample.runs else f"fails ({sample.error})"
            shown = ", ".join(f"{n} = {v}" for n, v in sample.vector.items())
            lost = f"; not followed: {', '.join(fork.lost)}" if fork.lost else ""
            return f"{shown} is {said} and {real}{lost}"
    if len(fork.samples) == decision.total or decision.valid == 0:  # each vector was built, or none is called valid
        return ""
    if decision.unknown:
        return f"not followed: {', '.join(decision.unknown)}"
    other = _other_branch(fork, decision, solver)
    return f"not for all of its vectors `{other[0]}` is {other[1]}" if other is not None else ""


def _other_branch(fork: Fork, decision: SpaceDecision, solver: Z3Process) -> tuple[str, bool] | None:
    """A branch on sizes of tensors that some vector, which is called valid, may take otherwise than was recorded."""
    for structure in decision.structures:
        if structure.verdict in ("empty", VALID_FOR_NONE):
            continue
        rules = [s.condition for s in structure.program.steps]
        names = fork.space.resolver(structure.fixed)
        domains = {n: h.values for n, h in fork.space.by_name.items() if n not in structure.fixed}
        for text, outcome in fork.sizes.items():
            try:
                truth = evaluate(text, partial(_size, structure.program.values, names))
            except (UsageProblem, Structural, LookupError):
                return text, outcome
            if truth is outcome:
                continue
            if isinstance(truth, bool):
                return text, outcome
            otherwise = negate(truth) if outcome else truth
            read = {n: domains[n] for c in (*rules, otherwise) for n in names_of(c) if n in domains}
            if solver.satisfy([otherwise, *rules], read).status != "unsat":
                return text, outcome
    return None


def _size(values: Mapping[str, TensorType], names: Callable[[str], Any], path: str) -> Any:
    """What a name in a branch stands for: a hyperparameter, or a size of a tensor. Raises LookupError where unknown."""
    found = size_path(path)
    if found is None:
        return names(path)
    shape = values[found[0]].shape
    if shape is None or shape[found[1]] is None:
        raise LookupError(path)
    return shape[found[1]]


def _where(fork: Fork) -> str:
    return " and ".join(t if o else f"not ({t})" for t, o in fork.conditions.items()) or "the whole space"


def as_data(found: CodeAnswer, solver: Z3Process) -> Mapping[str, Any]:
    """The answer as data: one `assay-space/1` answer for each fork."""
    return {
        "schema": "assay-space-code/1",
        "entry": found.recording.entry,
        "total": found.total,
        "valid": found.valid,
        "complete": found.recording.complete,
        "real_constructions": found.checked[0],
        "forks": [
            {
                "where": _where(f.fork),
                "caveat": f.caveat,
                "not_followed": list(f.fork.lost),
                "answer": None if f.decision is None else answer(f.decision, solver),
            }
            for f in found.forks
        ],
    }


_HEAD = '''"""Which hyperparameters of {entry} give a valid model. Written by `assay space`; it needs no package.

`valid(parameters)` is True, False, or None where it is not decided. `constraints` is for Optuna's samplers
(`constraints_func`, after `trial.set_user_attr`-free use of `trial.params`), `keep` for Keras Tuner's hyperparameters.
"""

from math import ceil, floor

'''
_TAIL = '''

def valid(parameters):
    """Whether the model of these hyperparameters (a mapping) is valid; None where it is not decided."""
    for conditions, rules in FORKS:
        try:
            inside = conditions(parameters)
        except (KeyError, TypeError):
            continue
        if inside:
            return None if rules is None else rules(parameters)
    return None


def constraints(trial):
    """Optuna's `constraints_func`: at most 0 for a valid trial."""
    return (1.0,) if valid(trial.params) is False else (0.0,)


def keep(hyperparameters):
    """Whether Keras Tuner should try these hyperparameters."""
    return valid(hyperparameters.values) is not False
'''


def predicate(found: CodeAnswer) -> str:
    """The text of a module without dependencies that decides a vector as this answer does."""
    helpers = "\n\n".join(_PLAIN)
    parts = [_HEAD.format(entry=found.recording.entry), helpers, "\n"]
    names = []
    for index, one in enumerate(found.forks):
        for number, (conditions, rules) in enumerate(_structures(one)):
            name = f"{index}_{number}"
            parts.append(f"\n\ndef _conditions_{name}(v):\n    return {conditions}\n")
            if rules is not None:
                parts.append(f"\n\ndef _rules_{name}(v):\n{rules}\n")
            names.append(f"    (_conditions_{name}, {'None' if rules is None else f'_rules_{name}'}),")
    parts.append("\n\nFORKS = [\n" + "\n".join(names) + "\n]\n" + _TAIL)
    return "".join(parts)


_PLAIN = (
    "def div(a, b):\n    return a // b if b >= 1 else 0",
    "def mod(a, b):\n    return a % b if b >= 1 else 0",
    "def choose(c, a, b):\n    return a if c else b",
    "larger, smaller = max, min",
)


def _structures(one: ForkAnswer) -> Sequence[tuple[str, str | None]]:
    """Conditions and body for each structure of a fork; None for what is not decided."""
    base = [
        f"v[{n!r}] == {h.values[0]!r}" for n, h in one.fork.space.by_name.items() if h.values and len(h.values) == 1
    ]
    if one.decision is None or not one.sound:
        return [(" and ".join([*base, *(_python(t.text, one) for t in one.fork.space.conditions)]) or "True", None)]
    found: list[tuple[str, str | None]] = []
    for structure in one.decision.structures:
        if structure.verdict == "empty":
            continue
        fixed = [f"v[{n!r}] == {v!r}" for n, v in structure.fixed.items()]
        conditions = [*base, *fixed, *(_python(t.text, one) for t in one.fork.space.conditions)]
        steps = structure.program.steps
        lines, results = compile_text([s.condition for s in steps])
        open_sizes = sorted(one.fork.space.free.keys() & frozenset().union(*(names_of(s.condition) for s in steps)))
        if open_sizes:
            lines = [f"v = {{**{dict.fromkeys(open_sizes, OPEN)!r}, **v}}", *lines]
        body = "\n".join(
            f"    {line}" for line in [*lines, f"return {' and '.join(f'bool({r})' for r in results) or 'True'}"]
        )
        found.append((" and ".join(dict.fromkeys(conditions)) or "True", body))
    return found


def _python(text: str, one: ForkAnswer) -> str:
    """A condition over names as Python over the mapping `v`."""

    tree = ast.parse(text, mode="eval")
    known = one.fork.space.by_name

    class Names(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            return (
                ast.Subscript(ast.Name("v", ast.Load()), ast.Constant(node.id), ast.Load())
                if node.id in known
                else node
            )

    return f"({ast.unparse(ast.fix_missing_locations(Names().visit(tree)))})"
