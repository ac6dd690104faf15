"""Entry points of torchfm: its click models, trained by binary cross entropy as in its example."""

import torch
from torchfm.model.afm import AttentionalFactorizationMachineModel
from torchfm.model.afn import AdaptiveFactorizationNetwork
from torchfm.model.pnn import ProductNeuralNetworkModel
from torchfm.model.xdfm import ExtremeDeepFactorizationMachineModel

FIELDS = (6, 8, 5)


class _Trained(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model, self.loss = model, torch.nn.BCELoss()

    def forward(self, fields, clicks):
        return self.loss(self.model(fields), clicks)


def _entry(model):
    fields = torch.stack([torch.randint(0, n, (8,)) for n in FIELDS], 1)
    return _Trained(model), (fields, torch.randint(0, 2, (8,)).float())


def attentional():
    return _entry(AttentionalFactorizationMachineModel(FIELDS, 4, 4, (0.2, 0.2)))


def adaptive():
    return _entry(AdaptiveFactorizationNetwork(FIELDS, 4, 6, (8,), (0.0,)))


def extreme():
    return _entry(ExtremeDeepFactorizationMachineModel(FIELDS, 4, (8,), 0.2, (4, 4)))


def products():
    return _entry(ProductNeuralNetworkModel(FIELDS, 4, (8,), 0.2))
