"""Entry points of piq: image quality as a training loss of a small convolution."""

import piq
import torch


class _Restoring(torch.nn.Module):
    """A convolution that gives an image in [0, 1], and its distance to the wanted one."""

    def __init__(self, loss):
        super().__init__()
        self.convolution, self.loss = torch.nn.Conv2d(3, 3, 3, padding=1), loss

    def forward(self, image, wanted):
        return self.loss(torch.sigmoid(self.convolution(image)), torch.sigmoid(wanted))


def _images(size=48):
    return torch.rand(2, 3, size, size), torch.rand(2, 3, size, size)


def ssim():
    return _Restoring(piq.SSIMLoss(data_range=1.0)), _images()


def vif():
    return _Restoring(piq.VIFLoss(data_range=1.0)), _images()


def gmsd():
    return _Restoring(piq.GMSDLoss(data_range=1.0)), _images()


def mdsi():
    return _Restoring(piq.MDSILoss(data_range=1.0)), _images()


def haar_psi():
    return _Restoring(piq.HaarPSILoss(data_range=1.0)), _images()


def dss():
    return _Restoring(piq.DSSLoss(data_range=1.0)), _images()


class _Smooth(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution, self.loss = torch.nn.Conv2d(3, 3, 3, padding=1), piq.TVLoss()

    def forward(self, image):
        return self.loss(torch.sigmoid(self.convolution(image)))


def total_variation():
    return _Smooth(), (torch.rand(2, 3, 16, 16),)
