"""`assay init`: examples of the repository become entry points that run; nothing is overwritten, nothing is run."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import yaml

from analyzer.commands import init
from analyzer.commands.cli import main
from analyzer.configuration.reader import read_config
from analyzer.exporting.inside.entry import build
from analyzer.selecting.missing_packages import missing_packages
from tests.pipeline.models import unsafe

PACKAGE = """\
import torch
from torch import nn

class Base(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.f = nn.Linear(dim, dim)

    def forward(self, x, mask=None, return_loss=False):
        y = self.f(x)
        return y.sum() if return_loss else y

class SimpleNet(Base):
    def __init__(self, dim, *, depth):
        super().__init__(dim)

class Ready(nn.Module):
    def forward(self, x):
        return x

class NoModel:
    pass

class Block(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.conv = nn.Conv2d(width, width, 3)

    def forward(self, x):
        return self.conv(x)

class Pictures(nn.Module):
    def __init__(self, depth, in_chans=2, img_size=16, num_classes=10):
        super().__init__()
        self.stem = nn.Conv2d(in_chans, 8, 3)
        self.blocks = nn.Sequential(*[Block() for _ in range(depth)])

    def forward(self, x):
        return self.blocks(self.stem(x)).flatten(1)

def _made(depth, **settings):
    model = Pictures(depth, **settings)
    return model

def small(pretrained=False, **settings):
    return _made(2, **settings)

class Words(nn.Module):
    def __init__(self, words=50):
        super().__init__()
        self.table = nn.Embedding(words, 4)

    def forward(self, tokens):
        return self.table(tokens)
"""
README = """\
# Nets

```python
import torch, os
from nets.core import SimpleNet, Base

dim = 8
unused = os.system("touch mark")
net = SimpleNet(dim, depth = 2)
x = torch.randn(
    1, dim)
y = net(x, return_loss = True) # a loss
```

```python
model = Base.from_pretrained("hub")
model(torch.zeros(1))
```

```bash
not python at all {
```
"""
TEST = """\
import torch
from nets.core import Base

class TestBase:
    def test_it(self):
        model = Base(4)
        out = model(torch.zeros(3, 4), mask=torch.ones(3))
        assert out.shape == (3, 4)
"""


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    texts = {
        "nets/__init__.py": "", "nets/core.py": PACKAGE, "README.md": README, "tests/test_nets.py": TEST,
        "train.py": "import torch\nloss = torch.zeros(1, requires_grad=True)\nloss.backward()\n",
        "broken.py": "def f(:\n", "requirements.txt": "torch\n",
    }  # fmt: skip
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    unsafe(tmp_path / "exports" / "net.onnx")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_is_written_is_read_and_runs(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "--yes"]) == 0
    shown = capsys.readouterr().out
    for line in ("1 model file\n", "SimpleNet (README.md:12)", "Base (tests/test_nets.py:7)", "Ready (nets/core.py:",
                 "small (nets/core.py:"):  # fmt: skip
        assert line in shown
    assert not (repository / "mark").exists()
    config = read_config(repository / ".assay.yml")
    entries = [t.entry for t in config.targets]
    guessed = ["assay_models.py:small", "assay_models.py:words"]  # `Block` is a part of another
    assert entries == ["assay_models.py:simple_net", "assay_models.py:base", *guessed]
    for entry, shape in zip(guessed, ((1, 2, 16, 16), (1, 16)), strict=True):
        made = build(entry, str(repository))
        assert isinstance(made.inputs, tuple)
        assert made.inputs[0].shape == shape
        made.model(*made.inputs)
    assert config.environment.requirements
    net = build("assay_models.py:simple_net", str(repository))
    assert net.framework == "torch"
    assert isinstance(net.inputs, tuple)
    assert net.model(*net.inputs).ndim == 0
    other = build("assay_models.py:base", str(repository))
    assert isinstance(other.inputs, tuple)
    assert other.model(*other.inputs).shape == (3, 4)
    assert "os.system" not in (repository / "assay_models.py").read_text()
    assert yaml.safe_load((repository / ".github/workflows/assay.yml").read_text())["permissions"] == {}


def test_nothing_is_overwritten(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repository / ".assay.yml").write_text("version: 1\n")
    assert main(["init", "--yes"]) == 2
    assert ".assay.yml exists already" in capsys.readouterr().err
    assert (repository / ".assay.yml").read_text() == "version: 1\n"
    assert not (repository / "assay_models.py").exists()


def test_without_a_yes_nothing_is_written(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init"]) == 0
    assert "Nothing was written" in capsys.readouterr().out
    assert not (repository / ".assay.yml").exists()


def test_names_of_the_repository_cannot_break_the_files(repository: Path) -> None:
    evil = repository / '"""\nimport evil\n- entry: x.py:y #.md'
    evil.write_text(README)
    (repository / "README.md").unlink()
    assert main(["init", "--yes"]) == 0
    assert len(read_config(repository / ".assay.yml").targets) == 4
    tree = ast.parse((repository / "assay_models.py").read_text())
    imported = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    assert imported == {"torch"}


def test_a_folder_without_anything_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["init", "--yes"]) == 2
    assert "nothing here can be checked" in capsys.readouterr().err


def test_models_that_nobody_calls_are_named_by_both_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "net.py").write_text(
        "from torch import nn\n\nclass Net(nn.Module):\n    def __init__(self, width):\n        pass\n"
    )
    (tmp_path / "other.py").write_text("x = 1\n")
    monkeypatch.chdir(tmp_path)
    assert main(["init", "--yes"]) == 2
    said = capfd.readouterr().err
    assert "Net (net.py:3) needs arguments" in said
    assert "assay trace ." in said
    main(["check"])
    assert "But 1 Python file defines models: Net (net.py:3)." in capfd.readouterr().err


