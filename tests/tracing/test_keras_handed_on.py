"""What Keras hands on to layers beside their inputs, and what is set for all of its layers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tracing.proofs import proved

HEAD = """
import keras, torch
import numpy as np
from keras import layers, ops
"""


BEFORE = {
    "layers.Masking(0.0)(np.zeros((2, 3, 2)))": True,
    "layers.Embedding(9, 2, mask_zero=True)(np.zeros((2, 3), 'int32'))": True,
    "layers.Embedding(9, 2)(np.zeros((2, 3), 'int32'))": False,
    "np.zeros((2, 3, 2))": False,
}


@pytest.mark.parametrize(("before", "masks"), BEFORE.items())
def test_a_mask_that_nobody_gives(before: str, masks: bool, tmp_path: Path) -> None:
    program = f"""
    class Last(layers.Layer):
        def call(self, x, mask=None):
            if mask is None:
                fails()
            return x
    Last()({before})
    """
    assert bool(proved(tmp_path, program, HEAD)) is not masks


@pytest.mark.parametrize(("said", "trains"), [("training=True", True), ("training=False", False), ("", False)])
@pytest.mark.parametrize("own", ["training", "training=None"])
def test_whether_it_trains_is_handed_on(said: str, trains: bool, own: str, tmp_path: Path) -> None:
    program = f"""
    class Inner(layers.Layer):
        def call(self, x, training=False):
            if not training:
                fails()
            return x
    class Outer(layers.Layer):
        def __init__(self):
            super().__init__()
            self.inner = Inner()
        def call(self, x, training=None):
            return self.inner(x)
    Outer()(np.zeros((2, 3)), {said})
    """
    assert bool(proved(tmp_path, program, HEAD)) is not trains


@pytest.mark.parametrize(("given", "shape"), [("keras.Input((3,))", "(7, 7)"), ("np.zeros((2, 3))", "(2, 3)")])
def test_a_layer_that_tells_its_output_is_not_run_for_a_graph(given: str, shape: str, tmp_path: Path) -> None:
    program = """
    class Told(layers.Layer):
        def call(self, x):
            return x
        def compute_output_spec(self, x):
            return keras.KerasTensor((7, 7), dtype=x.dtype)
    if Told()({}).shape {} {}:
        fails()
    """
    assert not proved(tmp_path, program.format(given, "!=", shape), HEAD)
    if given.startswith("np"):
        assert proved(tmp_path, program.format(given, "==", shape), HEAD)


@pytest.mark.parametrize(("given", "kind"), [("[a, a]", "list"), ("a", "np.ndarray")])
def test_several_inputs_of_a_sequence(given: str, kind: str, tmp_path: Path) -> None:
    program = f"""
    class First(layers.Layer):
        def call(self, x):
            if isinstance(x, list) is not {kind == "list"}:
                fails()
            return x
    a = np.zeros((2, 3))
    keras.Sequential([First()])({given})
    """
    assert not proved(tmp_path, program, HEAD)


CHANNELS_FIRST = {
    "layers.Conv2D(8, 3)(x)": "(2, 8, 30, 30)",
    "layers.MaxPooling2D(2)(x)": "(2, 3, 16, 16)",
    "layers.GlobalAveragePooling2D()(x)": "(2, 3)",
    "layers.UpSampling2D(2)(x)": "(2, 3, 64, 64)",
    "layers.ZeroPadding2D(1)(x)": "(2, 3, 34, 34)",
    "layers.Cropping2D(1)(x)": "(2, 3, 30, 30)",
    "layers.Conv2DTranspose(8, 3, strides=2)(x)": "(2, 8, 65, 65)",
    "ops.max_pool(x, 2)": "(2, 3, 16, 16)",
    "ops.image.resize(x, (4, 4))": "(2, 3, 4, 4)",
}
KNOWN = ("layers.Conv2D(", "layers.MaxPooling2D(", "layers.GlobalAveragePooling2D(")  # in both formats


@pytest.mark.parametrize(("made", "shape"), CHANNELS_FIRST.items())
def test_channels_set_first_for_all_layers(made: str, shape: str, tmp_path: Path) -> None:
    program = """
    keras.config.set_image_data_format("channels_first")
    x = np.zeros((2, 3, 32, 32))
    if {}.shape {} {}:
        fails()
    """
    assert not proved(tmp_path, program.format(made, "!=", shape), HEAD)
    if made.startswith(KNOWN):
        assert proved(tmp_path, program.format(made, "==", shape), HEAD)


CONFIGURED = [
    ("Conv2D(8, 3, strides=2)", "kernel_size", (3, 3)),
    ("Conv2D(8, [3, 5])", "kernel_size", (3, 5)),
    ("MaxPooling1D(2)", "pool_size", (2,)),
    ("ZeroPadding2D(2)", "padding", ((2, 2), (2, 2))),
    ("ZeroPadding2D((1, 2))", "padding", ((1, 1), (2, 2))),
    ("ZeroPadding1D(1)", "padding", (1, 1)),
    ("UpSampling1D(2)", "size", 2),
    ("UpSampling2D(2)", "size", (2, 2)),
    ("Dense(4)", "units", 4),
]


@pytest.mark.parametrize(("layer", "name", "kept"), CONFIGURED)
def test_sizes_of_windows_in_a_configuration(layer: str, name: str, kept: object, tmp_path: Path) -> None:
    program = """
    if layers.{}.get_config()["{}"] {} {}:
        fails()
    """
    assert not proved(tmp_path, program.format(layer, name, "!=", kept), HEAD)
    assert proved(tmp_path, program.format(layer, name, "==", kept), HEAD)


SLICES = [("(1, 1)", "(-1, -1)", "(2, 2)"), ("(0, 1)", "(2, -1)", "(2, 2)"), ("(0, 0)", "(2, 2)", "(2, 2)")]


@pytest.mark.parametrize(("start", "size", "shape"), SLICES)
def test_slices_to_the_end(start: str, size: str, shape: str, tmp_path: Path) -> None:
    program = """
    if ops.slice(np.zeros((3, 3)), {}, {}).shape {} {}:
        fails()
    """
    assert not proved(tmp_path, program.format(start, size, "!=", shape), HEAD)
    assert proved(tmp_path, program.format(start, size, "==", shape), HEAD)
