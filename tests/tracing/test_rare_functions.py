"""Functions that few programs call: what is told of their results is what a run gives, and a twin that does not fit."""

from __future__ import annotations

import ast
import functools
import math
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

TORCH = """import torch
from torch import nn
import torch.autograd.functional as F
import torch.distributions as D
x = torch.ones(4, 6)
"""
KERAS = "import tensorflow as tf\nimport numpy as np\nimport keras\nfrom keras import ops\nx = tf.ones((4, 6))\n"
CASES = [
    (TORCH, "D.MixtureSameFamily(D.Categorical(torch.ones(4, 6)), D.Normal(x, x)).log_prob(torch.zeros(5, 4))"),
    (TORCH, "D.MixtureSameFamily(D.Categorical(torch.ones(4)), D.Independent(D.Normal(x, x), 1)).sample((3,))"),
    (TORCH, "D.LowRankMultivariateNormal(torch.zeros(3), torch.ones(3, 1), torch.ones(3)).rsample((4,))"),
    (TORCH, "D.TransformedDistribution(D.Normal(x, x), [D.transforms.AffineTransform(1.0, 2.0)]).rsample((3,))"),
    (TORCH, "torch.func.stack_module_state([nn.Linear(3, 2) for _ in range(5)])[0]['weight']"),
    (TORCH, "torch.sparse_coo_tensor(torch.zeros(2, 5).long(), torch.ones(5), (4, 6)).to_dense()"),
    (TORCH, "torch.sparse.mm(x.to_sparse(), torch.ones(6, 3))"),
    (TORCH, "torch.spmm(x.to_sparse(), torch.ones(6, 2))"),
    (TORCH, "x.to_sparse().coalesce().to_dense()"),
    (TORCH, "torch.istft(torch.stft(torch.ones(2, 400), 64, 16, return_complex=True), 64, 16, center=False)"),
    (TORCH, "torch.istft(torch.stft(torch.ones(2, 403), 63, 16, return_complex=True), 63, 16)"),
    (TORCH, "torch.istft(torch.ones(33, 26, dtype=torch.cfloat), 64, length=300)"),
    (TORCH, "torch.istft(torch.ones(3, 64, 26, dtype=torch.cfloat), 64, 16, onesided=False)"),
    (TORCH, "torch.zeros(4, 5).addmm(x, torch.ones(6, 5))"),
    (TORCH, "F.jacobian(lambda a, b: a @ b, (x, torch.ones(6, 2)))[1]"),
    (TORCH, "F.jacobian(lambda a: (a.sum(0), a.sum(1)), x)[1]"),
    (TORCH, "F.jacobian(lambda a: a.sum(0), (x,))[0]"),
    (TORCH, "F.hessian(lambda a: (a**2).sum(), x)"),
    (TORCH, "F.hessian(lambda a: (a**2).sum().reshape(1), x)"),
    (TORCH, "F.hessian(lambda a, b: (a @ b).sum(), (x, torch.ones(6, 2)))[1][0]"),
    (TORCH, "F.vjp(lambda a: a.sum(0), x, torch.ones(6))[1]"),
    (TORCH, "F.jvp(lambda a: a.sum(0), x, x)[1]"),
    (TORCH, "F.hvp(lambda a: (a**2).sum(), x, x)[1]"),
    (TORCH, "F.vhp(lambda a, b: (a @ b).sum(), (x, torch.ones(6, 2)), (x, torch.ones(6, 2)))[1][1]"),
    (TORCH, "torch.func.vjp(lambda a: a.sum(0), x)[0]"),
    (TORCH, "torch.func.vjp(lambda a, b: a @ b, x, torch.ones(6, 2))[1](torch.ones(4, 2))[1]"),
    (TORCH, "torch.func.jvp(lambda a: a.sum(0), (x,), (x,))[1]"),
    (TORCH, "torch.func.linearize(lambda a: a.sum(0), x)[1](x)"),
    (TORCH, "torch.quantize_per_tensor(x, 0.1, 0, torch.quint8).dequantize()"),
    (TORCH, "torch.quantize_per_tensor(x, 0.1, 0, torch.quint8).int_repr()"),
    (TORCH, "torch.quantize_per_channel(x, torch.ones(6), torch.zeros(6), 1, torch.qint8).dequantize()"),
    (TORCH, "torch.fake_quantize_per_tensor_affine(x, 0.1, 0, 0, 255)"),
    (TORCH, "torch.fake_quantize_per_channel_affine(x, torch.ones(4), torch.zeros(4), 0, 0, 255)"),
    (TORCH, "torch.linalg.tensorinv(torch.eye(6).reshape(6, 2, 3), ind=1)"),
    (TORCH, "torch.linalg.tensorsolve(torch.eye(6).reshape(2, 3, 6), torch.ones(2, 3))"),
    (TORCH, "torch.linalg.vander(torch.ones(2, 4), N=3)"),
    (TORCH, "torch.vander(torch.ones(4))"),
    (TORCH, "torch.linalg.ldl_factor(torch.eye(3))[1]"),
    (TORCH, "nn.Embedding.from_pretrained(x)(torch.tensor([[1, 2, 3]]))"),
    (TORCH, "nn.Embedding.from_pretrained(embeddings=x, freeze=False, padding_idx=0).weight"),
    (TORCH, "nn.EmbeddingBag.from_pretrained(x, mode='sum')(torch.tensor([[1, 2, 3]]))"),
    (TORCH, "torch.svd_lowrank(x, q=3)[0]"),
    (TORCH, "torch.svd_lowrank(x, q=3, niter=4)[2].mH"),
    (TORCH, "torch.svd_lowrank(torch.ones(2, 7, 3))[1]"),
    (TORCH, "torch.pca_lowrank(x, 2)[2]"),
    (TORCH, "torch.pca_lowrank(torch.ones(9, 8), center=False)[0]"),
    (TORCH, "torch.ones(2, 3, 4).mH"),
    (TORCH, "torch.linalg.solve_ex(torch.eye(3), torch.ones(3, 2))[0]"),
    (TORCH, "nn.utils.parametrizations.spectral_norm(nn.Linear(6, 3))(x)"),
    (TORCH, "nn.utils.parametrizations.orthogonal(nn.Linear(6, 3)).weight"),
    (TORCH, "nn.utils.remove_weight_norm(nn.utils.weight_norm(nn.Linear(6, 3)))(x)"),
    (TORCH, "nn.utils.weight_norm(nn.Conv1d(3, 5, 2)).weight_g"),
    (TORCH, "nn.utils.weight_norm(nn.ConvTranspose1d(3, 5, 2), dim=1).weight_g"),
    (TORCH, "nn.utils.weight_norm(nn.Linear(6, 3), dim=None).weight_v"),
    (TORCH, "nn.utils.spectral_norm(nn.ConvTranspose1d(3, 5, 2)).weight_u"),
    (TORCH, "nn.utils.spectral_norm(nn.Conv1d(3, 5, 2)).weight_v"),
    (TORCH, "nn.utils.spectral_norm(nn.Linear(6, 3)).weight_orig"),
    (KERAS, "np.lib.stride_tricks.as_strided(np.zeros(10), shape=(4, 3), strides=(8, 8))"),
    (KERAS, "np.lib.stride_tricks.as_strided(np.zeros((3, 4)), strides=(8, 8))"),
    (KERAS, "tf.clip_by_global_norm([x, None, tf.ones(5)], 1.0)[0][2]"),
    (KERAS, "ops.bitwise_and(tf.ones((4, 1), tf.int32), tf.ones((1, 6), tf.int32))"),
    (KERAS, "ops.inv(tf.eye(3, batch_shape=[2]))"),
    (KERAS, "ops.det(tf.eye(3, batch_shape=[2, 5]))"),
    (KERAS, "ops.slogdet(tf.eye(3, batch_shape=[2, 5]))[1]"),
    (KERAS, "ops.trace(tf.ones((3, 3, 5)))"),
    (KERAS, "ops.solve(tf.eye(3, batch_shape=[2]), tf.ones((2, 3, 5)))"),
    (KERAS, "ops.diagonal(tf.ones((3, 4, 5)))"),
    (KERAS, "ops.diag(tf.ones(3))"),
    (KERAS, "ops.diff(x, axis=0)"),
    (KERAS, "ops.rot90(x)"),
    (KERAS, "ops.inner(x, tf.ones((5, 6)))"),
    (KERAS, "ops.kron(x, tf.ones((2, 3)))"),
    (KERAS, "ops.tensordot(x, tf.ones((6, 5)), axes=1)"),
    (KERAS, "ops.unravel_index(tf.constant([1, 2, 3]), (4, 6))[0]"),
    (KERAS, "ops.searchsorted(tf.constant([1.0, 2.0, 3.0]), tf.constant([1.0, 2.0]))"),
    (KERAS, "ops.isin(x, tf.ones(2))"),
    (KERAS, "ops.digitize(x, np.array([1.0, 2.0]))"),
    (KERAS, "ops.quantile(x, 0.5, axis=1)"),
    (KERAS, "ops.quantile(x, tf.constant([0.25, 0.5, 0.75]), axis=0)"),
    (KERAS, "ops.segment_sum(x, tf.constant([0, 0, 1, 2]), num_segments=3)"),
    (KERAS, "ops.scatter(tf.constant([[0], [2]]), tf.ones((2, 3)), (4, 3))"),
    (KERAS, "ops.in_top_k(tf.constant([0, 1, 2, 3]), x, 2)"),
    (KERAS, "ops.multi_hot(tf.constant([[0, 1], [2, 3]]), 5)"),
    (KERAS, "ops.hamming(7)"),
    (KERAS, "ops.rfft(x)[0]"),
    (KERAS, "ops.rfft(x, fft_length=8)[1]"),
    (KERAS, "ops.vectorized_map(lambda row: row * 2, x)"),
    (KERAS, "ops.fori_loop(0, 3, lambda i, v: v * 2, x)"),
    (KERAS, "ops.glu(x)"),
    (KERAS, "ops.dot_product_attention(tf.ones((2, 3, 4, 5)), tf.ones((2, 6, 4, 5)), tf.ones((2, 6, 4, 5)))"),
    (KERAS, "ops.extract_sequences(x, 3, 2)"),
    (KERAS, "ops.hsplit(x, 2)[0]"),
    (KERAS, "ops.vsplit(x, 2)[1]"),
    (KERAS, "ops.average(x, axis=0)"),
    (KERAS, "ops.append(x, x)"),
    (KERAS, "ops.append(x, x, axis=1)"),
    (KERAS, "ops.corrcoef(x)"),
    (KERAS, "tf.range(9, 0, -2)"),
    (KERAS, "tf.range(0.0, 6, 2.5)"),
    (KERAS, "tf.eye(3, 4, batch_shape=[2, 5])"),
    (KERAS, "tf.eye(3, batch_shape=(2,))"),
    (KERAS, "ops.scan(lambda c, a: (c + a, c * 2), tf.zeros((6,)), x)[0]"),
    (KERAS, "ops.scan(lambda c, a: (c + a, a * 2), tf.zeros((6,)), x)[1]"),
    (KERAS, "ops.scan(lambda c, a: (c + 1, c), tf.zeros(3), length=5)[1]"),
    (KERAS, "ops.map(lambda a: a[:3], x)"),
    (KERAS, "ops.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * 2), (0, x))[1]"),
    (KERAS, "ops.while_loop(lambda v: tf.reduce_sum(v) < 100, lambda v: v * 2, x)"),
    (KERAS, "ops.associative_scan(lambda a, b: a + b, x)"),
    (KERAS, "ops.qr(x)[1]"),
    (KERAS, "ops.qr(tf.ones((2, 6, 4)), mode='complete')[0]"),
    (KERAS, "ops.svd(x)[0]"),
    (KERAS, "ops.svd(x)[2]"),
    (KERAS, "ops.svd(x, full_matrices=False)[2]"),
    (KERAS, "ops.svd(x, compute_uv=False)"),
    (KERAS, "ops.eigh(tf.eye(3))[0]"),
    (KERAS, "ops.lstsq(x, tf.ones((4, 2)))"),
    (KERAS, "ops.lstsq(x, tf.ones(4))"),
    (KERAS, "ops.lu_factor(tf.eye(3))[1]"),
    (KERAS, "ops.fft((x, x))[0]"),
    (KERAS, "ops.stft(tf.ones((2, 100)), 20, 10, 32)[0]"),
    (KERAS, "ops.stft(tf.ones((2, 101)), 20, 7, 33)[1]"),
    (KERAS, "ops.stft(tf.ones((2, 100)), 20, 10, 32, center=False)[1]"),
    (KERAS, "keras.metrics.mean_squared_error(x, x)"),
    (KERAS, "keras.metrics.binary_accuracy(x, x)"),
    (KERAS, "keras.metrics.sparse_categorical_accuracy(tf.constant([0, 1, 2, 3]), x)"),
    (KERAS, "keras.metrics.sparse_top_k_categorical_accuracy(tf.zeros((2, 3)), tf.ones((2, 3, 6)), 2)"),
    (KERAS, "tf.ensure_shape(tf.py_function(lambda a: a, [x], tf.float32), (4, 6))"),
    (KERAS, "tf.ensure_shape(tf.numpy_function(lambda a: (a, a), [x], [tf.float32, tf.float32])[1], (4, 6))"),
    (KERAS, "tf.dynamic_stitch([[0, 2], [1, 4]], [tf.ones((2, 5)), tf.ones((2, 5))])"),
    (KERAS, "tf.dynamic_stitch([3, [[0, 1], [2, 4]]], [tf.ones(5), tf.ones((2, 2, 5))])"),
    (TORCH, "torch.frombuffer(b'12345678', dtype=torch.float32)"),
    (TORCH, "torch.frombuffer(b'12345678', dtype=torch.int16, offset=4)"),
    (TORCH, "torch.frombuffer(bytearray(24), dtype=torch.uint8, count=5)"),
    (KERAS, "np.frombuffer(b'12345678', dtype=np.uint8)"),
    (KERAS, "np.frombuffer(b'12345678' * 3)"),
]