def test_check_never_passes_about_nothing(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repository / "exports" / "net.onnx").unlink()
    assert main(["check"]) == 3
    said = capsys.readouterr().err
    assert "Base (nets/core.py:4)" in said
    assert "assay init" in said
    (repository / ".assay.yml").write_text("version: 1\n")
    assert main(["check"]) == 3
    said = capsys.readouterr().err
    assert "assay init" not in said, "it would not write a second configuration"
    assert "Name a function that makes one in .assay.yml" in said


def test_a_folder_of_notebooks_is_told_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b", ".trash/c"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.ipynb").write_text("{}")
    monkeypatch.chdir(tmp_path)
    assert main(["check"]) == 3
    said = capsys.readouterr().err
    assert "does not read notebooks such as a.ipynb (and 1 more): put the model's code into a .py file" in said


@pytest.mark.parametrize(
    ("name", "text", "command"),
    [
        (
            "requirements.txt",
            "numpy>=1 # here\n-e .\nno-such-thing==2\nother; python_version < '3'\n",
            "-r requirements.txt",
        ),
        ("pyproject.toml", "[project]\ndependencies = ['numpy', 'no-such-thing[x]>=1']\n", "."),
        ("pyproject.toml", "[project\n", ""),
        ("pyproject.toml", "[tool.poetry.dependencies]\npython = '^3.11'\nno-such-thing = '*'\n", "."),
        ("setup.cfg", "[options]\ninstall_requires =\n  numpy\n  no-such-thing>=1\n", "."),
        ("setup.py", "from setuptools import setup\nNEEDS = ['no-such-thing']\nsetup(install_requires=NEEDS)\n", "."),
        ("setup.py", "from setuptools import setup\nsetup(install_requires=read('a.txt'))\n", ""),
    ],
)
def test_what_the_project_needs_and_is_not_here_comes_first(tmp_path: Path, name: str, text: str, command: str) -> None:
    (tmp_path / name).write_text(text)
    found = missing_packages(tmp_path)
    assert found.names == (("no-such-thing",) if command else ())
    assert not command or found.command == f"pip install {command}"


def test_requirements_that_others_include_are_read(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("-r more/base.txt\n--requirement=/etc/passwd\n-r ../outside.txt\n")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "base.txt").write_text("no-such-thing\n-r ../requirements.txt\n")
    (tmp_path.parent / "outside.txt").write_text("never-read\n")
    assert missing_packages(tmp_path).names == ("no-such-thing",)


