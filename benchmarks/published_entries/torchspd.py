"""Entry points of torchspd: its functions of symmetric positive matrices, of covariances behind one layer."""

import torch
import torchspd


class _Covariance(torch.nn.Module):
    """As networks of signals have it: features, their covariance with a little of the identity, a function of it."""

    def __init__(self, function):
        super().__init__()
        self.layer, self.function, self.head = torch.nn.Conv1d(3, 4, 3), function, torch.nn.Linear(16, 2)

    def forward(self, signals, labels):
        features = self.layer(signals)
        features = features - features.mean(dim=-1, keepdim=True)
        covariance = features @ features.transpose(-2, -1) / (features.shape[-1] - 1)
        given = self.function(covariance + 1e-3 * torch.eye(4))
        return torch.nn.functional.cross_entropy(self.head(given.flatten(1)), labels)


def _signals():
    return torch.randn(3, 3, 20), torch.tensor([0, 1, 1])


def logarithm():
    return _Covariance(torchspd.logm), _signals()


def root():
    return _Covariance(torchspd.sqrtm), _signals()


def whitening():
    return _Covariance(torchspd.invsqrtm), _signals()


def power():
    return _Covariance(lambda covariance: torchspd.powm(covariance, 0.3)), _signals()


class _Distance(torch.nn.Module):
    """The distance of two states of matrices by their logarithms."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(5, 9)

    def forward(self, features, wanted):
        symmetric = torchspd.symmetrize(self.layer(features).view(-1, 3, 3))
        return (torchspd.logm(torchspd.expm(symmetric)) - torchspd.logm(wanted)).square().sum(dim=(-2, -1)).mean()


def distance():
    roots = torch.randn(4, 3, 3)
    return _Distance(), (torch.randn(4, 5), roots @ roots.transpose(-2, -1) + 0.1 * torch.eye(3))
