"""Entry points of nbn: likelihoods of its conditional distributions, linear, mixed, of classes and of chains."""

import torch
from nbn.mechanisms import LinearGaussianMechanism, MDNMechanism, NeuralCategoricalMechanism


class _Likely(torch.nn.Module):
    """What a mechanism that has seen rows once is trained by."""

    def __init__(self, mechanism):
        super().__init__()
        self.mechanism = mechanism

    def forward(self, children, parents):
        return -self.mechanism.log_prob(children, parents).mean()


def _fitted(mechanism, children, **options):
    parents = torch.randn(12, 3)
    mechanism.fit_local(children, parents, **options)
    return _Likely(mechanism), (children, parents)


def linear():
    return _fitted(LinearGaussianMechanism(), torch.randn(12, 2))


def mixture():
    return _fitted(MDNMechanism(num_components=3, hidden=(8,), activation="tanh"), torch.randn(12, 1), epochs=2)


def classes():
    return _fitted(NeuralCategoricalMechanism(n_classes=3, hidden=(8,)), torch.randint(3, (12, 1)), epochs=2)


class _Chain(torch.nn.Module):
    """A class of rows, then a value by both, sampled so that gradients pass."""

    def __init__(self, first, second):
        super().__init__()
        self.first, self.second = first, second

    def forward(self, rows, values):
        middle = self.first.rsample(rows)[:, 0]
        return -self.second.log_prob(values, torch.cat([rows, middle], 1)).mean()


def chain():
    rows, middle, values = torch.randn(12, 3), torch.randn(12, 1), torch.randn(12, 1)
    first, second = LinearGaussianMechanism(), MDNMechanism(num_components=2, hidden=(8,))
    first.fit_local(middle, rows)
    second.fit_local(values, torch.cat([rows, middle], 1), epochs=2)
    return _Chain(first, second), (rows, values)
