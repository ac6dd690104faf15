"""Exported programs (``.pt2``): what PyTorch's own reader would run is told, refused and never reached."""

from __future__ import annotations

import io
import json
import os
import pickle
import subprocess
import sys
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from analyzer.differential.worker.torch_parts import NotRead, put_together
from analyzer.loading.exported_program import take_apart
from analyzer.loading.scan import scan
from analyzer.loading.torch_program import read_program
from analyzer.problem import TargetProblem

torch = pytest.importorskip("torch")
LAYOUTS = ("file a weight", "saved weights", "classic")


class Touches:
    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch {self.mark}",)


class Net(torch.nn.Module):
    """Tied weights, a transposed buffer, half precision, a constant, an integer among the inputs."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)
        self.second.weight = self.first.weight
        self.register_buffer("turned", torch.arange(6.0).reshape(2, 3).t())
        self.register_buffer("low", torch.arange(3).to(torch.bfloat16))
        self.constant = torch.ones(3)

    def forward(self, x: Any, *, more: Any) -> Any:
        y = self.second(self.first(x)) + self.constant + self.low.float()
        return {"a": y @ self.turned + more["y"], "b": [x.shape[0] + self.turned.sum()]}


@pytest.fixture(scope="module")
def exported() -> Any:
    torch.manual_seed(0)
    rows = torch.export.Dim("rows", min=2)
    return torch.export.export(
        Net(), (torch.randn(4, 3),), {"more": {"y": torch.ones(2)}},
        dynamic_shapes={"x": {0: rows}, "more": {"y": None}},
    )  # fmt: skip


@pytest.fixture(scope="module", params=LAYOUTS)
def members(request: pytest.FixtureRequest, exported: Any) -> dict[str, bytes]:
    """The archive of `exported` as torch 2.8 and later, torch 2.7, and older versions write it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return layout(exported, request.param)


def layout(exported: Any, name: str) -> dict[str, bytes]:
    from torch._export.serde.serialize import serialize

    buffer = io.BytesIO()
    torch.export.save(exported, buffer)
    with zipfile.ZipFile(buffer) as archive:
        new = {info.filename: archive.read(info) for info in archive.infolist()}
    if name == LAYOUTS[0]:
        return new
    parts = serialize(exported)
    if name == LAYOUTS[2]:
        return {
            "version": b"8.2", "serialized_exported_program.json": parts.exported_program,
            "serialized_state_dict.pt": parts.state_dict, "serialized_constants.pt": parts.constants,
            "serialized_example_inputs.pt": parts.example_inputs,
        }  # fmt: skip
    root = next(iter(new)).partition("/")[0]
    kept = {n: c for n, c in new.items() if "/data/weights/" not in n and "/data/constants/" not in n}
    return {
        **kept,
        f"{root}/data/weights/model.pt": parts.state_dict,
        f"{root}/data/constants/model.pt": parts.constants,
    }


