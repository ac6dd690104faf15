"""Entry points of sweep-loss: its misfits of recorded waves, on waves that a layer makes of a model of the ground."""

import torch
from sweep_loss.awi import AWILoss
from sweep_loss.correlation import GlobalCorrelationLoss, TraceNormalizedL2Loss
from sweep_loss.deconvolution import DeconvolutionLoss
from sweep_loss.envelope import EnvelopeLoss
from sweep_loss.frequency import FrequencyPhaseLoss, LogarithmicShinMinLoss


class _Waves(torch.nn.Module):
    """Reflections of the ground, convolved with a wavelet, at each of several receivers."""

    def __init__(self, loss):
        super().__init__()
        self.ground, self.loss = torch.nn.Linear(4, 24 * 3, bias=False), loss
        time = torch.arange(-4, 5) * 0.4
        self.register_buffer("wavelet", ((1 - 2 * time**2) * torch.exp(-(time**2))).view(1, 1, -1))

    def forward(self, shots, recorded):
        reflections = self.ground(shots).view(-1, 1, 24)
        waves = torch.nn.functional.conv1d(reflections, self.wavelet, padding=4)
        return self.loss(waves.view(len(shots), 3, 24).transpose(1, 2), recorded)


def _shots():
    """Recordings (shots, times, receivers), before whose first arrival nothing is heard."""
    recorded = torch.randn(2, 24, 3).cumsum(1) * 0.1
    recorded[:, :4] = 0
    return torch.eye(4)[:2], recorded


def envelopes():
    return _Waves(EnvelopeLoss()), _shots()


def logarithms_of_envelopes():
    return _Waves(EnvelopeLoss(log=True)), _shots()


def correlation():
    return _Waves(GlobalCorrelationLoss(demean=True)), _shots()


def normalized_traces():
    return _Waves(TraceNormalizedL2Loss()), _shots()


def matching_filter():
    return _Waves(AWILoss(dt=0.004)), _shots()


def deconvolution():
    return _Waves(DeconvolutionLoss(dt=0.004, normalize=True)), _shots()


def phases():
    return _Waves(FrequencyPhaseLoss(freq_band=(1, 8))), _shots()


def logarithms_of_spectra():
    return _Waves(LogarithmicShinMinLoss()), _shots()
