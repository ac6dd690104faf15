"""Entry points of kornia: losses of images and of segmentation, and a few differentiable filters as heads."""

import kornia
import torch
from kornia import losses


class _Restoring(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.convolution, self.loss = torch.nn.Conv2d(3, 3, 3, padding=1), loss

    def forward(self, image, wanted):
        return self.loss(torch.sigmoid(self.convolution(image)), torch.sigmoid(wanted))


def _images(size=16):
    return torch.rand(2, 3, size, size), torch.rand(2, 3, size, size)


def ssim():
    return _Restoring(losses.SSIMLoss(5)), _images()


def multi_scale_ssim():
    return _Restoring(losses.MS_SSIMLoss(sigmas=[0.5, 1.0, 2.0])), _images(32)


def signal_to_noise():
    return _Restoring(losses.PSNRLoss(1.0)), _images()


def charbonnier():
    return _Restoring(losses.CharbonnierLoss(reduction="mean")), _images()


def cauchy():
    return _Restoring(losses.CauchyLoss(reduction="mean")), _images()


def geman_mcclure():
    return _Restoring(losses.GemanMcclureLoss(reduction="mean")), _images()


def welsch():
    return _Restoring(losses.WelschLoss(reduction="mean")), _images()


class _Segmenting(torch.nn.Module):
    def __init__(self, loss, classes=3):
        super().__init__()
        self.convolution, self.loss = torch.nn.Conv2d(1, classes, 3, padding=1), loss

    def forward(self, image, labels):
        return self.loss(self.convolution(image), labels)


def _labelled(classes=3):
    return torch.randn(2, 1, 8, 8), torch.randint(classes, (2, 8, 8))


def dice():
    return _Segmenting(losses.DiceLoss()), _labelled()


def tversky():
    return _Segmenting(losses.TverskyLoss(0.5, 0.5)), _labelled()


def focal():
    return _Segmenting(losses.FocalLoss(0.5, reduction="mean")), _labelled()


def lovasz_softmax():
    return _Segmenting(losses.LovaszSoftmaxLoss()), _labelled()


class _Divergence(torch.nn.Module):
    def __init__(self, measure):
        super().__init__()
        self.convolution, self.measure = torch.nn.Conv2d(1, 2, 3, padding=1), measure

    def forward(self, image, other):
        first, second = (kornia.geometry.subpix.spatial_softmax2d(self.convolution(x)) for x in (image, other))
        return self.measure(first, second)


def _pair():
    return torch.rand(2, 1, 8, 8), torch.rand(2, 1, 8, 8)


def jensen_shannon():
    return _Divergence(losses.js_div_loss_2d), _pair()


def kullback_leibler():
    return _Divergence(losses.kl_div_loss_2d), _pair()


class _Filtering(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.convolution, self.inner = torch.nn.Conv2d(3, 3, 3, padding=1), inner

    def forward(self, image):
        return self.inner(torch.sigmoid(self.convolution(image))).mean()


def sobel():
    return _Filtering(kornia.filters.Sobel()), (torch.rand(1, 3, 12, 12),)


def to_hsv():
    return _Filtering(kornia.color.RgbToHsv()), (torch.rand(1, 3, 12, 12),)


def to_lab():
    return _Filtering(kornia.color.RgbToLab()), (torch.rand(1, 3, 12, 12),)


def harris():
    return _Filtering(kornia.feature.CornerHarris(torch.tensor(0.04))), (torch.rand(1, 3, 12, 12),)


def bilateral():
    return _Filtering(kornia.filters.BilateralBlur((3, 3), 0.1, (1.5, 1.5))), (torch.rand(1, 3, 12, 12),)


def normalized():
    return _Filtering(kornia.enhance.Normalize(torch.full((3,), 0.5), torch.full((3,), 0.2))), (
        torch.rand(1, 3, 12, 12),
    )


class _MinMax(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution = torch.nn.Conv2d(3, 3, 3, padding=1)

    def forward(self, image):
        return kornia.enhance.normalize_min_max(self.convolution(image), 0.0, 1.0)


def min_max():
    return _MinMax(), (torch.rand(1, 3, 12, 12),)


class _Descriptors(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution, self.inner = torch.nn.Conv2d(1, 1, 3, padding=1), kornia.feature.SIFTDescriptor(16)

    def forward(self, patches):
        return self.inner(self.convolution(patches))


def descriptors():
    return _Descriptors(), (torch.rand(2, 1, 16, 16),)


class _Rotating(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.head = torch.nn.Linear(6, 3)

    def forward(self, x):
        return kornia.geometry.conversions.axis_angle_to_rotation_matrix(self.head(x))


def rotations():
    return _Rotating(), (torch.randn(4, 6),)
