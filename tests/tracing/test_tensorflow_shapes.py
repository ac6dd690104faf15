"""Shapes of TensorFlow's functions, held against TensorFlow: each call is run and traced, and must give the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.operators.table import rules
from analyzer.tracing.operators.tf_second_names import own_tf_name
from analyzer.tracing.tracing import explore, read_source

HEAD = """
import tensorflow as tf
a, b, m = tf.ones((4, 6)), tf.ones((3, 5, 5)) + tf.eye(5), tf.constant([True, False, True, True])
i, z = tf.constant([0, 2]), tf.cast(tf.ones((4, 6)), tf.complex64)
"""
CALLS = """
    tf.pad(a, tf.constant([[2, 1], [0, 3]]))
    tf.boolean_mask(a, m)
    tf.boolean_mask(tf.ones((2, 4, 3)), m, axis=1)
    tf.boolean_mask(a, tf.fill((4, 6), True))[0]
    tf.meshgrid(tf.range(3), tf.range(4))[0]
    tf.meshgrid(tf.range(3), tf.range(4), tf.range(5))[1]
    tf.meshgrid(tf.range(3), tf.range(4), indexing="ij")[1]
    tf.math.logical_and(m, m)
    tf.math.logical_not(m)
    tf.math.greater_equal(a, 1.0)
    tf.math.floor(a)
    tf.math.is_inf(a)
    tf.math.reduce_sum(a, axis=1)
    tf.math.count_nonzero(a, axis=1)
    tf.math.count_nonzero(a, keepdims=True, dtype=tf.int32)
    tf.linalg.diag(a)
    tf.linalg.diag_part(b)
    tf.linalg.trace(b)
    tf.linalg.set_diag(b, tf.zeros((3, 5)))
    tf.linalg.band_part(b, -1, 0)
    tf.linalg.inv(b)
    tf.linalg.cholesky(b @ tf.linalg.matrix_transpose(b))
    tf.linalg.matvec(a, tf.zeros(6))
    tf.linalg.matvec(b, tf.zeros((3, 5)), transpose_a=True)
    tf.linalg.solve(b, tf.zeros((3, 5, 2)))
    tf.linalg.svd(a)[0]
    tf.linalg.svd(a)[1]
    tf.linalg.svd(a)[2]
    tf.linalg.svd(a, full_matrices=True)[2]
    tf.linalg.eigh(b)[0]
    tf.linalg.eigh(b)[1]
    tf.linalg.qr(a)[0]
    tf.linalg.qr(a, full_matrices=True)[1]
    tf.linalg.det(b)
    tf.linalg.slogdet(b)[1]
    tf.linalg.pinv(a)
    tf.linalg.adjoint(a)
    tf.linalg.cross(tf.ones((2, 3)), tf.ones((2, 3)))
    tf.broadcast_to(tf.ones((4, 1)), (3, 4, 2))
    tf.nn.conv1d(tf.ones((3, 12, 6)), tf.ones((5, 2, 9)), 1, "SAME")
    tf.nn.conv1d(tf.ones((3, 12, 6)), tf.ones((5, 1, 6)), 2, "VALID")
    tf.nn.conv2d(tf.ones((1, 8, 8, 6)), tf.ones((3, 3, 2, 9)), 1, "SAME")
    tf.compat.v1.losses.huber_loss(b, b, reduction="none")
    tf.compat.v1.losses.absolute_difference(b, b, reduction=tf.compat.v1.losses.Reduction.NONE)
    tf.compat.v1.losses.absolute_difference(b, b)
    tf.broadcast_to(tf.constant(2.0), tf.shape(a))
    tf.roll(a, 1, axis=0)
    tf.roll(a, [1, 2], axis=[0, 1])
    tf.repeat(a, 2, axis=0)
    tf.repeat(a, [1, 2, 3, 4], axis=0)
    tf.repeat(a, 3)
    tf.repeat(a, repeats=2, axis=-1)
    tf.map_fn(lambda t: tf.reduce_sum(t), a)
    tf.map_fn(lambda t: tf.stack([t, t]), elems=a)
    tf.map_fn(lambda t: t[0] + t[1], (a, a), fn_output_signature=tf.float32)
    tf.vectorized_map(lambda t: t * 2.0, a)
    tf.scan(lambda s, t: s + t, a)
    tf.scan(lambda s, t: s + tf.reduce_sum(t), a, initializer=tf.zeros((2,)))
    tf.foldl(lambda s, t: s + t, a)
    tf.while_loop(lambda n, t: n < 3, lambda n, t: (n + 1, t * 2.0), [tf.constant(0), a])[1]
    tf.nest.map_structure(lambda t: t + 1.0, [a, b])[1]
    tf.nest.flatten({"y": a, "x": [b]})[0]
    tf.scatter_nd(tf.zeros((5, 1), tf.int32), tf.zeros((5, 6)), (4, 6))
    tf.tensor_scatter_nd_update(a, tf.zeros((5, 1), tf.int32), tf.zeros((5, 6)))
    tf.tensor_scatter_nd_add(a, tf.zeros((5, 2), tf.int32), tf.zeros((5,)))
    tf.gather_nd(a, tf.zeros((5, 1), tf.int32))
    tf.gather_nd(b, tf.zeros((3, 7, 2), tf.int32), batch_dims=1)
    tf.gather_nd(a, tf.zeros((3, 5, 2), tf.int32))
    tf.gather(a, i, axis=1)
    tf.unique(tf.constant([1, 1, 2]))[1]
    tf.math.segment_sum(a, tf.constant([0, 0, 1, 1]))
    tf.math.unsorted_segment_mean(a, tf.constant([0, 0, 1, 1]), 5)
    tf.math.unsorted_segment_sum(a, tf.zeros((4, 6), tf.int32), num_segments=5)
    tf.sequence_mask(i, 4)
    tf.sequence_mask(tf.constant([1, 3]))
    tf.sequence_mask(i, maxlen=4, dtype=tf.float32)
    tf.searchsorted(tf.ones((4, 9)), a)
    tf.histogram_fixed_width(a, [0.0, 1.0], 10)
    tf.math.confusion_matrix(i, i, 3)
    tf.random.categorical(a, 5)
    tf.random.shuffle(a)
    tf.broadcast_static_shape(a.shape, tf.TensorShape((4, 1)))
    tf.signal.fft(z)
    tf.signal.fft2d(z)
    tf.signal.rfft(a)
    tf.signal.rfft(a, [8])
    tf.signal.rfft2d(a)
    tf.signal.irfft(z)
    tf.signal.irfft2d(z, [6, 8])
    tf.signal.frame(tf.ones((2, 100)), 20, 7)
    tf.signal.frame(tf.ones((2, 100)), 20, 7, pad_end=True)
    tf.signal.frame(tf.ones((100, 2)), 20, 10, axis=0)
    tf.signal.stft(tf.ones((2, 100)), 20, 10)
    tf.signal.stft(tf.ones((2, 100)), frame_length=20, frame_step=8, fft_length=64, pad_end=True)
    tf.signal.overlap_and_add(tf.ones((2, 5, 20)), 7)
    tf.signal.hann_window(400)
    tf.linspace(tf.zeros(2), tf.ones(2), 4)
    tf.linspace(tf.zeros((2, 3)), tf.ones((2, 3)), 4, axis=-1)
    tf.linspace(0.0, tf.constant(2.0), 5)
    tf.signal.linear_to_mel_weight_matrix(30, 33, 8000)
    tf.where(m)[:, 0]
    tf.where(m[:, None], tf.zeros((1, 6)), tf.zeros((4, 1)))
    tf.where(a > 0, a, 0.0)
    tf.where(m[:, None], 1.0, a)
    tf.nn.sigmoid_cross_entropy_with_logits(a, a)
    tf.nn.sparse_softmax_cross_entropy_with_logits(tf.zeros(4, tf.int32), a)
    tf.math.lgamma(a)
    tf.math.xlogy(a, tf.ones(6))
    tf.math.cumprod(a)
    tf.dynamic_partition(a, tf.constant([0, 1, 0, 1]), 2)[0][0]
    tf.reverse_sequence(a, tf.constant([1, 2, 3, 4]), seq_axis=1)
