"""Entry points of pytorch-revgrad: features that a second head must not tell apart, by a reversed gradient."""

import torch
from pytorch_revgrad import RevGrad


class _Adversarial(torch.nn.Module):
    """Classes and domains of the same features, trained against each other."""

    def __init__(self, alpha=1.0):
        super().__init__()
        self.features = torch.nn.Sequential(torch.nn.Linear(8, 6), torch.nn.ReLU())
        self.classes = torch.nn.Linear(6, 3)
        self.domains = torch.nn.Sequential(RevGrad(alpha), torch.nn.Linear(6, 2))

    def forward(self, x, labels, domains):
        features, entropy = self.features(x), torch.nn.functional.cross_entropy
        return entropy(self.classes(features), labels) + entropy(self.domains(features), domains)


def _labelled():
    return torch.randn(6, 8), torch.tensor([0, 2, 1, 1, 0, 2]), torch.tensor([0, 0, 0, 1, 1, 1])


def domain_adversarial():
    return _Adversarial(), _labelled()


def weighted():
    return _Adversarial(0.1), _labelled()