def problems(tmp_path: Path, text: str) -> list[object]:
    found = explore(tmp_path, "program.py", ast.parse(text), Versions()).problems.values()
    return [p for p in found if p.level != "note"]


@functools.cache
def real_shape(head: str, expression: str) -> tuple[int, ...]:
    names: dict[str, object] = {}
    exec(head, names)
    return tuple(int(size) for size in eval(expression, names).shape)


@pytest.mark.parametrize(("head", "expression"), CASES, ids=[e for _, e in CASES])
def test_the_result_has_the_shape_that_a_run_gives(head: str, expression: str, tmp_path: Path) -> None:
    shape = real_shape(head, expression)
    zeros = "torch.zeros" if head == TORCH else "tf.zeros"
    reshape = "torch.reshape" if head == TORCH else "tf.reshape"
    wide = tuple(size + 2 for size in shape)
    cast = "made.float()" if head == TORCH else "tf.cast(made, tf.float32)"
    text = f"{head}made = {expression}\nmade = {cast}\n"
    size = math.prod(shape)
    assert not problems(tmp_path, f"{text}{reshape}(made, ({size},)) + {zeros}(({size},))\n")
    assert problems(tmp_path, f"{text}{reshape}(made, ({size + 1},))\n")
    if shape:
        assert problems(tmp_path, f"{text}made + {zeros}({wide})\n")


