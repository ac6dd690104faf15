"""A layer that is wrong is told although the outputs do not show it, and says what hides it; ties are no fault."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from analyzer.configuration.config import TargetConfig, Thresholds
from analyzer.differential.backend import parse
from analyzer.differential.compare import run_all, run_alone
from analyzer.differential.inputs import Inputs, InputSet
from analyzer.differential.layer_findings import layer_finding
from analyzer.differential.localize import localize
from analyzer.differential.plan import Family
from analyzer.differential.pool import Pool
from analyzer.differential.runner import Artefact, Runner
from analyzer.differential.study import Study, _closer
from analyzer.differential.transport import WORKER, EngineEnvironment, ProcessTransport


def save(path: Path, nodes: list[onnx.NodeProto], kind: int = TensorProto.INT64) -> Artefact:
    rng = np.random.default_rng(3)
    weights = {n: rng.standard_normal((6, 6)).astype(np.float32) for n in ("w", "v")}
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, 6])],
        [helper.make_tensor_value_info("y", kind, None)],
        [numpy_helper.from_array(a, n) for n, a in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    model.ir_version = 10
    onnx.save(model, path)
    return Artefact("onnx", {path.name: path}, {"path": path.name})


@pytest.fixture
def started() -> Iterator[list[Runner]]:
    runners: list[Runner] = []
    yield runners
    for runner in runners:
        runner.close()


def breaking(wrong: tuple[str, ...]) -> Runner:
    """ONNX Runtime whose layers called `wrong` give 1.5 times the right value, in the whole model and alone."""
    backend = parse("onnxruntime:opt=disable")
    transport = ProcessTransport("onnxruntime", EngineEnvironment(sys.executable))
    engine = transport.folder / WORKER / "onnxruntime_engine.py"
    text = engine.read_text().replace("class OnnxRuntime:", "class Healthy:", 1)
    text += f"""

WRONG = {wrong!r}


class OnnxRuntime(Healthy):
    def evaluate(self, feeds, fetches):
        nodes = [n for n in self.model.proto.graph.node]
        env, wanted = dict(feeds), list(fetches) if fetches is not None else list(self.model.outputs)
        for node in nodes:
            known = {{**env, **self.model.initializers}}
            if all(o in env for o in node.output) or not all(i in known for i in node.input):
                continue
            given = {{i: env[i] for i in node.input if i in env}}
            found = Healthy.evaluate(self, given, list(node.output))
            for name, value in found.items():
                env.setdefault(name, (value * 1.5).astype(value.dtype) if node.name in WRONG else value)
        return {{n: env[n] for n in wanted}}