def test_a_class_that_nothing_calls_shows_its_inputs_and_an_abstract_one_is_not_shown(tmp_path: Path) -> None:
    text = """
import abc
from torch import nn

class Tokens(nn.Module):
    def forward(self, indices, states, scale=1.0):
        return indices

class AbstractHead(nn.Module):
    def forward(self, x):
        return x

class Critic(nn.Module):
    @abc.abstractmethod
    def forward(self, x): ...
"""
    for folder in (tmp_path, tmp_path / "build" / "lib"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "net.py").write_text(text)
    written = init.planned(init.look(tmp_path), tmp_path)[init.CONFIGURATION]
    assert "#   inputs: {indices: {shape: [SIZES]}, states: {shape: [SIZES]}}" in written
    assert written.count("- entry:") == 1


@pytest.mark.parametrize("missing", [[], ["torch"]])
def test_what_to_type_next_names_the_package_that_lacks(
    missing: list[str], repository: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(init, "find_spec", lambda name: None if name in missing else object())
    assert main(["init", "--yes"]) == 0
    shown = capsys.readouterr().out
    assert ("pip install 'assay-action[torch]'" in shown) is bool(missing)
    assert "assay check" in shown


NETWORK = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 3, stride=2)
        self.pool = nn.MaxPool2d(2)
        self.head = nn.Linear({features}, classes)

    def forward(self, images):
        return self.head(self.pool(self.conv(images).relu()).flatten(1))
"""


def proposed(root: Path, network: str, example: str = "") -> tuple[str, list[str]]:
    """The module of entry points that `assay init` would write, and the targets that would be active."""
    (root / "net.py").write_text(network)
    (root / "use.py").write_text(example)
    texts = init.planned(init.look(root), root)
    targets = yaml.safe_load(texts[init.CONFIGURATION]).get("targets") or []
    return texts.get(init.ENTRIES, ""), [t["entry"] for t in targets]


DOCTEST = NETWORK.replace(
    "class Net(nn.Module):",
    """class Net(nn.Module):
    \'\'\'A small network.

    Example
    -------
    >>> net = Net(classes=7)
    >>> x = torch.zeros(2, 3, 31, 31)
    >>> net(x).shape
    torch.Size([2, 7])
    \'\'\'
""",
)


def test_a_doctest_is_an_example(tmp_path: Path) -> None:
    """It sees the names of its file, as the module `doctest` runs it."""
    text, targets = proposed(tmp_path, DOCTEST.format(features=784))
    assert targets == ["assay_models.py:net"]
    assert "as in net.py" in text
    (tmp_path / "entries.py").write_text(text)
    made = build("entries.py:net", str(tmp_path))
    assert isinstance(made.inputs, tuple)
    assert made.model(*made.inputs).shape == (2, 7)


def test_a_guessed_input_has_a_size_that_the_layers_take(tmp_path: Path) -> None:
    text, targets = proposed(tmp_path, NETWORK.format(features=16 * 7 * 7))
    assert "torch.rand(1, 3, 32, 32)" in text
    assert "sizes that its layers take" in text
    assert targets == ["assay_models.py:net"]


def test_a_model_that_takes_no_usual_size_is_not_proposed(tmp_path: Path) -> None:
    assert proposed(tmp_path, NETWORK.format(features=17)) == ("", [])


LAYOUT_BY_ARGUMENTS = """
from torch import nn

def stage(i, widths):
    return nn.Sequential(nn.Conv2d(widths[i], widths[i + 1], 3, 2, 1), nn.ReLU())

class Net(nn.Module):
    def __init__(self, widths):
        super().__init__()
        self.stages = nn.Sequential(*[stage(i, widths) for i in range(len(widths) - 1)])
        self.head = nn.Linear(widths[-1], {classes})

    def forward(self, images):
        return self.head(self.stages(images).mean((2, 3)))

def net_small():
    return Net([3, 8, {width}])