WRONG = [
    (TORCH, "torch.istft(torch.ones(32, 26, dtype=torch.cfloat), 64)"),
    (KERAS, "tf.range(3, 1)"),
    (KERAS, "tf.range(3, 5, -1)"),
    (TORCH, "torch.sparse.mm(x.to_sparse(), torch.ones(5, 3))"),
    (TORCH, "torch.sparse_coo_tensor(torch.zeros(2, 5).long(), torch.ones(4), (4, 6))"),
    (TORCH, "F.hessian(lambda a: a.sum(0), x)"),
    (TORCH, "F.hvp(lambda a: (a**2).sum(), x, torch.ones(4, 5))"),
    (TORCH, "F.vjp(lambda a: a.sum(0), x, x)"),
    (TORCH, "F.jvp(lambda a: a.sum(0), x, torch.ones(6))"),
    (TORCH, "torch.func.jvp(lambda a: a.sum(0), (x,), (torch.ones(6),))"),
    (TORCH, "torch.func.vjp(lambda a: a.sum(0), x)[1](torch.ones(1))"),
    (TORCH, "torch.func.linearize(lambda a: a.sum(0), x)[1](torch.ones(1, 6))"),
    (TORCH, "torch.quantize_per_channel(x, torch.ones(4), torch.zeros(4), 1, torch.qint8)"),
    (TORCH, "torch.fake_quantize_per_channel_affine(x, torch.ones(1), torch.zeros(1), 0, 0, 255)"),
    (TORCH, "torch.linalg.tensorinv(torch.ones(6, 2, 4), ind=1)"),
    (TORCH, "torch.linalg.tensorsolve(torch.ones(2, 3, 5), torch.ones(2, 3))"),
    (TORCH, "torch.vander(torch.ones(2, 3))"),
    (TORCH, "torch.linalg.ldl_factor(x)"),
    (TORCH, "torch.linalg.solve_ex(torch.eye(3), torch.ones(4, 2))"),
    (KERAS, "ops.scan(lambda c, a: (tf.zeros(4), c), tf.zeros(3), x)"),
    (KERAS, "ops.eigh(x)"),
    (KERAS, "ops.lstsq(x, tf.ones((5, 2)))"),
    (KERAS, "keras.metrics.mean_squared_error(x, tf.ones((4, 5)))"),
    (KERAS, "tf.dynamic_stitch([[0, 2], [1, 3]], [tf.ones((2, 5)), tf.ones((3, 5))])"),
    (KERAS, "ops.inv(x)"),
    (KERAS, "ops.solve(tf.eye(3), tf.ones((4, 2)))"),
    (KERAS, "ops.inner(x, tf.ones((5, 4)))"),
    (KERAS, "ops.glu(tf.ones((2, 5)))"),
    (KERAS, "ops.diagonal(x, axis1=0, axis2=2)"),
]


