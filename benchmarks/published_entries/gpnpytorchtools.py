"""Entry points of gpnpytorchtools: losses of variational encoders on one layer each way."""

import torch
from gpnpytorchtools.lossfunctions import SSVAERLoss, VAELoss


class _Encoding(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder, self.loss = torch.nn.Linear(10, 8), torch.nn.Linear(4, 10), VAELoss()

    def forward(self, features):
        mean, log_variance = self.encoder(features).chunk(2, -1)
        drawn = mean + torch.randn_like(mean) * torch.exp(log_variance / 2)
        return self.loss(features, self.decoder(drawn), mean, log_variance)[0]


class _Regressing(torch.nn.Module):
    """A variational encoder whose prior is given by the regressed value."""

    def __init__(self):
        super().__init__()
        self.encoder, self.regressor = torch.nn.Linear(10, 8), torch.nn.Linear(10, 2)
        self.prior, self.decoder, self.loss = torch.nn.Linear(1, 4), torch.nn.Linear(4, 10), SSVAERLoss()

    def forward(self, features, wanted):
        mean, log_variance = self.encoder(features).chunk(2, -1)
        value, value_log_variance = self.regressor(features).chunk(2, -1)
        prior = self.prior(value)
        given = self.decoder(mean), mean, log_variance, prior, value, value_log_variance, wanted, self.decoder(prior)
        return self.loss(features, *given)[0]


def variational():
    return _Encoding(), (torch.randn(4, 10),)


def regression():
    return _Regressing(), (torch.randn(4, 10), torch.randn(4, 1))
