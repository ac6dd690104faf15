"""A team's own data with ground truth: a file, a folder, a callable; on real engines, and what is said of bad ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import helper

from analyzer.configuration.config import Config, TargetConfig
from analyzer.differential.callable_inputs import from_callable
from analyzer.differential.runner import Artefact
from analyzer.differential.structure import TensorInfo
from analyzer.differential.validation_files import read
from analyzer.findings import Status
from analyzer.problem import TargetProblem
from analyzer.rendering.files import write
from analyzer.rendering.markdown import summary
from analyzer.running.local import review
from analyzer.walls.process import ProcessSandbox

CALLABLE = """
import numpy as np
from pathlib import Path


def data():
    Path("{marker}").touch()
    rng = np.random.default_rng(1)
    return {{"x": rng.standard_normal((7, 3, 4, 4)).astype("float32")}}, rng.integers(0, 5, 7)


def bare():
    return np.zeros((2, 3, 4, 4), "float32")


def broken():
    raise KeyError("no such split")


def nothing():
    return None


def images():
    return np.zeros((2, 3, 9, 9), "float32")


class Dataset:
    def __len__(self):
        return 600

    def __getitem__(self, i):
        if i >= 600:
            raise IndexError(i)
        return np.full((3, 4, 4), i, "float32"), i % 4


def pairs():
    return [(np.full((3, 4, 4), i, "float32"), i % 2) for i in range(5)]


def scored():
    return np.zeros((6, 3, 4, 4), "float32"), np.arange(6) % 3


def loader():
    return ({{"x": np.ones((2, 3, 4, 4), "float32"), "label": np.array([0, 1])}} for _ in range(3))
