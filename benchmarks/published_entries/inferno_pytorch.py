"""Entry points of inferno-pytorch: its loss of overlapping sets, and its criterion of pixels as rows."""

import torch
from inferno.extensions.criteria import As2DCriterion, SorensenDiceLoss


class _Segmented(torch.nn.Module):
    def __init__(self, loss, channels=2, activation=None):
        super().__init__()
        self.layer, self.loss = torch.nn.Conv2d(1, channels, 3, padding=1), loss
        self.activation = torch.nn.Sigmoid() if activation is None else activation

    def forward(self, images, masks):
        return self.loss(self.activation(self.layer(images)), masks)


def _masks():
    return torch.rand(2, 1, 6, 6), torch.randint(0, 2, (2, 2, 6, 6)).float()


def channelwise():
    return _Segmented(SorensenDiceLoss()), _masks()


def weighted():
    return _Segmented(SorensenDiceLoss(weight=torch.tensor([0.3, 1.0]))), _masks()


def all_at_once():
    return _Segmented(SorensenDiceLoss(channelwise=False)), _masks()


def of_pixels():
    loss = As2DCriterion(torch.nn.NLLLoss())
    masks = torch.rand(2, 1, 6, 6), torch.randint(0, 3, (2, 6, 6))
    return _Segmented(loss, channels=3, activation=torch.nn.LogSoftmax(dim=1)), masks
