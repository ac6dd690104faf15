"""Entry points of torchmanager: its losses of classes, masks and distilled networks, with its metrics of images."""

import torch
from torchmanager import losses, metrics


class _Classified(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.layer, self.loss = torch.nn.Linear(6, 3), loss

    def forward(self, features, wanted):
        return self.loss(self.layer(features), wanted)


class _Segmented(torch.nn.Module):
    def __init__(self, loss, classes=3):
        super().__init__()
        self.layer, self.loss = torch.nn.Conv2d(3, classes, 3, padding=1), loss

    def forward(self, images, masks):
        return self.loss(self.layer(images), masks)


def _labels():
    return torch.randn(4, 6), torch.tensor([0, 2, 1, 1])


def _masks():
    return torch.rand(2, 3, 8, 8), torch.randint(0, 3, (2, 8, 8))


def focal():
    return _Classified(losses.FocalCrossEntropy(gamma=2)), _labels()


def focal_masks():
    return _Segmented(losses.FocalCrossEntropy(alpha=0.25, gamma=1.5)), _masks()


def dice():
    return _Segmented(losses.Dice(softmax_input=False), classes=1), (torch.rand(2, 3, 8, 8), _masks()[1].clamp(max=1))


def distilled():
    """The student's classes after those of a teacher."""
    return _Classified(losses.KLDiv(softmax_temperature=4, reduction="batchmean")), (_labels()[0], torch.randn(4, 3))


class _Restored(torch.nn.Module):
    """Images after a layer, measured as its manager does beside the loss of training."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Conv2d(3, 3, 3, padding=1)
        self.loss = losses.MultiLosses([losses.MSE(), losses.MAE(weight=0.5)])
        self.likeness, self.noise = metrics.SSIM(3, pixel_range=1), metrics.PSNR()

    def forward(self, images, wanted):
        given = self.layer(images)
        return self.loss(given, wanted), self.likeness(given, wanted), self.noise(given, wanted)


def restored():
    return _Restored(), (torch.rand(2, 3, 16, 16), torch.rand(2, 3, 16, 16))
