"""Entry points of spikingtorch: networks of spiking neurons on spike trains, trained by their rates."""

import torch
from spikingtorch import IF, LIF, McPitts, SpikingNet
from spikingtorch.spikeio import RateDecoder, SumDecoder
from spikingtorch.spikingnet import SpikingNetBase


class _Layers(SpikingNetBase):
    """Two layers of neurons, as its examples write them."""

    def __init__(self, first, second):
        super().__init__()
        self.Nout = (3,)
        self.fc1, self.fc2 = torch.nn.Linear(6, 8), torch.nn.Linear(8, 3)
        self.first, self.second = first, second

    def single_pass(self, xi, init):
        hidden = self.first(self.fc1(xi.squeeze(1)), init)
        return self.second(self.fc2(hidden), init)


class _Classified(torch.nn.Module):
    def __init__(self, network, decoder):
        super().__init__()
        self.network, self.decoder = network, decoder

    def forward(self, spikes, labels):
        return torch.nn.functional.cross_entropy(self.decoder(self.network(spikes)), labels)


def _spikes():
    return (torch.rand(4, 5, 6) < 0.5).float(), torch.tensor([0, 2, 1, 1])


def leaky():
    return _Classified(_Layers(LIF(), LIF()), SumDecoder(5, 1.0)), _spikes()


def integrating():
    return _Classified(_Layers(IF(), IF(beta=3)), RateDecoder()), _spikes()


def decaying():
    return _Classified(_Layers(LIF(decay=0.8), LIF(tau=4, v0=0.5)), RateDecoder()), _spikes()


class _Once(torch.nn.Module):
    """A layer without memory for each step."""

    def __init__(self):
        super().__init__()
        self.layer, self.neuron = torch.nn.Linear(6, 3), McPitts(0.1)

    def forward(self, spikes, init):
        return self.neuron(self.layer(spikes.squeeze(1)))


def memoryless():
    return _Classified(SpikingNet(_Once(), (3,)), SumDecoder(5, 1.0, offset=False)), _spikes()
