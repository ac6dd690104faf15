"""Entry points of nytorch: networks that are added and scaled like tensors, as particles of a swarm."""

import nytorch
import torch


class _Network(nytorch.NytoModule):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(6, 8), torch.nn.Linear(8, 3)

    def forward(self, features):
        return self.second(torch.relu(self.first(features)))


class _Classified(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, features, labels):
        return torch.nn.functional.cross_entropy(self.model(features), labels)


def _features():
    return torch.randn(5, 6), torch.tensor([0, 2, 1, 1, 0])


def network():
    return _Classified(_Network()), _features()


def moved_particle():
    return _Classified(_Network() * 0.9 + 0.01), _features()
