"""What the declarations say is what the standard, the registries and the operators themselves say."""

from __future__ import annotations

import ast
import contextlib
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
import pytest
from onnx.reference import ReferenceEvaluator

from analyzer.graph import Graph, ValueRange
from analyzer.numerical import Options, interpret
from analyzer.numerical.confirm.torch_registry import Mode, handler_of
from analyzer.numerical.contributed import BODIES
from analyzer.numerical.transfer.registry import rules
from analyzer.operators.declaration import (
    BOUNDED,
    ELEMENTWISE,
    FLOATING,
    FLOORED,
    MONOTONE,
    PLUS_ZERO,
    SAME_SHAPE,
    SIGN_OF_OPERAND,
    Operator,
    Trait,
)
from analyzer.operators.registry import (
    OPERATORS,
    declaration_of,
    declared,
    layer_or_function,
    names,
    operator_name,
    operator_named,
    traits_of,
)
from analyzer.validity.registry import all_specs
from analyzer.validity.spec import TensorType, check, define
from scripts.operators import bounds, reference, shape, standard_functions

MICROSOFT = ("SimplifiedLayerNormalization",)  # ONNX Runtime writes it into the standard's domain


def history() -> dict[tuple[str, str], tuple[int, ...]]:
    found: dict[tuple[str, str], set[int]] = defaultdict(set)
    for schema in onnx.defs.get_all_schemas_with_history():
        found[schema.domain, schema.name].add(schema.since_version)
    return {key: tuple(sorted(versions)) for key, versions in found.items()}


def test_versions_are_those_of_the_standard() -> None:
    known = history()
    for operator in OPERATORS:
        if operator.versions and operator.name not in MICROSOFT and operator.domain != "com.microsoft":
            stated = known.get((operator.domain, operator.name))
            assert stated == operator.versions, f"{operator.name}: the standard says {stated}"


def test_every_operator_of_the_standard_is_declared() -> None:
    missing = [key for key in history() if key[0] == "" and declared(*key) is None]
    latest = {s.name for s in onnx.defs.get_all_schemas() if s.domain == ""}
    assert not [name for _, name in missing if name in latest]


def test_every_node_of_a_declared_type_has_a_transfer_function_or_a_standard_body() -> None:
    known = rules()
    bodies = {*standard_functions(), *(("com.microsoft", name) for name in BODIES)}
    missing = {key for operator in OPERATORS for key in operator.keys if key not in known and key not in bodies}
    assert missing == {("com.microsoft", name) for name in ("DynamicQuantizeLSTM", "MatMulNBits", "QAttention")}


def test_names_of_layers_and_functions_have_refinement_types() -> None:
    types = all_specs()
    for name in ("MaxPool2d", "conv2d", "ReLU", "relu", "Linear"):
        assert ("torch", name) in types
        assert layer_or_function("torch", name) is not None
    named = [("keras", n) for o in OPERATORS for n in o.keras]
    assert [key for key in named if key not in types] == [("keras", "PReLU")]


def test_an_operator_is_one_whatever_a_framework_calls_it() -> None:
    assert declared("tf", "AddV2") is declared("ai.onnx", "Add") is operator_named("Add")
    assert declared("tf", "SelectV2") is declared("", "Where")
    assert declared("tf", "Where") is declared("", "NonZero")  # TensorFlow's Where gives indices
    assert declared("tf", "ApproximateEqual") is not declared("tf", "Equal")
    assert declared("com.example", "Add") is None
    assert operator_name(ir.node("AddV2", [], domain="tf")) == operator_name(ir.node("Add", [])) == "Add"
    assert operator_name(ir.node("Add", [], domain="com.example")) == operator_name(None) == ""
    assert traits_of(ir.node("SelectV2", [], domain="tf")) & Trait.SELECTION
    assert not traits_of(ir.node("Mystery", []))
    assert "GreaterEqual" in names("tf", Trait.COMPARISON)
    assert "GreaterOrEqual" in names("onnx", Trait.COMPARISON)
    standard = {s.name for s in onnx.defs.get_all_schemas_with_history() if s.domain == ""} | set(MICROSOFT)
    assert [n for trait in Trait for n in names("onnx", trait) if n not in standard] == []
    assert names("onnx", Trait.COMPARISON | Trait.SELECTION) == tuple(
        o.name for o in OPERATORS if o.name in {*names("onnx", Trait.COMPARISON), "Where"} and o.versions
    )
    with pytest.raises(KeyError):
        operator_named("Mystery")


