"""Entry points of eclipse-pytorch: parts of its network that forecasts clouds and irradiance from images."""

import torch
from eclipse_pytorch.layers import FuturePrediction, SpatialGRU
from eclipse_pytorch.model import IrradianceModule, TemporalModel, Upsampler


def temporal():
    model = TemporalModel(8, 3, input_shape=(4, 4), start_out_channels=8)
    return model, (torch.randn(2, 4, 8, 4, 4),)


class _Future(torch.nn.Module):
    """States to come from the present one, as the network starts them from zeros."""

    def __init__(self):
        super().__init__()
        self.prediction = FuturePrediction(8, 8, n_gru_blocks=1, n_res_layers=1)

    def forward(self, hidden):
        batch, channels, height, width = hidden.shape
        return self.prediction(hidden.new_zeros(batch, 3, channels, height, width), hidden)


def future():
    return _Future(), (torch.randn(2, 8, 4, 4),)


def recurrent():
    return SpatialGRU(4, 8), (torch.randn(2, 3, 4, 6, 6), torch.randn(2, 8, 6, 6))


class _Segmented(torch.nn.Module):
    """The loss of masks and irradiance on one state."""

    def __init__(self):
        super().__init__()
        self.upsampler, self.irradiance = Upsampler(sizes=[128, 16, 8], n_out=4), IrradianceModule()

    def forward(self, states, masks, wanted):
        segmented = torch.nn.functional.cross_entropy(self.upsampler(states), masks)
        return segmented + torch.nn.functional.mse_loss(self.irradiance(states), wanted)


def segmented():
    return _Segmented(), (torch.randn(2, 128, 4, 4), torch.randint(0, 4, (2, 32, 32)), torch.rand(2, 1))
