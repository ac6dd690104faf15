"""`tf.image`: the shapes that TensorFlow gives, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore, read_source

CALLS = """
tf.image.adjust_contrast(x(2, 5, 7, 3), 0.5)
tf.image.flip_left_right(x(5, 7, 3))
tf.image.random_flip_up_down(x(2, 5, 7, 3))
tf.image.rgb_to_grayscale(x(2, 5, 7, 3))
tf.image.grayscale_to_rgb(x(2, 5, 7, 1))
tf.image.rgb_to_hsv(x(2, 5, 7, 3))
tf.image.per_image_standardization(x(2, 5, 7, 3))
tf.image.convert_image_dtype(x(5, 7, 3), tf.uint8)
tf.image.transpose(x(2, 5, 7, 3))
tf.image.rot90(x(5, 7, 3))
tf.image.rot90(x(2, 5, 7, 3), k=2)
tf.image.central_crop(x(2, 11, 7, 3), 0.5)
tf.image.central_crop(x(10, 8, 3), 0.3)
tf.image.crop_to_bounding_box(x(2, 11, 7, 3), 1, 2, 4, 5)
tf.image.pad_to_bounding_box(x(5, 7, 3), 1, 2, 8, 9)
tf.image.random_crop(x(9, 9, 3), (4, 5, 3))
tf.image.resize_with_pad(x(2, 5, 7, 3), 8, 8)
tf.image.extract_patches(x(2, 12, 13, 3), [1, 3, 4, 1], [1, 2, 3, 1], [1, 1, 1, 1], "VALID")
tf.image.extract_patches(x(2, 12, 13, 3), [1, 3, 4, 1], [1, 2, 3, 1], [1, 2, 1, 1], "SAME")
tf.image.image_gradients(x(2, 5, 7, 3))[1]
tf.image.sobel_edges(x(2, 5, 7, 3))
tf.image.total_variation(x(2, 5, 7, 3))
tf.image.psnr(x(2, 5, 7, 3), x(2, 5, 7, 3), 1.0)
tf.image.ssim(x(2, 15, 17, 3), x(2, 15, 17, 3), 1.0)
tf.image.crop_and_resize(x(2, 5, 7, 3), x(6, 4), tf.zeros((6,), tf.int32), (3, 4))
""".strip().splitlines()
REFUSED = """
tf.image.rgb_to_grayscale(x(2, 5, 7, 4))
tf.image.grayscale_to_rgb(x(2, 5, 7, 3))
tf.image.crop_to_bounding_box(x(2, 11, 7, 3), 1, 2, 4, 6)
tf.image.pad_to_bounding_box(x(5, 7, 3), 1, 2, 8, 8)
tf.image.random_crop(x(9, 9, 3), (4, 10, 3))
tf.image.transpose(x(7, 3))
""".strip().splitlines()
HEAD = "import tensorflow as tf\ndef x(*size):\n    return tf.zeros(size)\n"


def traced(tmp_path: Path, call: str) -> tuple[list[str], list[tuple[object, str | None]]]:
    path = tmp_path / "program.py"
    path.write_text(f"{HEAD}y = {call}\n")
    _, tree = read_source(path, tmp_path)
    shared = explore(tmp_path, path.name, tree, Versions())
    found: list[tuple[object, str | None]] = [
        (t.dims, t.dtype) for (_, line, _), ts in shared.assigned.items() if line == 4 for t in ts
    ]
    return [p.level for p in shared.problems.values()], found


@pytest.mark.parametrize("call", CALLS)
def test_shapes_are_those_of_tensorflow(tmp_path: Path, call: str) -> None:
    scope: dict[str, object] = {}
    exec(f"{HEAD}y = {call}\n", scope)
    y = scope["y"]
    problems, found = traced(tmp_path, call)
    assert problems == []
    ((dims, dtype),) = found
    assert dims == tuple(y.shape)  # type: ignore[attr-defined]
    assert dtype in (None, y.dtype.name)  # type: ignore[attr-defined]


@pytest.mark.parametrize("call", REFUSED)
def test_what_tensorflow_refuses_is_an_error(tmp_path: Path, call: str) -> None:
    with pytest.raises(Exception):  # noqa: B017 - each of its own kind
        exec(f"{HEAD}y = {call}\n", {})
    problems, _ = traced(tmp_path, call)
    assert problems == ["error"]


def test_patches_and_places_must_agree(tmp_path: Path) -> None:
    """A patch embedding whose positions count the patches of one side."""
    patches = 'tf.image.extract_patches(x(4, 72, 72, 3), [1, 6, 6, 1], [1, 6, 6, 1], [1, 1, 1, 1], "VALID")'
    assert traced(tmp_path, f"tf.reshape({patches}, (4, -1, 108)) + x(36, 108)")[0] == ["error"]
    assert traced(tmp_path, f"tf.reshape({patches}, (4, -1, 108)) + x(144, 108)")[0] == []
