"""Entry points of torch-tools: its chains of layers, its network of several scales and its image operators."""

import torch
from ttools.modules import ConvChain, FCChain, FixupResidualChain, ImageGradients, RGB2YCbCr, TotalVariation, UNet


class _Trained(torch.nn.Module):
    def __init__(self, network, loss=torch.nn.functional.mse_loss):
        super().__init__()
        self.network, self.loss = network, loss

    def forward(self, samples, wanted):
        return self.loss(self.network(samples), wanted)


def _images():
    return torch.rand(1, 3, 16, 16), torch.rand(1, 3, 16, 16)


def several_scales():
    return _Trained(UNet(3, 3, base_width=4, max_width=16, num_levels=2)), _images()


def convolutions():
    network = torch.nn.Sequential(ConvChain(3, width=8, depth=2, norm_layer="batch"), torch.nn.Conv2d(8, 3, 1))
    return _Trained(network), _images()


def fixup():
    first, last = torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.Conv2d(8, 3, 3, padding=1)
    return _Trained(torch.nn.Sequential(first, FixupResidualChain(8, depth=2), last)), _images()


def connected():
    network = torch.nn.Sequential(FCChain(6, width=8, depth=2), torch.nn.Linear(8, 3))
    return _Trained(network, torch.nn.functional.cross_entropy), (torch.randn(4, 6), torch.tensor([0, 2, 1, 1]))


class _Smooth(torch.nn.Module):
    """Edges and variations of an image compared to what is wanted."""

    def __init__(self):
        super().__init__()
        self.layer, self.colours = torch.nn.Conv2d(3, 3, 3, padding=1), RGB2YCbCr()
        self.gradients, self.variation = ImageGradients(3), TotalVariation()

    def forward(self, images, wanted):
        given = self.layer(images)
        edges = (self.gradients(self.colours(given)) - self.gradients(self.colours(wanted))).abs().mean()
        return edges + 0.1 * self.variation(given)


def smooth():
    return _Smooth(), _images()
