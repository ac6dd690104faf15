"""One backend that runs: load, run and replay, through whatever transport it lives behind."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from analyzer.differential.backend import Backend
from analyzer.differential.structure import Description
from analyzer.differential.transport import EngineFailed, WorkerTransport
from analyzer.differential.verdict import Failure, Kind, Outcome, kind_of_error
from analyzer.differential.worker import tensors

CARRIED = (
    "keras-entry",
    "tensorflow-entry",
    "jax-entry",
)  # built anew in each worker, so weights are carried over from one build

Case = tuple[Mapping[str, np.ndarray], Sequence[str] | None]  # what is fed; what is fetched (None: the outputs)
Shapes = frozenset[tuple[str, tuple[int, ...], str]]  # of one case's inputs: name, shape, element type


@dataclass(frozen=True)
class Artefact:
    """The model in a form that engines take. `files` go into the worker's folder; `request` is what `load` needs."""

    kind: str
    files: Mapping[str, Path]
    request: Mapping[str, Any] = field(default_factory=dict)


class Runner:
    """A warm worker for one backend. Its methods raise `EngineFailed` for verdicts about the engine as a whole."""

    def __init__(self, backend: Backend, transport: WorkerTransport, *, deadline: float = 120.0) -> None:
        self.backend, self.transport, self.deadline = backend, transport, deadline
        self.versions: dict[str, str] = {}
        self.fingerprint: dict[str, Any] = {}
        self.description: Description | None = None
        self.examples: dict[str, np.ndarray] = {}  # inputs that came with the model
        self.state: dict[str, np.ndarray] = {}  # what an entry point made, where nothing was given to start from
        self._counter = itertools.count()
        self._hung: dict[Shapes, Failure] = {}  # inputs on which the whole model gave no answer

    @property
    def name(self) -> str:
        return self.backend.name

    def load(self, artefact: Artefact) -> Description:
        """Open the engine with its knobs and put the model before it: one request, for a start can be slow."""
        self._hung.clear()
        self.transport.place(artefact.files)
        name = self._result_name()
        request = self._request(artefact, name)
        receive = [name]
        if artefact.kind in CARRIED and "state" not in artefact.request:
            request["state"] = self._result_name()
            receive.append(request["state"])
        reply = self.transport.exchange(request, receive=receive, deadline=self.deadline)
        try:
            self.fingerprint = dict(reply["fingerprint"])
            self.versions = {str(k): str(v)[:40] for k, v in self.fingerprint["versions"].items()}
            self.description = Description.read(reply["description"])
            self.examples = tensors.read(self.transport.folder / name, reply["examples"])
            if "state" in request and "state" in reply:
                self.state = tensors.read(self.transport.folder / request["state"], reply["state"])
        except (KeyError, TypeError, ValueError, AttributeError, OSError):
            raise EngineFailed(Kind.CRASH, "the worker's description of the model is not understood") from None
        return self.description

    def cut_points(self) -> Description | None:
        """The description with the places where the engine can be cut: some optimise the model to know them."""
        if self.description is not None and self.description.deferred:
            alive: Any = None
            with contextlib.suppress(EngineFailed):  # told by the run itself
                alive = self.transport.exchange({"op": "cuts"}, deadline=self.deadline)
            known = frozenset(map(str, alive)) if isinstance(alive, list) else None
            self.description = replace(self.description, alive=known, deferred=False)
        return self.description

    def prepare(self, artefact: Artefact) -> None:
        """Let the worker begin with a model whose export is still to come."""
        self.transport.place(artefact.files)
        self.transport.exchange({**self._request(artefact, ""), "op": "prepare"}, deadline=self.deadline)

    def adopt(self, artefact: Artefact) -> None:
        """Whenever the worker is started again it loads `artefact`: the model it has already, with its state."""
        self.transport.place(artefact.files)
        self.transport.remember(self._request(artefact, self._result_name()))

    def _request(self, artefact: Artefact, result: str) -> dict[str, Any]:
        return {
            "op": "load",
            "knobs": {k: v for k, v in self.backend.knobs.items() if v != ""},
            "model": {"kind": artefact.kind, **artefact.request},
            "result": result,
        }

    def _result_name(self) -> str:
        """Where results lie, on the worker's side and on this one."""
        if self.transport.results:
            (self.transport.folder / self.transport.results).mkdir(exist_ok=True)
        return f"{self.transport.results}result-{next(self._counter)}.bin"

    def run(
        self, feeds: Mapping[str, np.ndarray], fetches: Sequence[str] | None = None, *, state: bool = True
    ) -> Outcome:
        """One evaluation; failures are in the outcome."""
        return self.replay([(feeds, fetches)], state=state)[0]

    def replay(self, cases: Sequence[Case], *, state: bool = False) -> list[Outcome]:
        """Several evaluations in one message. When the worker dies, the cases are tried one by one, so that the one
        that killed it is known and the others have their results. A model that gave no answer in time is not waited
        for again on inputs of the same shapes: each time costs a whole deadline and a new worker."""
        whole = [_shapes(feeds) for feeds, fetches in cases if fetches is None]
        hung = next((self._hung[shapes] for shapes in whole if shapes in self._hung), None)
        if hung is not None:
            return [Outcome(failure=hung)] * len(cases)
        try:
            return self._evaluate(cases, state)
        except EngineFailed as failed:
            if failed.failure.kind is Kind.TIMEOUT and len(whole) == len(cases):
                self._hung |= dict.fromkeys(whole, failed.failure)
            if len(cases) == 1 or failed.failure.kind is Kind.TIMEOUT:
                return [Outcome(failure=failed.failure)] * len(cases)
        outcomes: list[Outcome] = []
        deaths = 0
        for case in cases:
            if deaths >= 3:
                outcomes.append(Outcome(failure=Failure(Kind.CRASH, "not tried: the worker had died three times")))
                continue
            try:
                outcomes.extend(self._evaluate([case], state))
            except EngineFailed as failed:
                deaths += 1
                outcomes.append(Outcome(failure=failed.failure))
        return outcomes

    def _evaluate(self, cases: Sequence[Case], state: bool) -> list[Outcome]:
        store: dict[str, np.ndarray] = {}
        keys: dict[int, str] = {}
        written = []
        for feeds, fetches in cases:
            mapping = {}
            for name, array in feeds.items():
                key = keys.setdefault(id(array), str(len(keys)))
                store[key] = array
                mapping[name] = key
            written.append({"feeds": mapping, "fetches": list(fetches) if fetches is not None else None})
        folder = self.transport.folder
        arrays, where = "arrays.bin", self._result_name()  # one request at a time: the next may write over it
        manifest = tensors.write(folder / arrays, store)
        request = {
            "op": "evaluate",
            "cases": written,
            "arrays": arrays,
            "manifest": manifest,
            "result": where,
            "state": state,
        }
        try:
            reply = self.transport.exchange(request, send=(arrays,), receive=(where,), deadline=self.deadline)
            found = tensors.read(folder / where, reply["manifest"])
            outcomes = []
            for entry in reply["results"]:
                if "error" in entry:
                    kind, text = kind_of_error(entry["error"]["kind"]), str(entry["error"]["message"])
                    outcomes.append(Outcome(failure=Failure(kind, text[:700]), seconds=float(entry["seconds"])))
                else:
                    named = {name: found[key] for name, key in entry["keys"].items()}
                    outcomes.append(Outcome(named, None, float(entry["seconds"]), bool(reply["mutated"])))
            if len(outcomes) != len(cases):
                raise ValueError("wrong number of results")
            return outcomes
        except (KeyError, TypeError, ValueError, OSError) as error:
            raise EngineFailed(
                Kind.CRASH, f"the worker's results are not understood ({type(error).__name__})"
            ) from None
        finally:
            (folder / arrays).unlink(missing_ok=True)
            (folder / where).unlink(missing_ok=True)

    def cut(self, inputs: Sequence[str], outputs: Sequence[str]) -> tuple[Any, dict[str, np.ndarray]]:
        """The part between two sets of tensors as data for a script. Raises `EngineFailed`."""
        name = self._result_name()
        request = {"op": "cut", "inputs": list(inputs), "outputs": list(outputs), "result": name}
        reply = self.transport.exchange(request, receive=(name,), deadline=self.deadline)
        try:
            return reply["part"], tensors.read(self.transport.folder / name, reply["manifest"])
        except (KeyError, TypeError, ValueError, OSError):
            raise EngineFailed(Kind.CRASH, "the cut-out part is not understood") from None

    def close(self) -> None:
        self.transport.close()


def _shapes(feeds: Mapping[str, np.ndarray]) -> Shapes:
    return frozenset((name, array.shape, str(array.dtype)) for name, array in feeds.items())
