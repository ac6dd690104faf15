"""Scripts of kinds that people have: how they are begun, what they ask for, and that healthy twins stay silent."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from analyzer.tracing.dry_run import DryRun, dry_run
from analyzer.tracing.inside.absent_files import of_nothing
from analyzer.tracing.inside.autograph import in_user_code
from analyzer.tracing.inside.beginning import package_of
from analyzer.tracing.inside.conflicts import conflict
from analyzer.tracing.inside.hub_adapters import known
from analyzer.walls.process import ProcessSandbox
from tests.tracing.dry_runs import line_of, run

_PRODUCT = "mat1 and mat2 shapes cannot be multiplied"
TWINS = pytest.mark.parametrize("width", [6, 5])  # of which the second is wrong

STEP = """
    net = torch.nn.Linear(6, 2)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    net(torch.zeros(4, WIDTH)).sum().backward()  # fails
    optimizer.step()
"""


def told(found: DryRun, source: str, width: int) -> None:
    """That the defective twin is confirmed on its line, and that the healthy one has done its step."""
    assert found.unreached is None, found
    assert (found.failure is not None) == (width == 5), found
    assert found.failure is None or found.failure.frames[-1].line == line_of(source)
    assert found.failure is not None or found.steps > 0


@TWINS
def test_a_module_of_a_package_is_run_as_one(tmp_path: Path, width: int) -> None:
    folder = tmp_path / "speech" / "training"
    folder.mkdir(parents=True)
    (tmp_path / "speech" / "__init__.py").write_text("")
    (folder / "__init__.py").write_text("from ..sizes import WIDTH\n")
    (tmp_path / "speech" / "sizes.py").write_text(f"WIDTH = {width}\n")
    source = dedent(f"import torch\nfrom . import WIDTH\nfrom ..sizes import WIDTH as SAME\n{dedent(STEP)}")
    (folder / "train.py").write_text(source)
    told(dry_run(folder / "train.py", tmp_path, ProcessSandbox()), source, width)


@pytest.mark.parametrize(
    ("source", "package"),
    [(b"from . import a", "p.q"), (b"from ..r import a", "p.q"), (b"from ...r import a", None), (b"import a", None)],
)
def test_which_package_a_script_belongs_to(tmp_path: Path, source: bytes, package: str | None) -> None:
    folder = tmp_path / "p" / "q"
    folder.mkdir(parents=True)
    for each in (folder, folder.parent):
        (each / "__init__.py").write_text("")
    found = package_of(source, str(folder / "train.py"), str(tmp_path))
    assert found == ((package, str(tmp_path)) if package else None)


@TWINS
def test_a_notebook_that_was_written_out_is_run_as_one(tmp_path: Path, width: int) -> None:
    source = f"""
    # In[1]:
    get_ipython().system('pip install torch')
    get_ipython().run_line_magic('matplotlib', 'inline')
    import torch
    display(torch.zeros(2))
    get_ipython().run_cell_magic('time', '', 'WIDTH = {width}')
    {dedent(STEP)}
    """
    source = "\n".join(line.strip() for line in source.splitlines())
    told(run(tmp_path, source), source, width)


@TWINS
def test_what_a_person_would_type_is_made_up(tmp_path: Path, width: int) -> None:
    source = f"""
    import torch
    WIDTH, rounds, name = {width}, int(input("Rounds: ")), input("Name: ").strip() or "run"
    for _ in range(rounds):
        net = torch.nn.Linear(6, rounds)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        net(torch.zeros(4, WIDTH)).sum().backward()  # fails
        optimizer.step()
    """
    found = run(tmp_path, source)
    told(found, source, width)
    assert found.invented == ("an answer typed by a person",)


def test_what_hangs_on_what_was_typed_is_no_finding(tmp_path: Path) -> None:
    source = "import torch\ntorch.zeros(4, int(input())) @ torch.zeros(6, 2)\n"
    found = run(tmp_path, source)
    assert found.failure is None, found


@TWINS
@pytest.mark.parametrize("library", ["click", "typer"])
def test_commands_are_given_what_they_require(tmp_path: Path, width: int, library: str) -> None:
    pytest.importorskip(library)
    begin = {
        "click": """
            import click
            @click.group()
            def app(): pass
            @app.command()
            @click.argument("name", type=click.Path(exists=True))
            @click.option("--units", type=int, required=True)
        """,
        "typer": """
            import typer
            app = typer.Typer()
            @app.command()
            def other(): pass
            @app.command()
        """,
    }[library]
    given = "name, units" if library == "click" else "name: str, units: int = typer.Option(...)"
    source = f"""
{dedent(begin)}
def train({given}):
    import torch
    net = torch.nn.Linear(6, units)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    net(torch.zeros(4, {width})).sum().backward()  # fails
    optimizer.step()