"""
Analyse = Callable[..., Any]


@pytest.fixture
def tree(tmp_path: Path, save_model: Callable[..., Artefact]) -> Path:
    """A classifier into whose pooling ONNX Runtime folds zeros that count; `data.py` beside it."""
    rng = np.random.default_rng(0)
    nodes = [
        helper.make_node("Abs", ["x"], ["a"], name="abs"),
        helper.make_node("Neg", ["a"], ["n"], name="neg"),
        helper.make_node("Pad", ["n", "pads"], ["p"], name="pad"),
        helper.make_node("MaxPool", ["p"], ["m"], name="pool", kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Flatten", ["m"], ["f"], name="flatten"),
        helper.make_node("Gemm", ["f", "w"], ["y"], name="head"),
    ]
    weights = {
        "pads": np.array([0, 0, 1, 1, 0, 0, 1, 1], np.int64),
        "w": rng.standard_normal((27, 5)).astype(np.float32),
    }
    root = tmp_path / "tree"
    root.mkdir()
    save_model(root / "model.onnx", nodes, weights, ["n", 3, 4, 4])
    (root / "data.py").write_text(CALLABLE.format(marker=tmp_path / "was-run"))
    return root


@pytest.fixture
def analyse(tree: Path, tmp_path: Path) -> Analyse:
    def run(validation: str, sandbox: ProcessSandbox | None = None, backends: tuple[str, ...] | None = None) -> Any:
        target = TargetConfig("model", path="model.onnx", validation=validation, backends=backends)
        config = Config(only=("differential",), timeout=600)
        report = review(tree, None, config, [target], output=tmp_path / "out", sandbox=sandbox)
        return write(report, tmp_path / "out")

    return run


def instances(count: int, seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {"x": rng.standard_normal((count, 3, 4, 4)).astype(np.float32), "labels": rng.integers(0, 5, count)}


def test_a_folder_is_one_data_set(tree: Path, tmp_path: Path, analyse: Analyse) -> None:
    (tree / "data").mkdir()
    for number, count in enumerate((9, 4)):
        np.savez(tree / "data" / f"part{number}.npz", **instances(count, number))  # type: ignore[arg-type]
    report = analyse("data", backends=("onnxruntime", "onnxruntime:opt=disable"))
    (target,) = report.targets
    (said,) = target.assumptions
    assert said.startswith("13 instances of data, of ")  # and how many of each class
    assert {h.metric: sum(h.counts) for h in target.distances} == {"class": 13, "mad": 13}
    classes = next(h for h in target.distances if h.metric == "class")
    assert (classes.first, classes.second) == ("onnxruntime", "onnxruntime:opt=disable")
    assert classes.inconsistent
    assert 0 < classes.triggering == sum(n for n, e in zip(classes.counts, classes.edges, strict=True) if e >= 8)
    assert [f.layer or f.node for f in report.findings] == ["pool"]
    drawn = [p for p in target.pictures if "distances" in p]
    assert [Path(p).name for p in drawn] == [
        "distances-1.svg", "distances-1.png", "distances-2.svg", "distances-2.png",
    ]  # fmt: skip
    assert all((tmp_path / "out" / p).stat().st_size > 500 for p in drawn)
    assert "D\\_CLASS of onnxruntime and onnxruntime" in summary(report)
    assert "█" in summary(report)
    page = (tmp_path / "out" / "report.html").read_text()
    assert page.count('class="histogram"') == 2
    stored = json.loads((tmp_path / "out" / "report.json").read_text())["targets"][0]["distances"]
    assert [d["counts"] for d in stored] == [list(h.counts) for h in target.distances]


def test_a_callable_runs_in_the_sandbox_alone(tmp_path: Path, analyse: Analyse) -> None:
    refused = analyse("data.py:data")
    assert refused.targets[0].status is Status.FAILED
    assert refused.targets[0].error == (
        "validation data 'data.py:data' needs the project's code to run, which is not allowed here."
    )
    assert not (tmp_path / "was-run").exists()
    report = analyse("data.py:data", ProcessSandbox())
    assert report.targets[0].assumptions == ("7 instances of data.py:data, of 4 classes (0: 2, 1: 2, 2: 2, 4: 1)",)
    assert {h.metric: sum(h.counts) for h in report.targets[0].distances} == {"class": 7, "mad": 7}


def test_data_without_ground_truth_has_no_distances(analyse: Analyse) -> None:
    report = analyse("data.py:bare", ProcessSandbox())
    assert report.targets[0].status is Status.ANALYSED
    assert report.targets[0].assumptions == ("2 instances of data.py:bare",)
    assert report.targets[0].distances == ()


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("data.py:broken", "validation data 'data.py:broken' was not made: KeyError: 'no such split'"),
        ("data.py:nothing", "nothing gave NoneType; give arrays by input name, or (arrays, labels)"),
        ("data.py:missing", "has no attribute 'missing'"),
        ("other.py:data", "there is no file 'other.py'"),
        ("data.py:images", "data.py:images: input x has shape [2, 3, 9, 9], the model takes"),
    ],
)
def test_a_bad_callable_is_one_sentence(entry: str, words: str, analyse: Analyse) -> None:
    report = analyse(entry, ProcessSandbox())
    (target,) = report.targets
    assert target.status is Status.FAILED
    assert words in target.error
    assert "Traceback" not in target.error
    assert "\n" not in target.error


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"labels": np.arange(3)}, "data.npz has 3 labels for 4 instances; give one for each."),
        ({"labels": np.array(3)}, "data.npz has no labels for 4 instances; give one for each."),
        ({"labels": np.array([0, 1, 2, 5])}, "the label 5, but the model's first output has 5 classes, 0 to 4."),
        ({"labels": np.array([0, -1, 2, 3])}, "the label -1, but"),
        (
            {"labels": np.zeros((4, 3))},
            "an instance's labels have shape [3], which does not fit the model's first output [5].",
        ),
        ({"x": np.zeros((4, 3, 5, 4), "f4")}, "data.npz: input x has shape [4, 3, 5, 4], the model takes"),
        ({"x": np.array(["a"] * 48).reshape(1, 3, 4, 4)}, "data.npz: input x holds text, the model takes float32."),
        ({"y": np.zeros(4)}, "data.npz has the arrays labels, x, y; its inputs are x."),
    ],
)
def test_bad_data_is_one_sentence(arrays: dict[str, np.ndarray], words: str, tree: Path, analyse: Analyse) -> None:
    data = {**instances(4), **arrays}
    if "y" in data:
        data = {"labels": data["labels"], "images": data["x"], "y": data["y"]}
        words = words.replace("labels, x, y", "images, labels, y")
    np.savez(tree / "data.npz", **data)  # type: ignore[arg-type]
    report = analyse("data.npz", backends=("onnxruntime", "onnxruntime:opt=disable"))
    assert report.targets[0].status is Status.FAILED
    assert words in report.targets[0].error


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("absent.npz", "absent.npz holds no validation data"),
        ("empty", "empty holds no validation data"),
        ("text.npz", "text.npz is not a readable .npz file"),
        ("pickled.npz", "pickled.npz is not a readable .npz file"),
        ("cut.npz", "cut.npz is not a readable .npz file"),
        ("none.npz", "none.npz holds no instances"),
        ("../outside.npz", "lies outside the repository"),
    ],
)
def test_what_is_no_data_is_one_sentence(name: str, words: str, tree: Path, analyse: Analyse) -> None:
    (tree / "empty").mkdir()
    (tree / "text.npz").write_text("no archive")
    (tree / "cut.npz").write_bytes(b"PK\x03\x04 and no more")
    np.savez(tree / "none.npz", x=np.zeros((0, 3, 4, 4), np.float32))
    np.savez(tree / "pickled.npz", x=np.array([{"a": 1}], dtype=object))
    report = analyse(name)
    assert report.targets[0].status is Status.FAILED
    assert words in report.targets[0].error


IMAGE = TensorInfo("x", "float32", ("n", 3, 4, 4))


def test_a_folder_of_images_is_classes_by_folder(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    for name, count, shade in (("cat", 3, 255), ("dog", 2, 51)):
        (tmp_path / name).mkdir()
        for i in range(count):
            image.new("RGB", (9, 7), (shade, 0, 0)).save(tmp_path / name / f"{i}.png")
    (found,) = read(tmp_path, [IMAGE]).sets
    assert found.feeds["x"].shape == (5, 3, 4, 4)
    assert found.feeds["x"][:, 0, 0, 0] == pytest.approx([1, 1, 1, 0.2, 0.2])
    assert found.truth is not None
    assert found.truth.tolist() == [0, 0, 0, 1, 1]
    assert read(tmp_path, [IMAGE]).assumptions[0].endswith("5 images), of 2 classes (cat: 3, dog: 2)")
    raw = read(tmp_path, [IMAGE], {"x": (0.0, 255.0)}).sets[0]
    assert raw.feeds["x"].max() == 255
    last = read(tmp_path, [TensorInfo("x", "uint8", (2, 8, 6, 3))])
    assert [s.feeds["x"].shape for s in last.sets] == [(2, 8, 6, 3)] * 2  # the model runs two at once
    (tmp_path / "dog" / "1.png").write_bytes(b"\x89PNG broken")
    with pytest.raises(TargetProblem, match=r"1\.png is not a readable image"):
        read(tmp_path, [IMAGE])


def test_a_table_is_read_by_its_head(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("width,height,label\n1,2,setosa\n3,4.5,virginica\n5,6,setosa\n")
    found = read(path, [TensorInfo("x", "float32", ("n", 2))])
    assert found.sets[0].feeds["x"].tolist() == [[1, 2], [3, 4.5], [5, 6]]
    assert found.assumptions == ("3 instances of data.csv, of 2 classes (setosa: 2, virginica: 1)",)
    named = [TensorInfo("width", "float32", ("n", 1)), TensorInfo("height", "float32", ("n", 1))]
    assert read(path, named).sets[0].feeds["height"].tolist() == [[2], [4.5], [6]]
    with pytest.raises(TargetProblem, match="gives 2 numbers for the input x"):
        read(path, [TensorInfo("x", "float32", ("n", 3))])
    path.write_text("a,b\n1,2\n3,many\n")
    with pytest.raises(TargetProblem, match="line 3: column b is 'many', not a number"):
        read(path, [TensorInfo("x", "float32", ("n", 2))])


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Dataset", "200 instances of data.py:Dataset, of 4 classes (0: 50, 1: 50, 2: 50, 3: 50)"),
        ("loader", "6 instances of data.py:loader, of 2 classes (0: 3, 1: 3)"),
        ("pairs", "5 instances of data.py:pairs, of 2 classes (0: 3, 1: 2)"),
        ("scored", "6 instances of data.py:scored, of 3 classes (0: 2, 1: 2, 2: 2)"),
    ],
)
def test_datasets_and_loaders_of_the_project_are_read(name: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "data.py").write_text(CALLABLE.format(marker=tmp_path / "ran"), encoding="utf-8")
    found = from_callable(f"data.py:{name}", tmp_path, ProcessSandbox(), [IMAGE])
    assert found.assumptions == (told,)
