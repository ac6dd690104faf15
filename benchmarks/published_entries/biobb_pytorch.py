"""Entry points of biobb-pytorch: its losses of collective variables behind one layer, and its autoencoders."""

import torch
from biobb_pytorch.mdae.loss.autocorrelation import AutocorrelationLoss
from biobb_pytorch.mdae.loss.elbo import ELBOLoss
from biobb_pytorch.mdae.loss.fisher import FisherDiscriminantLoss
from biobb_pytorch.mdae.loss.tda_loss import TDALoss
from biobb_pytorch.mdae.models.spib import SPIB
from biobb_pytorch.mdae.models.vae import VariationalAutoEncoder


class _Variational(torch.nn.Module):
    """As its training step has it."""

    def __init__(self):
        super().__init__()
        self.model = VariationalAutoEncoder(6, 2, [8, 8], options={"norm_in": None})

    def forward(self, features):
        _, mean, log_variance, rebuilt = self.model.encode_decode(features)
        return self.model.loss_fn(features, rebuilt, mean, log_variance)


def variational():
    return _Variational(), (torch.randn(8, 6),)


class _Bottleneck(torch.nn.Module):
    """The state predictive information bottleneck, as its training step has it."""

    def __init__(self):
        super().__init__()
        self.model = SPIB(3, 1, [8], [8], options={"norm_in": None, "k": 3})

    def forward(self, features, states):
        given, drawn, mean, log_variance = self.model.encode_decode(features)
        representative = self.model.get_representative_z()
        weights = self.model.representative_weights(self.model.idle_input)
        loss, _, _ = self.model.loss_fn(states, given, drawn, mean, log_variance, *representative, weights)
        return loss


def bottleneck():
    states = torch.nn.functional.one_hot(torch.tensor([0, 2, 1, 1, 0, 2]), 3).float()
    return _Bottleneck(), (torch.randn(6, 3), states)


class _Rebuilt(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = (
            torch.nn.Linear(6, 4),
            torch.nn.Sequential(torch.nn.Linear(2, 6), torch.nn.Sigmoid()),
        )
        self.loss = ELBOLoss(beta=0.5, reconstruction="bce", reduction="mean")

    def forward(self, features):
        mean, log_variance = self.encoder(features).chunk(2, dim=1)
        drawn = mean + torch.randn_like(mean) * torch.exp(0.5 * log_variance)
        return self.loss(features, self.decoder(drawn), mean, log_variance)


def rebuilt():
    return _Rebuilt(), (torch.rand(8, 6),)


class _States(torch.nn.Module):
    def __init__(self, loss, outputs):
        super().__init__()
        self.layer, self.loss = torch.nn.Sequential(torch.nn.Linear(6, outputs), torch.nn.Tanh()), loss

    def forward(self, features, labels):
        return self.loss(self.layer(features), labels)


def _labelled():
    return torch.randn(9, 6), torch.tensor([0, 1, 2, 0, 1, 2, 0, 1, 2])


def discriminant():
    return _States(FisherDiscriminantLoss(n_states=3), 2), _labelled()


def target_distributions():
    loss = TDALoss(n_states=3, target_centers=[-5.0, 0.0, 5.0], target_sigmas=[0.2, 0.2, 0.2])
    return _States(loss, 1), _labelled()


class _Lagged(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.loss = torch.nn.Sequential(torch.nn.Linear(6, 2), torch.nn.Tanh()), AutocorrelationLoss()

    def forward(self, features, later):
        return self.loss(self.layer(features), self.layer(later))


def autocorrelation():
    features = torch.randn(10, 6)
    return _Lagged(), (features, features + 0.1 * torch.randn(10, 6))
