"""What the declarations say is what the standard, the registries and the operators themselves say."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

from analyzer.numerical.transfer.registry import rules
from analyzer.operators.declaration import ELEMENTWISE, MONOTONE, PLUS_ZERO, SAME_SHAPE, Trait
from analyzer.operators.registry import OPERATORS, declared, layer_or_function, names, operator_named
from analyzer.validity.registry import all_specs

STANDARD = ("", "ai.onnx.ml", "ai.onnx.preview.training")
MICROSOFT = ("SimplifiedLayerNormalization",)  # ONNX Runtime writes it into the standard's domain


def history() -> dict[tuple[str, str], tuple[int, ...]]:
    found: dict[tuple[str, str], set[int]] = defaultdict(set)
    for schema in onnx.defs.get_all_schemas_with_history():
        found[schema.domain, schema.name].add(schema.since_version)
    return {key: tuple(sorted(versions)) for key, versions in found.items()}


def test_versions_are_those_of_the_standard() -> None:
    known = history()
    for operator in OPERATORS:
        if operator.versions and operator.name not in MICROSOFT:
            stated = known.get((operator.domain, operator.name))
            assert stated == operator.versions, f"{operator.name}: the standard says {stated}"


def test_every_operator_of_the_standard_is_declared() -> None:
    missing = [key for key in history() if key[0] == "" and declared(*key) is None]
    latest = {s.name for s in onnx.defs.get_all_schemas() if s.domain == ""}
    assert not [name for _, name in missing if name in latest]


def test_every_node_of_a_declared_type_has_a_transfer_function_or_a_standard_body() -> None:
    known = rules()
    bodies = {s.name for s in onnx.defs.get_all_schemas() if s.has_function or s.has_context_dependent_function}
    for operator in OPERATORS:
        for domain, name in operator.keys:
            assert (domain, name) in known or (domain == "" and name in bodies), (domain, name)


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
    assert "GreaterEqual" in names("tf", Trait.COMPARISON)
    assert "GreaterOrEqual" in names("onnx", Trait.COMPARISON)


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
    if traits & PLUS_ZERO:
        assert not np.signbit(evaluate(name, np.array([0.0, -0.0, -1e-45], np.float32))).any()
