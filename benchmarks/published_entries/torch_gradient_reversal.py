"""Entry points of torch-gradient-reversal: adversarial adaptation to a domain through its reversed gradients."""

import torch
from gradient_reversal import GradientReversalLayer, gradient_reversal


class _Adapted(torch.nn.Module):
    """As its documentation adapts: a classifier of labels, and one of domains behind the reversal."""

    def __init__(self, alpha=None):
        super().__init__()
        self.features = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.ReLU())
        self.labels, self.domains = torch.nn.Linear(8, 3), torch.nn.Linear(8, 2)
        self.reversal = GradientReversalLayer(alpha=1.0) if alpha is None else lambda x: gradient_reversal(x, alpha)

    def forward(self, samples, labels, domains):
        features = self.features(samples)
        classified = torch.nn.functional.cross_entropy(self.labels(features), labels)
        adversarial = torch.nn.functional.cross_entropy(self.domains(self.reversal(features)), domains)
        return classified + adversarial


def _samples():
    return torch.randn(4, 6), torch.tensor([0, 2, 1, 1]), torch.tensor([0, 0, 1, 1])


def by_layer():
    return _Adapted(), _samples()


def by_function():
    return _Adapted(alpha=0.5), _samples()
