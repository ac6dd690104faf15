"""Entry points of torchtricks: its losses of style, content and relative depth, with a small network of features."""

import torch
from torchtricks.criterion import ContentLoss, PerceptualLoss, RelativeDepthLoss, StyleLoss


class _Features(torch.nn.Module):
    """Maps of two layers, by the names that its losses read."""

    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Conv2d(3, 4, 3, padding=1), torch.nn.Conv2d(4, 6, 3, stride=2)

    def forward(self, images):
        first = self.first(images).relu()
        return {"relu1_2": first, "relu3_3": self.second(first).relu()}


class _Painted(torch.nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.model, self.loss = torch.nn.Conv2d(3, 3, 3, padding=1), kind(_Features())

    def forward(self, images, *others):
        given = self.loss(self.model(images).sigmoid(), *others)
        return sum(given) if isinstance(given, tuple) else given


def _images(count):
    return tuple(torch.rand(2, 3, 8, 8) for _ in range(count))


def style():
    return _Painted(StyleLoss), _images(2)


def content():
    return _Painted(ContentLoss), _images(2)


def perceptual():
    return _Painted(PerceptualLoss), _images(3)


class _Depth(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model, self.loss = torch.nn.Conv2d(3, 1, 3, padding=1), RelativeDepthLoss()

    def forward(self, images, x_a, y_a, x_b, y_b, relation):
        target = {"x_A": x_a, "y_A": y_a, "x_B": x_b, "y_B": y_b, "ordinal_relation": relation}
        return self.loss(self.model(images), target)


def relative_depth():
    points = (torch.randint(8, (2, 10)) for _ in range(4))
    return _Depth(), (torch.rand(2, 3, 8, 8), *points, torch.randint(-1, 2, (2, 10)).float())