@pytest.mark.parametrize(("head", "expression"), WRONG, ids=[e for _, e in WRONG])
def test_what_a_run_refuses_is_told(head: str, expression: str, tmp_path: Path) -> None:
    with pytest.raises(Exception):  # noqa: B017 - of whatever class the framework raises
        real_shape(head, expression)
    assert problems(tmp_path, f"{head}{expression}\n")


PICTURE = "import tensorflow as tf\ntext = tf.io.read_file('picture.png')\n"


@pytest.mark.parametrize(
    ("expression", "channels"),
    [
        ("tf.io.decode_png(text, channels=3)", 3),
        ("tf.image.decode_jpeg(text, 1)", 1),
        ("tf.io.decode_bmp(text, channels=3)", 3),
        ("tf.image.decode_and_crop_jpeg(text, [0, 0, 8, 8], channels=3)", 3),
        ("tf.io.decode_gif(text)[0]", 3),
    ],
)
def test_a_picture_that_is_read_has_the_channels_that_are_asked_for(
    expression: str, channels: int, tmp_path: Path
) -> None:
    text = f"{PICTURE}made = tf.cast({expression}, tf.float32)\n"
    assert not problems(tmp_path, f"{text}made * tf.ones(({channels},))\n")
    assert problems(tmp_path, f"{text}made * tf.ones((7, 7, {channels + 2}))\n") or channels == 1
    assert problems(tmp_path, f"{text}tf.transpose(made, (0, 3, 1, 2))\n")


