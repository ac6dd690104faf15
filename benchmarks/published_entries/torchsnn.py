"""Entry points of torchsnn: its stigmergic networks, whose thresholds and weights change as they run over time."""

import torch
import torchsnn


class _Strokes(torch.nn.Module):
    """The README's use: a digit is shown row by row, the network ticks after each of them."""

    def __init__(self, *layers):
        super().__init__()
        self.network, self.loss = torchsnn.Sequential(*layers), torch.nn.MSELoss()

    def forward(self, images, wanted):
        self.network.reset()
        for row in images.unbind(1):
            given = self.network(row)
            self.network.tick()
        return self.loss(given, wanted)


def _images():
    return torch.rand(3, 4, 6), torch.nn.functional.one_hot(torch.tensor([1, 0, 3]), 4).float()


def thresholds():
    return _Strokes(torchsnn.SimpleLayer(6, 8), torchsnn.SimpleLayer(8, 4)), _images()


def thresholds_and_weights():
    return _Strokes(torchsnn.SimpleLayer(6, 8), torchsnn.FullLayer(8, 4)), _images()


def bounded():
    layers = torchsnn.SimpleLayer(6, 8, clamp_max=1), torchsnn.FullLayer(8, 4, clamp_max=1)
    return _Strokes(*layers), _images()


def adapted():
    """All rows are remembered, and a layer with weights that stay reads them."""
    return _Strokes(torchsnn.TemporalAdapter(6, 4), torch.nn.Linear(24, 4), torch.nn.Sigmoid()), _images()