"""


def test_what_no_layer_tells_is_tried_and_counts_where_tracing_follows_it(tmp_path: Path) -> None:
    text, targets = proposed(tmp_path, LAYOUT_BY_ARGUMENTS.format(classes=10, width=16))
    assert targets == ["assay_models.py:net_small"]
    assert "torch.rand(1, 3, 224, 224)" in text


def test_what_is_tried_in_vain_is_not_proposed(tmp_path: Path) -> None:
    network = LAYOUT_BY_ARGUMENTS.format(classes="unknown_package.classes()", width=16)
    assert proposed(tmp_path, f"import unknown_package\n{network}")[1] == []
    assert proposed(tmp_path, LAYOUT_BY_ARGUMENTS.format(classes=10, width=16).replace("[3,", "[5,")) == ("", [])


def test_what_takes_anything_is_not_proposed(tmp_path: Path) -> None:
    forward = "    def forward(self, x):\n        a, b = x.chunk(2, -1)\n        return a * b.sigmoid()\n"
    gate = f"class Gate(nn.Module):\n{forward}"
    assert proposed(tmp_path, f"from torch import nn\n\n{gate}") == ("", [])


EXAMPLES = """# Net

```python
from net import Net
net = Net()
net(torch.rand(1, 3, 64, 64))
```

```python
import torch
from net import Net

{second}
```
"""


def test_where_the_first_example_is_older_than_the_model_another_is_taken(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(
        EXAMPLES.replace("from net", "import torch\nfrom net", 1).format(
            second="model = Net(7)\nmodel(torch.rand(2, 3, 31, 31))"
        )
    )
    (tmp_path / "net.py").write_text(NETWORK.format(features=16 * 7 * 7).replace("stride=2", "stride=(2, 2)"))
    found = init.look(tmp_path)
    assert [(call.line, bool(call.fails)) for call in found.calls] == [(7, True), (15, False)]
    (first, second) = [found.calls[0].name, found.calls[1].name]
    assert first != second
    text = init.planned(found, tmp_path)[init.ENTRIES]
    assert "as in README.md:15" in text
    assert "README.md:7" not in text


SCRIPT = """
import argparse
import torch
from scripted import Net, make
from data import loader

def main(args):
    width = 4
    net = {made}
    optimizer = torch.optim.Adam(net.parameters())
    for images, labels in loader(args.data):
        loss = torch.nn.functional.cross_entropy(net(images), labels)
        loss.backward()
        optimizer.step()

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--channels", "-c", type=int, default=2)
    parser.add_argument("--deep", action="store_true")
    main(parser.parse_args())
"""
MADE = """
from torch import nn

class Net(nn.Module):
    def __init__(self, channels, width, deep):
        super().__init__()
        self.conv = nn.Conv2d(channels, width, 3)
        self.more = nn.Conv2d(width, width, 3) if deep else nn.Identity()

    def forward(self, images):
        return self.more(self.conv(images)).mean((2, 3))

def make(channels, *, deep, pretrained=False):
    return Net(channels, 8, deep)
"""


@pytest.mark.parametrize(
    "made",
    ["Net(args.channels, width, args.deep).to('cpu')", "make(channels=args.channels, deep=False, pretrained=True)"],
)
def test_a_model_of_a_training_script_is_made_as_the_script_makes_it(tmp_path: Path, made: str) -> None:
    (tmp_path / "scripted.py").write_text(MADE)
    (tmp_path / "train.py").write_text(SCRIPT.format(made=made))
    found = init.look(tmp_path)
    (call,) = found.inferred
    assert (call.path, call.line, call.certain) == ("train.py", 9, True)
    text = init.planned(found, tmp_path)[init.ENTRIES]
    assert "torch.rand(1, 2, " in text
    (tmp_path / "entries.py").write_text(text)
    built = build(f"entries.py:{call.name}", str(tmp_path))
    assert isinstance(built.inputs, tuple)
    assert built.model(*built.inputs).shape[1] == (4 if "width" in made else 8)


NESTED = """
from torch import nn

class Encoder(nn.Module):
    def __init__(self, planes, width, latent):
        super().__init__()
        wide = width * 2
        self.body = nn.Sequential(nn.Conv2d(planes + 1, wide, 4, stride=4), nn.Flatten())
        self.mean = nn.Linear(wide * 8 * 8, latent)

    def forward(self, x):
        return self.mean(self.body(x))

