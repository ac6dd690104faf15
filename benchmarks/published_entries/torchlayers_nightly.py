"""Entry points of torchlayers-nightly: networks of layers that infer their sizes, as its README has them."""

import torch
import torchlayers as tl


class _Trained(torch.nn.Module):
    def __init__(self, network, samples, loss=torch.nn.functional.cross_entropy):
        super().__init__()
        self.network, self.loss = network, loss
        network(samples)  # its layers infer their sizes from the first samples

    def forward(self, samples, wanted):
        return self.loss(self.network(samples), wanted)


def _classified(samples, *layers):
    return _Trained(torch.nn.Sequential(*layers), samples), (samples, torch.tensor([0, 2]))


def images():
    first = tl.Conv(8), tl.ReLU(), tl.BatchNorm(), tl.Conv(12), tl.Swish()
    return _classified(torch.rand(2, 3, 8, 8), *first, tl.GlobalMaxPool(), tl.Linear(3))


def mobile():
    block = tl.Residual(tl.InvertedResidualBottleneck(squeeze_excitation=True))
    first = tl.Conv(8), tl.HardSwish(), block, tl.SeparableConv(12)
    return _classified(torch.rand(2, 3, 8, 8), *first, tl.GlobalAvgPool(), tl.Dropout(), tl.Linear(3))


def squeezed():
    first = tl.Conv(8), tl.Fire(8, hidden_channels=4), tl.ChannelShuffle(groups=2), tl.SqueezeExcitation()
    return _classified(torch.rand(2, 3, 8, 8), *first, tl.AvgPool(), tl.GlobalAvgPool(), tl.Linear(3))


def autoencoder():
    images = torch.rand(2, 3, 8, 8)
    encoder = tl.Conv(8), tl.MaxPool(), tl.ReLU(), tl.Poly(tl.Conv(8), order=2)
    decoder = tl.ConvPixelShuffle(out_channels=3, upscale_factor=2), tl.HardSigmoid()
    return _Trained(torch.nn.Sequential(*encoder, *decoder), images, torch.nn.functional.mse_loss), (images, images)


def texts():
    samples = torch.randn(2, 6, 5)
    return _classified(samples, tl.Conv(8), tl.ReLU(), tl.InstanceNorm(), tl.GlobalMaxPool(), tl.Linear(3))