""".strip().splitlines()


def traced(text: str, tmp_path: Path) -> tuple[Any, list[str]]:
    """The tensors that the last line's name may stand for, and the levels of what is told."""
    path = tmp_path / "program.py"
    path.write_text(text)
    _, tree = read_source(path, tmp_path)
    shared = explore(tmp_path, path.name, tree, Versions())
    last = text.count("\n")
    found = [t for (_, line, _), tensors in shared.assigned.items() if line == last for t in tensors]
    return found, [p.level for p in shared.problems.values() if p.level != "note"]


@pytest.mark.parametrize("call", [c.strip() for c in CALLS])
def test_a_call_gives_the_shape_that_tensorflow_gives(call: str, tmp_path: Path) -> None:
    import tensorflow as tf

    scope: dict[str, Any] = {}
    text = f"{HEAD}y = {call}\n"
    if call.startswith("tf.broadcast_static_shape"):
        text = text.replace(f"y = {call}", f"y = tf.zeros({call})")
    exec(text, scope)
    made = scope["y"]
    found, told = traced(text, tmp_path)
    assert not told
    assert [t.dims for t in found] == [tuple(made.shape)]
    assert found[0].dtype in (None, tf.as_dtype(made.dtype).name)


def test_nothing_is_told_of_tensors_that_are_not_known(tmp_path: Path) -> None:
    """All calls, of operands that a library gives."""
    head = "import tensorflow as tf\nfrom somelib import a, b, m, i, z\n"
    assert traced(head + "".join(f"y = {c.strip()}\n" for c in CALLS), tmp_path)[1] == []


