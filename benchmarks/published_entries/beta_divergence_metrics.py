"""Entry points of beta-divergence-metrics: spectra that are restored or factored with its divergences as losses."""

import torch
from torchbd.loss import BetaDivLoss, NMFBetaDivLoss


class _Restored(torch.nn.Module):
    def __init__(self, beta):
        super().__init__()
        layers = torch.nn.Linear(12, 8), torch.nn.ReLU(), torch.nn.Linear(8, 12), torch.nn.Softplus()
        self.model, self.loss = torch.nn.Sequential(*layers), BetaDivLoss(beta=beta, reduction="mean")

    def forward(self, spectra):
        return self.loss(input=self.model(spectra), target=spectra)


def itakura_saito():
    return _Restored(0), (torch.rand(5, 12) + 0.1,)


def kullback_leibler():
    return _Restored(1), (torch.rand(5, 12) + 0.1,)


def between():
    return _Restored(1.5), (torch.rand(5, 12) + 0.1,)


class _Factored(torch.nn.Module):
    """Scores and components that stay positive."""

    def __init__(self, beta):
        super().__init__()
        self.scores, self.parts = torch.nn.Parameter(torch.rand(5, 3)), torch.nn.Parameter(torch.rand(3, 12))
        self.loss = NMFBetaDivLoss(beta=beta, reduction="mean")

    def forward(self, spectra):
        positive = torch.nn.functional.softplus
        return self.loss(X=spectra, H=positive(self.scores), W=positive(self.parts))


def factored():
    return _Factored(1), (torch.rand(5, 12) + 0.1,)


def factored_by_squares():
    return _Factored(2), (torch.rand(5, 12) + 0.1,)
