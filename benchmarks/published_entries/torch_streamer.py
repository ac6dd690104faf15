"""Entry points of torch-streamer: residual convolutions that are trained without padding, and networks that stream."""

import torch
import torchstreamer as streams


def _network(*layers):
    return torch.nn.Sequential(torch.nn.Conv1d(1, 4, 3), torch.nn.LeakyReLU(0.1), *layers)


class _Denoised(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, noisy, clean):
        given = self.model(noisy)
        skipped = (clean.shape[-1] - given.shape[-1]) // 2
        return torch.nn.functional.l1_loss(given, clean[..., skipped : skipped + given.shape[-1]])


def residual():
    block = streams.Residual1d(torch.nn.Sequential(torch.nn.Conv1d(4, 4, 3, dilation=2), torch.nn.ReLU()))
    model = _network(block, torch.nn.Conv1d(4, 1, 1))
    return _Denoised(model), (torch.randn(2, 1, 32), torch.randn(2, 1, 32))


class _Streamed(torch.nn.Module):
    """Two chunks of a sound, streamed, of which the second is the last."""

    def __init__(self, *layers):
        super().__init__()
        self.network = _network(*layers)

    def forward(self, first, last):
        stream = streams.Sequential1dStream(self.network)
        return torch.cat([stream(first), stream(last, final=True)], -1)


def convolutions():
    return _Streamed(torch.nn.Conv1d(4, 1, 4, stride=2)), (torch.randn(1, 16), torch.randn(1, 16))


def transposed():
    layers = torch.nn.AvgPool1d(2, 2), torch.nn.ConvTranspose1d(4, 1, 4, stride=2)
    return _Streamed(*layers), (torch.randn(1, 16), torch.randn(1, 16))
