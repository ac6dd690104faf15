"""Entry points of engression-pytorch: networks that take noise, trained by the energy score of what they draw."""

import torch
from engression_pytorch import EnergyScoreLoss, gAdd, gConcat


class _Drawn(torch.nn.Module):
    def __init__(self, sampler, **options):
        super().__init__()
        self.sampler, self.loss = sampler, EnergyScoreLoss(**options)

    def forward(self, features, wanted):
        return self.loss(wanted, self.sampler(features))


def _network(inputs):
    return torch.nn.Sequential(torch.nn.Linear(inputs, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))


def _data():
    return torch.randn(6, 4), torch.randn(6, 2)


def joined():
    return _Drawn(gConcat(_network(5), m_train=2, m_eval=2)), _data()


def joined_uniform():
    sampler = gConcat(_network(7), m_train=4, m_eval=4, noise_type="uniform", noise_dim=3)
    return _Drawn(sampler, beta=0.5), _data()


def added():
    sampler = gAdd(_network(4), m_train=3, m_eval=3, noise_dim=4, noise_scale=0.5)
    return _Drawn(sampler, p=1), _data()
