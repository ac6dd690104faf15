"""Entry points of contextual-conv: its convolutions that a vector of context scales and shifts, with their losses."""

import torch
from contextual_conv import ContextualConv1d, ContextualConv2d


class _Classified(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.first = ContextualConv2d(3, 8, 3, padding=1, activation=torch.nn.ReLU(), context_dim=5, **options)
        self.second = ContextualConv2d(8, 8, 3, stride=2, activation=torch.nn.ReLU(), context_dim=5, **options)
        self.head = torch.nn.Linear(8, 4)

    def forward(self, pictures, context, labels):
        hidden = self.second(self.first(pictures, context), context)
        return torch.nn.functional.cross_entropy(self.head(hidden.mean((2, 3))), labels)


def _pictures():
    return torch.rand(2, 3, 12, 12), torch.randn(2, 5), torch.tensor([3, 0])


def modulated():
    return _Classified(h_dim=16, use_scale=True, use_bias=True, scale_mode="film"), _pictures()


def shifted():
    return _Classified(), _pictures()


class _Forecast(torch.nn.Module):
    def __init__(self):
        super().__init__()
        options = {"context_dim": 3, "h_dim": [8, 8], "use_scale": True, "use_bias": False, "scale_mode": "scale"}
        self.layer, self.head = ContextualConv1d(2, 8, 3, padding=1, **options), torch.nn.Conv1d(8, 1, 1)

    def forward(self, series, context, targets):
        restored = self.head(torch.relu(self.layer(series, context)))
        return torch.nn.functional.mse_loss(restored, targets)


def scaled():
    return _Forecast(), (torch.randn(2, 2, 10), torch.randn(2, 3), torch.randn(2, 1, 10))


class _Goodness(torch.nn.Module):
    """Forward-forward training: right contexts have more goodness than wrong ones."""

    def __init__(self):
        super().__init__()
        self.layer = ContextualConv2d(
            1, 8, 3, padding=1, activation=torch.relu, context_dim=4, use_scale=True, use_bias=False
        )

    def forward(self, pictures, right, wrong):
        good = self.layer.weighted_goodness(pictures, right).sum(1)
        bad = self.layer.weighted_goodness(pictures, wrong).sum(1)
        return torch.nn.functional.softplus(bad - good).mean()


def goodness():
    labels = torch.eye(4)
    return _Goodness(), (torch.rand(2, 1, 8, 8), labels[[2, 0]], labels[[1, 3]])
