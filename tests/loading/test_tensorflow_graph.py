"""GraphDef files: the schema, the text parser, the operator table, variables, outputs, and what stays out of memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest
from google.protobuf import text_format
from hypothesis import given
from hypothesis import strategies as st

from analyzer.graph import Role, layer_of, role_of
from analyzer.graph.model import INITIAL_VALUE
from analyzer.loading import pbtxt
from analyzer.loading.graphdef import enumerator, parse_text
from analyzer.loading.reading import load
from analyzer.loading.tensorflow_operators import DTYPES, operator
from analyzer.loading.tensorflow_schema import MESSAGES, message_class
from tests.loading.graph_bytes import from_bytes, to_bytes


def training_graph(tmp_path: Path, text: bool = False) -> Path:
    tf = pytest.importorskip("tensorflow")
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [None, 3], name="x")
        keep = v1.placeholder_with_default(tf.constant(0.5), [], name="keep")
        with tf.name_scope("layer"):
            w = v1.Variable(v1.truncated_normal([3, 2]), name="w", use_resource=False)
            y = tf.nn.softmax(tf.matmul(x, w), name="y")
        v1.Variable(0, name="global_step", trainable=False, use_resource=False)
        loss = tf.reduce_mean(-tf.math.log(y * keep), name="loss")
        with tf.name_scope("input"):
            dataset = tf.data.Dataset.from_tensors((np.ones(3, np.float32), np.int64(1)))
            v1.data.make_one_shot_iterator(dataset).get_next()
        v1.train.AdamOptimizer().minimize(loss)
        path = tmp_path / ("g.pbtxt" if text else "g.pb")
        tf.io.write_graph(graph, str(tmp_path), path.name, as_text=text)
    return path


@pytest.mark.parametrize("text", [False, True])
def test_training_graph(tmp_path: Path, text: bool) -> None:
    graph = load(training_graph(tmp_path, text))
    inputs = {v.name: v for v in graph.graph.inputs}
    roles = {name: role_of(v) for name, v in inputs.items()}
    assert roles["x"] is Role.INPUT
    assert roles["keep"] is Role.INPUT
    assert roles["layer/w"] is Role.PARAMETER
    assert {roles[n] for n in roles if "Adam" in n or "power" in n or n == "global_step"} == {Role.STATE}
    assert "input/IteratorGetNext:1" in roles
    assert inputs["input/IteratorGetNext:1"].dtype is ir.DataType.INT64
    assert inputs["x"].shape is not None
    assert [d if isinstance(d, int) else None for d in inputs["x"].shape] == [None, 3]
    initial = inputs["layer/w"].metadata_props[INITIAL_VALUE]
    assert graph.graph.node(initial).op_type == "AddV2" or "truncated_normal" in initial
    assert graph.losses == ("loss",)
    assert layer_of(graph.graph.node("layer/y")) == "layer"
    assert layer_of(graph.graph.node("layer/w/read")) == "layer"
    again = from_bytes(to_bytes(graph))
    assert again.losses == graph.losses
    assert {v.name: v.metadata_props for v in again.graph.inputs} == {n: v.metadata_props for n, v in inputs.items()}
    constants = {n.name: n.outputs[0].const_value for n in again.nodes() if n.op_type == "Const"}
    assert constants
    assert all(value is not None for value in constants.values())


def test_schema_is_tensorflows() -> None:
    pytest.importorskip("tensorflow")
    from tensorflow.core.framework import attr_value_pb2, function_pb2, graph_pb2, op_def_pb2, variable_pb2
    from tensorflow.core.protobuf import (
        meta_graph_pb2,
        saved_model_pb2,
        saved_object_graph_pb2,
        tensor_bundle_pb2,
        trackable_object_graph_pb2,
    )

    theirs: dict[str, Any] = {}

    def collect(descriptor: Any) -> None:
        if descriptor.full_name not in {d.full_name for d in theirs.values()}:
            theirs.setdefault(descriptor.name, descriptor)
            for field in descriptor.fields:
                if field.message_type is not None:
                    collect(field.message_type)

    modules = (attr_value_pb2, graph_pb2, function_pb2, op_def_pb2, variable_pb2, meta_graph_pb2, saved_model_pb2,
               saved_object_graph_pb2, tensor_bundle_pb2, trackable_object_graph_pb2)  # fmt: skip
    for module in modules:
        for descriptor in module.DESCRIPTOR.message_types_by_name.values():
            collect(descriptor)
    for line in MESSAGES.strip().splitlines():
        name = line.partition(":")[0]
        ours = message_class(name).DESCRIPTOR
        for field in ours.fields:
            other = theirs[name].fields_by_name[field.name]
            assert (field.number, field.is_repeated) == (other.number, other.is_repeated), (name, field.name)
            same = field.type == other.type or (field.type == field.TYPE_INT32 and other.type == other.TYPE_ENUM)
            assert same, (name, field.name)


def test_operator_table_is_tensorflows() -> None:
    pytest.importorskip("tensorflow")
    from tensorflow.python.framework import op_def_registry

    for name in ("MatMul", "Split", "FusedBatchNormV3", "IteratorGetNext", "SaveV2", "Conv2D", "Unpack", "While"):
        found, definition = operator(name), op_def_registry.get(name)
        assert found is not None
        assert [o.name for o in found.outputs] == [a.name for a in definition.output_arg]
    assert enumerator("DT_HALF") == 19
    assert DTYPES[19] is ir.DataType.FLOAT16


VALUES = st.one_of(
    st.integers(-(2**63), 2**63 - 1).map(lambda v: ("i", v)),
    st.floats(width=32).map(lambda v: ("f", v)),
    st.booleans().map(lambda v: ("b", v)),
    st.binary(max_size=20).map(lambda v: ("s", v)),
)


@given(
    st.lists(
        st.tuples(
            st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), max_size=8),
            st.lists(st.text("ab^:/0", max_size=4), max_size=3),
            st.dictionaries(st.text('abc_é"\\\n', max_size=3), VALUES, max_size=4),
            st.lists(st.floats(width=32), max_size=3),
        ),
        max_size=4,
    ),
    st.booleans(),
    st.booleans(),
)
def test_text_parser_agrees_with_protobufs_own(nodes: list[Any], one_line: bool, short: bool) -> None:
    message = message_class("GraphDef")()
    for name, inputs, attributes, floats in nodes:
        node = message.node.add(name=name, op="Op", input=inputs)
        for key, (kind, value) in attributes.items():
            setattr(node.attr[key], kind, value)
        if floats:
            node.attr["list"].list.f.extend(floats)
    text = text_format.MessageToString(message, as_one_line=one_line, use_short_repeated_primitives=short)
    found = pbtxt.parse(text, message_class("GraphDef")(), enumerator)
    expected = text_format.Parse(text, message_class("GraphDef")())
    assert found.SerializeToString(deterministic=True) == expected.SerializeToString(deterministic=True)
    if not any(":" in i for _, inputs, _, _ in nodes for i in inputs):
        program = parse_text(text)  # the fast way for what TensorFlow prints, the parser above for the rest
        assert [(n.name, n.op) for n in program.nodes] == [(n.name, n.op) for n in message.node]
        assert [set(n.attributes) for n in program.nodes] == [set(n.attr) for n in message.node]


@pytest.mark.parametrize(
    "bad", ['node { name: "a }', "node { name: 3 }", "node { op", "node {}}", "node { attr: 1 }", "?"]
)
def test_text_mistakes_name_the_line(bad: str) -> None:
    with pytest.raises(pbtxt.TextProblem, match="line 2"):
        pbtxt.parse(f'node {{ name: "ok" }}\n{bad}', message_class("GraphDef")(), enumerator)


def test_no_framework_is_imported_and_little_memory_used(tmp_path: Path) -> None:
    path = training_graph(tmp_path, text=True)
    code = (
        "import sys; from pathlib import Path; from analyzer.loading.reading import load;"
        f"graph = load(Path({str(path)!r})); assert len(graph) > 50;"
        "assert not {'torch', 'tensorflow', 'keras', 'jax', 'onnxruntime', 'h5py', 'z3'} & set(sys.modules);"
        "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert int(done.stdout) < 150_000


def test_an_attribute_without_a_name_is_passed_over(tmp_path: Path) -> None:
    text = 'node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }\n'
    text += 'node { name: "y" op: "Neg" input: "x" attr { key: "" value { type: DT_FLOAT } } }\n'
    (tmp_path / "g.pbtxt").write_text(text)
    node = load(tmp_path / "g.pbtxt").graph.node("y")
    assert (node.op_type, "" in node.attributes) == ("Neg", False)
