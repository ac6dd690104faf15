"""Names and arguments by the framework version that the repository asks for."""

from __future__ import annotations

import ast
import itertools
from pathlib import Path

import pytest

from analyzer.frameworks.api_tables import Asked, all_tables, tables
from analyzer.frameworks.requested_versions import read_versions
from analyzer.tracing.checkers.framework_api import check_framework_names
from scripts.frameworks.extract_wheels import read_names, read_wheel


def found(tmp_path: Path, requirement: str, source: str, file: str = "requirements.txt") -> list[tuple[str, bool, str]]:
    (tmp_path / file).write_text(requirement + "\n")
    problems = check_framework_names(ast.parse(source), "m.py", read_versions(tmp_path))
    return [(p.rule, p.certain, p.message) for p in problems]


@pytest.mark.parametrize(
    ("requirement", "source", "rule", "words"),
    [
        ("keras==2.15.0", "import keras\nx = keras.ops.add(1, 2)", "python/missing-attribute",
         "it exists from about Keras 3.0.5 on"),
        ("keras==3.5.0", "from keras import layers\nx = layers.LocallyConnected2D(3, 3)", "python/missing-attribute",
         "the last version known to have it is 2.15.0"),
        ("keras==2.12.0", "from keras import layers\nx = layers.LocallyConnected2D(3, 3)", "", ""),
        ("keras==2.12.0", "from keras import layers\nx = layers.StringLookupp()", "python/missing-attribute",
         "did you mean `StringLookup`"),
        ("keras==3.0.5", "from keras import layers\nx = layers.MelSpectrogram()", "python/missing-attribute",
         "it exists from about Keras 3.1.1 on"),
        ("keras==3.5.0", "from keras import layers\nx = layers.MelSpectrogram()", "", ""),
        ("keras==3.7.0", "from keras import layers\nx = layers.LocallyConnected1D(3, 3)", "python/missing-attribute",
         "checked against Keras 3.7.0"),
        ("tensorflow==2.15.0", "import tensorflow as tf\nx = tf.keras.layers.ThresholdedReLU()", "", ""),
        ("tensorflow==2.17.0", "import tensorflow as tf\nx = tf.keras.layers.ThresholdedReLU()",
         "python/missing-attribute", "ThresholdedReLU"),
        ("keras==3.5.0", "from keras import layers\nx = layers.Dense(3, activaton='relu')",
         "python/argument-mismatch", "did you mean `activation`"),
        ("keras==3.5.0", "from keras import layers\nx = layers.Dense(3, input_shape=(4,), name='d')", "", ""),
        ("keras==3.5.0", "from keras import layers\nx = layers.Dense()", "python/argument-mismatch", "misses"),
        ("keras==3.5.0", "import keras\nx = keras.layers.experimental.preprocessing.Rescaling(2)",
         "python/removed-api", "does not exist in Keras 3.5.0"),
        ("torch==1.13.1", "import torch\nm = torch.compile(f)", "python/missing-attribute",
         "it exists from about PyTorch 2.0.1 on"),
        ("torch==2.0.1", "import torch\nm = torch.compile(f)", "", ""),
        ("torch==2.2.2", "import torch\nm = torch.compile(f)", "", ""),
        ("torch==2.2.2", "import torch\nx = torch.gesv(b, a)", "python/removed-api", "use torch.linalg.solve"),
        ("torch==1.4.0", "from torch import nn\nx = nn.SiLU()", "python/missing-attribute",
         "it exists from about PyTorch 1.8.1 on"),
        ("torch==2.2.2", "from torch import nn\nx = nn.Linear(3)", "python/argument-mismatch", "`out_features`"),
        ("torch==2.2.2", "from torch import nn\nx = nn.Conv2d(3, 4, 3, paddding=1)", "python/argument-mismatch",
         "did you mean `padding`"),
        ("torch==2.2.2", "import torch.nn.functional as F\nx = F.dropout(y, 0.1, True, False, 1)",
         "python/argument-mismatch", "takes at most 4 positional arguments but 5 are given"),
        ("torch==1.4.0", "from torch import nn\nx = nn.Linear(3, 4, device='cpu')", "python/argument-mismatch",
         "has no argument `device`"),
        ("torch==2.2.2", "from torch import nn\nx = nn.Linear(3, 4, device='cpu')", "", ""),
        ("torch>=2.6", "import torch\nx = torch.brand_new()", "", ""),
        ("torch>=2.0", "import torch\nx = torch.symeig(a)", "python/removed-api", "PyTorch 2.0 or newer"),
        ("torch>=1.4", "import torch\nx = torch.symeig(a)", "", ""),
        ("tensorflow==1.15.0", "import tensorflow as tf\ns = tf.Session()", "", ""),
        ("tensorflow==1.15.0", "import tensorflow as tf\ns = tf.layers.dens(x, 3)", "python/missing-attribute",
         "did you mean `dense`"),
        ("tensorflow==1.15.0", "import tensorflow as tf\ns = tf.layers.dense(x, unit=3)",
         "python/argument-mismatch", "did you mean `units`"),
        ("tensorflow==2.15.0", "import tensorflow as tf\ns = tf.Session()", "python/removed-api",
         "does not exist in TensorFlow 2.15.0; use"),
        ("tensorflow==2.15.0", "import tensorflow.contrib.slim as slim", "python/removed-api", "tensorflow.contrib"),
        ("tensorflow==2.15.0", "from tensorflow.contrib import slim", "python/removed-api", "tensorflow.contrib"),
        ("tensorflow==2.15.0", "import tensorflow as tf\nx = tf.nn.conv2d(a, filter=b, strides=1, padding='SAME')",
         "python/argument-mismatch", "did you mean `filters`"),
        ("tensorflow==1.15.0", "import tensorflow as tf\nx = tf.nn.conv2d(a, filter=b, strides=1, padding='SAME')",
         "", ""),
        ("tensorflow==2.15.0", "import tensorflow as tf\nx = tf.concat(0, [a, b], 1, 'n')",
         "python/argument-mismatch", "takes at most 3 positional arguments"),
        ("numpy==1.26.4", "import numpy as np\nx = np.bool(1)", "python/removed-api", "use bool, or np.bool_"),
        ("numpy==1.23.5", "import numpy as np\nx = np.bool(1)", "", ""),
        ("numpy==2.0.2", "import numpy as np\nx = np.bool(1)", "", ""),
        ("numpy>=1.24", "import numpy as np\nx = np.bool(1)", "", ""),
        ("numpy>=1.24", "import numpy as np\nx = np.float(1)", "python/removed-api", "NumPy 1.24 or newer"),
        ("numpy==2.0.2", "import numpy as np\nx = np.float_(1)", "python/removed-api", "use np.float64"),
        ("numpy==1.26.4", "import numpy as np\nx = np.arrange(3)", "python/missing-attribute",
         "did you mean `arange`"),
        ("numpy==1.26.4", "import numpy as np\nx = np.concatenate([a], axes=1)", "", ""),
        ("numpy==1.26.4", "import numpy as np\ndef f():\n    import jax.numpy as np\n    return np.astype2(1)", "", ""),
        ("numpy==1.26.4", "import numpy as np\nx = np.stack([a], axes=1)", "python/argument-mismatch",
         "did you mean `axis`"),
    ],
)  # fmt: skip
def test_the_verdict_depends_on_the_version(
    tmp_path: Path, requirement: str, source: str, rule: str, words: str
) -> None:
    problems = found(tmp_path, requirement, source)
    assert [p[0] for p in problems] == ([rule] if rule else [])
    if rule:
        assert problems[0][1], "certain"
        assert words in problems[0][2]


