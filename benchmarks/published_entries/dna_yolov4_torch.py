"""Entry points of dna-yolov4-torch: its layer of boxes behind one convolution."""

import torch
from dna_yolov4_torch.tool.yolo_layer import YoloLayer


class _Boxes(torch.nn.Module):
    def __init__(self, masked):
        super().__init__()
        self.layer = torch.nn.Conv2d(4, 8 * len(masked), 1)
        anchors = [12, 16, 19, 36, 40, 28, 36, 75, 76, 55, 72, 146]
        self.boxes = YoloLayer(masked, num_classes=3, anchors=anchors, num_anchors=6, stride=8)
        self.boxes.scale_x_y = 1.2
        self.boxes.eval()

    def forward(self, features):
        return self.boxes(self.layer(features))


def boxes():
    return _Boxes([0, 1, 2]), (torch.rand(2, 4, 5, 5),)


def boxes_of_one_anchor():
    return _Boxes([4]), (torch.rand(2, 4, 5, 5),)
