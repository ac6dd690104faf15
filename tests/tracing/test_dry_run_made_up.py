"""The dry run of scripts that lack what nobody gave: arguments, pictures, weights; what is made up confirms nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.findings import AnalysisResult
from analyzer.tracing.dry_run import dry_run, with_dry_run
from analyzer.tracing.inside.made_up import InventedNumber, InventedText, declared_classes
from analyzer.walls.process import ProcessSandbox
from tests.tracing.dry_runs import line_of, run

ARGUMENTS = """
    import argparse
    import torch
    parser = argparse.ArgumentParser()
    parser.add_argument("data", help="a folder")
    parser.add_argument("--name", required=True)
    parser.add_argument("--size", choices=["small", "large"], required=True)
    parser.add_argument("--task", required=True, type=str)
    parser.add_argument("--width", type=int, default=16)
    args = parser.parse_args()
    if args.task not in ("rank", "score"):
        raise ValueError(args.task)
    net = torch.nn.Linear(args.width, 4 if args.size == "small" else 8)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for _ in range(3):
        net(torch.zeros(2, WIDTH)).sum().backward()  # fails
        optimizer.step()
    print(args.name.lower() + args.data)
    """


@pytest.mark.parametrize("width", ["args.width", "15"])
def test_arguments_that_nobody_gave_are_made_up(tmp_path: Path, width: str) -> None:
    source = ARGUMENTS.replace("WIDTH", width)
    found = run(tmp_path, source)
    assert found.unreached is None
    assert (found.failure is not None) == (width == "15"), found
    assert found.failure is None or found.failure.frames[-1].line == line_of(source)
    assert found.failure is not None or found.steps == 3
    assert {"the argument data", "the argument --name", "the argument --task"} <= set(found.invented)


@pytest.mark.parametrize(
    "line",
    [
        "torch.nn.Linear(10, 2)(torch.zeros(3, args.width))",  # works for 10
        "torch.nn.MultiheadAttention(20, args.width)",  # works for 4, and the message names no number
        "torch.nn.MultiheadAttention(20, args.width)(torch.zeros(1, 1, 20))",
        "torch.zeros(5, args.width)[7 * args.width, 0]",
        "torch.zeros(2, 3)[:, args.width]",
        "torch.zeros(30).view(args.width, -1)",
    ],
)
def test_a_failure_of_a_number_that_was_made_up_is_none(tmp_path: Path, line: str) -> None:
    source = f"""
    import argparse, torch
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, required=True)
    args = parser.parse_args()
    {line}
    """
    found = run(tmp_path, source)
    assert found.failure is None, found
    assert "the argument --width: with what is made up for that" in (found.unreached or "")
    (note,) = with_dry_run(AnalysisResult(), found, "train.py", "train.py").notes
    assert "not reached: it needs the argument --width" in note


def test_arguments_that_somebody_gave_are_taken(tmp_path: Path) -> None:
    source = "import argparse, torch\np = argparse.ArgumentParser()\np.add_argument('--n', type=int, required=True)\n"
    (tmp_path / "train.py").write_text(f"{source}torch.zeros(2, p.parse_args().n) @ torch.zeros(4, 2)\n")
    found = dry_run(tmp_path / "train.py", tmp_path, ProcessSandbox(), arguments=["--n", "4"])
    assert (found.failure, found.unreached) == (None, None)


WEIGHTS = """
    import torch
    import torch.nn as nn
    net = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    checkpoint = torch.load("pretrained.pth", map_location="cpu")
    net.load_state_dict(checkpoint["model"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    net(torch.zeros(2, WIDTH)).sum().backward()  # fails
    optimizer.step()
    """


@pytest.mark.parametrize("width", [4, 5])
def test_weights_that_are_not_here_are_left_out(tmp_path: Path, width: int) -> None:
    found = run(tmp_path, WEIGHTS.replace("WIDTH", str(width)))
    assert found.unreached is None, found
    assert (found.failure is not None) == (width == 5)
    assert found.invented == ("the weights of pretrained.pth",)


@pytest.mark.parametrize(
    "line",
    [
        "numpy.asarray(torch.load('x.pt')).reshape(-1, 28)",
        "torch.as_tensor(torch.load('x.pt')).view(-1, 28)",
        "torch.zeros(3)[torch.load('x.pt')]",
        "torch.zeros(3) + torch.load('x.pt')['bias']",
        "numpy.zeros((2, 3)) @ torch.load('x.pt')",
        "[w for w in torch.load('x.pt')['weights']]",
        "{k[7:]: v for k, v in torch.load('x.pt').items()}",
        "torch.nn.Linear(torch.load('x.pt')['width'], 2)",
        "torch.zeros(torch.load('x.pt')['width'], 2)",
        "range(torch.load('x.pt')['epoch'])",
        "torch.load('x.pt')['model'].eval()(torch.zeros(2, 3)).view(3, 4).sum() + torch.zeros(2, 2)",
    ],
)
def test_what_a_file_holds_that_is_not_here_is_no_finding(tmp_path: Path, line: str) -> None:
    found = run(tmp_path, f"import numpy, torch\n{line}\n")
    assert found.failure is None, found


PICTURES = """
    import keras
    from keras import layers
    CLASSES = 5
    data = keras.utils.image_dataset_from_directory(
        "/data/flowers", image_size=(32, 32), batch_size=16, label_mode="categorical"
    )
    net = keras.Sequential([
        keras.Input((32, 32, 3)), keras.applications.MobileNetV2(input_shape=(32, 32, 3), include_top=False),
        layers.Flatten(), layers.Dense(UNITS),
    ])
    net.compile("sgd", "mse")
    net.fit(data, epochs=20)  # fails
    """


@pytest.mark.parametrize("units", ["CLASSES", "CLASSES + 1"])
def test_pictures_of_the_classes_that_a_script_declares(tmp_path: Path, units: str) -> None:
    source = PICTURES.replace("UNITS", units)
    found = run(tmp_path, source)
    assert found.unreached is None, found
    assert (found.failure is not None) == (units != "CLASSES"), found
    assert found.failure is None or found.failure.frames[-1].line == line_of(source)
    assert found.invented == ("pictures in a folder",)


def test_where_a_script_does_not_say_how_many_classes_there_are_nothing_is_confirmed(tmp_path: Path) -> None:
    found = run(tmp_path, PICTURES.replace("CLASSES = 5", "kinds = 5").replace("UNITS", "kinds"))
    assert found.failure is None, found
    assert "pictures in a folder" in (found.unreached or "")


@pytest.mark.parametrize(
    ("text", "classes"),
    [
        ("num_classes = 7", 7), ("N_CLASSES, SIZE = 7, 3", 7), ("Net(num_labels=7)", 7), ("classes: int = 7", 7),
        ("p.add_argument('--num-classes', type=int, default=7)", 7), ("num_classes = 7\nn_classes = 8", None),
        ("def f(num_classes=7): pass", None), ("class_weight = 7", None), ("num_classes = 1", None), ("x = (", None),
    ],
)  # fmt: skip
def test_how_many_classes_a_script_declares(tmp_path: Path, text: str, classes: int | None) -> None:
    (tmp_path / "train.py").write_text(text)
    assert declared_classes(str(tmp_path), "train.py") == classes


def test_a_text_is_what_it_is_first_asked_to_be() -> None:
    text = InventedText("mode")
    assert text.lower() in ("train", "test")
    assert (text == "train", text == "test", text != "test") == (True, False, True)
    assert {"train": 1}.get("mode") is None
    assert f"{text}/x" == "mode/x"


class _Progress:
    decided = False


@pytest.mark.parametrize(
    ("use", "told"),
    [
        (lambda n: f"{n:.3f}", False), (lambda n: sum([n, n * 2.0]) / 2, False), (lambda n: [n, n][0], False),
        (lambda n: n > 0.3, False), (int, True), (lambda n: (n + 1) // 2, True), (lambda n: round(3 * n), True),
    ],
)  # fmt: skip
def test_an_invented_number_tells_when_it_may_decide_a_size(use: object, told: bool) -> None:
    progress = _Progress()
    use(InventedNumber(0.5).of(progress))  # type: ignore[operator]
    assert progress.decided is told


@pytest.mark.parametrize(("line", "modes"), [("total += loss.item()", ["plain", "fake"]),
                                             ("best = int(loss.item())", ["plain", "fake", "real"])])  # fmt: skip
def test_what_is_only_logged_needs_no_real_tensors(tmp_path: Path, line: str, modes: list[str]) -> None:
    source = f"""
    import torch
    net = torch.nn.Linear(4, 2).to("cuda")
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    total, best = 0.0, 9.0
    for step in range(100):
        loss = net(torch.zeros(3, 4, device="cuda")).sum()
        loss.backward()
        optimizer.step()
        {line}
    print(f"{{total / 100:.2f}}")
    """
    found = run(tmp_path, source)
    assert (found.failure, found.unreached) == (None, None)
    assert [mode for mode, _ in found.attempts] == modes


@pytest.mark.parametrize("rows", ["x.shape[0]", "64"])
def test_an_error_that_names_files_is_the_same_in_another_folder(tmp_path: Path, rows: str) -> None:
    source = f"""
    import argparse, torch
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.parse_args()
    def step(x):
        if x.shape != ({rows}, 4):
            raise ValueError(f"{{__file__}}: {{tuple(x.shape)}}")  # fails
    step(torch.zeros(40, 4))
    """
    found = run(tmp_path, source)
    assert (found.failure is not None) == (rows == "64"), found
    assert found.failure is None or found.failure.message == "train.py: (40, 4)"


@pytest.mark.parametrize("width", [3, 5])
def test_locks_and_pools_work_where_no_semaphore_can_be_made(tmp_path: Path, width: int) -> None:
    source = f"""
    import multiprocessing, torch
    from multiprocessing.pool import ThreadPool
    numbers = ThreadPool(2).map(lambda n: n + 1, [1, 2])
    queue = multiprocessing.Queue()
    queue.put(numbers)
    count = multiprocessing.Value("i", 3)
    with count.get_lock():
        count.value += len(queue.get()) - 2
    torch.zeros(2, {width}) @ torch.zeros(count.value, 3)  # fails
    """
    found = run(tmp_path, source)
    assert found.unreached is None, found
    assert (found.failure is not None) == (width == 5)


FOLDERS = """
    import os
    import numpy
    import torch
    classes = os.listdir("data/flowers/train")
    table = numpy.loadtxt("data/sizes.csv", delimiter=",", skiprows=1, usecols=(1, 2, 4))
    net = torch.nn.Sequential(torch.nn.Linear(3, 12), torch.nn.Linear(WIDTH, len(classes)))
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for row in torch.from_numpy(table).float().split(31):
        labels = torch.arange(len(row)) % len(classes)
        torch.nn.functional.cross_entropy(net(row), labels).backward()  # fails
        optimizer.step()
    """


@pytest.mark.parametrize("width", [12, 10])
def test_listed_folders_of_classes_and_tables_of_numbers_are_made_up(tmp_path: Path, width: int) -> None:
    source = FOLDERS.replace("WIDTH", str(width))
    found = run(tmp_path, source)
    assert found.unreached is None, found
    assert found.failure is None if width == 12 else found.failure is not None
    assert found.failure is None or found.failure.frames[-1].line == line_of(source)
    assert {"pictures in a folder", "the rows of a table"} <= set(found.invented)


@pytest.mark.parametrize(
    "line",
    [
        "int(os.listdir('pictures')[0].split('_')[1][:2] + 'th')",  # the names of files are not known
        "numpy.genfromtxt('a.csv', delimiter=',')[:, 9]",  # nor the number of columns
        "torch.nn.Linear(8, 2)(torch.from_numpy(numpy.loadtxt('a.csv', dtype='float32'))[:, 1:])",
        "torch.nn.Embedding(20, 2)(torch.from_numpy(numpy.loadtxt('a.txt', dtype=int, usecols=0)))",
    ],
)
def test_what_fails_for_the_contents_of_listed_folders_and_tables_is_none(tmp_path: Path, line: str) -> None:
    found = run(tmp_path, f"import os\nimport numpy\nimport torch\n{line}\n")
    assert found.failure is None, found
    assert not found.whole
