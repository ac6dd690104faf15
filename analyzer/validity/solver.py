"""Z3 on what evaluation and normal forms leave open, in a child process that can be killed.

Bounds on single symbols are decided without it. Flat integers only: no arrays, quantifiers or bit-vectors. Two
encodings: ``div`` hands division to Z3; ``linear`` replaces a division by a fresh quotient and, for a symbolic divisor
over a finite domain, by a case split. A query runs with ``div`` and a short timeout first, then with ``linear``, then
it is undecided. Undecided is never valid.
"""

from __future__ import annotations

import json
import pickle
import select
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from analyzer.validity.bounds import Domain, decide_bounds
from analyzer.validity.terms import App, Cond, Poly, Sum, Symbol, all_of, symbols_of
from analyzer.walls import launch

SHORT = 2.0  # seconds for the first encoding
SPLIT_LIMIT = 64  # values over which a symbolic divisor is split
MEMBERSHIP_LIMIT = 512  # values that are spelt out as a disjunction
MAX_ANSWER = 16 << 20  # bytes


@dataclass(frozen=True)
class SolverAnswer:
    """``sat`` with a model, ``unsat`` or ``unknown``."""

    status: str
    model: Mapping[str, int] = field(default_factory=dict)


class Z3Process:
    """A child process with Z3, started on the first question and killed when it hangs. Use as a context manager."""

    def __init__(self, timeout: float = 10.0) -> None:
        self._timeout = timeout
        self._child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Z3Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the child."""
        if self._child is not None:
            self._child.kill()
            self._child.wait()
            for stream in (self._child.stdin, self._child.stdout):
                if stream is not None:
                    stream.close()
            self._child = None

    def satisfy(self, conditions: Sequence[Any], domains: Mapping[str, Domain] | None = None) -> SolverAnswer:
        """Is there a vector in `domains` for which all conditions hold?"""
        whole = all_of(*conditions)
        if whole is False:
            return SolverAnswer("unsat")
        domains = domains or {}
        found = decide_bounds(whole, domains) if isinstance(whole, Cond) else {}
        if found is not None:
            return SolverAnswer("sat", found) if isinstance(found, Mapping) else SolverAnswer("unsat")
        for encoding, seconds in (("div", min(SHORT, self._timeout)), ("linear", self._timeout)):
            answer = self._ask(solve, ([whole], dict(domains), encoding), seconds)
            if answer.status != "unknown":
                return answer
        return SolverAnswer("unknown")

    def nearest(
        self, conditions: Sequence[Any], domains: Mapping[str, Domain], current: Mapping[str, int], free: Sequence[str]
    ) -> SolverAnswer:
        """The vector nearest to `current` that satisfies all conditions: fewest changes first, then smallest ones.

        Only the symbols `free` may change. The solver minimises within its time; the answer is for the caller to check.
        """
        whole = all_of(*conditions)
        if not isinstance(whole, Cond):
            return SolverAnswer("sat" if whole else "unsat", dict(current))
        question = ([whole], dict(domains), dict(current), tuple(free))
        return self._ask(solve_nearest, question, self._timeout)

    def _ask(self, function: Callable[..., Any], question: tuple[Any, ...], seconds: float) -> SolverAnswer:
        if self._child is None:
            home = Path(tempfile.gettempdir())
            self._child = subprocess.Popen(
                launch.command("analyzer.validity.z3_child", rules=launch.worker_rules(None), path=[launch.ASSAY]),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=launch.environment(home),
            )
            seconds += 5.0  # starting Python and importing Z3
        child = self._child
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            data = pickle.dumps((function.__name__, question, int(seconds * 1000)))
            child.stdin.write(struct.pack(">Q", len(data)) + data)
            child.stdin.flush()
            return _receive(child.stdout, time.monotonic() + seconds + 1.0)
        except (OSError, EOFError, TimeoutError):
            self.close()
            return SolverAnswer("unknown")


def _receive(stream: Any, deadline: float) -> SolverAnswer:
    """The child's answer as JSON: it has worked on what a stranger wrote. Raises OSError when it is something else."""

    def exactly(count: int) -> bytes:
        parts = b""
        while len(parts) < count:
            left = deadline - time.monotonic()
            ready, _, _ = select.select([stream], [], [], max(0.0, left))
            if not ready:
                raise TimeoutError
            part = stream.read1(count - len(parts))
            if not part:
                raise EOFError
            parts += part
        return parts

    (size,) = struct.unpack(">Q", exactly(8))
    if size > MAX_ANSWER:
        raise OSError("the answer is too long")
    try:
        status, model = json.loads(exactly(size))
        values = {str(name): int(value) for name, value in dict(model).items()}
        return SolverAnswer(str(status), values)
    except (ValueError, TypeError, RecursionError) as error:
        raise OSError("the answer is not understood") from error