UNARY = [o.name for o in OPERATORS if o.versions and not o.domain and o.traits & SAME_SHAPE]
LIMITED = {"Log": 1e-3, "Sqrt": 0.0, "Acosh": 1.0}  # least operand
WITHIN_ONE = ("Acos", "Asin", "Atanh")


def evaluate(name: str, x: np.ndarray) -> np.ndarray:
    node = onnx.helper.make_node(name, ["x"], ["y"])
    info = [onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, [None]) for n in ("x", "y")]
    model = onnx.helper.make_model(
        onnx.helper.make_graph([node], "g", info[:1], info[1:]), opset_imports=[onnx.helper.make_opsetid("", 24)]
    )
    result = ReferenceEvaluator(model).run(None, {"x": x})
    assert isinstance(result, list)
    return np.asarray(result[0])


@pytest.mark.parametrize("name", [n for n in UNARY if n not in ("Not", "BitwiseNot")])
def test_traits_hold_of_the_reference(name: str) -> None:
    """Element-wise: a permutation of the operand permutes the result. Monotone: sorted stays sorted."""
    random = np.random.default_rng(20)
    low = LIMITED.get(name, -1.0 if name in WITHIN_ONE else -3.0)
    x = np.sort(random.uniform(low, 0.999 if name in WITHIN_ONE else 4.0, 41)).astype(np.float32)
    x[20] = 0.0 if low < 0 else x[20]
    x.sort()
    y, order = evaluate(name, x), random.permutation(41)
    traits = operator_named(name).traits
    assert y.shape == x.shape
    if traits & ELEMENTWISE:
        np.testing.assert_array_equal(evaluate(name, x[order]), y[order])
    if traits & MONOTONE:
        assert (np.diff(y) >= -1e-6).all()
    if traits & BOUNDED:
        ends = evaluate(name, np.array([-np.inf, np.inf, np.nan], np.float32))
        assert np.isfinite(ends[:2]).all()
        assert np.isnan(ends[2]) or name == "Sign"  # the sign of NaN is not defined
    if traits & FLOORED:
        assert np.isfinite(evaluate(name, np.array([-np.inf], np.float32))).all()
    if traits & SIGN_OF_OPERAND:
        near = np.array([0.0, 1e-30, -1e-30, 0.5, -0.5], np.float32)
        for given, made in ((x, y), (near, evaluate(name, near))):
            assert ((made == 0) | (np.sign(made) == np.sign(given))).all()
    if traits & PLUS_ZERO:
        assert not np.signbit(evaluate(name, np.array([0.0, -0.0, -1e-45], np.float32))).any()


def test_layers_of_pytorch_hold_weights_where_the_declarations_say_so() -> None:
    from torch import nn

    arguments: tuple[tuple[Any, ...], ...] = ((), (4,), (4, 4), (4, 4, 1), (1, 4), (4, 0.5, 0.5), (1, (2, 2)))
    arguments += ((nn.TransformerEncoderLayer(4, 4), 1),)
    weighted = set()
    for operator in OPERATORS:
        kinds = [vars(nn)[name] for name in operator.torch if isinstance(vars(nn).get(name), type)]
        for kind in (kind for kind in kinds if issubclass(kind, nn.Module)):
            for given in arguments:
                with contextlib.suppress(TypeError, AssertionError):
                    if any(True for _ in kind(*given).parameters()):
                        weighted.add(operator.name)
                    break
            else:
                raise AssertionError(f"{kind.__name__} cannot be built")
    elsewhere = {"Parameter", "InstanceNormalization"}  # a weight itself; with `affine=True`
    elsewhere |= {o.name for o in OPERATORS if o.keras and not any(n[0].isupper() for n in o.torch)}  # layers of Keras
    assert weighted == {o.name for o in OPERATORS if o.traits & Trait.WEIGHTS} - elsewhere


