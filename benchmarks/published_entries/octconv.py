"""Entry points of octconv: networks of its convolutions over high and low frequencies, with losses of training."""

import torch
from octconv import OctConv2d


class _Network(torch.nn.Module):
    """First and last convolution take and give one frequency, as the paper's networks do."""

    def __init__(self, stride=1, bias=False):
        super().__init__()
        self.first = OctConv2d(3, 8, 3, padding=1, alpha=(0, 0.5), bias=bias)
        self.middle = OctConv2d(8, 8, 3, stride=stride, padding=1, alpha=0.5, bias=bias)
        self.last = OctConv2d(8, 8, 3, padding=1, alpha=(0.5, 0), bias=bias)
        self.norms = torch.nn.ModuleList([torch.nn.BatchNorm2d(4), torch.nn.BatchNorm2d(4)])

    def forward(self, images):
        both = self.first(images)
        both = tuple(torch.relu(norm(part)) for norm, part in zip(self.norms, both, strict=True))
        return self.last(self.middle(both))


class _Classified(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.network, self.output, self.loss = _Network(), torch.nn.Linear(8, 5), torch.nn.CrossEntropyLoss()

    def forward(self, images, labels):
        return self.loss(self.output(self.network(images).mean((2, 3))), labels)


def classified():
    return _Classified(), (torch.rand(2, 3, 16, 16), torch.tensor([4, 0]))


def two_strides():
    return _Network(stride=2, bias=True), torch.rand(2, 3, 16, 16)


class _Segmented(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.network, self.output = _Network(bias=True), torch.nn.Conv2d(8, 1, 1)
        self.loss = torch.nn.BCEWithLogitsLoss()

    def forward(self, images, masks):
        return self.loss(self.output(self.network(images)), masks)


def segmented():
    return _Segmented(), (torch.rand(2, 3, 16, 16), (torch.rand(2, 1, 16, 16) > 0.7).float())
