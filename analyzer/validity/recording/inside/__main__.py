"""``python -m assay_recording request.json``: a model with recording values, fork by fork.

The request: ``{"entry", "root", "style", "specs", "domains", "inputs", "forks", "samples", "seconds", "seed", "out"}``.
`style` is how the function is called: ``build`` (hyperparameters by name), ``trial`` (Optuna) or ``hp`` (Keras Tuner).
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.util
import inspect
import itertools
import json
import math
import os
import random
import re
import sys
import time
import traceback
from typing import Any

from . import numbers, rewriting, suggestions
from .describing import described
from .numbers import PathCondition

NAMES = {"int": int, "round": round, "floor": math.floor, "ceil": math.ceil, "max": max, "min": min, "float": float}
PRODUCT = 100_000  # vectors of structural hyperparameters, beyond which they are sampled
# How Python and Keras refuse a call for the arguments' names or number.
NOT_TAKEN = re.compile(
    r"missing \d+ required|unexpected keyword arg|takes .*positional arguments? but|multiple values for"
)
KERAS_NOT_TAKEN = "Unrecognized keyword arguments passed to "
TRIES = 12  # other vectors of a fork whose first one cannot be built


def main(path: str) -> int:
    with open(path, encoding="utf-8") as file:
        request = json.load(file)
    out = os.path.abspath(request["out"])
    root = os.path.abspath(request["root"])
    os.chdir(root)
    try:
        result = RecordingSession(request, root).explore()
    except BaseException as error:
        result = {"ok": False, "sentence": f"{request['entry']}: {_said(error)}"}
    with open(os.path.join(out, "recording.json"), "w", encoding="utf-8") as file:
        json.dump(result, file)
    sys.stdout.flush()
    os._exit(0)


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[0][:300]}"


class RecordingSession:
    def __init__(self, request: dict[str, Any], root: str) -> None:
        self.request, self.root = request, root
        self.random = random.Random(request["seed"])
        self.domains: dict[str, Any] = {n: _domain(d) for n, d in request["domains"].items()}
        self.order: list[str] = list(self.domains)
        self.files: dict[str, None] = {}  # those that were read rewritten
        self.recorded = _function(request["entry"], root, self.files)
        self.framework = _framework(request["entry"], root)
        self.models = importlib.import_module(f".{self.framework}_models", __package__)
        self.end = time.monotonic() + request["seconds"]

    def explore(self) -> dict[str, Any]:
        forks: list[dict[str, Any]] = []
        left = False
        while len(forks) < self.request["forks"]:
            vector = self._uncovered(forks)
            if vector is None:
                break
            if time.monotonic() > self.end:
                left = True
                break
            forks.append(self._fork(vector))
        else:
            left = self._uncovered(forks) is not None
        for fork in forks:
            self._sample(fork)
        return {
            "ok": True,
            "framework": self.framework,
            "forks": forks,
            "left": left,
            "domains": {n: _described(d) for n, d in self.domains.items()},
        }

    def _uncovered(self, forks: list[dict[str, Any]]) -> dict[str, Any] | None:
        """A vector of no fork so far."""
        if not forks:
            return {n: d[0] for n, d in self.domains.items()}
        codes = [[(compile(t, "<condition>", "eval"), o) for t, o in f["conditions"].items()] for f in forks]
        read = {n for code in codes for c, _ in code for n in c.co_names if n in self.domains}
        names = [n for n in self.domains if n in read]
        size = math.prod(len(self.domains[n]) for n in names)
        rest = {n: d[0] for n, d in self.domains.items()}
        if size <= PRODUCT:
            choices: Any = itertools.product(*(self.domains[n] for n in names))
        else:
            choices = ([self.random.choice(self.domains[n]) for n in names] for _ in range(PRODUCT // 10))
        for values in choices:
            vector = {**rest, **dict(zip(names, values, strict=False))}
            if not any(_holds(code, vector) for code in codes):
                return vector
        return None

    def _fork(self, vector: dict[str, Any]) -> dict[str, Any]:
        """Record one fork; where the first vector cannot be built, others of the same fork are tried."""
        best = self._record(vector)
        code = [(compile(t, "<condition>", "eval"), o) for t, o in best["conditions"].items()]
        for _ in range(TRIES):
            if best["error"] is None:
                break
            other = self._random()
            if all(o in (True, False) for _, o in code) and not _holds(code, other):
                continue
            again = self._record(other)
            if again["conditions"].items() >= best["conditions"].items() and again["error"] is None:
                best = again
        return best

    def _random(self) -> dict[str, Any]:
        return {n: self.random.choice(d) for n, d in self.domains.items()}

    def _record(self, vector: dict[str, Any]) -> dict[str, Any]:
        trace = PathCondition(self.files)
        recorder = self.models.recorder_of(trace, self.request)
        error = None
        try:
            self._run(vector, trace, recorder)
        except Exception as caught:
            error = {"sentence": _said(caught), "place": _place(caught, self.root), "own": self._own(caught)}
        lost = [t for t in trace.conditions if "sizes[" in t]
        return {
            "conditions": {t: o for t, o in trace.conditions.items() if t not in lost},
            "inputs": {n: {"shape": described(i["shape"]), "dtype": i["dtype"]} for n, i in recorder.inputs.items()},
            "layers": [
                {**x, "attributes": {k: described(v) for k, v in x["attributes"].items()}} for x in recorder.used()
            ],
            "sizes": {t: trace.conditions[t] for t in lost},
            "lost": sorted(set(trace.lost)),
            "error": error,
            "vector": {n: vector[n] for n in self.domains if n in vector},
        }

    def _own(self, error: BaseException) -> bool:
        """Whether rewritten code made this error, whatever the sizes: by a `raise` or `assert` that answers none of the
        framework's, or by a call with other arguments than are taken."""
        if str(error).startswith(KERAS_NOT_TAKEN):
            return True
        if error.__context__ is not None and not self._own(error.__context__):
            return False
        frames = traceback.extract_tb(error.__traceback__)
        asks = next((i for i, f in enumerate(frames) if numbers.asks_for_caller(f.name, f.filename)), 0)
        if asks:
            return frames[asks - 1].filename in self.files
        innermost = frames[-1]
        if innermost.filename not in self.files:
            return False
        if isinstance(error, TypeError) and NOT_TAKEN.search(str(error)):
            return True
        with open(innermost.filename, encoding="utf-8") as file:
            tree = ast.parse(file.read())
        statements = [n for n in ast.walk(tree) if isinstance(n, (ast.Raise, ast.Assert))]
        return any(n.lineno <= (innermost.lineno or 0) <= (n.end_lineno or n.lineno) for n in statements)

    def _run(self, vector: dict[str, Any], trace: PathCondition, recorder: Any) -> None:
        """Build the model of `vector` and run it once under the recorder."""

        def value(name: str, plain: Any) -> Any:
            return numbers.recording(name, plain, trace)

        self.models.recorded(recorder, lambda: self._called(vector, value, trace), lambda: self._shapes(vector, value))

    def _called(self, vector: dict[str, Any], value: Any, trace: Any) -> Any:
        style = self.request["style"]
        if style == "build":
            taken = inspect.signature(self.recorded).parameters.values()
            if [p.name for p in taken] in (["config"], ["cfg"]):  # as Ray and Hydra call it
                return self.recorded(suggestions.AttributeDict({n: value(n, v) for n, v in vector.items()}))
            if not any(p.kind is p.VAR_KEYWORD for p in taken):  # others only name sizes of the inputs
                vector = {n: v for n, v in vector.items() if n in {p.name for p in taken}}
            return self.recorded(**{n: value(n, v) for n, v in vector.items()})
        asked = suggestions.Trial if style == "trial" else suggestions.Parameters
        return self.recorded(asked(vector, self.domains, value))

    def _shapes(self, vector: dict[str, Any], value: Any) -> list[tuple[str, list[Any], str]]:
        """Name, shape and element type of each input that the request states."""
        found = []
        for name, item in self.request["inputs"].items():
            shape: list[Any] = []
            for size in item["shape"]:
                if isinstance(size, int):
                    shape.append(size)
                elif size.isidentifier() and size not in vector:  # an open size: any example will do
                    shape.append(numbers.Number(numbers.OPEN, size, PathCondition()))
                else:
                    scope = {n: value(n, v) for n, v in vector.items()}
                    shape.append(eval(size, {"__builtins__": {}, **NAMES}, scope))
            found.append((name, shape, item["dtype"]))
        return found

    def _sample(self, fork: dict[str, Any]) -> None:
        """Real constructions at random vectors of the fork: which of them can be built and run."""
        code = [(compile(t, "<condition>", "eval"), o) for t, o in fork["conditions"].items()]
        fork["samples"] = []
        fixed = {}
        for text, outcome in fork["conditions"].items():
            name, _, number = text.partition(" == ")
            if outcome and name in self.domains:
                with contextlib.suppress(ValueError, SyntaxError):  # another hyperparameter, say
                    fixed[name] = ast.literal_eval(number)
        seen = set()
        for _ in range(self.request["samples"] * 8):
            if len(fork["samples"]) >= self.request["samples"] or time.monotonic() > self.end:
                return
            vector = {**self._random(), **fixed}
            if repr(vector) in seen or not _holds(code, vector):
                continue
            seen.add(repr(vector))
            fork["samples"].append({"vector": vector, **self._real(vector)})

    def _real(self, vector: dict[str, Any]) -> dict[str, Any]:
        def value(_name: str, plain: Any) -> Any:
            return plain

        try:
            self.models.really(lambda: self._called(vector, value, None), lambda: self._shapes(vector, value))
        except Exception as error:
            return {"ok": False, "error": _said(error)}
        return {"ok": True}


