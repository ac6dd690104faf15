"""Entry points of proxynorm: its normalization by proxies, after another, in small networks."""

import torch
from proxynorm import ProxyNorm1d, ProxyNorm2d


class _Classified(torch.nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.model = torch.nn.Sequential(*layers)

    def forward(self, features, classes):
        return torch.nn.functional.cross_entropy(self.model(features), classes)


def images():
    layers = torch.nn.Conv2d(3, 6, 3), torch.nn.GroupNorm(1, 6), ProxyNorm2d(6), torch.nn.AdaptiveAvgPool2d(1)
    return _Classified(*layers, torch.nn.Flatten(), torch.nn.Linear(6, 4)), (
        torch.rand(2, 3, 8, 8),
        torch.tensor([1, 3]),
    )


def smooth_images():
    layers = torch.nn.Conv2d(3, 6, 3), torch.nn.GroupNorm(2, 6), ProxyNorm2d(6, act=torch.nn.SiLU(), bias=True)
    head = torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(6, 4)
    return _Classified(*layers, *head), (torch.rand(2, 3, 8, 8), torch.tensor([1, 3]))


class _Steps(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.norm, self.proxy = torch.nn.Linear(6, 8), torch.nn.LayerNorm(8), ProxyNorm1d(8)

    def forward(self, steps):
        return self.proxy(self.norm(self.layer(steps)))


def steps():
    return _Steps(), torch.randn(2, 5, 6)
