"""Entry points of tf2-yolov4: its neck, and its heads of training and of inference, at small pictures.

Its backbone needs an activation of TensorFlow Addons and is not here.
"""

import sys
from unittest.mock import MagicMock

import keras

sys.modules["tensorflow_addons"] = MagicMock()  # the activation of the backbone, which nothing here needs

from tf2_yolov4.anchors import YOLOV4_ANCHORS, compute_normalized_anchors  # noqa: E402
from tf2_yolov4.heads.yolov3_head import yolov3_head  # noqa: E402
from tf2_yolov4.necks.yolov4_neck import yolov4_neck  # noqa: E402

_BACKBONE = [(2, 2, 1024), (4, 4, 512), (8, 8, 256)]
_NECK = [(2, 2, 512), (4, 4, 256), (8, 8, 128)]


def _inputs(shapes):
    return [keras.Input(shape, batch_size=1, name=f"features_{i}") for i, shape in enumerate(shapes)]


def _head(training):
    return yolov3_head(
        _NECK,
        anchors=compute_normalized_anchors(YOLOV4_ANCHORS, (64, 64, 3)),
        num_classes=3,
        training=training,
        yolo_max_boxes=20,
        yolo_iou_threshold=0.5,
        yolo_score_threshold=0.3,
    )


def neck():
    inputs = _inputs(_BACKBONE)
    return keras.Model(inputs, yolov4_neck(_BACKBONE)(inputs))


def head():
    inputs = _inputs(_NECK)
    return keras.Model(inputs, _head(True)(inputs))


def head_of_inference():
    inputs = _inputs(_NECK)
    return keras.Model(inputs, _head(False)(inputs))


def neck_and_head():
    inputs = _inputs(_BACKBONE)
    return keras.Model(inputs, _head(True)(yolov4_neck(_BACKBONE)(inputs)))
