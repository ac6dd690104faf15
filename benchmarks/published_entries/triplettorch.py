"""Entry points of triplettorch: embeddings of pictures and rows that its losses of mined triplets train."""

import torch
from triplettorch import AllTripletMiner, HardNegativeTripletMiner


class _Embedded(torch.nn.Module):
    def __init__(self, model, miner):
        super().__init__()
        self.model, self.miner = model, miner

    def forward(self, samples, labels):
        return self.miner(labels, self.model(samples))[0]


def _rows():
    return torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))


def _labels():
    return torch.tensor([0, 0, 1, 1, 2, 2])


def all_triplets():
    return _Embedded(_rows(), AllTripletMiner(0.5)), (torch.randn(6, 6), _labels())


def hard_triplets():
    return _Embedded(_rows(), HardNegativeTripletMiner(0.5)), (torch.randn(6, 6), _labels())


def all_triplets_of_pictures():
    layers = torch.nn.Conv2d(1, 8, 3), torch.nn.PReLU(), torch.nn.MaxPool2d(2), torch.nn.Flatten()
    model = torch.nn.Sequential(*layers, torch.nn.Linear(72, 4))
    return _Embedded(model, AllTripletMiner(0.5)), (torch.rand(6, 1, 8, 8), _labels())
