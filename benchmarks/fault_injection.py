"""Faults put into one engine's layer: the rank of the culprit by replay, and by CRADLE's R_l.

    python benchmarks/fault_injection.py --cache DIR [--log FILE] [--count 300] [--only a,b] [--seed 0] [--tail KINDS]

One or two layers of a real architecture are broken inside the worker of one engine, as a bug in its kernel would break
them: CRADLE's four kinds (batch norm's epsilon, padding, pooling, parameter layout) and twelve more. The other engine is
the float64 oracle of production. Each injection is localized as `assay diff` does it; the culprit's rank among all layers
is counted by replayed error and by R_l. A fault that changes nothing on the input (the layer's replay is the same to the
last bit as without it) counts as silent. Every injection is a line of the log, from which an interrupted run goes on. `--tail argmax,softmax,topk,chaos` puts one of these, in turn, behind the
outputs of ONNX models, breaks two layers in every third trial, and counts what the whole study tells by name as well. `chaos` is
the logistic map, sixty times: rounding alone moves such outputs by their whole range.
"""

# ruff: noqa: E402, E501

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import architectures

from analyzer.configuration.config import TargetConfig, Thresholds
from analyzer.differential.backend import parse
from analyzer.differential.compare import run_all, run_alone
from analyzer.differential.inputs import Inputs, InputSet, generate
from analyzer.differential.localize import Localization, localize
from analyzer.differential.plan import Family
from analyzer.differential.pool import Pool, variables_for
from analyzer.differential.runner import Artefact, Case, Runner
from analyzer.differential.study import Study, _closer
from analyzer.differential.transport import WORKER, EngineEnvironment, ProcessTransport
from analyzer.differential.verdict import Outcome

ENGINES = {
    ".keras": ("keras-torch:threads=1", "keras-numpy:precision=float64", "keras_faults"),
    ".onnx": ("onnxruntime:opt=disable:threads=1", "reference:precision=float64", "onnx_faults"),
}
PATCH = """

def _inject(self, request, folder):
    from . import {faults}
    return {faults}.inject(self.engine, request["number"], request["seed"])


WorkerServer.do_inject = _inject
main()
"""


class Remembering(Runner):
    """An oracle that is asked the same for every injection into one model answers from memory after the first."""

    memory: dict[bytes, Outcome]

    def replay(self, cases: Sequence[Case], *, state: bool = False) -> list[Outcome]:
        keys = [_digest(*case) for case in cases]
        new = [i for i, key in enumerate(keys) if key not in self.memory]
        if new:
            self.memory |= dict(zip([keys[i] for i in new], super().replay([cases[i] for i in new]), strict=True))
        return [self.memory[key] for key in keys]


def _digest(feeds: Mapping[str, np.ndarray], fetches: Sequence[str] | None) -> bytes:
    state = hashlib.blake2b(repr(fetches).encode())
    for name, array in feeds.items():
        state.update(f"{name}{array.dtype}{array.shape}".encode())
        state.update(np.ascontiguousarray(array).tobytes())
    return state.digest()


def start(name: str, faults: str = "", kind: type[Runner] = Runner) -> Runner:
    """A worker, with the faults of the module `faults` at hand."""
    backend = parse(name)
    transport = ProcessTransport(backend.engine.name, EngineEnvironment(variables=variables_for(backend)))
    if faults:
        folder = transport.folder / WORKER
        (folder / f"{faults}.py").write_text((HERE / f"{faults}.py").read_text(encoding="utf-8"), encoding="utf-8")
        main = folder / "__main__.py"
        text = main.read_text(encoding="utf-8").replace('if __name__ == "__main__":\n    main()\n', "")
        main.write_text(text + PATCH.format(faults=faults), encoding="utf-8")
    return kind(backend, transport, deadline=900.0)


