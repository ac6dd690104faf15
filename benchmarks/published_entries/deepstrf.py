"""Entry points of deepstrf: models of neurons that hear spectrograms, with its kernels, outputs and masked losses."""

import torch
from deepSTRF.metrics.losses import mse_loss, poisson_loss
from deepSTRF.models import activations, layers
from deepSTRF.models.dependencies.lmu import LMU
from torch import nn


class _Trained(nn.Module):
    """The rates of neurons against their counts of spikes, where these are known."""

    def __init__(self, output, loss, *start, neurons=3, filters=4):
        super().__init__()
        self.start, self.readout = nn.Sequential(*start), nn.Linear(filters, neurons)
        self.output, self.loss = output, loss

    def forward(self, spectrograms, spikes, known):
        x = torch.relu(self.start(spectrograms)).squeeze(2)
        rates = self.output(self.readout(x.mT)).mT
        return self.loss(rates[:, :, None], spikes, mask=known)


def _recordings():
    spikes = torch.poisson(torch.full((2, 3, 1, 12), 1.5))
    known = torch.ones(2, 3, 1, 12, dtype=torch.bool)
    known[1, :, :, 9:] = known[0, 2] = False
    return torch.rand(2, 1, 6, 12), spikes, known


def gaussian_kernels():
    kernel = layers.CausalSTRFConv(6, 5, 1, 4, kernel=layers.ParametricSTRF(6, 5, 1, 4, num_gaussians=2))
    return _Trained(activations.ParametricSoftplus(3), poisson_loss, kernel), _recordings()


def separable_kernels():
    kernel = layers.CausalSTRFConv(6, 5, 1, 4, kernel=layers.SeparableSTRF(6, 5, 1, 4))
    start = layers.CausalLayerNorm(6, dim=2), kernel
    return _Trained(activations.ParametricDoubleExponential(3), mse_loss, *start), _recordings()


def plain_kernels():
    return _Trained(activations.ParametricSigmoid(3), poisson_loss, layers.CausalSTRFConv(6, 5, 1, 4)), _recordings()


class _Attentive(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.places = nn.Linear(6, 8), layers.SinusoidalPositionalEncoding(8)
        self.attention = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.head, self.output = nn.Linear(8, 3), activations.ParametricSoftplus(3)

    def forward(self, spectrograms, spikes, known):
        mask = layers.build_causal_window_mask(spectrograms.shape[-1], window=4, device=spectrograms.device)
        x = self.attention(self.places(self.embed(spectrograms.squeeze(1).mT)), src_mask=mask)
        return poisson_loss(self.output(self.head(x)).mT[:, :, None], spikes, mask=known)


def causal_attention():
    return _Attentive(), _recordings()


class _Memory(nn.Module):
    def __init__(self):
        super().__init__()
        self.decay, self.bands = (
            layers.LearnableExponentialDecay(6, 4),
            layers.LocallyConnected1d(6, 1, 2, 3, padding=0),
        )
        self.memory, self.head = LMU(6, 8, 4, theta=10), nn.Linear(8, 3)

    def forward(self, spectrograms):
        x = self.decay(spectrograms.squeeze(1)[:, :, None]).squeeze(2)
        hidden, _ = self.memory(x.mT)
        return self.head(hidden), self.bands(x.mT.reshape(-1, 1, 6))


def memory():
    return _Memory(), (torch.rand(2, 1, 6, 12),)