REFUSED = """
    tf.nn.conv1d(tf.ones((3, 12, 6)), tf.ones((5, 4, 9)), 1, "SAME")
    tf.nn.conv1d(tf.ones((3, 12, 6)), tf.ones((5, 2, 8)), 1, "SAME")
    tf.pad(a, [[0, 0], [-1, 3]])
    tf.pad(a, tf.constant([[2, -1], [0, 0]]))
    tf.boolean_mask(a, tf.constant([True, False]))
    tf.boolean_mask(a, m, axis=1)
    tf.gather_nd(a, tf.zeros((5, 3), tf.int32))
    tf.scatter_nd(tf.zeros((5, 1), tf.int32), tf.zeros((5, 7)), (4, 6))
    tf.tensor_scatter_nd_update(a, tf.zeros((5, 1), tf.int32), tf.zeros((4, 6)))
    tf.unique(a)
    tf.math.segment_sum(a, tf.constant([0, 0, 1]))
    tf.math.unsorted_segment_sum(a, tf.constant([0, 0, 1]), 5)
    tf.linalg.inv(a)
    tf.linalg.solve(b, tf.zeros((3, 4, 2)))
    tf.linalg.matvec(a, tf.zeros(5))
    tf.linalg.set_diag(b, tf.zeros((3, 4)))
    tf.linalg.diag_part(tf.zeros(3))
    tf.linalg.cross(tf.ones((2, 4)), tf.ones((2, 4)))
    tf.random.categorical(tf.zeros(5), 3)
    tf.broadcast_to(a, (4, 4, 1))
    tf.broadcast_to(b, (5, 5))
    tf.roll(a, 1, axis=2)
    tf.where(m, tf.zeros((4, 6)), tf.zeros((4, 6)))
    tf.map_fn(lambda t: t @ t, a)
    tf.scan(lambda s, t: s + tf.zeros(5), a)
    tf.signal.fft2d(z[0])
    tf.math.floor(a) + tf.zeros(5)
""".strip().splitlines()


@pytest.mark.parametrize("call", [c.strip() for c in REFUSED])
def test_what_tensorflow_refuses_is_told(call: str, tmp_path: Path) -> None:
    import tensorflow as tf

    text = f"{HEAD}y = {call}\n"
    with pytest.raises((ValueError, TypeError, tf.errors.OpError)):
        exec(text, {})
    assert traced(text, tmp_path)[1] == ["error"]


@pytest.mark.parametrize("home", ["tf.math", "tf.linalg", "tf.dtypes"])
def test_a_second_name_is_of_the_same_function(home: str) -> None:
    """What a name is taken for is the same function in TensorFlow, of one version or the other."""
    import tensorflow as tf

    def functions(name: str) -> set[int]:
        found = set()
        for value in (tf, tf.compat.v1):
            for part in name.split(".")[1:]:
                value = getattr(value, part, None)
            found.add(id(value))
        return found - {id(None)}

    taken = {f"{home}.{n}": own_tf_name(f"{home}.{n}", rules()) for n in dir(getattr(tf, home[3:]))}
    second = {name: own for name, own in taken.items() if name != own}
    assert second
    assert [name for name, own in second.items() if functions(own) and not functions(own) & functions(name)] == []


@pytest.mark.parametrize(
    ("rounded", "number"),
    [
        ("tf.math.ceil(7 / 2)", 4),
        ("tf.floor(7 / 2)", 3),
        ("tf.round(2.5)", 2),
        ("tf.math.rint(3.5)", 4),
        ("tf.math.ceil(5.00000001)", 5),  # a float32 is made of it first
    ],
)
def test_a_rounded_number_is_known(rounded: str, number: int, tmp_path: Path) -> None:
    import tensorflow as tf

    text = f"import tensorflow as tf\nn = tf.cast({rounded}, tf.int32) * 2\ny = tf.zeros(n) + tf.zeros({{}})\n"
    assert [traced(text.format(n), tmp_path)[1] for n in (2 * number, 2 * number + 2)] == [[], ["error"]]
    assert int(eval(rounded, {"tf": tf})) == number
