"""Entry points of pysnn: its spiking networks, which learn without gradients, for a step of spikes."""

import torch
from pysnn.connection import Conv2d, Linear
from pysnn.network import SNNNetwork
from pysnn.neuron import AdaptiveLIFNeuron, Input, LIFNeuron

CELL = {"thresh": 0.5, "v_rest": 0, "alpha_v": 1.0, "alpha_t": 1.0, "dt": 1, "duration_refrac": 2}
DECAY = {"tau_v": 0.8, "tau_t": 0.8}


class _Layers(SNNNetwork):
    def __init__(self, neuron):
        super().__init__()
        self.input = Input((1, 1, 6), dt=1, alpha_t=1.0, tau_t=0.8)
        self.first, self.hidden = Linear(6, 5, 1, dt=1, delay=0), neuron((1, 1, 5))
        self.second, self.output = Linear(5, 3, 1, dt=1, delay=0), LIFNeuron((1, 1, 3), **CELL, **DECAY)

    def forward(self, spikes):
        spikes, trace = self.input(spikes)
        spikes, trace = self.hidden(self.first(spikes, trace)[0]), None
        return self.output(self.second(*spikes)[0])


def leaky():
    return _Layers(lambda shape: LIFNeuron(shape, **CELL, **DECAY)), (torch.rand(1, 1, 6) < 0.4,)


def adaptive():
    def neuron(shape):
        return AdaptiveLIFNeuron(shape, **CELL, **DECAY, alpha_thresh=1.0, tau_thresh=0.9)

    return _Layers(neuron), (torch.rand(1, 1, 6) < 0.4,)


class _Pictures(SNNNetwork):
    def __init__(self):
        super().__init__()
        self.input = Input((1, 1, 6, 6), dt=1, alpha_t=1.0, tau_t=0.8)
        self.connection = Conv2d(1, 2, 3, (6, 6), 1, dt=1, delay=0)
        self.neuron = LIFNeuron((1, 2, 4, 4), **CELL, **DECAY)

    def forward(self, spikes):
        return self.neuron(self.connection(*self.input(spikes))[0])


def pictures():
    return _Pictures(), (torch.rand(1, 1, 6, 6) < 0.3,)
