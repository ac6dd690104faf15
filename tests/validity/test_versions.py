"""Framework versions: what they have, what a project pins, and what an upgrade changes in a declared space."""

from __future__ import annotations

from pathlib import Path

import onnx_ir as ir
import pytest
from onnx import TensorProto
from onnx import helper as h

from analyzer.configuration.config import TargetConfig
from analyzer.findings import Finding
from analyzer.frameworks.api_tables import Asked, all_tables, asked_of
from analyzer.frameworks.requested_versions import read_versions
from analyzer.graph import Graph
from analyzer.validity import analyse
from analyzer.validity.decide import decide
from analyzer.validity.registry import all_specs
from analyzer.validity.space_reader import read_space
from analyzer.validity.versions import HOMES, missing

SPACE = """version: 1
model:
  inputs: {x: {shape: [4, 16, 32]}}
  layers:
    - {name: encoder, op: TransformerEncoderLayer, d_model: 32, nhead: heads, batch_first: true}
hyperparameters:
  heads: [1, 2, 4]
"""


def graph() -> Graph:
    value = [h.make_tensor_value_info(n, TensorProto.FLOAT, [1, 2]) for n in ("x", "y")]
    made = h.make_graph([h.make_node("Relu", ["x"], ["y"])], "g", value[:1], value[1:])
    return Graph(ir.serde.deserialize_model(h.make_model(made, opset_imports=[h.make_opsetid("", 18)])))


def review(base: Path, head: Path) -> list[Finding]:
    target = TargetConfig("t", path="t.onnx", space="space.yml")
    return list(analyse(graph(), target, base=graph(), root=head, base_root=base).findings)


def project(folder: Path, name: str, torch: str, space: str = SPACE) -> Path:
    root = folder / name
    root.mkdir()
    (root / "space.yml").write_text(space)
    (root / "requirements.txt").write_text(f"# models\nnumpy>=1.26\ntorch{torch}  # pinned\n")
    return root


def test_a_version_that_lacks_a_hyperparameter_is_an_error() -> None:
    old = read_space(SPACE.replace("model:\n", "model:\n  version: '1.8.1'\n"), "space.yml")
    decision = decide(old)
    assert decision.valid == 0
    assert "`batch_first` of TransformerEncoderLayer came with torch 1.9" in decision.failures[0].sentence
    new = read_space(SPACE.replace("model:\n", "model:\n  version: 1.9\n"), "space.yml")
    assert decide(new).valid == 3


def test_a_requirement_that_changes_the_verdict_is_told(tmp_path: Path) -> None:
    base, head = project(tmp_path, "base", "==2.4.0"), project(tmp_path, "head", "==1.8.1")
    rules = {f.rule: f for f in review(base, head)}
    found = rules["validity/upgrade-changes-verdict"]
    assert "Under torch 1.8.1 fewer vectors of space.yml are valid than under 2.4.0" in found.message
    assert not review(head, base), "an upgrade that only gains is silent"
    assert not review(base, base)


def test_a_space_that_lost_vectors_by_itself_is_told_apart_from_an_upgrade(tmp_path: Path) -> None:
    base = project(tmp_path, "base", "==2.4.0")
    head = project(tmp_path, "head", ">=2.5,<3", SPACE.replace("d_model: 32", "d_model: 30").replace("32]", "30]"))
    rules = [f.rule for f in review(base, head)]
    assert "validity/space-shrank" in rules
    assert "validity/upgrade-changes-verdict" not in rules


RMS = ("torch", "RMSNorm", {"normalized_shape": 8})


@pytest.mark.parametrize(
    ("layer", "asked", "said"),
    [
        (RMS, Asked((2, 3, 1)), "`RMSNorm` came with torch 2.4; the version is 2.3.1"),
        (RMS, Asked((2, 4)), None),
        (RMS, Asked(low=(2, 0)), None),  # a newer version is allowed, and has it
        (RMS, Asked(), None),
        (("torch", "LayerNorm", {"normalized_shape": 8, "bias": False}), Asked((2, 0, 1)),
         "`bias` of LayerNorm came with torch 2.1; the version is 2.0.1"),
        (("torch", "SiLU", {}), Asked((1, 7)), None),  # of 1.5 to 1.7 nothing is known
        (("torch", "SiLU", {}), Asked((1, 4)), "`SiLU` came by torch 1.8; the version is 1.4"),
        (("torch", "CrossEntropyLoss", {"label_smoothing": 0.1}), Asked((1, 9)),
         "`label_smoothing` of CrossEntropyLoss came with torch 1.10; the version is 1.9"),
        (("torch", "Conv2d", {"padding": "same"}), Asked((1, 8, 1)),
         "`padding: same` of Conv2d came with torch 1.9; the version is 1.8.1"),
        (("torch", "NoLayerAtAll", {}), Asked((2, 3)), None),
        (("torch", "Linear", {"no_such_argument": 1}), Asked((2, 3)), None),  # said by the layer's own type
        (("keras", "GroupNormalization", {}), Asked((2, 10)),
         "`GroupNormalization` came with keras 2.11; the version is 2.10"),
        (("keras", "LocallyConnected2D", {}), Asked(low=(3,)),
         "`LocallyConnected2D` is gone from keras 3 or newer; 2.15 is the last known to have it"),
        (("keras", "MultiHeadAttention", {"use_gate": True}), Asked((3, 10)), "`use_gate` of MultiHeadAttention came"),
    ],
)  # fmt: skip
def test_what_a_version_lacks(layer: tuple[str, str, dict[str, object]], asked: Asked, said: str | None) -> None:
    found = missing(*layer, asked)
    assert (said or "") in (found.sentence() if found else "")
    assert (found is None) == (said is None)


def test_the_environments_own_requirements_come_first(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("torch==2.4.0\n")
    (tmp_path / "old.txt").write_text("torch==1.13.1\n")
    assert asked_of(read_versions(tmp_path), "torch") == Asked((2, 4, 0))
    assert asked_of(read_versions(tmp_path, "old.txt"), "torch") == Asked((1, 13, 1))
    assert asked_of(read_versions(tmp_path, "none.txt"), "torch") == Asked((2, 4, 0))


def test_every_layer_with_a_type_is_in_the_newest_tables() -> None:
    """A name that no table has would never be judged: only functions and operators of other homes may be missing."""
    known = {name: all_tables(name)[-1].modules for name in HOMES}
    own = {"Parameter", "GroupedQueryAttention", "Softplus"}  # a tensor of a description; classes under other names
    layers = [(f, o) for f, o in all_specs() if f in HOMES and o[:1].isupper() and o not in own]
    assert len(layers) > 100
    assert [(f, o) for f, o in layers if not any(o in known[f][home] for home in HOMES[f])] == []


@pytest.mark.parametrize(("version", "valid"), [("3.4.1", True), ("3.5.0", False), ("3.6.0", False), ("3.7.0", True)])
def test_a_rule_that_two_versions_had(version: str, valid: bool) -> None:
    text = f"""version: 1
model:
  framework: keras
  version: {version}
  inputs: {{q: {{shape: [2, 2, 3]}}, v: {{shape: [2, 1, 4]}}}}
  layers: [{{op: MultiHeadAttention, inputs: [q, v], num_heads: 1, key_dim: 3}}]
hyperparameters: {{one: [1]}}
"""
    assert bool(decide(read_space(text, "space.yml")).valid) is valid
