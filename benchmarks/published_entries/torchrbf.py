"""Entry points of torchrbf: interpolations by radial functions, of data and of points that a network gives."""

import torch
from torchrbf import RBFInterpolator


def _data():
    points = torch.rand(12, 2)
    return points, torch.sin(3 * points[:, :1]) + points[:, 1:]


def thin_plates():
    return RBFInterpolator(*_data()), (torch.rand(5, 2),)


def gaussian():
    return RBFInterpolator(*_data(), smoothing=1.0, kernel="gaussian", epsilon=2.0), (torch.rand(5, 2),)


def inverse_multiquadric():
    return RBFInterpolator(*_data(), kernel="inverse_multiquadric", epsilon=1.0), (torch.rand(5, 2),)


class _Placed(torch.nn.Module):
    """Points placed by a network so that the surface has given heights."""

    def __init__(self):
        super().__init__()
        self.layer, self.surface = torch.nn.Linear(3, 2), RBFInterpolator(*_data(), smoothing=0.1)

    def forward(self, samples, heights):
        return torch.nn.functional.mse_loss(self.surface(torch.sigmoid(self.layer(samples))), heights)


def placed():
    return _Placed(), (torch.randn(5, 3), torch.rand(5, 1))
