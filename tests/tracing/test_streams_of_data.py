"""Data that comes one by one: an IterableDataset's own iterator, a generator behind a data set of TensorFlow."""

from __future__ import annotations

import ast
import contextlib
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

STREAM = """
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset
class Stream(IterableDataset):
    def __init__(self, count, length):
        self.count, self.length = count, length
    def __iter__(self):
        for _ in range(self.count):
            x = torch.randint(0, 30, (self.length + 1,))
            yield x[:-1], x[1:]
embedding = nn.Embedding(30, 8)
layer, transformer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), nn.Transformer(8, 2, 1, 1, 16)
for x, y in DataLoader(Stream(8, 12), batch_size=4{more}):
    h = embedding(x) + torch.zeros({length}, 8)
    mask = {owner}.generate_square_subsequent_mask({masked})
    nn.TransformerEncoder(layer, 1)(h, mask=mask)
"""
GENERATOR = """
import numpy as np
import tensorflow as tf
def examples():
    for i in range(10):
        yield np.zeros((16, 3), "float32"), np.int32(i)
data = tf.data.Dataset.from_generator(examples, {signature})
for x, y in data.batch(5):
    tf.matmul(x, tf.zeros((5, {width}, 2)))
"""
SIGNATURES = (
    "output_signature=(tf.TensorSpec((16, 3), tf.float32), tf.TensorSpec((), tf.int32))",
    "output_signature=(tf.TensorSpec(shape=(16, 3), dtype=tf.float32), tf.TensorSpec(shape=[], dtype=tf.int32))",
    "output_types=(tf.float32, tf.int32), output_shapes=((16, 3), ())",
    "(tf.float32, tf.int32), (tf.TensorShape([16, 3]), tf.TensorShape([]))",
    "output_signature=(tf.TensorSpec((None, 3), tf.float32), tf.TensorSpec((), tf.int32))",
)


def errors(tmp_path: Path, text: str) -> list[int]:
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    return [p.site.line for p in shared.problems.values() if p.level == "error"]


@pytest.mark.parametrize(
    ("length", "masked", "line"), [(12, "x.size(1)", 0), (16, "x.size(1)", 15), (12, "x.size(1) + 1", 17)]
)
@pytest.mark.parametrize("owner", ["nn.Transformer", "transformer"])
@pytest.mark.parametrize("more", ["", ", collate_fn=lambda rows: tuple(map(torch.stack, zip(*rows)))"])
def test_an_iterator_of_examples(tmp_path: Path, length: int, masked: str, line: int, owner: str, more: str) -> None:
    text = STREAM.format(length=length, masked=masked, owner=owner, more=more)
    with pytest.raises((RuntimeError, AssertionError)) if line else contextlib.nullcontext():
        exec(text, {})
    assert errors(tmp_path, text) == ([line] if line else [])


@pytest.mark.parametrize("signature", SIGNATURES)
@pytest.mark.parametrize("width", [3, 4])
def test_a_generator_that_says_what_it_gives(tmp_path: Path, signature: str, width: int) -> None:
    assert errors(tmp_path, GENERATOR.format(signature=signature, width=width)) == ([9] if width == 4 else [])


def test_a_generator_that_says_nothing(tmp_path: Path) -> None:
    assert errors(tmp_path, GENERATOR.format(signature="(tf.float32, tf.int32)", width=4)) == []