# ----------------------------------------------------------------------------------------------- in the child


def serve() -> None:
    """Answer questions from standard input until it closes."""
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    while True:
        header = source.read(8)
        if len(header) < 8:
            return
        (size,) = struct.unpack(">Q", header)
        function, question, milliseconds = pickle.loads(source.read(size))  # from our own parent
        try:
            asked: Callable[..., Any] = solve_nearest if function == "solve_nearest" else solve
            reply = asked(*question, milliseconds)
        except RecursionError:
            reply = ("unknown", {})
        data = json.dumps(reply).encode()
        sink.write(struct.pack(">Q", len(data)) + data)
        sink.flush()


def solve(
    conditions: Sequence[Any], domains: Mapping[str, Domain], encoding: str, milliseconds: int
) -> tuple[str, dict[str, int]]:
    """One query in this process."""
    import z3

    solver = z3.Solver()
    solver.set("timeout", milliseconds)
    translation = Translation(domains, encoding)
    for condition in conditions:
        solver.add(translation.condition(condition))
    solver.add(*translation.domain_facts(), *translation.definitions)
    result = solver.check()
    if result != z3.sat:
        return "unsat" if result == z3.unsat else "unknown", {}
    model = solver.model()
    return "sat", {n: model.eval(term, model_completion=True).as_long() for n, term in translation.variables.items()}