@pytest.mark.parametrize("name", names("keras", Trait.BUILT_FOR_LAST_AXIS))
def test_layers_of_keras_refuse_another_last_axis_than_they_were_built_for(name: str) -> None:
    import keras

    kind = getattr(keras.layers, name)
    arguments = ((3, 2), (2,), ()) if "Conv" in name else ((2,), ())
    rank = next((int(d) + 2 for d in "123" if f"{d}D" in name), 3)
    for given in arguments:
        with contextlib.suppress(TypeError, ValueError):
            layer = kind(*given) if "Norm" not in name else kind()
            layer(np.ones((2, *(5,) * (rank - 2), 6), np.float32))
            break
    with pytest.raises(Exception, match=r"\d"):
        layer(np.ones((2, *(5,) * (rank - 2), 7), np.float32))


def strings_of(value: ast.expr) -> list[str]:
    """The strings of a literal, a set, a tuple, a list or a split text."""
    if isinstance(value, ast.Call) and value.args and ast.unparse(value.func) in ("frozenset", "set", "tuple"):
        value = value.args[0]
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "split":
        return ast.literal_eval(value.func.value).split() if isinstance(value.func.value, ast.Constant) else []
    elements = value.elts if isinstance(value, (ast.Set, ast.Tuple, ast.List)) else []
    return [e.value for e in elements if isinstance(e, ast.Constant) and isinstance(e.value, str)]


@pytest.mark.parametrize("operator", [o for o in OPERATORS if o.traits & SAME_SHAPE], ids=lambda o: o.name)
def test_floating_is_what_torch_does_with_integers(operator: Operator) -> None:
    import torch

    results = []
    for name in operator.torch:
        with contextlib.suppress(RuntimeError, TypeError, AttributeError):  # a module, or not of integers
            results.append(getattr(torch, name)(torch.tensor([1, 1])).dtype.is_floating_point)
    assert set(results) <= {bool(operator.traits & FLOATING)}


def test_sets_of_operator_names_are_traits() -> None:
    """What a room says of several operators is declared; sets of methods that are no operators may hold a few names."""
    own = {n for o in OPERATORS for n in (o.name, *o.tf, *o.torch, *o.keras, *o.aten)}
    root = Path(__file__).parents[2] / "analyzer"
    found = []
    for path in sorted(p for p in root.rglob("*.py") if p.parent != root / "operators"):
        for statement in ast.parse(path.read_text()).body:
            told = strings_of(statement.value) if isinstance(statement, ast.Assign) else []
            if len(told) > 2 and 2 * sum(n.rstrip("_") in own for n in told) >= len(told):
                found.append(f"{path.relative_to(root)}: {ast.unparse(statement)[:30]}")
    assert [line.partition(" = ")[0] for line in found] == [
        "tracing/operators/layers.py: CONVERTING",  # methods of modules
        "tracing/operators/tables.py: _OVER_ROWS",  # methods of pandas' tables
        "tracing/operators/tensors.py: _POINTED",  # methods of NumPy's arrays
        "tracing/operators/torch_storage_rules.py: _NEW",  # functions whose result has a memory of its own
        "tracing/paths/attained.py: KEEPING",  # functions and methods whose results attain what is given
        "tracing/paths/attained.py: _REAL",  # functions that draw any number
        "tracing/paths/attained.py: _LOSSES",  # that are never negative
        "tracing/paths/bounds.py: _KEEPING",  # functions and methods whose results lie within what is given
        "tracing/paths/bounds.py: _ROUNDING",  # the same, in another type
        "tracing/paths/questions.py: _JOINING",  # of truths
        "tracing/programs/literal_shapes.py: _REPEATS",  # methods of tensors and arrays, read from the text
        "tracing/programs/literal_shapes.py: _SWAPS",
        "tracing/programs/used_as_tensors.py: _OF_TENSORS",  # methods that tensors of PyTorch alone have
        "tracing/samples/chance.py: _NORMAL",  # functions that draw numbers
        "tracing/samples/cost.py: _COUNTED",  # functions of NumPy and torch, by what they cost
        "tracing/samples/cost.py: _PRODUCTS",
        "tracing/samples/exactness.py: _KEEPING_WHOLE",  # functions and methods that give whole numbers of such
        "tracing/samples/sampler.py: _PLACES",  # functions and methods that give places, of floats too
        "validity/space_reader.py: DOMAIN_KEYS",  # of a file
        "validity/specs/creation.py: SIZES",
        "validity/specs/losses.py: REDUCTIONS",  # values of an attribute
    ]


