"""TensorFlow: tensors of texts, the numbers that Keras makes of them, and rows of different lengths."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

TEXTS = """
import keras
import tensorflow as tf
layer = keras.layers.TextVectorization({options})
layer.adapt(["one two", "three"])
found = layer({texts})
tf.reshape(found, {shape})
"""


def proved(tmp_path: Path, text: str) -> list[bool]:
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    return [p.proved for p in problems if p.level == "error"]


@pytest.mark.parametrize(
    ("options", "texts", "sizes"),
    [
        ("output_sequence_length=6", "tf.constant(['a b', 'c'])", (2, 6)),
        ("max_tokens=50, output_mode='int', output_sequence_length=6", "['a b', 'c', 'd']", (3, 6)),
        ("output_sequence_length=6", "tf.constant([['a b'], ['c']])", (2, 6)),
        ("output_sequence_length=6", "tf.constant('a b')", (6,)),
        ("50, output_mode='multi_hot', pad_to_max_tokens=True", "tf.constant(['a b', 'c'])", (2, 50)),
    ],
)
def test_numbers_of_texts(tmp_path: Path, options: str, texts: str, sizes: tuple[int, ...]) -> None:
    wrong = (*sizes[:-1], sizes[-1] + 1)
    assert proved(tmp_path, TEXTS.format(options=options, texts=texts, shape=sizes)) == []
    assert proved(tmp_path, TEXTS.format(options=options, texts=texts, shape=wrong)) == [True]


@pytest.mark.parametrize(
    "options",
    ["output_mode='int'", "output_mode='multi_hot', max_tokens=9", "output_sequence_length=6, ragged=True",
     "output_sequence_length=6, split='character'"],
)  # fmt: skip
def test_a_length_that_the_texts_decide_is_not_told(tmp_path: Path, options: str) -> None:
    text = TEXTS.format(options=options, texts="tf.constant(['a b', 'c'])", shape=(2, 7))
    assert True not in proved(tmp_path, text)


@pytest.mark.parametrize(
    ("rows", "asked", "sizes"),
    [
        ("[[1, 2, 3], [4], [5, 6]]", "", (3, 3)),
        ("[[], [1]]", "", (2, 1)),
        ("[[1, 2, 3], [4]]", "shape=(4, 5)", (4, 5)),
        ("[[1, 2, 3], [4]]", "default_value=-1, shape=(None, 5)", (2, 5)),
        ("[[[1, 2], [3, 4]], [[5, 6]]]", "", (2, 2, 2)),
        ("[['a', 'b'], []]", "", (2, 2)),
    ],
)
def test_rows_that_are_filled_up(tmp_path: Path, rows: str, asked: str, sizes: tuple[int, ...]) -> None:
    head = f"import tensorflow as tf\nmade = tf.ragged.constant({rows}).to_tensor({asked})\n"
    wrong = (*sizes[:-1], sizes[-1] + 1)
    assert proved(tmp_path, f"{head}tf.reshape(made, {sizes})\n") == []
    assert proved(tmp_path, f"{head}tf.reshape(made, {wrong})\n") == [True]


@pytest.mark.parametrize(
    ("query", "value", "key", "fits"),
    [
        ((2, 5, 16), (3, 7, 16), (2, 7, 16), False), ((2, 5, 16), (2, 7, 16), (3, 7, 16), False),
        ((2, 5, 16), (2, 6, 16), (2, 7, 16), False), ((2, 5, 16), (1, 7, 16), (1, 7, 16), False),
        ((2, 5, 16), (2, 7, 8), (2, 7, 12), True), ((2, 4, 5, 16), (2, 3, 7, 16), (2, 3, 7, 16), True),
    ],
)  # fmt: skip
def test_what_queries_attend_to(tmp_path: Path, query: object, value: object, key: object, fits: bool) -> None:
    text = (
        "import keras, tensorflow as tf\nlayer = keras.layers.MultiHeadAttention(2, 8)\n"
        f"layer(tf.zeros({query}), tf.zeros({value}), tf.zeros({key}))\n"
    )
    assert proved(tmp_path, text) == ([] if fits else [True])


def test_two_inputs_of_a_model_may_have_one_batch(tmp_path: Path) -> None:
    text = (
        "import keras\nfrom keras import layers\na, b = layers.Input((5, 16)), layers.Input((7, 16))\n"
        "y = layers.MultiHeadAttention(2, 8)(a, b)\nz = layers.MultiHeadAttention(2, 8)(query=a, value=b, key=b)\n"
    )
    assert proved(tmp_path, text) == []
