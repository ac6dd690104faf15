"""Entry points of torchgeometry: its losses of images and maps behind small networks, and images that are warped."""

import torch
import torchgeometry as tgm


class _Segmented(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(8, 4, 1)
        )
        self.loss = loss

    def forward(self, images, classes):
        return self.loss(self.layers(images), classes)


def _images():
    return torch.rand(2, 3, 12, 12), torch.randint(0, 4, (2, 12, 12))


def dice():
    return _Segmented(tgm.losses.DiceLoss()), _images()


def focal():
    return _Segmented(tgm.losses.FocalLoss(alpha=0.5, gamma=2.0, reduction="mean")), _images()


class _Alike(torch.nn.Module):
    """A restored image against the clean one by their structure."""

    def __init__(self):
        super().__init__()
        self.layers, self.loss = torch.nn.Conv2d(3, 3, 3, padding=1), tgm.losses.SSIM(5, reduction="mean")

    def forward(self, images, clean):
        return self.loss(torch.sigmoid(self.layers(images)), clean)


def structure():
    return _Alike(), (torch.rand(2, 3, 12, 12), torch.rand(2, 3, 12, 12))


class _Aligned(torch.nn.Module):
    """A homography that is learned by warping one image onto another, as its example does."""

    def __init__(self):
        super().__init__()
        self.homography = torch.nn.Parameter(torch.eye(3).unsqueeze(0) + 0.01 * torch.randn(1, 3, 3))
        self.warper = tgm.HomographyWarper(12, 12)

    def forward(self, image, wanted):
        warped = self.warper(image, self.homography)
        return torch.nn.functional.l1_loss(warped, wanted)


def aligned():
    return _Aligned(), (torch.rand(1, 3, 12, 12), torch.rand(1, 3, 12, 12))