class Coder(nn.Module):
    def __init__(self, latent=4, planes=1, width=3):
        super().__init__()
        self.encoder = Encoder(planes, width, latent=latent)
        self.start = nn.Linear(latent, 7)

    def forward(self, x):
        return self.start(self.encoder(x))
"""


def test_the_input_is_that_of_the_layer_which_it_meets_first(tmp_path: Path) -> None:
    """Numbers are handed down to it from where the model is made."""
    text, targets = proposed(tmp_path, NESTED, "from net import Coder\nmodel = Coder(5, planes=2)\n")
    assert targets == ["assay_models.py:coder"]
    assert "Coder(5, planes=2).eval(), (torch.rand(1, 3, 32, 32),)" in text


SEQUENTIAL = """
import torch
import torch.nn as nn

hidden = 12
net = nn.Sequential(nn.Conv2d(1, 3, 3), nn.ReLU(), nn.Sequential(nn.Flatten(), nn.Linear(3 * 26 * 26, hidden)))
{calls}
"""


@pytest.mark.parametrize(
    ("calls", "shape"),
    [
        ("x = torch.rand(5, 1, 28, 28)\ny = net(x)", (5, 12)),
        ("for step in range(3):\n    net(load(step)).sum().backward()", (1, 12)),
    ],
)
@pytest.mark.parametrize("page", ["", "```python\n{}\n```\n", ".. code-block:: python\n    :linenos:\n\n{}\n\nMore.\n"])
def test_a_sequence_of_layers_is_a_model_too(tmp_path: Path, calls: str, shape: tuple[int, ...], page: str) -> None:
    text = SEQUENTIAL.format(calls=calls)
    indented = "\n".join(f"    {line}" if line else "" for line in text.splitlines())
    name = "train.py" if not page else "README.rst" if page.startswith("..") else "README.md"
    (tmp_path / name).write_text(page.format(indented if page.startswith("..") else text) if page else text)
    found = init.look(tmp_path)
    (call,) = found.entries
    assert call.certain
    assert "nn.Sequential(" in (tmp_path / name).read_text().splitlines()[call.line - 1 - ("y =" in calls) * 2]
    (tmp_path / "entries.py").write_text(init.planned(found, tmp_path)[init.ENTRIES])
    built = build("entries.py:net", str(tmp_path))
    assert isinstance(built.inputs, tuple)
    assert built.model(*built.inputs).shape == shape


def test_a_session_with_prompts_is_an_example(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NETWORK.format(features=784))
    session = (
        ">>> import torch\n>>> from net import Net\n>>> net = Net(\n...     classes=3)\n"
        ">>> net(torch.zeros(1, 3, 31, 31)).shape\ntorch.Size([1, 3])\n"
    )
    (tmp_path / "README.md").write_text(f"# Net\n\n```python\n{session}```\n")
    (call,) = init.look(tmp_path).calls
    assert (call.path, call.line, call.fails) == ("README.md", 8, "")


@pytest.mark.parametrize("made", ["Net(args.width, 4, False)", "Net(len(args.data), 4, False)"])
def test_what_only_a_person_types_is_no_model(tmp_path: Path, made: str) -> None:
    (tmp_path / "scripted.py").write_text(MADE)
    (tmp_path / "train.py").write_text(SCRIPT.format(made=made))
    assert init.look(tmp_path).inferred == ()


def test_a_file_that_trains_when_it_is_imported_is_not_imported_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = NETWORK.format(features=784) + "\nnet = Net()\nfor step in range(9):\n    net(step).backward()\n"
    (tmp_path / "train.py").write_text(text)
    found = init.look(tmp_path)
    assert (found.entries, found.uncalled, found.running) == ((), (), ("train.py",))
    monkeypatch.chdir(tmp_path)
    assert main(["init"]) == 0
    assert 'put what runs under `if __name__ == "__main__":`' in " ".join(capsys.readouterr().out.split())
    guarded = text.replace("\nnet = Net()", '\nif __name__ == "__main__":\n    net = Net()').replace(
        "\nfor", "\n    for"
    )
    (tmp_path / "train.py").write_text(guarded.replace("    net(step)", "        net(step)"))
    found = init.look(tmp_path)
    assert ([call.name for call in found.entries], found.running) == (["net"], ())


def test_a_class_whose_name_another_file_has_too_is_the_one_that_is_imported(tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("from .factory import make\n")
        (tmp_path / name / "nets.py").write_text(NETWORK.format(features=784).replace("3, 16", f"{len(name)}, 16"))
        (tmp_path / name / "factory.py").write_text(
            "from .nets import Net as Chosen\n\ndef make(pretrained=False, **options):\n    return Chosen(**options)\n"
        )
    (tmp_path / "second" / "factory.py").write_text("")
    (call,) = init.look(tmp_path).inferred
    assert (call.model.name, call.path) == ("make", "first/factory.py")
    assert "torch.rand(1, 5, 32, 32)" in "\n".join(call.body)


def test_a_guess_that_tracing_cannot_follow_is_no_target_yet(tmp_path: Path) -> None:
    network = NETWORK.format(features=784).replace("import torch\n", "import torch\nimport unknown_package\n", 1)
    text, targets = proposed(tmp_path, network.replace(".flatten(1)", ".flatten(1) * unknown_package.scale(images)"))
    assert "a guess from its layers: correct them" in text
    assert targets == []


@pytest.mark.parametrize(
    "example",
    [
        "scores = Net()(torch.zeros(2, 3, 30, 30))",
        "model = Net(5).to('cuda').eval()\nprint(model(torch.zeros(2, 3, 30, 30).cuda()))",
        "device = 'cuda:0'\nx = torch.zeros(2, 3, 30, 30, device=device)\nif __name__ == '__main__':\n    net = Net()\n"
        "    net = net.to(device)\n    out = net(x)",
    ],
)
def test_examples_as_people_write_them(tmp_path: Path, example: str) -> None:
    """A model that is called where it is made, or moved to a device first; no GPU is needed to repeat it."""
    text, targets = proposed(tmp_path, NETWORK.format(features=784), f"import torch\nfrom net import Net\n{example}\n")
    assert targets == ["assay_models.py:net"]
    assert "as in use.py" in text
    assert "cuda" not in text
    (tmp_path / "entries.py").write_text(text)
    made = build("entries.py:net", str(tmp_path))
    assert isinstance(made.inputs, tuple)
    assert [tuple(x.shape) for x in made.inputs] == [(2, 3, 30, 30)]
    assert made.model(*made.inputs).shape[0] == 2


OLDER = """
from torch import nn