class Bench:
    """One architecture on its two engines, with the errors that replay measures where nothing is broken."""

    def __init__(self, path: Path, wrong: Runner, right: Remembering, sets: int, tailed: bool = False) -> None:
        self.wrong, self.right, self.tailed = wrong, right, tailed
        right.memory = {}
        artefact = Artefact("keras" if path.suffix == ".keras" else "onnx", {path.name: path}, {"path": path.name})
        self.kinds = {artefact.kind: artefact}
        wrong.load(artefact)
        self.structure = right.load(artefact)
        target = TargetConfig("m", path=path.name)
        made = generate(self.structure.inputs, target, lambda f: None if wrong.run(f).ok else "")
        self.feeds = [s.feeds for s in made.sets[:sets]]
        self.inject(0, [0])
        self.healthy = [self.localize(i) for i in range(len(self.feeds))]

    def inject(self, number: int, seed: list[int]) -> list[tuple[str, str]]:
        request = {"op": "inject", "number": number, "seed": seed}
        return [(t, k) for t, k in self.wrong.transport.exchange(request, deadline=60)]

    def localize(self, index: int) -> Localization:
        return localize(self.structure, [self.wrong], self.right, self.feeds[index])

    def row(self, trial: int, seed: list[int]) -> dict[str, Any]:
        """Inject, localize, and count ranks. A fault is (kind, rank by replay, rank by R_l, blamed), None if silent."""
        index = trial % len(self.feeds)
        faults = self.inject(1 + (trial % 3 == 0 if self.tailed else trial % 2), seed)
        found = self.localize(index)
        unit_of = {t: u.id for u in found.units for t in u.outputs}
        culprits = {unit_of.get(tensor, tensor): kind for tensor, kind in faults}
        before, errors = self.healthy[index].errors[self.wrong.name], found.errors[self.wrong.name]
        loud = {c for c in culprits if errors.get(c) != before.get(c)}
        rates = found.rates(self.right.name, self.wrong.name)
        blamed = {b.unit.id for b in found.blames}
        rows = []
        for unit, kind in culprits.items():
            others = loud - {unit}
            if unit not in loud:
                rows.append([kind, None])
                continue
            ranks = [rank({u: v for u, v in s.items() if u not in others}, unit) for s in (errors, rates)]
            rows.append([kind, *ranks, unit in blamed])
        if self.tailed:
            named = self.told(index)
            innocent = sorted(named - set(culprits))
            rows = [[*r, u in named] if r[1] is not None else r for u, r in zip(culprits, rows, strict=True)]
            return {"faults": rows, "innocent": innocent, "units": len(found.units)}
        innocent = sorted(blamed - set(culprits) - {b.unit.id for b in self.healthy[index].blames})
        return {"faults": rows, "innocent": innocent, "units": len(found.units)}

    def told(self, index: int) -> set[str]:
        """The units that a study of the whole model names in findings, as a review would."""
        inputs = Inputs((InputSet("given", self.feeds[index]),), (), False)
        comparison = run_all([self.wrong], run_alone(self.right, inputs), inputs, Thresholds())
        family = Family("onnx", (self.wrong.backend,), self.right.backend)
        done = Study(family, self.structure, comparison, inputs, runners=(self.wrong,), oracle=self.right)
        with Pool() as pool:
            closed = _closer(done, pool, self.kinds, False, None)
        names = {u.main.layer or u.main.name: u.id for found in closed.localizations.values() for u in found.units}
        alike = {names[n] for p in closed.problems for n in p.alike if n in names}
        return {p.blame.unit.id for p in closed.problems} | alike


def with_tail(path: Path, kind: str) -> Path:
    """The ONNX model whose float outputs go through an ArgMax, a Softmax or a TopK."""
    model = onnx.load(path)
    for number, output in enumerate(list(model.graph.output)):
        if output.type.tensor_type.elem_type not in (0, onnx.TensorProto.FLOAT):
            continue
        name, new = output.name, f"tail_{number}"
        if kind == "chaos":
            nodes, made = _chaos(model, name, new), onnx.TensorProto.FLOAT
        elif kind == "argmax":
            nodes, made = [helper.make_node("ArgMax", [name], [new], name=new, axis=-1)], onnx.TensorProto.INT64
        elif kind == "softmax":
            nodes, made = [helper.make_node("Softmax", [name], [new], name=new, axis=-1)], onnx.TensorProto.FLOAT
        else:
            old = model.opset_import[0].version < 10  # the count was an attribute
            if not old:
                model.graph.initializer.append(numpy_helper.from_array(np.array([2], np.int64), f"{new}_k"))
            given, more = ([name], {"k": 2}) if old else ([name, f"{new}_k"], {})
            nodes = [helper.make_node("TopK", given, [f"{new}_values", new], name=new, axis=-1, **more)]
            made = onnx.TensorProto.INT64
        model.graph.node.extend(nodes)
        output.CopyFrom(helper.make_tensor_value_info(new, made, None))
    tailed = path.with_name(f"{path.stem}-{kind}.onnx")
    onnx.save(model, tailed)
    return tailed


STEPS = 60  # a difference of 1e-7 doubles at each step, so that it is all there is after 25


