"""Entry points of torch-relativistic: its attention, graphs, spiking neurons and transforms with heads of classes."""

import torch
from torch_relativistic.attention import RelativisticSelfAttention
from torch_relativistic.gnn import MultiObserverGNN
from torch_relativistic.snn import TerrellPenroseSNN
from torch_relativistic.transforms import LorentzBoost, TerrellPenroseTransform


class _Classified(torch.nn.Module):
    def __init__(self, layers, width, classes=3):
        super().__init__()
        self.layers, self.head = layers, torch.nn.Linear(width, classes)

    def forward(self, samples, labels):
        given = self.layers(samples)
        if given.ndim == 3:
            given = given.mean(dim=1)
        return torch.nn.functional.cross_entropy(self.head(given), labels)


def attention():
    layers = RelativisticSelfAttention(hidden_dim=16, num_heads=2, dropout=0.0)
    return _Classified(layers, 16), (torch.randn(2, 5, 16), torch.tensor([0, 2]))


def boosted():
    layers = torch.nn.Sequential(torch.nn.Linear(6, 8), LorentzBoost(feature_dim=8, time_dim=0, max_velocity=0.9))
    return _Classified(layers, 8), (torch.randn(4, 6), torch.tensor([0, 2, 1, 1]))


def rotated():
    layers = torch.nn.Sequential(torch.nn.Linear(6, 8), TerrellPenroseTransform(feature_dim=8))
    return _Classified(layers, 8), (torch.randn(4, 6), torch.tensor([0, 2, 1, 1]))


def spiking():
    layers = TerrellPenroseSNN(input_size=6, hidden_size=8, output_size=5, simulation_steps=4, dropout=0.0)
    return _Classified(layers, 5), (torch.randn(4, 6), torch.tensor([0, 2, 1, 1]))


class _Graph(torch.nn.Module):
    """Nodes of a graph, seen by several observers."""

    def __init__(self):
        super().__init__()
        self.network = MultiObserverGNN(feature_dim=5, hidden_dim=8, output_dim=3, num_observers=2, dropout=0.0)

    def forward(self, nodes, edges, labels):
        return torch.nn.functional.cross_entropy(self.network(nodes, edges), labels)


def graph():
    edges = torch.tensor([[0, 1, 2, 3, 1, 2], [1, 2, 3, 0, 0, 1]])
    return _Graph(), (torch.randn(4, 5), edges, torch.tensor([0, 2, 1, 1]))
