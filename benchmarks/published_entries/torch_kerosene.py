"""Entry points of torch-kerosene: its losses of segmented images, on the probabilities of one convolution."""

import torch
from kerosene.nn.criterions import DiceLoss, FocalTverskyLoss, GeneralizedDiceLoss, TverskyLoss


class _Segmented(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.layer, self.loss = torch.nn.Conv2d(1, 3, 3, padding=1), loss

    def forward(self, images, masks):
        return self.loss(self.layer(images).softmax(1), masks)


def _segmented(loss):
    masks = torch.nn.functional.one_hot(torch.randint(3, (2, 8, 8)), 3).movedim(-1, 1).contiguous()
    return _Segmented(loss), (torch.rand(2, 1, 8, 8), masks)


def dice():
    return _segmented(DiceLoss())


def generalized_dice():
    return _segmented(GeneralizedDiceLoss())


def tversky():
    return _segmented(TverskyLoss(alpha=0.3, beta=0.7))


def focal_tversky():
    return _segmented(FocalTverskyLoss(gamma=4 / 3))
