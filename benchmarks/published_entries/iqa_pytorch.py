"""Entry points of iqa-pytorch: images after one layer, judged by its measures of quality as losses."""

import torch
from IQA_pytorch import GMSD, MS_SSIM, NLPD, SSIM, VIFs


class _Restored(torch.nn.Module):
    def __init__(self, loss, channels=3):
        super().__init__()
        self.layer, self.loss = torch.nn.Conv2d(channels, channels, 3, padding=1), loss

    def forward(self, images, wanted):
        return self.loss(torch.sigmoid(self.layer(images)), wanted, as_loss=True)


def _images(size, channels=3):
    return torch.rand(1, channels, size, size), torch.rand(1, channels, size, size)


def structure():
    return _Restored(SSIM(channels=3)), _images(16)


def structure_of_scales():
    return _Restored(MS_SSIM(channels=3)), _images(192)


def gradients():
    return _Restored(GMSD(channels=3)), _images(16)


def laplacian_pyramid():
    return _Restored(NLPD(channels=1, k=3), 1), _images(32, 1)


def information():
    return _Restored(VIFs(channels=3)), _images(64)


class _Measured(torch.nn.Module):
    """Images measured, not trained on."""

    def __init__(self):
        super().__init__()
        self.measure = SSIM(channels=3)

    def forward(self, images, wanted):
        return self.measure(images, wanted, as_loss=False)


def measured():
    return _Measured(), _images(16)