def test_a_picture_of_which_nothing_is_asked_has_any_channels(tmp_path: Path) -> None:
    text = f"{PICTURE}made = tf.cast(tf.io.decode_png(text), tf.float32)\n"
    assert not problems(tmp_path, f"{text}made * tf.ones((4,))\n")
    assert not problems(tmp_path, f"{text}made * tf.ones((3,))\n")
    animated = f"{PICTURE}made = tf.io.decode_image(text, channels=3)\n"
    assert not problems(tmp_path, f"{animated}tf.transpose(made, (0, 3, 1, 2))\n")


@pytest.mark.parametrize("kind", ["np.dtype((np.float32, (3,)))", "'(3,)f4'", "np.dtype('3f4')"])
def test_bytes_read_as_rows_have_the_axes_of_a_row(kind: str, tmp_path: Path) -> None:
    text = f"import numpy as np\nnp.frombuffer(bytes(24), dtype={kind})[:, 2]\n"
    exec(text, {})
    assert not problems(tmp_path, text)


def test_bytes_of_a_file_are_a_vector_of_any_length(tmp_path: Path) -> None:
    text = "import numpy as np\nmade = np.frombuffer(open('data', 'rb').read(), dtype=np.uint8)\n"
    assert not problems(tmp_path, f"{text}made.reshape(3, 4, 5) + np.zeros((3, 4, 5))\n")
    assert problems(tmp_path, f"{text}made[:, 0]\n")


def test_bytes_that_change_have_the_length_they_have_grown_to(tmp_path: Path) -> None:
    text = """import numpy as np
held = bytearray(4)
for number in range(20):
    held.append(number)
np.frombuffer(held, np.uint8).reshape(24)
assert len(held) == 24
np.zeros(len(held)) + np.zeros(24)
"""
    exec(text, {})
    assert not problems(tmp_path, text)
