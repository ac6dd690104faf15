"""Entry points of torch-adf: means and variances through layers, in its three ways to carry the variance."""

import torch
from torchadf.nn import AvgPool2d, Conv2d, Flatten, Linear, ReLU, Sequential


def _classifier(mode):
    return Sequential(
        Conv2d(1, 4, 3, mode=mode),
        ReLU(mode=mode),
        AvgPool2d(2, mode=mode),
        Flatten(mode=mode),
        Linear(36, 3, mode=mode),
    )


def diagonal():
    return _classifier("diag"), (torch.rand(2, 1, 8, 8), torch.full((2, 1, 8, 8), 0.01))


def low_rank():
    return _classifier("lowrank"), (torch.rand(2, 1, 8, 8), 0.1 * torch.randn(2, 1, 8, 8, 5))


def full():
    model = Sequential(Linear(6, 8, mode="full"), ReLU(mode="full"), Linear(8, 3, mode="full"))
    return model, (torch.rand(3, 6), 0.01 * torch.eye(6).repeat(3, 1, 1))


class _Likelihood(torch.nn.Module):
    """A network trained by the likelihood of what it gives, as lightweight probabilistic networks are."""

    def __init__(self):
        super().__init__()
        self.layers = Sequential(Linear(6, 8), ReLU(), Linear(8, 1))

    def forward(self, mean, variance, wanted):
        given, spread = self.layers(mean, variance)
        return torch.nn.functional.gaussian_nll_loss(given, wanted, spread)


def likelihood():
    return _Likelihood(), (torch.rand(4, 6), torch.full((4, 6), 0.01), torch.randn(4, 1))
