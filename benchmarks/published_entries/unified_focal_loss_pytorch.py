"""Entry points of unified-focal-loss-pytorch: its losses of segmentations behind one layer."""

import torch
from unified_focal_loss import losses


class _Segmented(torch.nn.Module):
    def __init__(self, loss, classes=2):
        super().__init__()
        self.layer, self.loss = torch.nn.Conv2d(3, classes, 3, padding=1), loss

    def forward(self, images, masks):
        return self.loss(self.layer(images).softmax(dim=1), masks)


def _images(classes=2):
    return torch.rand(2, 3, 6, 6), torch.randint(0, classes, (2, 6, 6))


def symmetric():
    return _Segmented(losses.SymmetricUnifiedFocalLoss()), _images()


def asymmetric():
    return _Segmented(losses.AsymmetricUnifiedFocalLoss()), _images()


def asymmetric_of_three_classes():
    return _Segmented(losses.AsymmetricUnifiedFocalLoss(weight=0.4, gamma=0.3), 3), _images(3)


def tversky():
    return _Segmented(losses.FocalTverskyLoss(), 3), _images(3)


def combined():
    return _Segmented(losses.ComboLoss(), 3), _images(3)


def ignored_class():
    images, masks = _images(3)
    masks[0, 0] = 255
    return _Segmented(losses.DiceLoss(ignore_index=255), 3), (images, masks)