class Net(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.f = nn.Linear(width, depth)

    def forward(self, x):
        return self.f(x)
"""


def test_an_example_that_is_older_than_its_model_is_no_target(tmp_path: Path) -> None:
    use = "import torch\nfrom net import Net\n\nnet = Net({arguments})\nnet(torch.randn(2, 8))\n"
    assert proposed(tmp_path, OLDER, use.format(arguments="width=8, depth=2"))[1] == ["assay_models.py:net"]
    assert proposed(tmp_path, OLDER, use.format(arguments="layers=3")) == ("", [])
    found = init.look(tmp_path)
    assert (
        "# the example use.py:5 fails as it is written: `Net.__init__` "
        in init.planned(found, tmp_path)[init.CONFIGURATION]
    )
    rows = dict(init._rows(found))
    assert not rows["examples that call a model"]
    assert rows["example that fails as it is written"][0].startswith("Net (use.py:5): `Net.__init__` ")


def test_an_example_that_fails_within_the_model_names_the_line_there(tmp_path: Path) -> None:
    use = "import torch\nfrom net import Net\n\nnet = Net(8, 2)\nnet(torch.randn(2, 7))\n"
    assert proposed(tmp_path, OLDER, use) == ("", [])
    found = init.look(tmp_path)
    assert found.calls[0].fails.endswith("(net.py:10)")
    assert init._next(found, tmp_path) == ["Next: assay trace .   (reads the source for shape errors; nothing is run)"]


def test_a_place_that_cannot_be_written_is_one_sentence(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repository / ".github").write_text("no folder\n")
    assert main(["init", "--yes"]) == 2
    assert ".github/workflows/assay.yml cannot be written here" in capsys.readouterr().err
