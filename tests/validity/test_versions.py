"""Framework versions: what they have, what a project pins, and what an upgrade changes in a declared space."""

from __future__ import annotations

from pathlib import Path

import onnx_ir as ir
import pytest
from onnx import TensorProto
from onnx import helper as h

from analyzer.configuration.config import TargetConfig
from analyzer.findings import Finding
from analyzer.graph import Graph
from analyzer.validity import analyse
from analyzer.validity.decide import decide
from analyzer.validity.space_reader import read_space
from analyzer.validity.versions import pins_of, requirement_lines

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


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("torch==2.1.0", (2, 1, 0)),
        ("torch >= 1.9, < 2", (1, 9)),
        ("torch[opt]~=2.3 ; python_version > '3.9'", (2, 3)),
        ("Torch>=2,==2.2.*", (2, 2)),
        ("torchvision==0.1", None),
        ("-r other.txt", None),
        ("torch @ https://example.org/torch.whl", None),
    ],
)
def test_requirement_lines(line: str, version: tuple[int, ...] | None) -> None:
    assert pins_of([line]).of("torch") == version


def test_dependencies_of_a_pyproject_and_what_is_no_toml() -> None:
    text = '[project]\nname = "x"\ndependencies = ["keras>=3.1", 7]\n'
    assert pins_of(requirement_lines("pyproject.toml", text)).of("keras") == (3, 1)
    assert requirement_lines("pyproject.toml", "[project\n") == ()
