"""Entry points of snntorch: spiking networks over a few steps with its losses, as its tutorials train them."""

import snntorch as snn
import torch
from snntorch import functional, surrogate


class _Spiking(torch.nn.Module):
    """Two layers of neurons, their spikes or their potentials recorded at every step."""

    def __init__(self, first, second, loss, steps=4, potentials=False):
        super().__init__()
        self.fc1, self.fc2 = torch.nn.Linear(6, 8), torch.nn.Linear(8, 3)
        self.first, self.second, self.loss = first, second, loss
        self.steps, self.potentials = steps, potentials

    def _started(self, neuron):
        states = neuron.reset_mem()
        return states if isinstance(states, tuple) else (states,)

    def forward(self, samples, labels):
        first, second = self._started(self.first), self._started(self.second)
        recorded = []
        for _ in range(self.steps):
            hidden, *first = self.first(self.fc1(samples), *first)
            spikes, *second = self.second(self.fc2(hidden), *second)
            recorded.append(second[-1] if self.potentials else spikes)
        return self.loss(torch.stack(recorded), labels)


def _samples():
    return torch.rand(4, 6), torch.tensor([0, 2, 1, 1])


def rates():
    neurons = snn.Leaky(beta=0.9), snn.Leaky(beta=0.9)
    return _Spiking(*neurons, functional.ce_rate_loss()), _samples()


def counts():
    neurons = (snn.Leaky(beta=0.8, learn_beta=True, spike_grad=surrogate.fast_sigmoid(slope=25)) for _ in range(2))
    return _Spiking(*neurons, functional.mse_count_loss(correct_rate=0.8, incorrect_rate=0.2)), _samples()


def spike_counts():
    neurons = (snn.Synaptic(alpha=0.9, beta=0.8, spike_grad=surrogate.atan()) for _ in range(2))
    return _Spiking(*neurons, functional.ce_count_loss()), _samples()


def potentials():
    neurons = snn.Lapicque(beta=0.9), snn.Leaky(beta=0.9, reset_mechanism="zero")
    return _Spiking(*neurons, functional.ce_max_membrane_loss(), potentials=True), _samples()


def spike_times():
    neurons = snn.Leaky(beta=0.9), snn.Leaky(beta=0.9)
    return _Spiking(*neurons, functional.ce_temporal_loss()), _samples()


def alpha_neurons():
    neurons = (snn.Alpha(alpha=0.9, beta=0.8) for _ in range(2))
    return _Spiking(*neurons, functional.mse_membrane_loss(), potentials=True), _samples()