"""
    engine.write_text(text)
    return Runner(backend, transport)


def examined(
    artefact: Artefact,
    wrong: tuple[str, ...],
    started: list[Runner],
    feeds: np.ndarray,
    features: Sequence[str] = (),
) -> Study:
    runner = breaking(wrong)
    started.append(runner)
    oracle = Runner(
        parse("reference:precision=float64"), ProcessTransport("reference", EngineEnvironment(sys.executable))
    )
    started.append(oracle)
    runner.load(artefact)
    runner.fingerprint["cpu"] = list(features)
    structure = oracle.load(artefact)
    inputs = Inputs((InputSet("given", {"x": feeds}),), (), False)
    comparison = run_all([runner], run_alone(oracle, inputs), inputs, Thresholds())
    family = Family("onnx", (runner.backend,), oracle.backend)
    done = Study(family, structure, comparison, inputs, runners=(runner,), oracle=oracle)
    with Pool() as pool:
        return _closer(done, pool, {"onnx": artefact}, False, None)


def test_what_an_argmax_hides_is_told(tmp_path: Path, started: list[Runner]) -> None:
    node = helper.make_node
    artefact = save(
        tmp_path / "m.onnx",
        [
            node("MatMul", ["x", "w"], ["a"], name="first"),
            node("Relu", ["a"], ["b"], name="relu"),
            node("MatMul", ["b", "v"], ["c"], name="second"),
            node("ArgMax", ["c"], ["y"], name="choice", axis=1),
        ],
    )
    feeds = np.random.default_rng(0).standard_normal((4, 6)).astype(np.float32)
    done = examined(artefact, ("first", "second"), started, feeds)
    assert done.comparison is not None
    assert done.comparison.results[0].failure is None
    assert not done.comparison.results[0].suspicious  # 1.5 times as much has the same largest element
    assert sorted(p.blame.unit.main.name for p in done.problems) == ["first", "second"]  # alike, and two problems
    target = TargetConfig("m", path="m.onnx", backends=("onnxruntime:opt=disable",))
    for problem in done.problems:
        assert problem.hidden == "hidden by `choice` (ArgMax)"
        assert "hidden by `choice`" in layer_finding(problem, done, target).message


@pytest.mark.parametrize(("features", "told"), [(["avx2"], 1), (["avx2", "avx512_vnni"], 3)])
def test_what_the_processor_cannot_is_told_once(
    tmp_path: Path, started: list[Runner], features: list[str], told: int
) -> None:
    node = helper.make_node
    rng = np.random.default_rng(3)
    nodes = [node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"], name="quantize")]
    for k in range(3):
        nodes.append(node("MatMulInteger", ["q", f"w{k}", "z"], [f"i{k}"], name=f"product{k}"))
        nodes.append(node("Cast", [f"i{k}"], [f"y{k}"], name=f"cast{k}", to=TensorProto.FLOAT))
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, 6])],
        [helper.make_tensor_value_info(f"y{k}", TensorProto.FLOAT, [4, 6]) for k in range(3)],
        [numpy_helper.from_array(rng.integers(-9, 9, (6, 6)).astype(np.int8), f"w{k}") for k in range(3)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    onnx.save(model, tmp_path / "m.onnx")
    artefact = Artefact("onnx", {"m.onnx": tmp_path / "m.onnx"}, {"path": "m.onnx"})
    feeds = rng.standard_normal((4, 6)).astype(np.float32)
    done = examined(artefact, ("product0", "product1", "product2"), started, feeds, features)
    assert len(done.problems) == told
    names = {n for p in done.problems for n in (p.blame.unit.main.name, *p.alike)}
    assert names == {"product0", "product1", "product2"}


def test_equal_values_may_be_chosen_in_any_order(tmp_path: Path, started: list[Runner]) -> None:
    node = helper.make_node
    artefact = save(tmp_path / "m.onnx", [node("Relu", ["x"], ["r"]), node("ArgMax", ["r"], ["y"], axis=1, name="top")])
    later = breaking(())
    started.append(later)
    engine = later.transport.folder / WORKER / "onnxruntime_engine.py"
    text = engine.read_text() + "\n\n" + (
        "class OnnxRuntime(Healthy):\n"
        "    def evaluate(self, feeds, fetches):\n"
        "        r = np.maximum(feeds['x'], 0) if 'x' in feeds else feeds['r']\n"
        "        last = r.shape[1] - 1 - np.argmax(r[:, ::-1], axis=1, keepdims=True)\n"
        "        return {n: {'r': r, 'y': last}[n] for n in (fetches or ['y'])}\n"
    )  # fmt: skip
    engine.write_text(text)
    oracle = Runner(
        parse("reference:precision=float64"), ProcessTransport("reference", EngineEnvironment(sys.executable))
    )
    started.append(oracle)
    later.load(artefact)
    structure = oracle.load(artefact)
    feeds = {"x": -np.ones((4, 6), np.float32)}  # after the Relu all are equal
    found = localize(structure, [later], oracle, feeds)
    assert found.blames == ()
    assert [u.main.name for _, u in found.ties] == ["top"]
    inputs = Inputs((InputSet("given", feeds),), (), False)
    comparison = run_all([later], run_alone(oracle, inputs), inputs, Thresholds())
    assert comparison.results[0].suspicious
    done = Study(
        Family("onnx", (later.backend,), oracle.backend), structure, comparison, inputs, runners=(later,), oracle=oracle
    )
    with Pool() as pool:
        closed = _closer(done, pool, {"onnx": artefact}, False, None)
    assert closed.problems == ()
    assert any("ties, no deviation" in n for n in closed.notes)


@pytest.mark.parametrize("factor", [1.0, 1.5])
@pytest.mark.parametrize("lengths", [[5, 5, 3, 5], [4, 2, 4, 2], [4, 3, 2, 1]])
def test_equal_values_inside_a_larger_unit_may_be_chosen_in_any_order(
    tmp_path: Path, started: list[Runner], lengths: list[int], factor: float
) -> None:
    node = helper.make_node
    weights = np.random.default_rng(3).standard_normal((6, 6)).astype(np.float32)
    graph = helper.make_graph(
        [
            node("TopK", ["n", "k"], ["values", "places"], name="top"),
            node("Gather", ["x", "places"], ["g"], name="rows"),
            node("MatMul", ["g", "w"], ["m"], name="product"),
            node("Relu", ["m"], ["y"], name="relu"),
        ],
        "g",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, 6]),
            helper.make_tensor_value_info("n", TensorProto.INT64, [4]),
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [4, 6])],
        [numpy_helper.from_array(weights, "w"), numpy_helper.from_array(np.array([4]), "k")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    model.ir_version = 10
    onnx.save(model, tmp_path / "m.onnx")
    artefact = Artefact("onnx", {"m.onnx": tmp_path / "m.onnx"}, {"path": "m.onnx"})
    later = breaking(())
    started.append(later)
    engine = later.transport.folder / WORKER / "onnxruntime_engine.py"
    engine.write_text(
        engine.read_text()
        + f"""


class OnnxRuntime(Healthy):
    def load(self, model, folder):
        return {{**Healthy.load(self, model, folder), "alive": ["x", "n", "y"]}}

    def evaluate(self, feeds, fetches):
        order = np.lexsort((-np.arange(4), -feeds["n"]))  # of equal lengths the last one first
        w = np.array({weights.tolist()!r}, np.float32)
        return {{"y": np.maximum(feeds["x"][order] @ w, 0) * np.float32({factor})}}
"""
    )
    oracle = Runner(
        parse("reference:precision=float64"), ProcessTransport("reference", EngineEnvironment(sys.executable))
    )
    started.append(oracle)
    later.load(artefact)
    structure = oracle.load(artefact)
    feeds = {"x": np.random.default_rng(1).standard_normal((4, 6)).astype(np.float32), "n": np.array(lengths)}
    found = localize(structure, [later], oracle, feeds)
    if factor == 1.0:
        assert found.blames == ()
        assert [u.main.name for _, u in found.ties] == (["product"] if len(set(lengths)) < 4 else [])
    else:
        assert [b.backend for b in found.blames] == [later.name]
        assert found.ties == ()
