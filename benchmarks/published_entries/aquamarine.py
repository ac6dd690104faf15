"""Entry points of aquamarine: the parts of its detector, and the whole over a small backbone."""

import sys
from unittest.mock import MagicMock

import torch

WANTING = {"torchvision", "torchvision.ops", "torchvision.ops.boxes"} - set(sys.modules)
for _name in WANTING:
    sys.modules[_name] = MagicMock()  # what matches boxes, which nothing here needs

from aquamarine.models import DETR, DETRTransformer  # noqa: E402
from aquamarine.models.common import FeedForward, MultiHeadAttention  # noqa: E402

for _name in WANTING:
    del sys.modules[_name]  # others look for what is installed


class _Detected(torch.nn.Module):
    """Classes and boxes of the queries, each matched to its object already."""

    def __init__(self):
        super().__init__()
        backbone = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 4, stride=4), torch.nn.ReLU())
        self.model = DETR(backbone, DETRTransformer(16, 2, 32, 2, 2), 5, num_queries=4, in_features=8)

    def forward(self, images, classes, boxes):
        found = self.model(images)
        loss = torch.nn.functional.cross_entropy(found["labels"].transpose(1, 2), classes)
        return loss + (found["bboxes"] - boxes).abs().mean()


def detector():
    return _Detected(), (torch.rand(2, 3, 16, 16), torch.randint(6, (2, 4)), torch.rand(2, 4, 4))


def transformer():
    return DETRTransformer(16, 2, 32, 2, 2), (torch.randn(2, 9, 16), torch.randn(2, 9, 16), torch.randn(2, 4, 16))


class _Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.attention, self.mixed = MultiHeadAttention(16, 4), FeedForward(16, 32)

    def forward(self, hidden):
        return self.mixed(self.attention(hidden, hidden, hidden))


def layer():
    return _Layer(), torch.randn(2, 6, 16)
