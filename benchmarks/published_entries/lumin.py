"""Entry points of lumin: losses of weighted events and of a discovery, on networks of its activation."""

import torch
from lumin.nn.losses.basic_weighted import WeightedCCE, WeightedMAE, WeightedMSE
from lumin.nn.losses.hep_losses import SignificanceLoss
from lumin.nn.models.layers.mish import Mish


class _Trained(torch.nn.Module):
    def __init__(self, outputs, loss, *last):
        super().__init__()
        self.model = torch.nn.Sequential(torch.nn.Linear(5, 10), Mish(), torch.nn.Linear(10, outputs), *last)
        self.loss = loss

    def forward(self, events, wanted):
        return self.loss(self.model(events), wanted)


def _weights():
    return torch.tensor([0.2, 1.5, 0.7, 1.0, 0.3, 2.0])


def squares():
    return _Trained(1, WeightedMSE(_weights()[:, None])), (torch.randn(6, 5), torch.randn(6, 1))


def distances():
    return _Trained(1, WeightedMAE(_weights()[:, None])), (torch.randn(6, 5), torch.randn(6, 1))


def classes():
    model = _Trained(3, WeightedCCE(_weights()), torch.nn.LogSoftmax(1))
    return model, (torch.randn(6, 5), torch.tensor([0, 2, 1, 1, 2, 0]))


def significance():
    loss = SignificanceLoss(_weights(), sig_wgt=20.0, bkg_wgt=200.0, func=lambda s, b: s / torch.sqrt(s + b))
    return _Trained(1, loss, torch.nn.Sigmoid()), (torch.randn(6, 5), torch.tensor([1.0, 0, 0, 1, 1, 0]))