def _framework(entry: str, root: str) -> str:
    """Whose models the entry's file builds: what it imports tells, else what its modules have imported."""
    with open(os.path.join(root, entry.rpartition(":")[0]), encoding="utf-8") as file:
        tree = ast.parse(file.read())
    names = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    names |= {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module and not n.level}
    packages = {name.partition(".")[0] for name in names}
    for found in (packages, sys.modules):
        if "torch" in found:
            return "torch"
        if {"keras", "tensorflow", "keras_tuner", "tf_keras"} & set(found):
            return "keras"
    return "torch"


def _holds(code: list[Any], vector: dict[str, Any]) -> bool:
    for condition, outcome in code:
        try:
            if bool(eval(condition, {"__builtins__": {}, **NAMES}, vector)) is not outcome:
                return False
        except NameError:  # a hyperparameter that this vector does not have
            return False
    return True


def _domain(item: Any) -> Any:
    return item["values"] if "values" in item else range(item["min"], item["max"] + 1, item["step"])


def _described(domain: Any) -> Any:
    if isinstance(domain, range):
        return {"min": domain.start, "max": domain[-1], "step": domain.step}
    return {"values": list(domain)}


def _place(error: BaseException, root: str) -> Any:
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename.startswith(root + os.sep):
            return {"path": os.path.relpath(frame.filename, root), "line": frame.lineno}
    return None


def _function(entry: str, root: str, files: dict[str, None]) -> Any:
    path, _, name = entry.rpartition(":")
    file = os.path.join(root, path)
    sys.path[:0] = [os.path.dirname(file), root]
    rewriting.install(root, files)
    loader = rewriting.Loader("assay_entry", file, files)
    spec = importlib.util.spec_from_file_location("assay_entry", file, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["assay_entry"] = module
    loader.exec_module(module)
    value: Any = module
    for part in name.split("."):
        value = getattr(value, part)
    return value


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
