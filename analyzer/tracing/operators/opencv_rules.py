"""OpenCV: the sizes of images, which are arrays (height, width) or (height, width, channels)."""

from __future__ import annotations

from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.numpy_operands import array, of, unknown
from analyzer.tracing.operators.table import Op, operator


@operator("cv2.resize", "src dsize=None *rest")
def resize(op: Op, src: Value, dsize: Value, rest: tuple[Value, ...]) -> Value:
    """To (width, height), in the other order than an array's shape; a single channel has no axis afterwards."""
    image, size = array(op, src), plain(op.tr, dsize)
    if image is None or image.dims is None or not isinstance(size, tuple) or len(size) != 2:
        return unknown(op)
    width, height = (op.tr.term_of(s) for s in size)
    channels = image.dims[2:]
    if (
        width is None
        or height is None
        or len(image.dims) not in (2, 3)
        or not all(isinstance(c, int) for c in channels)
    ):
        return unknown(op)
    return of(op, image, (height, width, *(c for c in channels if c != 1)), image.dtype)
