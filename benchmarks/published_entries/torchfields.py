"""Entry points of torchfields: images warped by displacements that a network gives, as registrations are trained."""

import torch
import torchfields  # noqa: F401  adds fields to tensors


class _Registered(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Conv2d(2, 2, 3, padding=1)

    def forward(self, moving, fixed):
        field = (0.1 * torch.tanh(self.layer(torch.cat((moving, fixed), dim=1)))).field()
        return torch.nn.functional.mse_loss(field(moving), fixed) + 0.1 * field.tensor().square().mean()


def _images():
    return torch.rand(1, 1, 8, 8), torch.rand(1, 1, 8, 8)


def registered():
    return _Registered(), _images()


class _Composed(torch.nn.Module):
    """Two displacements in pixels, one after the other."""

    def forward(self, first, second, images):
        return first.field().from_pixels()(second.field().from_pixels())(images)


def composed():
    return _Composed(), (torch.randn(1, 2, 8, 8), torch.randn(1, 2, 8, 8), torch.rand(1, 1, 8, 8))
