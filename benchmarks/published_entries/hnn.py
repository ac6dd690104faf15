"""Entry points of hnn: spiking networks of its neurons over time, and one that turns numbers into spikes."""

import torch
from hnn.hu.a2s_learnable_coding_sign_convert import A2SLearnableCodingSignConvert
from hnn.snn.integrate_and_fire import IF
from hnn.snn.lif import LIF
from hnn.snn.output_rate_coding import OutputRateCoding


class _Spiking(torch.nn.Module):
    """Two layers of neurons, and how often the last ones fire."""

    def __init__(self, neuron, **options):
        super().__init__()
        self.first, self.second = torch.nn.Linear(6, 8), torch.nn.Linear(8, 3)
        self.hidden, self.output, self.rate = neuron(**options), neuron(**options), OutputRateCoding()

    def forward(self, series, labels):
        inner = outer = None
        spikes = []
        for moment in series:
            fired, inner = self.hidden(self.first(moment), inner)
            fired, outer = self.output(self.second(fired), outer)
            spikes.append(fired)
        return torch.nn.functional.cross_entropy(self.rate(torch.stack(spikes)), labels)


def _series():
    return torch.rand(4, 3, 6), torch.tensor([0, 2, 1])


def leaky():
    return _Spiking(LIF, v_th=0.5, v_leaky_alpha=0.9, v_leaky_beta=0.0, v_init=0.0), _series()


def adaptive_leak():
    return _Spiking(LIF, v_th=0.5, v_leaky_alpha=0.9, v_leaky_beta=0.1, v_leaky_adpt_en=True, v_init=0.0), _series()


def not_leaky():
    return _Spiking(IF, v_th=0.5, v_reset=0, v_init=0.0), _series()


class _Hybrid(torch.nn.Module):
    """Numbers turned into a window of spikes that neurons receive."""

    def __init__(self):
        super().__init__()
        self.dense, self.unit = torch.nn.Linear(6, 4), A2SLearnableCodingSignConvert(window_size=3)
        self.neuron = LIF(v_th=0.5, v_leaky_alpha=0.9, v_leaky_beta=0.0, v_init=0.0)

    def forward(self, features):
        potential, spikes = None, []
        for moment in self.unit(torch.relu(self.dense(features))).unbind(-1):
            fired, potential = self.neuron(moment, potential)
            spikes.append(fired)
        return torch.stack(spikes)


def hybrid():
    return _Hybrid(), (torch.rand(3, 6),)