def test_without_a_version_nothing_is_certain(tmp_path: Path) -> None:
    problems = found(tmp_path, "numpy", "from keras import layers\nx = layers.Dens(3)")
    assert [(rule, certain) for rule, certain, _ in problems] == [("python/missing-attribute", False)]
    assert found(tmp_path, "numpy", "from keras import layers\nx = layers.LocallyConnected2D(3, 3)") == []
    assert found(tmp_path, "numpy", "import tensorflow as tf\nx = tf.truncated_normal_initializer()") == []


def test_tables_bracket_a_version() -> None:
    between = tables("keras", Asked((2, 7)))
    assert [str(t) for t in between.tables] == ["2.6.0", "2.8.0"]
    assert between.certain
    assert not tables("keras", Asked((2, 3))).certain
    known = {name: len(all_tables(name)) for name in ("keras", "torch", "tensorflow", "numpy")}
    assert known == {"keras": 25, "torch": 22, "tensorflow": 5, "numpy": 4}


@pytest.mark.parametrize("framework", ["torch", "keras"])
def test_no_version_loses_half_of_a_module(framework: str) -> None:
    """What a circle of imports hides from the reader would be told as gone."""
    known = [t for t in all_tables(framework) if framework == "torch" or t.version >= (3,)]
    module = {"torch": "torch.nn", "keras": "keras.layers"}[framework]
    for older, newer in itertools.pairwise(known):
        lost = set(older.modules[module]) - set(newer.modules[module])
        assert len(lost) < len(older.modules[module]) // 4, (str(older), str(newer))


