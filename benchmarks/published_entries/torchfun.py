"""Entry points of torchfun: layers that clip, normalize, squeeze and rearrange images, with losses on them."""

import torch
from torchfun.nn import Clip, InstanceMeanStd, InstanceReNorm, MaxMinNorm, Squeeze, Subpixel


class _Given(torch.nn.Module):
    def __init__(self, channels, layer):
        super().__init__()
        self.convolution, self.layer = torch.nn.Conv2d(3, channels, 3, padding=1), layer

    def forward(self, images, wanted):
        return torch.nn.functional.mse_loss(self.layer(self.convolution(images)), wanted)


def clipped():
    return _Given(3, Clip(0.0, 1.0)), (torch.rand(2, 3, 8, 8), torch.rand(2, 3, 8, 8))


def normalized():
    return _Given(3, MaxMinNorm(0.0, 1.0)), (torch.rand(2, 3, 8, 8), torch.rand(2, 3, 8, 8))


def enlarged():
    return _Given(12, Subpixel(stride=2)), (torch.rand(2, 3, 8, 8), torch.rand(2, 3, 16, 16))


class _Styled(torch.nn.Module):
    """Features of one image by the mean and deviation of another's."""

    def __init__(self):
        super().__init__()
        self.convolution, self.statistics = torch.nn.Conv2d(3, 4, 3, padding=1), InstanceMeanStd(4)
        self.renorm = InstanceReNorm()

    def forward(self, images, styles):
        mean, deviation = self.statistics(self.convolution(styles))
        return self.renorm(self.convolution(images), mean, deviation)


def styled():
    return _Styled(), (torch.rand(2, 3, 8, 8), torch.rand(2, 3, 8, 8))


class _Classified(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution = torch.nn.Conv2d(3, 4, 8)
        self.squeeze, self.head = Squeeze(), torch.nn.Linear(4, 3)

    def forward(self, images, labels):
        return torch.nn.functional.cross_entropy(self.head(self.squeeze(self.convolution(images))), labels)


def squeezed():
    return _Classified(), (torch.rand(4, 3, 8, 8), torch.tensor([0, 2, 1, 1]))
