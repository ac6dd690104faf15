"""Entry points of guided-filter-pytorch: its filters guided by images, behind a layer, as in its README."""

import torch
from guided_filter_pytorch.guided_filter import ConvGuidedFilter, FastGuidedFilter, GuidedFilter


class _Filtered(torch.nn.Module):
    """What a network makes of small images, carried over to large ones."""

    def __init__(self, kind):
        super().__init__()
        self.model, self.filter = torch.nn.Conv2d(3, 3, 3, padding=1), kind

    def forward(self, small, large, wanted):
        return (self.filter(small, self.model(small), large) - wanted).abs().mean()


def _images():
    return torch.rand(2, 3, 8, 8), torch.rand(2, 3, 16, 16), torch.rand(2, 3, 16, 16)


def fast():
    return _Filtered(FastGuidedFilter(1, eps=1e-2)), _images()


def learned():
    return _Filtered(ConvGuidedFilter(1)), _images()


class _Smoothed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model, self.filter = torch.nn.Conv2d(3, 3, 3, padding=1), GuidedFilter(2, eps=1e-2)

    def forward(self, images, wanted):
        return (self.filter(images, self.model(images)) - wanted).abs().mean()


def smoothed():
    return _Smoothed(), (torch.rand(2, 3, 10, 10), torch.rand(2, 3, 10, 10))
