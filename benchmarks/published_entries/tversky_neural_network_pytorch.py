"""Entry points of tversky-neural-network-pytorch: similarities by common features, as layers with a loss."""

import torch
from tversky_neural_network import TverskyProjectionLayer, tversky_similarity


class _Classified(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.hidden, self.head = torch.nn.Linear(6, 8), TverskyProjectionLayer(8, 3, num_features=5, **options)

    def forward(self, features, labels):
        return torch.nn.functional.cross_entropy(self.head(self.hidden(features)), labels)


def _rows():
    return torch.randn(5, 6), torch.tensor([0, 2, 1, 1, 0])


def least():
    return _Classified(), _rows()


def products_ignoring():
    return _Classified(psi="product", match_type="ignore"), _rows()


def geometric_mean():
    return _Classified(psi="gmean"), _rows()


def soft_least():
    return _Classified(psi="softmin", softmin_tau=2.0), _rows()


class _Similar(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.bank = torch.nn.Linear(6, 4), torch.nn.Parameter(torch.randn(5, 4))

    def forward(self, first, second):
        given = tversky_similarity(self.layer(first), self.layer(second), self.bank)
        return torch.nn.functional.cross_entropy(given, torch.arange(len(first)))


def similar():
    return _Similar(), (torch.randn(4, 6), torch.randn(4, 6))