def test_a_wheel_is_read_without_running_it(tmp_path: Path) -> None:
    import zipfile

    path = tmp_path / "keras-9.9.9-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(
            "keras/layers.py",
            "raise SystemExit\n"
            "class Base:\n    def __init__(self, units, *, name=None, **kwargs): pass\n"
            "@keras_export(['keras.layers.Wide', 'keras.Wide'])\nclass Wide(Base): pass\n"
            "@keras_export('keras.utils.once')\ndef once(a, b=1, *rest): pass\n",
        )
    assert read_wheel(path) == {
        "keras": {"Wide": ["units", "*", "name=", "**kwargs"]},
        "keras.layers": {"Wide": ["units", "*", "name=", "**kwargs"]},
        "keras.utils": {"once": ["a", "b=", "*rest"]},
    }


@pytest.mark.parametrize(
    ("file", "text", "wanted"),
    [
        ("requirements.txt", "torch==2.1.0+cu118", "2.1.0 (requirements.txt)"),
        ("requirements.txt", "torch>=1.13,<2.1", ">=1.13, <2.1 (requirements.txt)"),
        ("requirements-dev.txt", "torch ~= 2.1", ">=2.1, <3 (requirements-dev.txt)"),
        ("environment.yml", "dependencies:\n  - pytorch=1.13\n", "1.13 (environment.yml)"),
        ("pyproject.toml", "[project]\ndependencies = ['torch[opt]==2.2.2 ; python_version > \"3.8\"']",
         "2.2.2 (pyproject.toml)"),
        ("pyproject.toml", "[project.optional-dependencies]\ntrain = ['torch==2.2.2']", "2.2.2 (pyproject.toml)"),
        ("pyproject.toml", "[dependency-groups]\ntrain = ['torch==2.2.2', {include-group = 'x'}]",
         "2.2.2 (pyproject.toml)"),
        ("pyproject.toml", "[tool.poetry.dependencies]\ntorch = '^2.1'", ">=2.1, <3 (pyproject.toml)"),
        ("pyproject.toml", "[tool.poetry.dependencies]\ntorch = {version = '2.1.2', source = 'x'}",
         "2.1.2 (pyproject.toml)"),
        ("poetry.lock", "[[package]]\nname = 'torch'\nversion = '2.1.2'\n", "2.1.2 (poetry.lock)"),
        ("uv.lock", "[[package]]\nname = 'torch'\nversion = '2.1.2+cpu'\n", "2.1.2 (uv.lock)"),
        ("Pipfile.lock", '{"default": {"torch": {"version": "==2.1.2"}}}', "2.1.2 (Pipfile.lock)"),
        ("setup.py", "setup(install_requires=['torch>=2.0'])", ">=2.0 (setup.py)"),
        ("Pipfile", "[packages]\ntorch = '==2.1.2'\n", "2.1.2 (Pipfile)"),
    ],
)  # fmt: skip
def test_where_versions_are_read(tmp_path: Path, file: str, text: str, wanted: str) -> None:
    (tmp_path / file).write_text(text + "\n")
    assert read_versions(tmp_path).described() == {"torch": wanted}


def test_a_lock_file_speaks_before_a_range(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\ndependencies = ['torch>=1.4']\n")
    (tmp_path / "uv.lock").write_text("[[package]]\nname = 'torch'\nversion = '2.6.0'\n")
    assert read_versions(tmp_path).get("torch") == (2, 6, 0)


@pytest.mark.parametrize("text", ["[[package", "[package]\nname = 3", "package = 4", "package = [3]", "\0"])
def test_a_broken_lock_file_says_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "uv.lock").write_text(text)
    assert read_versions(tmp_path).described() == {}


def test_a_package_is_read_without_running_it(tmp_path: Path) -> None:
    import zipfile

    path = tmp_path / "torch-9.9.9-cp311-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("torch/__init__.py", "raise SystemExit\nfrom torch._ops import *\nfrom . import nn\n")
        wheel.writestr("torch/_ops.py", "__all__ = ['add', 'made']\ndef add(a, b=1, *, out=None): pass\n")
        wheel.writestr("torch/_C/__init__.py", "")
        wheel.writestr("torch/__init__.pyi", "def add(x): ...\nfloat32: int\n")
        wheel.writestr(
            "torch/nn/__init__.py",
            "class Module:\n    def __init__(self, name): pass\n"
            "class Linear(Module): pass\n@wrap\ndef odd(a): pass\n"
            "try:\n    import x as fast\nexcept ImportError:\n    fast = None\n",
        )
    names = read_names(path, "torch")
    assert names["torch"]["add"] == ["a", "b=", "*", "out="]
    assert {"made", "float32", "nn"} <= set(names["torch"])
    assert names["torch.nn"] == {"Linear": ["name"], "Module": ["name"], "fast": None, "odd": None}
