"""Entry points of cw-torch: its distances of samples, from each other and from a normal law, as losses."""

import torch
from cw_torch.gamma import silverman_rule_of_thumb, silverman_rule_of_thumb_sample
from cw_torch.metric import cw, cw_normality


class _Encoded(torch.nn.Module):
    """An autoencoder whose latent samples are to be normal."""

    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = torch.nn.Linear(6, 3), torch.nn.Linear(3, 6)

    def forward(self, samples):
        latent = self.encoder(samples)
        gamma = silverman_rule_of_thumb(1.0, latent.shape[0])
        distance = torch.log(cw_normality(latent, gamma))
        return torch.log(torch.nn.functional.mse_loss(self.decoder(latent), samples)) + distance


def encoded():
    return _Encoded(), (torch.randn(8, 6),)


class _Generated(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 5))

    def forward(self, noise, samples):
        return cw(samples, self.layers(noise), silverman_rule_of_thumb_sample(samples))


def generated():
    return _Generated(), (torch.randn(8, 4), torch.randn(8, 5))
