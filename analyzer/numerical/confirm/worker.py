"""The process in which slices of untrusted models are searched and run: limited in memory, time and environment.

It reads one JSON request a line (``{"do": "search", "folder": …}``, ``{"do": "next"}``, ``{"do": "run", …}``) and
answers with one JSON line. Tensors travel as ``.npz`` files in the request's folder.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from analyzer.numerical.confirm import (
    backends,
    consequences,
    nearby,
    points,
    position,
    search,
    tensorflow_graph,
    tensorflow_search,
    tensorflow_training,
    training,
)
from analyzer.numerical.confirm.child import FILE_SIZE, MEMORY
from analyzer.numerical.confirm.collapse import collapsed
from analyzer.numerical.confirm.extract import Leaf
from analyzer.numerical.confirm.infinities import Infinities
from analyzer.numerical.confirm.inside import with_event
from analyzer.numerical.confirm.problem import SearchProblem
from analyzer.numerical.confirm.torch_dtypes import from_numpy, torch_dtype
from analyzer.numerical.confirm.torch_evaluation import PreparedModel, run
from analyzer.numerical.confirm.torch_program import run_torch, run_torch_forward
from analyzer.numerical.confirm.torch_registry import Mode, UnsupportedOperator
from analyzer.numerical.confirm.torch_training import TorchTrainer

CLOSEST_SECONDS = 1.0  # for points at which another engine's kernels may fail; a point takes milliseconds
# Where the weights of a search may stand.
SEARCHES = {
    "anywhere": position.witnesses,
    "near": nearby.nearby,
    "beside the start": nearby.beside,
    "plain": nearby.plain,
}


def main() -> None:
    """Serves requests until the end of the input."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # frameworks print to standard output
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_SIZE, FILE_SIZE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    serve(sys.stdin, replies)


def serve(requests: TextIO, replies: TextIO) -> None:
    """Answers every line of `requests`; an exception becomes an answer."""
    state: dict[str, Any] = {}
    for line in requests:
        began = time.process_time()
        try:
            answer = _answer(json.loads(line), state)
        except MemoryError:
            answer = {"status": "error", "reason": "out of memory"}
        except Exception as error:  # whatever a hostile model makes a framework raise
            answer = {"status": "error", "reason": f"{type(error).__name__}: {error}"[:500]}
        replies.write(json.dumps({**answer, "spent": time.process_time() - began}) + "\n")
        replies.flush()


def _answer(request: dict[str, Any], state: dict[str, Any]) -> dict[str, Any]:
    if request["do"] == "search":
        state["folder"] = Path(request["folder"])
        state["points"] = _tensorflow_points(request) if request["in"] == "tensorflow" else _points(request)
        return _next(state)
    if request["do"] == "next":
        return _next(state)
    if request["do"] in ("run", "again"):
        return _run(request)
    if request["do"] == "compare":
        return _compare_in_tensorflow(request) if request["in"] == "tensorflow" else _compare(request)
    if request["do"] == "follow":
        return _follow_in_tensorflow(request) if request["in"] == "tensorflow" else _follow(request)
    if request["do"] == "fails with":
        problem, witness = _followed(request)
        mended, watched = frozenset(request["mended"]), request["watched"]
        fails = consequences.fails_with(problem, witness, int(request["seed"]), mended, watched)
        return {"status": "ran", "fails": fails}
    raise ValueError(f"unknown request {request['do']}")


def _next(state: dict[str, Any]) -> dict[str, Any]:
    import numpy as np

    point = next(state["points"], None)
    if point is None:
        return {"status": "none"}
    arrays, standing = point
    np.savez(state["folder"] / "found.npz", **arrays)
    return {"status": "found", **standing}


