"""Entry points of torchcrop: days of its differentiable growth of crops, and the networks that correct them."""

import torch
from torchcrop import CropParameters, Lintul5Model
from torchcrop.nn.hybrid import ResidualHead, ResidualSpec
from torchcrop.nn.learned_stress import LearnedStressFactor
from torchcrop.nn.param_net import ParameterNet
from torchcrop.utils.io import make_constant_weather


class _Season(torch.nn.Module):
    def __init__(self, days, crop):
        super().__init__()
        self.model = Lintul5Model(crop_params=CropParameters(crop_name=crop))
        self.weather = make_constant_weather(batch_size=2, n_days=days)

    def forward(self, irrigation):
        result = self.model(self.weather, start_doy=60, irrigation=irrigation)
        return result.yield_, result.lai, result.biomass


def season():
    return _Season(3, "wheat"), (torch.rand(2, 3),)


class _Stressed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.stress = LearnedStressFactor(input_dim=3, hidden_dim=8)

    def forward(self, water, nutrients, stage, wanted):
        return torch.nn.functional.mse_loss(self.stress(water, nutrients, stage), wanted)


def stress():
    return _Stressed(), tuple(torch.rand(4) for _ in range(4))


def corrected_rate():
    spec = ResidualSpec("photosynthesis.gtotal", "rate_factor", ("lai", "tranrf", "dvs"), hidden_dim=8)
    return ResidualHead(spec), (torch.rand(4), torch.rand(4, 3))


def parameters():
    return ParameterNet(5, 3, hidden_dim=8), (torch.randn(4, 5),)
