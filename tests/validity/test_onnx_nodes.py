"""The official ONNX node tests and mutations of them: no false alarm on the first, nothing the checker sees missed."""

from __future__ import annotations

import contextlib
import functools
import io
import multiprocessing
import random
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
import pytest
from onnx import helper as h
from onnx.backend.test.case.node import collect_testcases
from onnx.reference import ReferenceEvaluator
from onnx_complaints import complaint_about

from analyzer.configuration.config import TargetConfig
from analyzer.findings import Level
from analyzer.graph import Graph
from analyzer.validity import analyse
from analyzer.validity.graph_reader import program_of, read_graph
from analyzer.validity.terms import Poly

TARGET = TargetConfig("node", path="node.onnx")


@functools.cache
def cases() -> list[Any]:
    """The official test cases: models with their inputs and outputs."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [case for case in collect_testcases(None) if case.model is not None]


def load(proto: onnx.ModelProto) -> Graph:
    return Graph(ir.serde.deserialize_model(proto))


def errors(proto: onnx.ModelProto) -> list[str]:
    return [f.message for f in analyse(load(proto), TARGET).findings if f.level is Level.ERROR]


def objects(proto: onnx.ModelProto) -> bool:
    """Whether Assay has an error against a model, or says that it states another shape than its operator gives."""
    found = analyse(load(proto), TARGET).findings
    return any(f.level is Level.ERROR or f.rule == "validity/stated-shape" for f in found)


def with_constants(case: Any) -> onnx.ModelProto:
    """The model with its small integer inputs as initializers: shapes, axes and the like are known."""
    model = copy(case.model)
    for index, (value, data) in enumerate(zip(model.graph.input, case.data_sets[0][0], strict=False)):
        if isinstance(data, np.ndarray) and data.dtype in (np.int64, np.int32) and data.size <= 16 and index:
            model.graph.initializer.append(onnx.numpy_helper.from_array(data, value.name))
    return model


def copy(proto: onnx.ModelProto) -> onnx.ModelProto:
    result = onnx.ModelProto()
    result.CopyFrom(proto)
    return result


def test_no_official_model_raises_an_alarm() -> None:
    """Every node test of the standard is valid, with its operands as inputs and as constants."""
    alarms = {}
    count = 0
    for case in cases():
        for proto in (case.model, with_constants(case)):
            count += 1
            found = errors(proto)
            if found:
                alarms[case.name] = found[0]
    assert count > 2_000
    assert not alarms


def test_shapes_are_those_of_the_official_outputs() -> None:
    """Where a type knows every dimension of an output, it is the official one."""
    wrong = {}
    known = 0
    for case in cases():
        proto = with_constants(case)
        program = program_of(read_graph(load(proto)))
        for output, data in zip(proto.graph.output, case.data_sets[0][1], strict=False):
            own = program.values.get(output.name)
            if own is None or own.shape is None or not isinstance(data, np.ndarray):
                continue
            if any(d is None or isinstance(d, Poly) for d in own.shape):
                continue
            known += 1
            if tuple(own.shape) != data.shape:
                wrong[case.name] = (own.shape, data.shape)
    assert not wrong
    assert known > 1_000


def mutations(proto: onnx.ModelProto, rng: random.Random) -> Iterator[onnx.ModelProto]:
    """The model with one size, rank, element type, number or operand changed. Stated output sizes are left open."""
    for kind in ("size", "rank", "type", "attribute", "operand"):
        changed = copy(proto)
        del changed.graph.value_info[:]
        for output in changed.graph.output:
            if output.type.HasField("tensor_type"):
                for index, dim in enumerate(output.type.tensor_type.shape.dim):
                    dim.dim_param = f"{output.name}_{index}"
        if _mutated(changed, kind, rng):
            yield changed


def _mutated(model: onnx.ModelProto, kind: str, rng: random.Random) -> bool:
    inputs = [v for v in model.graph.input if v.type.HasField("tensor_type")]
    if not inputs or not model.graph.node:
        return False
    tensor = rng.choice(inputs).type.tensor_type
    node = model.graph.node[0]
    match kind:
        case "size":
            if not tensor.shape.dim:
                return False
            dim = rng.choice(tensor.shape.dim)
            dim.dim_value = max(1, dim.dim_value + rng.choice([-1, 1, 2]))
        case "rank":
            tensor.shape.dim.add().dim_value = 2
        case "type":
            tensor.elem_type = rng.choice([onnx.TensorProto.BOOL, onnx.TensorProto.STRING, onnx.TensorProto.INT32])
        case "attribute":
            numbers = [a for a in node.attribute if a.type in (onnx.AttributeProto.INT, onnx.AttributeProto.INTS)]
            if not numbers:
                return False
            attribute = rng.choice(numbers)
            if attribute.type == onnx.AttributeProto.INT:
                attribute.i = attribute.i + rng.choice([-7, 7])
            elif attribute.ints:
                attribute.ints.append(1)
            else:
                return False
        case "operand":
            del node.input[-1]
    return True


CRASHED = "the checker itself crashed"


class Checker:
    """`onnx.checker` in a process of its own: some of the mutations make it crash."""

    def __init__(self) -> None:
        self._pool = self._start()

    @staticmethod
    def _start() -> ProcessPoolExecutor:
        return ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))

    def complaint(self, model: onnx.ModelProto) -> str | None:
        try:
            return self._pool.submit(complaint_about, model.SerializeToString()).result()
        except BrokenProcessPool:
            self._pool = self._start()
            return CRASHED

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)


@pytest.fixture(scope="module")
def checker() -> Iterator[Checker]:
    made = Checker()
    yield made
    made.close()


# Complaints that are not about the operator: the checker's view of the container, or of constant operands.
NOT_OURS = ("Nodes in a graph must be topologically sorted", "Unrecognized attribute: value", "Graph must be in single")


@pytest.mark.parametrize("seed", [4, pytest.param(5, marks=pytest.mark.study)])
def test_what_the_checker_refuses_assay_refuses(checker: Checker, seed: int) -> None:
    """Mutations that `onnx.checker` or strict inference refuses; those we accept must truly run."""
    rng = random.Random(seed)
    missed = []
    refused = 0
    for case in cases():
        if any(part in case.name for part in ("_expanded", "sequence", "optional", "loop", "if_", "scan", "string")):
            continue
        proto = case.model
        if len(proto.graph.node) != 1 or proto.graph.node[0].domain:
            continue
        for changed in mutations(proto, rng):
            reason = checker.complaint(changed)
            if reason is None or reason == CRASHED or reason.startswith(NOT_OURS):
                continue
            if program_of(read_graph(load(changed))).unknown:
                continue  # said to be unknown, not said to be valid
            refused += 1
            if not objects(changed) and not runs(changed):
                missed.append((case.name, reason[:160]))
    assert refused > 800
    assert not missed


def runs(model: onnx.ModelProto) -> bool:
    """Whether the reference implementation accepts zeros of the stated shapes and types."""
    feeds = {}
    for value in model.graph.input:
        tensor = value.type.tensor_type
        shape = [d.dim_value for d in tensor.shape.dim]
        feeds[value.name] = np.zeros(shape, dtype=h.tensor_dtype_to_np_dtype(tensor.elem_type))
    try:
        ReferenceEvaluator(model).run(None, feeds)
    except Exception:
        return False
    return True


def conv(x: Any, w: Any, **attributes: Any) -> onnx.ModelProto:
    return one("Conv", [("x", x), ("w", w)], **attributes)


def one(operator: str, inputs: list[tuple[str, Any]], **attributes: Any) -> onnx.ModelProto:
    node = h.make_node(operator, [n for n, _ in inputs], ["y"], **attributes)
    values = [h.make_tensor_value_info(n, onnx.TensorProto.FLOAT, s) for n, s in inputs]
    graph = h.make_graph([node], "g", values, [h.make_tensor_value_info("y", onnx.TensorProto.FLOAT, list("abcd"))])
    return h.make_model(graph, opset_imports=[h.make_opsetid("", 18)])


SILENT = {
    "kernel larger than input": conv([1, 3, 5, 5], [8, 3, 7, 7]),
    "channel mismatch": conv([1, 4, 32, 32], [8, 3, 3, 3]),
    "channel mismatch with an open batch": conv(["n", 4, 32, 32], [8, 3, 3, 3]),
    "groups do not divide the outputs": conv([1, 4, 8, 8], [3, 2, 3, 3], group=2),
    "pooling window larger than input": one("MaxPool", [("x", [1, 3, 4, 4])], kernel_shape=[9, 9]),
    "dilated pooling window": one("MaxPool", [("x", [1, 3, 4, 4])], kernel_shape=[3, 3], dilations=[2, 2]),
}


@pytest.mark.parametrize("name", SILENT)
def test_where_the_checker_is_silent_assay_is_not(name: str, checker: Checker) -> None:
    assert checker.complaint(SILENT[name]) is None, "the checker has learnt this; move it to the other test"
    assert errors(SILENT[name])