def test_every_operator_of_the_standard_has_all_columns() -> None:
    """But for those that its declaration says it lacks."""
    for operator in (o for o in OPERATORS if o.versions and not o.domain):
        assert bounds(operator), operator.name
        empty = {"types": "onnx" not in shape(operator), "references": not reference(operator)}
        assert sorted(operator.lacks) == sorted(name for name, is_empty in empty.items() if is_empty), operator.name


def test_columns_hold_names_of_their_operator() -> None:
    all_specs()
    for operator in OPERATORS:
        assert {*operator.bounds, *operator.references} <= {*operator.keys}
        for framework, name in operator.types:
            assert declaration_of(framework, name) is operator
    with pytest.raises(KeyError):
        define("torch", "Mystery")(test_columns_hold_names_of_their_operator)
    with pytest.raises(ValueError, match="told twice"):
        define("torch", "relu")(test_columns_hold_names_of_their_operator)


def test_quick_gelu_is_that_of_onnx_runtime() -> None:
    """An operator of ONNX Runtime's own domain: bounds and shape are those of its kernel."""
    import onnxruntime

    x = np.linspace(-8, 4, 37, dtype=np.float32).reshape(1, 37)
    opsets = [onnx.helper.make_opsetid("", 17), onnx.helper.make_opsetid("com.microsoft", 1)]
    for attributes in ({}, {"alpha": 3.0}, {"alpha": -1.0}):
        node = onnx.helper.make_node("QuickGelu", ["x"], ["y"], domain="com.microsoft", **attributes)
        info = [onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, [1, 37]) for n in ("x", "y")]
        graph = onnx.helper.make_graph([node], "g", info[:1], info[1:])
        model = onnx.helper.make_model(graph, opset_imports=opsets, ir_version=8)
        (computed,) = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"x": x})
        read = Graph(ir.from_proto(model))
        found = interpret(read, {"x": ValueRange(-8, 4)}, options=Options(everything=True))
        result = found.values[read.graph.outputs[0]]
        low, high = float(computed.min()), float(computed.max())
        assert low - 0.01 <= result.low <= low <= high <= result.high <= high + 0.01
    (shape,) = (one for key, one in declared("com.microsoft", "QuickGelu").types.items())  # type: ignore[union-attr]
    assert check(shape, [TensorType((2, 3), "float16")]).output == TensorType((2, 3), "float16")


def test_swiglu_in_all_rooms() -> None:
    """The newest operator of the standard, by its reference: bounds contain it, torch computes it."""
    import torch

    random = np.random.default_rng(21)
    gate, value = (random.uniform(-4, 4, (3, 5)).astype(np.float32) for _ in range(2))
    node = onnx.helper.make_node("SwiGLU", ["a", "b"], ["y"], name="n", alpha=1.5)
    info = [onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, [3, 5]) for n in ("a", "b", "y")]
    model = onnx.helper.make_model(
        onnx.helper.make_graph([node], "g", info[:2], info[2:]), opset_imports=[onnx.helper.make_opsetid("", 28)]
    )
    expected = gate / (1 + np.exp(-1.5 * gate)) * value
    graph = Graph(ir.from_proto(model))
    found = interpret(graph, {"a": ValueRange(-4, 4), "b": ValueRange(-4, 4)}, options=Options(everything=True))
    result = found.values[graph.graph.outputs[0]]
    assert result.low <= expected.min() <= expected.max() <= result.high <= 16.01
    assert result.low >= -16.01
    call = handler_of("", "SwiGLU")
    assert call is not None
    computed = call(graph.graph.node("n"), [torch.from_numpy(gate), torch.from_numpy(value)], Mode())
    np.testing.assert_allclose(computed.numpy(), expected, rtol=1e-5)