def solve_nearest(
    conditions: Sequence[Any],
    domains: Mapping[str, Domain],
    current: Mapping[str, int],
    free: Sequence[str],
    milliseconds: int,
) -> tuple[str, dict[str, int]]:
    """One minimisation in this process: changed symbols first, then the sum of the changes relative to the values."""
    import z3

    optimizer = z3.Optimize()
    optimizer.set("timeout", milliseconds)
    translation = Translation(domains, "div")
    for condition in conditions:
        optimizer.add(translation.condition(condition))
    changes = []
    for name, value in current.items():
        term = translation.variable(name)
        if name not in free:
            optimizer.add(term == value)
            continue
        optimizer.add_soft(term == value, 1, "changed")
        scale = max(1, 1_000_000 // (1 + abs(value)))
        changes.append(scale * z3.If(term >= value, term - value, value - term))
    optimizer.add(*translation.domain_facts(), *translation.definitions)
    if changes:
        optimizer.minimize(z3.Sum(changes))
    result = optimizer.check()
    if result == z3.unsat:
        return "unsat", {}
    try:  # the best that was found so far, when the time ran out
        model = optimizer.model()
    except z3.Z3Exception:
        return "unknown", {}
    if result != z3.sat and not len(model):
        return "unknown", {}
    values = {n: model.eval(translation.variable(n), model_completion=True).as_long() for n in current}
    return "sat", values


class Translation:
    """Terms to Z3. Each distinct subterm becomes one expression; ``linear`` introduces quotients."""

    def __init__(self, domains: Mapping[str, Domain], encoding: str) -> None:
        self._domains = domains
        self._linear = encoding == "linear"
        self._memo: dict[Any, Any] = {}
        self._bounded: set[str] = set()
        self._symbols: dict[str, Symbol] = {}
        self.variables: dict[str, Any] = {}
        self.definitions: list[Any] = []

    def variable(self, name: str) -> Any:
        import z3

        if name not in self.variables:
            self.variables[name] = z3.Int(name)
        return self.variables[name]

    def domain_facts(self) -> list[Any]:
        """Bounds and memberships of variables that have none yet."""
        import z3

        facts = []
        for name, term in self.variables.items():
            if name in self._bounded:
                continue
            self._bounded.add(name)
            values = self._domains.get(name)
            if values is None:
                box = self._symbols[name].interval if name in self._symbols else None
                if box is not None and box.lo != float("-inf"):
                    facts.append(term >= int(box.lo))
                if box is not None and box.hi != float("inf"):
                    facts.append(term <= int(box.hi))
            elif isinstance(values, range):
                facts += [term >= values[0], term <= values[-1]]
                if abs(values.step) != 1:
                    facts.append((term - values[0]) % abs(values.step) == 0)
            elif len(values) <= MEMBERSHIP_LIMIT:
                facts.append(z3.Or(*(term == v for v in values)))
            else:
                facts.append(z3.Or(*(z3.And(term >= a, term <= b) for a, b in _runs(values))))
        return facts

    def condition(self, value: Any) -> Any:
        import z3

        if not isinstance(value, Cond):
            return z3.BoolVal(bool(value))
        if value not in self._memo:
            if value.kind in ("and", "or"):
                parts = [self.condition(a) for a in value.args]
                self._memo[value] = z3.And(*parts) if value.kind == "and" else z3.Or(*parts)
            else:
                term = self.term(value.args[0])
                self._memo[value] = term >= 0 if value.kind == "ge" else term == 0 if value.kind == "eq" else term != 0
        return self._memo[value]

    def term(self, value: Any) -> Any:
        import z3

        if isinstance(value, Poly):
            if value not in self._memo:
                parts = []
                for monomial, coefficient in value.terms:
                    factors = [self._atom(a) for a in monomial]
                    product = z3.IntVal(coefficient) if coefficient != 1 or not factors else factors.pop(0)
                    for factor in factors:
                        product = product * factor
                    parts.append(product)
                self._memo[value] = z3.Sum(parts) if len(parts) > 1 else parts[0]
            return self._memo[value]
        return z3.IntVal(int(value))

    def _atom(self, atom: Any) -> Any:
        if isinstance(atom, Symbol):
            self._symbols[atom.name] = atom
            return self.variable(atom.name)
        if isinstance(atom, Sum):
            return self.term(atom.poly)
        if atom not in self._memo:
            self._memo[atom] = self._operation(atom)
        return self._memo[atom]

    def _operation(self, atom: App) -> Any:
        import z3

        if atom.kind == "ite":
            return z3.If(self.condition(atom.args[0]), self.term(atom.args[1]), self.term(atom.args[2]))
        a, b = (self.term(x) for x in atom.args)
        match atom.kind:
            case "max":
                return z3.If(a >= b, a, b)
            case "min":
                return z3.If(a <= b, a, b)
        divisor = atom.args[1]
        if isinstance(divisor, int):
            if not self._linear:
                return a / b if atom.kind == "div" else a % b
            return self._quotient(a, divisor, atom.kind)
        values = self._divisor_values(divisor)
        if self._linear and values is not None:
            result: Any = z3.IntVal(0)
            for value in values:
                if value >= 1:
                    result = z3.If(b == value, self._quotient(a, value, atom.kind), result)
            return result
        return z3.If(b >= 1, a / b if atom.kind == "div" else a % b, z3.IntVal(0))

    def _quotient(self, a: Any, divisor: int, kind: str) -> Any:
        import z3

        q = z3.Int(f"quotient {len(self.definitions)}")
        self.definitions += [a - divisor * q >= 0, a - divisor * q < divisor]
        return q if kind == "div" else a - divisor * q

    def _divisor_values(self, divisor: Any) -> Sequence[int] | None:
        symbols = list(symbols_of(divisor))
        if len(symbols) != 1 or str(divisor) != symbols[0].name:
            return None
        values = self._domains.get(symbols[0].name)
        if values is None:
            box = symbols[0].interval
            if box.hi - box.lo > SPLIT_LIMIT:
                return None
            values = range(int(box.lo), int(box.hi) + 1)
        return values if len(values) <= SPLIT_LIMIT else None


def _runs(values: Sequence[int]) -> list[tuple[int, int]]:
    """Maximal runs of consecutive integers."""
    ordered = sorted(values)
    runs = [(ordered[0], ordered[0])]
    for value in ordered[1:]:
        if value == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], value)
        else:
            runs.append((value, value))
    return runs
