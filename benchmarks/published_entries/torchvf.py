"""Entry points of torchvf: its losses of masks and vector fields, with its network of two heads."""

import torch
from torchvf.losses import DiceLoss, IVPLoss, TverskyLoss
from torchvf.models import get_model


class _Masked(torch.nn.Module):
    def __init__(self, loss, channels=1):
        super().__init__()
        self.layer, self.loss = torch.nn.Conv2d(1, channels, 3, padding=1), loss

    def forward(self, images, wanted):
        return self.loss(self.layer(images), wanted)


def _masks():
    return torch.rand(2, 1, 16, 16), torch.randint(2, (2, 1, 16, 16)).float()


def dice():
    return _Masked(DiceLoss()), _masks()


def logarithm_of_dice():
    return _Masked(DiceLoss(log_loss=True)), _masks()


def tversky():
    return _Masked(TverskyLoss(alpha=0.3, beta=0.7, gamma=1.5)), _masks()


def trajectories():
    return _Masked(IVPLoss(), 2), (torch.rand(2, 1, 16, 16), torch.randn(2, 2, 16, 16))


class _TwoHeads(torch.nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.network, self.of_masks = get_model(kind, in_channels=1), TverskyLoss()
        self.of_fields = torch.nn.MSELoss()

    def forward(self, images, masks, fields):
        given, field = self.network(images)
        return self.of_masks(given, masks) + self.of_fields(field, fields)


def two_heads():
    return _TwoHeads("h1"), (*_masks(), torch.randn(2, 2, 16, 16))
