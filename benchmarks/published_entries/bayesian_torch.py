"""Entry points of bayesian-torch: small networks whose weights are drawn, with their divergence from the prior."""

import torch
from bayesian_torch.layers import Conv2dFlipout, LinearFlipout, LinearReparameterization
from bayesian_torch.models.dnn_to_bnn import dnn_to_bnn, get_kl_loss


class _Drawn(torch.nn.Module):
    def __init__(self, first, last):
        super().__init__()
        self.first, self.last = first, last

    def forward(self, features, labels):
        hidden, divergence = self.first(features)
        scores, other = self.last(torch.relu(hidden).flatten(1))
        return torch.nn.functional.cross_entropy(scores, labels) + (divergence + other) / len(labels)


class _Converted(torch.nn.Module):
    """A usual network that the package makes Bayesian."""

    def __init__(self, kind):
        super().__init__()
        self.model = torch.nn.Sequential(torch.nn.Linear(5, 6), torch.nn.ReLU(), torch.nn.Linear(6, 3))
        prior = {"prior_mu": 0.0, "prior_sigma": 1.0, "posterior_mu_init": 0.0, "posterior_rho_init": -3.0}
        dnn_to_bnn(self.model, {**prior, "type": kind, "moped_enable": False, "moped_delta": 0.5})

    def forward(self, features, labels):
        loss = torch.nn.functional.cross_entropy(self.model(features), labels)
        return loss + get_kl_loss(self.model) / len(labels)


def _data(*shape):
    return torch.randn(4, *shape), torch.randint(3, (4,))


def reparameterised():
    return _Drawn(LinearReparameterization(5, 6), LinearReparameterization(6, 3)), _data(5)


def flipout():
    return _Drawn(Conv2dFlipout(1, 2, 3), LinearFlipout(32, 3)), _data(1, 6, 6)


def converted():
    return _Converted("Reparameterization"), _data(5)


def converted_flipout():
    return _Converted("Flipout"), _data(5)
