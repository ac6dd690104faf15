"""Entry points of pyramid-loss: its losses over pyramids, on a small network of waves."""

import torch
from pyramid_loss import PyramidLoss, create_gaussian_pyramid, create_laplacian_pyramid, gaussian_kernel


class _Inverted(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.layer, self.loss = torch.nn.Conv2d(3, 3, 3, padding=1), PyramidLoss(channels=3, **options)

    def forward(self, waves, wanted):
        return self.loss(self.layer(waves), wanted)


def _waves():
    return torch.rand(2, 3, 20, 28), torch.rand(2, 3, 20, 28)


def laplacian():
    return _Inverted(pyramid="laplacian", loss="l1", levels=2, use_weights=True), _waves()


def gaussian():
    return _Inverted(pyramid="gaussian", loss="l2", levels=3), _waves()


class _Pyramids(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("kernel", gaussian_kernel(size=5, channels=3, sigma=3))

    def forward(self, waves):
        return create_laplacian_pyramid(waves, self.kernel, 2), create_gaussian_pyramid(waves, self.kernel, 2)


def pyramids():
    return _Pyramids(), _waves()[:1]