def _points(request: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Points at which the operator is expected to fail, as NumPy arrays in the leaves' dtypes, and where they stand."""
    import numpy as np
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(request["seed"])
    problem = read_problem(Path(request["folder"]), request)
    torch.set_flush_denormal(bool(request.get("flush", False)))
    deadline = time.process_time() + float(request["seconds"])
    try:
        for found in SEARCHES[request.get("weights", "anywhere")](
            search.TorchTrials(problem), int(request["seed"]), deadline
        ):
            off = bool(found.moved) and collapsed(problem, found.point)
            standing = {"exact": found.exact, "moved": found.moved, "crossed": found.crossed, "collapsed": off}
            standing["related"] = found.related
            yield {name: _array(tensor) for name, tensor in found.point.items()}, standing
        if request["others"] and not problem.backward:
            until = time.process_time() + CLOSEST_SECONDS
            for point in search.closest(problem, int(request["seed"]), until):
                elsewhere = {"exact": (), "moved": (), "elsewhere": True}
                yield {name: _array(tensor) for name, tensor in point.items()}, elsewhere
    except (UnsupportedOperator, KeyError, NotImplementedError, TypeError, IndexError, RuntimeError, ValueError):
        # Without an interpreter for every operator the probes are still worth a real run each, at moved weights.
        if not problem.backward and request.get("weights", "anywhere") == "anywhere":
            rng = np.random.default_rng(int(request["seed"]))
            for point in points.probes(problem, int(request["seed"])):
                if time.process_time() > deadline:
                    return
                shaken = position.shaken(search.TorchTrials(problem), point, rng)
                yield {name: _array(tensor) for name, tensor in shaken.items()}, {"exact": (), "moved": ()}


def _tensorflow_points(request: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """The same of what TensorFlow finds without torch."""
    problem = read_problem(Path(request["folder"]), request)
    deadline = time.process_time() + float(request["seconds"])
    sought = SEARCHES[request.get("weights", "anywhere")]
    for found in tensorflow_search.found(problem, int(request["seed"]), deadline, sought):
        standing = {"exact": found.exact, "moved": found.moved, "crossed": found.crossed, "related": found.related}
        yield found.point, standing


def _compare_in_tensorflow(request: dict[str, Any]) -> dict[str, Any]:
    import onnx_ir as ir

    folder = Path(request["folder"])
    changed = ir.load(folder / "changed.onnx")
    moved = tensorflow_search.moved(read_problem(folder, request), changed, request["changed"], int(request["seed"]))
    return {"status": "none"} if moved is None else {"status": "compared", "moved": moved}


def _follow_in_tensorflow(request: dict[str, Any]) -> dict[str, Any]:
    import numpy as np

    problem = read_problem(Path(request["folder"]), request)
    with np.load(request["witness"]) as archive:
        witness = {name: archive[name] for name in archive.files}
    reached = tensorflow_search.reached(problem, witness, int(request["seed"]), request["forward"])
    if not reached:
        return {"status": "none"}
    answer: dict[str, Any] = {"status": "followed", "reached": reached}
    if request["weigh"] and problem.losses:
        shown = tensorflow_training.trained_in_tensorflow(problem, witness, request["watched"], int(request["seed"]))
        if shown is None:
            return {"status": "none"}
        answer["training"] = asdict(shown)
    return answer


def _compare(request: dict[str, Any]) -> dict[str, Any]:
    """How far a changed slice moves the results of ordinary inputs."""
    import onnx_ir as ir
    import torch

    torch.set_num_threads(1)
    problem = read_problem(Path(request["folder"]), request)
    program = PreparedModel(problem.model)
    changed = PreparedModel(ir.load(Path(request["folder"]) / "changed.onnx"))
    moved = None
    for point in points.ordinary_points(problem, int(request["seed"]), 8):
        first = run(program, point, Mode(surrogate=False))[problem.results[0]].double()
        exact = _exactly(program, problem.results[0], point, first)
        second = run(changed, point, Mode(surrogate=False))[request["changed"]].double()
        both = torch.isfinite(first) & torch.isfinite(second)
        if first.shape != second.shape:
            return {"status": "none"}
        if bool(both.any()):
            # The formula's own rounding error is no fault of the change: its exact value counts as well.
            apart = torch.minimum((first - second).abs(), (exact - second).abs().nan_to_num(torch.inf))
            change = float((apart / (1 + first.abs()))[both].max())
            moved = change if moved is None else max(moved, change)
    return {"status": "none"} if moved is None else {"status": "compared", "moved": moved}


def _follow(request: dict[str, Any]) -> dict[str, Any]:
    """What a witness does to the whole model, and what training makes of it."""
    problem, witness = _followed(request)
    seed = int(request["seed"])
    if request["forward"] and not consequences.happens(problem, witness, seed):
        return {"status": "elsewhere"}
    found = consequences.reached(problem, witness, seed, request["watched"])
    answer: dict[str, Any] = {"status": "followed", "reached": found}
    if answer["reached"] and request["weigh"] and problem.losses:
        shown = training.trained(TorchTrainer(problem, request["watched"]), witness, seed)
        answer["training"] = asdict(shown)
    return answer


def _followed(request: dict[str, Any]) -> tuple[SearchProblem, dict[str, Any]]:
    """The whole model and a witness of it in torch."""
    import numpy as np
    import torch

    torch.set_num_threads(1)
    torch.set_flush_denormal(bool(request["flush"]))
    problem: SearchProblem = read_problem(Path(request["folder"]), request)
    dtypes = {x.name: x.dtype for x in problem.leaves}
    with np.load(request["witness"]) as archive:
        witness = {n: from_numpy(archive[n]).to(torch_dtype(dtypes[n])) for n in archive.files if n in dtypes}
    return problem, witness


def _exactly(program: PreparedModel, result: str, point: dict[str, Any], fallback: Any) -> Any:
    """The first result computed in float64, where every operator takes it."""
    widened = {n: t.double() if t.is_floating_point() else t for n, t in point.items()}
    try:
        return run(program, widened, Mode(surrogate=False, double=True))[result].double()
    except (RuntimeError, TypeError):
        return fallback


def _array(tensor: Any) -> Any:
    import torch

    tensor = tensor.detach()
    return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy()


def read_problem(folder: Path, request: dict[str, Any]) -> Any:
    """The `SearchProblem` that the parent wrote into `folder`."""
    import numpy as np
    import onnx_ir as ir

    with np.load(folder / "initial.npz") as archive:
        initial = {name: archive[name] for name in archive.files}
    leaves = tuple(
        Leaf(
            leaf["name"],
            tuple(leaf["shape"]),
            leaf["dtype"],
            float(leaf["lo"]),
            float(leaf["hi"]),
            leaf["role"],
            initial.get(leaf["name"]),
            bool(leaf["estimated"]),
            tuple(leaf["held"]) if leaf["held"] is not None else None,
            tuple(tuple((start, end) for start, end in part) for part in leaf["parts"]),
            tuple(leaf["order"]) if leaf["order"] is not None else None,
            tuple(leaf["even"]) if leaf["even"] is not None else None,
            bool(leaf["unlike"]),
            bool(leaf["whole"]),
            bool(leaf["definite"]),
            tuple((low, high) for low, high in leaf["shown"]),
            bool(leaf["trained"]),
        )
        for leaf in request["leaves"]
    )
    model = ir.load(folder / "slice.onnx")
    return SearchProblem(
        model,
        leaves,
        tuple(request["operands"]),
        tuple(request["outputs"]),
        (int(request["target"][0]), str(request["target"][1])),
        tuple(request["results"]),
        bool(request["inside"]),
        bool(request["backward"]),
        tuple(request["losses"]),
        bool(request.get("flush", False)),
        _infinities(request),
        float(request.get("far_below", 0.0)),
    )


def _infinities(request: dict[str, Any]) -> Infinities:
    return Infinities(request.get("infinite", ""))


def _run(request: dict[str, Any]) -> dict[str, Any]:
    """One real run; ``failed`` tells how the operator failed."""
    import numpy as np

    with np.load(Path(request["folder"]) / "found.npz") as archive:
        leaves = {name: archive[name] for name in archive.files}
    if request["engine"] == "tensorflow":
        return _run_tensorflow(request, leaves)
    if request["do"] == "again":
        return _run_again(request, leaves)
    return _run_torch(request, leaves) if request["engine"] == "torch" else _run_onnx(request, leaves)


def _run_tensorflow(request: dict[str, Any], leaves: dict[str, Any]) -> dict[str, Any]:
    folder = Path(request["folder"])
    problem = read_problem(folder, request)
    with tensorflow_search.program_of(problem, leaves) as program:
        run = program.run(leaves)
        (folder / "slice.pb").write_bytes(program.definition)
        failure = tensorflow_search.failure(problem, run, leaves)
        event = tensorflow_graph.EVENT if problem.inside and not problem.backward else ""
        return {"status": "ran", "failed": failure, "engine": run.engine, "names": program.names, "event": event}


def _run_torch(request: dict[str, Any], leaves: dict[str, Any]) -> dict[str, Any]:
    import numpy as np

    folder = Path(request["folder"])
    problem = read_problem(folder, request)
    run, written = (run_torch if problem.backward else run_torch_forward)(problem, leaves)
    failure = _torch_failure(problem, run, leaves)
    if failure is not None:
        source, constants = written()
        (folder / "program.py").write_text(source)
        np.savez(folder / "constants.npz", allow_pickle=False, **constants)
    return {"status": "ran", "failed": failure, "engine": run.engine}


def _torch_failure(problem: SearchProblem, run: backends.ConcreteRun, leaves: dict[str, Any]) -> str | None:
    if problem.backward:
        return backends.gradient_failure(run, problem.ends)
    if not run.own:
        return None
    return backends.forward_failure(run, problem.operands, problem.outputs, leaves, problem.infinite)


def _run_again(request: dict[str, Any], leaves: dict[str, Any]) -> dict[str, Any]:
    """Whether the failure of a run with one thread shows with `threads` as well."""
    folder, threads = Path(request["folder"]), int(request["threads"])
    if request["engine"] == "torch":
        import torch

        problem = read_problem(folder, request)
        torch.set_num_threads(threads)
        try:
            run, _ = (run_torch if problem.backward else run_torch_forward)(problem, leaves)
        finally:
            torch.set_num_threads(1)
        return {"status": "ran", "failed": _torch_failure(problem, run, leaves)}
    if request["event"]:
        run = backends.run_onnx((folder / "event.onnx").read_bytes(), leaves, [request["event"]], threads)
        return {"status": "ran", "failed": backends.event_failure(run, request["event"])}
    operands, outputs = request["operands"], request["outputs"]
    run = backends.run_onnx((folder / "slice.onnx").read_bytes(), leaves, [*operands, *outputs], threads)
    return {"status": "ran", "failed": backends.forward_failure(run, operands, outputs, leaves, _infinities(request))}


def _downstream(data: bytes, leaves: dict[str, Any], outputs: list[str], infinite: bool) -> bool:
    """Whether another operator of the slice failed before: seen in a run that gives every value."""
    import onnx
    import onnx_ir as ir

    open_model, names = backends.with_every_result(data)
    values = {**leaves, **backends.run_onnx(open_model, leaves, names).results}
    return (
        backends.earlier_failure(
            ir.serde.deserialize_model(onnx.load_model_from_string(data)), values, outputs, infinite
        )
        is not None
    )


def _run_onnx(request: dict[str, Any], leaves: dict[str, Any]) -> dict[str, Any]:
    import onnx_ir as ir

    folder = Path(request["folder"])
    operands, outputs = request["operands"], request["outputs"]
    if not request["inside"]:
        data = (folder / "slice.onnx").read_bytes()
        run = backends.run_onnx(data, leaves, [*operands, *outputs])
        failure = backends.forward_failure(run, operands, outputs, leaves, _infinities(request))
        if failure is not None and _downstream(data, leaves, outputs, bool(_infinities(request))):
            failure = None
        return {"status": "ran", "failed": failure, "engine": run.engine}
    model = ir.load(folder / "slice.onnx")
    event = with_event(model, outputs[0], _infinities(request))
    if event is None:
        return {"status": "ran", "failed": None, "engine": ""}
    data = ir.to_proto(model).SerializeToString()
    (folder / "event.onnx").write_bytes(data)
    run = backends.run_onnx(data, leaves, [event])
    failure = backends.event_failure(run, event)
    return {"status": "ran", "failed": failure, "engine": run.engine, "event": event}


if __name__ == "__main__":
    main()