if __name__ == "__main__":
    app()
"""
    found = run(tmp_path, source)
    told(found, source, width)
    assert {"the command `train`", "the argument --units"} <= set(found.invented)


@TWINS
def test_data_that_may_stay_none_are_given_where_nothing_is_reached_without(tmp_path: Path, width: int) -> None:
    source = f"""
    import argparse, torch
    parser = argparse.ArgumentParser()
    parser.add_argument("--train-file", default=None)
    parser.add_argument("--resume", default=None)
    args = parser.parse_args()
    WIDTH = {width}
    if args.train_file is None:
        parser.error("--train-file is needed")
    assert args.resume is None
    with open(args.train_file) as file:
        words = file.read().split()
    {STEP.strip()}
    """
    found = run(tmp_path, source)
    told(found, source, width)
    assert {"the argument --train-file", "the text train_file"} <= set(found.invented)


TEXT = """
    import torch
    text = open("corpus.txt", encoding="utf-8").read()
    letters = sorted(set(text))
    data = torch.tensor([letters.index(c) for c in text])
    table = torch.nn.Embedding(len(letters), 8)
    optimizer = torch.optim.SGD(table.parameters(), 0.1)
    (table(data[:32]) @ torch.zeros(SIZE, 3)).sum().backward()  # fails
    optimizer.step()
    """


@pytest.mark.parametrize(("size", "confirmed"), [("8", False), ("9", True), ("len(letters)", False)])
def test_a_text_that_is_not_here_is_made_up(tmp_path: Path, size: str, confirmed: bool) -> None:
    source = TEXT.replace("SIZE", size)
    found = run(tmp_path, source)
    assert (found.failure is not None) is confirmed, found
    assert confirmed or size != "8" or found.steps == 1


@pytest.mark.parametrize(
    "line",
    [
        "[int(w) for w in text.split()]",
        "[(a, b, c) for a, b, c in (line.split() for line in text.splitlines())]",
        "{'a': 1}[text[0]]",
        "torch.tensor([float(w) for w in text.split()]).view(3, 5)",
        "torch.zeros(5)[len(text)]",
    ],
)
def test_what_a_made_up_text_does_not_hold_is_no_finding(tmp_path: Path, line: str) -> None:
    found = run(tmp_path, f"import torch\ntext = open('numbers.txt').read()\n{line}\n")
    assert found.failure is None, found


@pytest.mark.parametrize(
    "line",
    [
        "torch.utils.data.DataLoader(files, shuffle=True)",
        "torch.stack([torch.zeros(1) for _ in files])",
        "max(len(f) for f in files)",
        "files[0]",
        "torch.nn.Linear(3, 2)(torch.zeros(len(files), 4)[:, 0])",
    ],
)
@pytest.mark.parametrize("files", ["*.pkl", "*.npy"])  # the first are not made up
def test_where_no_data_are_found_nothing_is_wrong(tmp_path: Path, line: str, files: str) -> None:
    found = run(tmp_path, f"import glob, torch\nfiles = glob.glob('data/{files}')\n{line}\n")
    assert found.failure is None, found
    assert files == "*.npy" or "data/*.pkl" in (found.unreached or "")


def test_a_search_that_finds_nothing_hides_no_defect(tmp_path: Path) -> None:
    source = "import glob, torch\nglob.glob('checkpoints/*.pt')\ntorch.zeros(2, 3) @ torch.zeros(4, 5)\n"
    assert run(tmp_path, source).failure is not None


PICTURES = """
    import glob, os
    import numpy, torch
    from PIL import Image
    files = glob.glob("data/images/*.png")
    image = numpy.array(Image.open(files[0]).convert("RGB").resize((10, 6)), dtype="float32")
    mask = numpy.array(Image.open(os.path.join("data/masks", os.path.basename(files[0]))).resize((10, 6)))
    net = torch.nn.Conv2d(CHANNELS, 2, 1)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    x = net(torch.from_numpy(image).permute(2, 0, 1)[None])  # fails
    torch.nn.functional.cross_entropy(x, torch.from_numpy(mask).long()[None]).backward()
    optimizer.step()
    """


@pytest.mark.parametrize("channels", [3, 1])
def test_pictures_that_are_not_here_are_made_up(tmp_path: Path, channels: int) -> None:
    source = PICTURES.replace("CHANNELS", str(channels))
    found = run(tmp_path, source)
    assert (found.failure is not None) == (channels == 1), found
    assert found.failure is None or found.failure.frames[-1].line == line_of(source)


def test_nobody_says_how_many_colours_a_picture_has(tmp_path: Path) -> None:
    source = "import numpy, torch\nfrom PIL import Image\nx = torch.from_numpy(numpy.array(Image.open('a.png')))\n"
    for line in (
        "x[None].float() @ torch.zeros(5, 2)",
        "torch.zeros(1, 1, 1, 1, 1) + torch.nn.Conv2d(1, 1, 1)(x[None])",
    ):
        assert run(tmp_path, f"{source}{line}\n").failure is None


@pytest.mark.parametrize("key", ["model", "state_dict"])
def test_a_state_whose_names_are_changed_is_loaded(tmp_path: Path, key: str) -> None:
    source = f"""
    import torch
    state = torch.load("best.pt")
    state = state["{key}"] if "{key}" in state else state
    net = torch.nn.Linear(6, 2)
    net.load_state_dict({{k.replace("module.", ""): v for k, v in state.items()}})
    net(torch.zeros(4, 5))  # fails
    """
    found = run(tmp_path, source)
    assert found.failure is not None, found
    assert found.failure.frames[-1].line == line_of(source)


def test_a_script_that_a_launcher_starts_is_not_wrong(tmp_path: Path) -> None:
    source = "import torch\ntorch.distributed.init_process_group('gloo')\nWIDTH = 6\n" + dedent(STEP)
    found = run(tmp_path, source)
    assert (found.failure, found.unreached, found.steps) == (None, None, 1)


@TWINS
def test_a_published_model_has_its_published_sizes(tmp_path: Path, width: int) -> None:
    source = f"""
    import torch
    from transformers import AutoModel, AutoTokenizer
    tokenizer = AutoTokenizer.from_pretrained("google/electra-small-discriminator")
    net = AutoModel.from_pretrained("google/electra-small-discriminator")
    head = torch.nn.Linear({256 if width == 6 else 768}, 2)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    inputs = tokenizer(["some words", "and some more"], padding=True, return_tensors="pt")
    head(net(**inputs).last_hidden_state[:, 0]).sum().backward()  # fails
    optimizer.step()
    """
    told(run(tmp_path, source), source, width)


def test_the_line_inside_a_converted_function_is_told(tmp_path: Path) -> None:
    source = """
    import tensorflow as tf
    w = tf.Variable(tf.zeros((4, 2)))
    (x, y), _ = tf.keras.datasets.mnist.load_data()
    def model(x):
        return tf.matmul(x, w)  # fails
    @tf.function
    def step(x):
        return model(x)
    step(tf.cast(x[:3, 0], tf.float32))
    """
    found = run(tmp_path, source)
    assert found.failure is not None, found
    assert found.failure.frames[-1].line == line_of(source)
    assert found.failure.message.startswith("Dimensions must be equal, but are 28 and 4")


def test_what_is_no_message_of_a_converted_function_stays(tmp_path: Path) -> None:
    assert in_user_code([], "wrong", str(tmp_path)) == ([], "wrong")
    assert in_user_code([], "in user code: nothing", str(tmp_path)) == ([], "in user code: nothing")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (f"{_PRODUCT} (24x8 and 9x4)", f"{_PRODUCT} (29x8 and 9x4)", True),
        (f"{_PRODUCT} (2x8 and 9x4)", f"{_PRODUCT} (2x8 and 7x4)", False),
        ("The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1",
         "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 2", False),
        ("expected axis -1 of input shape to have value 5, but received input with shape (24, 6)",
         "expected axis -1 of input shape to have value 5, but received input with shape (29, 6)", True),
        ("invalid literal for int() with base 10: 'a'", "invalid literal for int() with base 10: 'a'", False),
        ("mat1 and mat2 must have the same dtype, but got Double and Float",
         "mat1 and mat2 must have the same dtype, but got Double and Float", False),
    ],
)  # fmt: skip
def test_which_sizes_are_in_conflict(one: str, other: str, same: bool) -> None:
    assert (conflict(one) is not None and conflict(one) == conflict(other)) is same


@pytest.mark.parametrize(
    ("message", "empty"),
    [
        ("num_samples should be a positive integer value, but got num_samples=0", True),
        ("stack expects a non-empty TensorList", True), ("list index out of range", True),
        (f"{_PRODUCT} (0x3 and 4x5)", True),
        (f"{_PRODUCT} (2x3 and 4x5)", False),
        ("Input 0 of layer is incompatible: expected ndim=3, found ndim=2", False),
        ("The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 0", False),
    ],
)  # fmt: skip
def test_what_may_be_for_want_of_data(message: str, empty: bool) -> None:
    assert of_nothing(message) is empty


@TWINS
def test_what_processes_need_of_a_machine_is_no_finding(tmp_path: Path, width: int) -> None:
    source = f"""
    import os
    import torch
    WIDTH = {width}
    def work(rank, world):
        os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"] = "localhost", "12355"
        torch.distributed.init_process_group("gloo", rank=rank, world_size=world)
        {STEP.strip().replace(chr(10), chr(10) + "    ")}
    if __name__ == "__main__":
        torch.multiprocessing.spawn(work, args=(2,), nprocs=2)
    """
    told(run(tmp_path, source), source, width)


@TWINS
def test_a_sampler_of_batches_that_somebody_gave_is_cut_short_too(tmp_path: Path, width: int) -> None:
    source = f"""
    import torch
    from torch.utils.data import BatchSampler, DataLoader, RandomSampler
    data = torch.zeros(130, {width})
    loader = DataLoader(data, batch_sampler=BatchSampler(RandomSampler(data), 64, drop_last=False))
    net = torch.nn.Linear(6, 2).to("cuda")
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for batch in loader:
        net(batch.to("cuda")).sum().backward()  # fails
        optimizer.step()
    """
    found = run(tmp_path, source)
    told(found, source, width)
    assert width == 5 or found.batches == 3


@pytest.mark.parametrize(
    ("name", "width"),
    [
        ("bert-base-uncased", 768),
        ("google-bert/bert-large-cased", 1024),
        ("somebody/bert-base-uncased", None),
        ("x", None),
    ],
)
def test_which_models_are_known(name: str, width: int | None) -> None:
    found = known(name)
    assert (found["hidden_size"] if found else None) == width


VOCABULARY = """
    import tensorflow as tf
    data = tf.keras.utils.text_dataset_from_directory("reviews/train", batch_size=16)
    words = tf.keras.layers.TextVectorization(max_tokens=20000, output_mode="multi_hot")
    words.adapt(data.map(lambda x, y: x))
    net = tf.keras.Sequential([tf.keras.Input((20000,)), tf.keras.layers.Dense(1)])
    net.compile("sgd", "mse")
    net.fit(data.map(lambda x, y: (words(x), y)), epochs=2)
    """


def test_how_many_words_there_are_is_made_up(tmp_path: Path) -> None:
    found = run(tmp_path, VOCABULARY)
    assert found.failure is None, found
    assert "texts in a folder: with what is made up for that" in (found.unreached or "")
