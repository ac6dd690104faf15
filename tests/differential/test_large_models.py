"""Models whose weights stand in a file beside them: the same results as with all in one file, and less memory."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from analyzer.configuration.config import TargetConfig
from analyzer.differential import plan, pool, transport
from analyzer.differential.backend import parse
from analyzer.differential.pool import Pool
from analyzer.differential.runner import Artefact, Runner
from analyzer.differential.transport import ProcessTransport
from analyzer.differential.worker import reference_engine
from analyzer.differential.worker.mapped_pages import given_back
from analyzer.differential.worker.reference_engine import Reference
from analyzer.exporting.export import export
from analyzer.loading.reading import load
from analyzer.walls import launch
from analyzer.walls.process import ProcessSandbox

WIDTH = 24
X = np.linspace(-1, 1, WIDTH, dtype=np.float32).reshape(1, WIDTH)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Three layers; the second takes the first one's weights in half precision, and a weight is an output too."""
    rng = np.random.default_rng(0)
    weights = {f"w{i}": rng.standard_normal((WIDTH, WIDTH)).astype(np.float32) / 5 for i in range(3)}
    weights["half"] = weights["w0"].astype(np.float16)
    nodes = [
        helper.make_node("MatMul", ["x", "w0"], ["a"]),
        helper.make_node("Relu", ["a"], ["b"]),
        helper.make_node("Cast", ["half"], ["wide"], to=TensorProto.FLOAT),
        helper.make_node("MatMul", ["b", "wide"], ["c"]),
        helper.make_node("Add", ["c", "a"], ["d"]),
        helper.make_node("MatMul", ["d", "w2"], ["y"]),
    ]
    values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [1, WIDTH]) for n in "xy"]
    stored = [numpy_helper.from_array(a, n) for n, a in weights.items()]
    graph = helper.make_graph(nodes, "g", values[:1], values[1:], stored)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10), tmp_path / "m.onnx")
    return tmp_path / "m.onnx"


@pytest.fixture
def beside(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Artefact:
    """The model as it is written for engines when it counts as large."""
    monkeypatch.setattr(plan, "EMBED_LIMIT", 0)
    found = plan.artefacts(load(model), TargetConfig("m", path="m.onnx"), tmp_path, tmp_path / "written")["onnx"]
    assert set(found.files) == {"model.onnx", "model.onnx.data"}
    return found


def test_engines_live_in_turn_and_give_what_they_give_of_one_file(
    model: Path, beside: Artefact, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "LARGE", 0)
    whole = Artefact("onnx", {"m.onnx": model}, {"path": "m.onnx"})
    names = ("onnxruntime", "openvino")
    with Pool() as one_file, Pool() as in_turn:
        expected = [one_file.get(parse(n), whole) for n in names]
        in_turn.warm([(parse(n), beside) for n in names])
        runners = [in_turn.get(parse(n), beside) for n in names]
        for fetches in (None, ["b", "w2"]):
            for mine, right in zip(runners, expected, strict=True):
                assert isinstance(mine, Runner), mine
                assert isinstance(right, Runner), right
                ours, theirs = mine.run({"x": X}, fetches), right.run({"x": X}, fetches)
                assert ours.ok, ours
                assert set(ours.arrays) == set(theirs.arrays) != set()
                for name, array in theirs.arrays.items():
                    np.testing.assert_allclose(ours.arrays[name], array, rtol=1e-6)
                transports = [r.transport for r in runners if isinstance(r, Runner)]
                alive = [t for t in transports if isinstance(t, ProcessTransport) and t._child is not None]
                assert alive == [mine.transport]


ENTRY = """
import torch
def build():
    return torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.BatchNorm1d(8)), (torch.randn(2, 8),)
"""


def test_an_entry_point_takes_exported_weights_from_a_file_that_workers_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each build initialises at random: only with the exported weights do PyTorch and ONNX Runtime agree."""
    monkeypatch.setattr(plan, "EMBED_LIMIT", 0)
    monkeypatch.setattr(transport, "LINKED", 0)
    (tmp_path / "net.py").write_text(ENTRY)
    target, sandbox = TargetConfig("m", entry="net.py:build"), ProcessSandbox()
    graph = export("net.py:build", tmp_path, target=target, sandbox=sandbox)
    with tempfile.TemporaryDirectory(dir=launch.memory_backed()) as written, Pool(sandbox=sandbox) as workers:
        kinds = plan.artefacts(graph, target, tmp_path, Path(written))
        eager = workers.get(parse("torch"), kinds["torch-entry"])
        other = workers.get(parse("onnxruntime"), kinds["onnx"])
        assert isinstance(eager, Runner), eager
        assert isinstance(other, Runner), other
        assert (Path(written) / "model.onnx.data").stat().st_nlink == 3
        mine, theirs = (r.run(eager.examples) for r in (eager, other))
    assert mine.ok, mine
    for name, array in theirs.arrays.items():
        np.testing.assert_allclose(mine.arrays[name], array, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_the_reference_computes_in_portions_what_it_computes_at_once(
    precision: str, model: Path, beside: Artefact, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reference_engine, "PORTION", 1)
    monkeypatch.setattr(reference_engine.gc, "collect", lambda: 0)  # seconds, in a process that has run many tests
    at_once, in_portions = Reference({"precision": precision}), Reference({"precision": precision})
    at_once.load({"path": model.name}, model.parent)
    in_portions.load({"path": "model.onnx"}, beside.files["model.onnx"].parent)
    for feeds, fetches in (({"x": X}, None), ({"x": X}, ["a", "d", "w2"]), ({"b": X, "a": X}, ["d"])):
        right = at_once.evaluate(dict(feeds), fetches)
        mine = in_portions.evaluate(dict(feeds), fetches)
        assert set(mine) == set(right)
        for name, array in right.items():
            assert mine[name].dtype == array.dtype == precision
            np.testing.assert_array_equal(mine[name], array)


def _resident(file: Path) -> int:
    """KiB of mappings of `file` that are in memory."""
    lines = iter(Path("/proc/self/smaps").read_text().splitlines())
    found = 0
    for line in lines:
        if line.endswith(str(file)):
            found += next(int(each.split()[1]) for each in lines if each.startswith("Rss:"))
    return found


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="the system does not tell what is mapped")
def test_read_pages_of_a_mapped_file_are_given_back_and_changes_kept(tmp_path: Path) -> None:
    file, other = tmp_path / "weights.data", tmp_path / "other.data"
    for each in (file, other):
        each.write_bytes(bytes(range(256)) * 4096)
    maps = [np.memmap(each, np.uint8, mode) for each, mode in ((file, "r"), (other, "r"), (file, "c"))]
    total = [int(each.sum()) for each in maps]
    maps[2][:5000] = 7  # a private mapping: nobody else has these bytes
    before = _resident(file), _resident(other)
    assert min(before) >= 1024
    with given_back([file]):
        pass
    assert (_resident(file), _resident(other)) == (before[0] - 1024, before[1])
    assert [int(each.sum()) for each in maps[:2]] == total[:2]
    assert (maps[2][:5000] == 7).all()
    with given_back([]):
        assert _resident(file) >= 1024
