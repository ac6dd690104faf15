"""Entry points of pytorch-probing: probes of what layers give, trained beside a network, and modules in parallel."""

import torch
from pytorch_probing import ParallelModuleDict, Prober


def _perceptron():
    layers = {"first": torch.nn.Linear(5, 8), "tanh": torch.nn.Tanh(), "last": torch.nn.Linear(8, 3)}
    model = torch.nn.Sequential()
    for name, layer in layers.items():
        model.add_module(name, layer)
    return model


class _Probed(torch.nn.Module):
    """The network's own loss and that of the probe, which sees a layer's output."""

    def __init__(self):
        super().__init__()
        self.model = Prober(_perceptron(), {"tanh": torch.nn.Linear(8, 2)})

    def forward(self, features, labels, attributes):
        given, probes = self.model(features)
        loss = torch.nn.functional.cross_entropy(given, labels)
        return loss + torch.nn.functional.cross_entropy(probes["tanh"], attributes)


def probed():
    return _Probed(), (torch.randn(4, 5), torch.tensor([0, 2, 1, 1]), torch.tensor([1, 0, 0, 1]))


class _Parallel(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(5, 8)
        self.heads = ParallelModuleDict({"kind": torch.nn.Linear(8, 3), "size": torch.nn.Linear(8, 1)})

    def forward(self, features, labels, sizes):
        given = self.heads(torch.relu(self.body(features)))
        loss = torch.nn.functional.cross_entropy(given["kind"], labels)
        return loss + torch.nn.functional.mse_loss(given["size"][:, 0], sizes)


def parallel():
    return _Parallel(), (torch.randn(4, 5), torch.tensor([0, 2, 1, 1]), torch.rand(4))
