"""A repository that brings links along where Assay writes by itself: nothing is written behind them."""

from __future__ import annotations

from pathlib import Path

import pytest
from onnx import TensorProto, helper

from analyzer.commands.cli import main
from analyzer.findings import slug

SOURCE = "import torch\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return x\n\n\nNet()\n"
LINKS = {
    "the folder": "assay-report",
    "the folder above": "above",
    "a report": "assay-report/report.md",
    "a log": "assay-report/.logs/000.log",
    "a target's results": f"assay-report/targets/{slug('net.onnx')}",
    "the logs": "assay-report/.logs",
    "the targets": "assay-report/targets",
}


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    work, outside = tmp_path / "work", tmp_path / "outside"
    work.mkdir()
    outside.mkdir()
    (outside / "file").write_text("precious")
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [x], [y])
    (work / "net.onnx").write_bytes(helper.make_model(graph).SerializeToString())
    (work / "net.py").write_text(SOURCE)
    monkeypatch.chdir(work)
    return work


def link(work: Path, name: str) -> Path:
    outside = work.parent / "outside"
    (work / name).parent.mkdir(parents=True, exist_ok=True)
    (work / name).symlink_to(outside / "file" if "." in Path(name).name[1:-3] else outside)
    return outside


def untouched(outside: Path) -> bool:
    return [path.name for path in outside.iterdir()] == ["file"] and (outside / "file").read_text() == "precious"


@pytest.mark.parametrize("name", LINKS)
def test_a_report_is_not_written_behind_a_link(name: str, work: Path, capfd: pytest.CaptureFixture[str]) -> None:
    outside = link(work, LINKS[name])
    out = "above/assay-report" if name == "the folder above" else "assay-report"
    code = main(["check", "net.onnx", "--only", "validity", "--out", out])
    assert untouched(outside)
    assert code == 2
    assert "symbolic link" in " ".join(capfd.readouterr().err.split())


@pytest.mark.parametrize(
    "line",
    [
        "check net.onnx --no-report --only validity --exports kept",
        "check net.onnx --no-report --only validity --cache kept",
        "diff net.onnx --out kept",
        "export net.py:Net --out kept",
    ],
)
def test_other_folders_are_not_behind_links_either(line: str, work: Path, capfd: pytest.CaptureFixture[str]) -> None:
    outside = link(work, "kept")
    code = main(line.split())
    assert untouched(outside)
    assert code == 2, capfd.readouterr()


@pytest.mark.parametrize("name", [".assay.yml", "assay_models.py", ".github"])
def test_init_writes_behind_no_link(name: str, work: Path) -> None:
    outside = link(work, name)
    if name != ".github":
        (work / name).unlink()
        (work / name).symlink_to(outside / "new")
    main(["init", "--yes"])
    assert untouched(outside)


def test_a_folder_that_a_person_has_linked_elsewhere_may_be_named(work: Path, tmp_path: Path) -> None:
    """What lies above the repository is the person's own: on some systems /tmp is a link."""
    (tmp_path / "mine").symlink_to(tmp_path / "place")
    (tmp_path / "place").mkdir()
    assert main(["check", "net.onnx", "--only", "validity", "--out", str(tmp_path / "mine" / "report")]) == 0
    assert (tmp_path / "place" / "report" / "report.md").is_file()