def write(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def test_the_program_computes_what_was_exported(members: dict[str, bytes], exported: Any, tmp_path: Path) -> None:
    path = write(tmp_path / "m.pt2", members)
    assert not scan(path)
    take_apart(path, tmp_path / "parts")
    made = put_together(tmp_path / "parts")
    x, more = torch.randn(7, 3), {"y": torch.randn(2)}
    expected, got = exported.module()(x, more=more), made.module()(x, more=more)
    assert torch.equal(expected["a"], got["a"])
    assert torch.equal(expected["b"][0], got["b"][0])
    assert {n: t.dtype for n, t in made.state_dict.items()} == {n: t.dtype for n, t in exported.state_dict.items()}
    state = made.state_dict
    assert state["first.weight"].data_ptr() == state["second.weight"].data_ptr(), "tied weights stay tied"
    assert isinstance(state["first.weight"], torch.nn.Parameter)
    args, kwargs = made.example_inputs
    assert torch.equal(args[0], exported.example_inputs[0][0])
    assert torch.equal(kwargs["more"]["y"], torch.ones(2))
    graph = read_program(path)
    values = {v.name: v.const_value.numpy() for v in graph.graph.initializers.values() if v.const_value is not None}
    assert (values["turned"] == exported.state_dict["turned"].numpy()).all()


def test_pytorchs_reader_is_never_called(
    members: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever another module makes of `torch.load` and `pickle`: nothing here goes through them."""

    def called(*_: Any, **__: Any) -> Any:
        raise AssertionError("unpickled")

    for place, name in (
        (torch, "load"),
        (torch.export, "load"),
        (pickle, "loads"),
        (pickle, "load"),
        (pickle, "Unpickler"),
    ):
        monkeypatch.setattr(place, name, called)
    take_apart(write(tmp_path / "m.pt2", members), tmp_path / "parts")
    assert put_together(tmp_path / "parts").state_dict


def _saved(mark: Path) -> bytes:
    buffer = io.BytesIO()
    torch.save(((Touches(mark),), {}), buffer)
    return buffer.getvalue()


def _changed(members: dict[str, bytes], change: Callable[[dict[str, Any]], None]) -> dict[str, bytes]:
    (name,) = [n for n in members if "/models/" in n or n == "serialized_exported_program.json"]
    program = json.loads(members[name])
    change(program)
    return {**members, name: json.dumps(program).encode()}


def _node(program: dict[str, Any], target: str, *texts: str) -> None:
    """Put a call of `target` on texts before all others; it returns what nobody uses."""
    graph = program["graph_module"]["graph"]
    inputs = [{"name": f"a{i}", "arg": {"as_string": text}, "kind": 1} for i, text in enumerate(texts)]
    graph["nodes"].insert(0, {"target": target, "inputs": inputs, "outputs": [], "metadata": {}, "name": "act"})


def _file(program: dict[str, Any], mark: Path, operator: str) -> None:
    _node(program, operator, str(mark))
    call = program["graph_module"]["graph"]["nodes"][0]
    call["inputs"] = [
        {"name": "filename", "arg": {"as_string": str(mark)}, "kind": 1},
        {"name": "shared", "arg": {"as_bool": True}, "kind": 1},
        {"name": "size", "arg": {"as_int": 64}, "kind": 1},
    ]
    call["outputs"] = [{"as_tensor": {"name": "mapped"}}]
    tensors = program["graph_module"]["graph"]["tensor_values"]
    tensors["mapped"] = {**next(iter(tensors.values())), "sizes": [{"as_int": 64}], "strides": [{"as_int": 1}]}


def _spec(program: dict[str, Any], kind: str, context: Any) -> None:
    signature = program["graph_module"]["module_call_graph"][0]["signature"]
    leaf = {"type": None, "context": None, "children_spec": []}
    signature["out_spec"] = json.dumps(
        [1, {"type": kind, "context": json.dumps(context), "children_spec": [leaf, leaf]}]
    )


PROGRAMS: dict[str, Callable[[dict[str, Any], Path], None]] = {
    "a guard is Python": lambda p, m: p.update(guards_code=[f"__import__('os').system('touch {m}')"]),
    "a guard hides Python": lambda p, m: p.update(guards_code=[f"L['x'].size()[0] == 4 or open('{m}', 'w')"]),
    "a size is Python": lambda p, m: next(iter(p["graph_module"]["graph"]["tensor_values"].values()))["sizes"].append(
        {"as_expr": {"expr_str": f"open('{m}','w')", "hint": None}}
    ),
    "a call of a function": lambda p, m: _node(p, "torch.serialization.os.system", f"touch {m}"),
    "a call through higher-order operators": lambda p, m: _node(
        p, "torch._higher_order_ops.utils.os.system", f"touch {m}"
    ),
    "a call through an operator's attributes": lambda p, m: _node(p, "torch.ops.aten.relu.__class__", f"touch {m}"),
    "an import through torch.ops": lambda p, m: _node(p, "torch.ops.import_module.__call__", "antigravity"),
    "a getter of attributes": lambda p, m: _node(p, "_operator.attrgetter", "__globals__"),
    "a method by name": lambda p, m: _node(p, "_operator.methodcaller", "touch", str(m)),
    "an operator that makes a file": lambda p, m: _file(p, m, "torch.ops.aten.from_file.default"),
    "an operator that saves": lambda p, m: _node(p, "torch.ops.aten.save.default", str(m)),
    "an operator as an argument": lambda p, m: p["graph_module"]["graph"]["nodes"][0]["inputs"].append(
        {"name": "f", "arg": {"as_operator": "torch.serialization.os.system"}, "kind": 1}
    ),
    "a container that imports": lambda p, m: _spec(
        p, "builtins.dict", [{"__enum__": True, "fqn": "antigravity:x", "name": "y"}, "b"]
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_a_program_names_is_told_and_not_run(name: str, exported: Any, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    for kind in (LAYOUTS[0], LAYOUTS[2]):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            members = layout(exported, kind)
        path = write(tmp_path / "m.pt2", _changed(members, lambda p: PROGRAMS[name](p, mark)))
        assert any(f.rule.startswith("security/") and f.level == "error" for f in scan(path)), kind
        with pytest.raises(TargetProblem):  # the reader does not rely on the scan
            take_apart(path, tmp_path / "parts")
    assert not mark.exists()


@pytest.mark.parametrize("part", ["weights", "constants", "example"])
def test_pickles_in_every_part_are_told_and_not_run(part: str, members: dict[str, bytes], tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    root = next(iter(members)).partition("/")[0]
    new = {"weights": "data/weights/model.pt", "constants": "data/constants/model.pt"}
    names = {
        "weights": "serialized_state_dict.pt", "constants": "serialized_constants.pt",
        "example": "serialized_example_inputs.pt",
    } if "version" in members else {
        k: f"{root}/{n}" for k, n in {**new, "example": "data/sample_inputs/model.pt"}.items()
    }  # fmt: skip
    listed = f"{root}/data/{part}/model_{part}_config.json"
    path = write(tmp_path / "m.pt2", {**{n: c for n, c in members.items() if n != listed}, names[part]: _saved(mark)})
    assert any(f.rule == "security/unsafe-pickle" for f in scan(path))
    with pytest.raises(TargetProblem, match=r"besides tensors|no tensors by name"):
        take_apart(path, tmp_path / "parts")
    assert not mark.exists()


def test_a_program_within_a_program(exported: Any, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        members = layout(exported, LAYOUTS[0])
    root = next(iter(members)).partition("/")[0]
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        for name, content in {**members, f"{root}/data/sample_inputs/model.pt": _saved(mark)}.items():
            archive.writestr(name, content)
    path = write(tmp_path / "m.pt2", {**members, f"{root}/data/sample_inputs/model.pt": inner.getvalue()})
    assert any(f.rule == "security/unsafe-pickle" for f in scan(path))
    with pytest.raises(TargetProblem):
        take_apart(path, tmp_path / "parts")
    assert not mark.exists()


def test_the_engines_side_refuses_by_itself(members: dict[str, bytes], tmp_path: Path) -> None:
    """An operator that takes text of an unknown kind is refused by its schema, known to the scan or not."""
    take_apart(write(tmp_path / "m.pt2", members), tmp_path / "parts")
    file = tmp_path / "parts" / "program.json"
    parts = json.loads(file.read_text())
    mark = tmp_path / "mark"
    _file(parts["program"], mark, "torch.ops.aten.from_file.default")
    file.write_text(json.dumps(parts))
    with pytest.raises(NotRead, match="takes text"):
        put_together(tmp_path / "parts")
    assert not mark.exists()


def test_no_source_asks_for_the_permissive_reader() -> None:
    root = Path(__file__).parents[2]
    for path in [*(root / "analyzer").rglob("*.py"), *(root / "action").rglob("*.py")]:
        text = path.read_text(encoding="utf-8")
        for word in ("weights_only=False", "torch.export.load(", "torch.load(", "pickle.Unpickler"):
            assert word not in text, f"{word} in {path.relative_to(root)}"


def test_pytorchs_own_reader_would_run_the_guards(exported: Any, tmp_path: Path) -> None:
    """Why the reader is our own: here the file that the first attack writes does act, in a process of its own."""
    mark = tmp_path / "mark"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        members = layout(exported, LAYOUTS[0])
    (tmp_path / "elsewhere").mkdir()
    change = PROGRAMS["a guard is Python"]
    path = write(tmp_path / "m.pt2", _changed(members, lambda p: change(p, mark)))
    code = (
        "import sys, torch; p = torch.export.load(sys.argv[1]); p.module()(torch.ones(4, 3), more={'y': torch.ones(2)})"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, check=False, timeout=300)
    if not mark.exists():
        pytest.skip("this PyTorch does not evaluate guards")
