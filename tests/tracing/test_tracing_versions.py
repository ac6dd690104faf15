"""Names and arguments by the framework version that the repository asks for."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.tracing.extract_wheels import read_wheel
from analyzer.tracing.framework_api import all_tables, check_framework_names, tables
from analyzer.tracing.versions import read_versions


def found(tmp_path: Path, requirement: str, source: str) -> list[tuple[str, bool, str]]:
    (tmp_path / "requirements.txt").write_text(requirement + "\n")
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
         "it exists from about Keras 3.5.0 on"),
        ("keras==3.5.0", "from keras import layers\nx = layers.MelSpectrogram()", "", ""),
        ("keras==3.7.0", "from keras import layers\nx = layers.LocallyConnected1D(3, 3)", "python/missing-attribute",
         "Keras 3.5.0 and 3.10.0"),
        ("tensorflow==2.15.0", "import tensorflow as tf\nx = tf.keras.layers.ThresholdedReLU()", "", ""),
        ("tensorflow==2.17.0", "import tensorflow as tf\nx = tf.keras.layers.ThresholdedReLU()",
         "python/missing-attribute", "ThresholdedReLU"),
        ("keras==3.5.0", "from keras import layers\nx = layers.Dense(3, activaton='relu')",
         "python/argument-mismatch", "did you mean `activation`"),
        ("keras==3.5.0", "from keras import layers\nx = layers.Dense(3, input_shape=(4,), name='d')", "", ""),
        ("keras==3.5.0", "from keras import layers\nx = layers.Dense()", "python/argument-mismatch", "misses"),
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


def test_tables_bracket_a_version() -> None:
    assert [str(t) for t in tables("keras", (2, 13))[0]] == ["2.12.0", "2.15.0"]
    assert tables("keras", (2, 13))[1]
    assert not tables("keras", (2, 3))[1]
    assert len(all_tables("keras")) >= 6


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
