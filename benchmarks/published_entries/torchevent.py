"""Entry points of torchevent: layers of spikes, with its losses of their counts and times."""

import torch
from torchevent.layers import SNNConv3d, SNNLinear, SNNSumPooling
from torchevent.loss import SpikeCountLoss, SpikeCumulativeLoss, SpikeKernelLoss, SpikeSoftmaxLoss


class _Spiking(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.model = torch.nn.Sequential(SNNConv3d(2, 4, 3, padding=1), SNNSumPooling(2, 2), SNNLinear(64, 3))
        for layer in (self.model[0], self.model[2]):
            torch.nn.init.uniform_(layer.weight, -0.4, 0.5)  # so that there are spikes at all
        self.loss = loss

    def forward(self, events, wanted):
        return self.loss(self.model(events), wanted)


def _events():
    return torch.randint(2, (2, 2, 8, 8, 5)).float()


def counts():
    return _Spiking(SpikeCountLoss(desired_count=4, undesired_count=1)), (_events(), torch.tensor([0, 2]))


def cumulative():
    return _Spiking(SpikeCumulativeLoss(gamma=2.0)), (_events(), torch.tensor([0, 2]))


def kernel():
    return _Spiking(SpikeKernelLoss(tau_s=5.0)), (_events(), torch.randint(2, (2, 3, 1, 1, 5)).float())


def softmax():
    return _Spiking(SpikeSoftmaxLoss()), (_events(), torch.tensor([0, 2]))
