"""Entry points of logitorch: losses of unlikelihood on one layer."""

import torch
from logitorch.losses.unlikelihood_loss import CrossEntropyAndUnlikelihoodLoss, UnlikelihoodLoss


class _Classified(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.layer, self.loss = torch.nn.Linear(6, 5), loss

    def forward(self, features, *labels):
        return self.loss(self.layer(features), *labels)


def unlikelihood():
    return _Classified(UnlikelihoodLoss()), (torch.randn(4, 6), torch.tensor([0, 3, -100, 2]))


def likelihood_and_unlikelihood():
    known = torch.tensor([1, 0, 1, 0])
    return _Classified(CrossEntropyAndUnlikelihoodLoss()), (
        torch.randn(4, 6),
        torch.tensor([0, 3, 1, 2]),
        known,
        1 - known,
    )