def _chaos(model: onnx.ModelProto, name: str, new: str) -> list[onnx.NodeProto]:
    """x ← 3.99 x (1 - x), `STEPS` times, from the output's sigmoid."""
    for constant, value in (("rate", 3.99), ("one", 1.0)):
        model.graph.initializer.append(numpy_helper.from_array(np.array(value, np.float32), f"{new}_{constant}"))
    nodes = [helper.make_node("Sigmoid", [name], [f"{new}_0"], name=f"{new}_0")]
    for step in range(STEPS):
        old, rest, scaled = f"{new}_{step}", f"{new}_rest_{step}", f"{new}_scaled_{step}"
        result = new if step == STEPS - 1 else f"{new}_{step + 1}"
        nodes += [
            helper.make_node("Sub", [f"{new}_one", old], [rest], name=rest),
            helper.make_node("Mul", [f"{new}_rate", old], [scaled], name=scaled),
            helper.make_node("Mul", [scaled, rest], [result], name=result),
        ]
    return nodes


def rank(scores: Mapping[str, float], culprit: str) -> int:
    """1 is best; a tie counts against the culprit."""
    mine = scores.get(culprit, -np.inf)
    return 1 + sum(s >= mine for name, s in scores.items() if name != culprit)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cache", type=Path, required=True, help="where the models are kept")
    parser.add_argument("--log", type=Path, help="one JSON line an injection; default: in the cache")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--only", default="", help="architectures, separated by commas")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tail", default="", help="what stands behind the outputs: argmax, softmax, topk, chaos")
    args = parser.parse_args(argv)
    tails = [t for t in args.tail.split(",") if t]
    names = [n for n in architectures.ALL if not args.only or n in args.only.split(",")]
    log = args.log or args.cache / "fault_injection.jsonl"
    rows = [json.loads(line) for line in log.read_text().splitlines()] if log.is_file() else []
    runners: dict[str, tuple[Runner, Remembering]] = {}
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a") as out:
        for number, name in enumerate(names):
            share = args.count // len(names) + (number < args.count % len(names))
            done = {r["trial"] for r in rows if (r["model"], r["seed"]) == (name, args.seed)}
            todo = [t for t in range(share) if t not in done]
            if todo:
                path = architectures.make(args.cache, [name])[name]
                if tails:
                    path = with_tail(path, tails[number % len(tails)])
                wrong, right, faults = ENGINES[path.suffix]
                if path.suffix not in runners:
                    oracle = start(right, kind=Remembering)
                    assert isinstance(oracle, Remembering)
                    runners[path.suffix] = (start(wrong, faults), oracle)
                began = time.perf_counter()
                bench = Bench(path, *runners[path.suffix], sets=2, tailed=bool(tails))
                ready = time.perf_counter() - began
                print(
                    f"{name}: ready in {ready:.0f} s; blamed without a fault: "
                    f"{[(b.unit.id, b.error) for h in bench.healthy for b in h.blames]}",
                    flush=True,
                )
            for trial in todo:
                began = time.perf_counter()
                seed = [args.seed, architectures.ALL.index(name), trial]
                row = {"model": name, "seed": args.seed, "trial": trial, **bench.row(trial, seed)}
                row["seconds"] = round(time.perf_counter() - began, 2)
                rows.append(row)
                out.write(json.dumps(row) + "\n")
                out.flush()
            print(line(name, [r for r in rows if r["model"] == name]), flush=True)
    for pair in runners.values():
        for runner in pair:
            runner.close()
    summary(rows)
    return 0


def summary(rows: Sequence[Mapping[str, Any]]) -> None:
    print(line("all", rows))
    print(line("one fault", [r for r in rows if len(r["faults"]) == 1]))
    print(line("two faults", [r for r in rows if len(r["faults"]) == 2]))
    for kind in sorted({f[0] for r in rows for f in r["faults"]}):
        print(line(f"  {kind}", [{**r, "faults": [f for f in r["faults"] if f[0] == kind]} for r in rows]))


def line(title: str, rows: Sequence[Mapping[str, Any]]) -> str:
    rows = [r for r in rows if r["faults"]]
    faults = [f for r in rows for f in r["faults"] if f[1] is not None]
    silent = sum(len(r["faults"]) for r in rows) - len(faults)
    if not faults:
        return f"{title:28s} nothing measured"
    n = len(faults)
    replay, rate = [f[1] for f in faults], [f[2] for f in faults]
    return (
        f"{title:28s} {rows[0]['units']:4d} layers, {len(rows):3d} injections, {n:3d} faults (+{silent} silent): rank 1 by "
        f"replay {sum(r == 1 for r in replay) / n:6.1%}, by R_l {sum(r == 1 for r in rate) / n:6.1%} (median "
        f"{int(np.median(rate))}, worst {max(rate)}); blamed {sum(f[3] for f in faults) / n:6.1%}, innocent layers blamed "
        f"in {sum(bool(r['innocent']) for r in rows)}"
        + (f"; told by name {sum(f[4] for f in faults) / n:6.1%}" if len(faults[0]) > 4 else "")
    )


if __name__ == "__main__":
    sys.exit(main())
