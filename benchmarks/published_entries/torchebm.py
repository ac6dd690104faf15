"""Entry points of torchebm: its objectives of fields and energies, as in its README, and a conditional transformer."""

import torch
from torchebm.core import BaseModel
from torchebm.couplings import SinkhornCoupling
from torchebm.interpolants import LinearInterpolant
from torchebm.losses import DenoisingScoreMatching, EnergyMatchingLoss, EquilibriumMatchingLoss
from torchebm.models import ConditionalTransformer2D
from torchebm.models.mlp import TimeConditionedMLP


class _Energy(BaseModel):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.SiLU(), torch.nn.Linear(8, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


def _moons():
    angles = torch.pi * torch.rand(6)
    return (torch.stack([torch.cos(angles), torch.sin(angles)], 1) + 0.05 * torch.randn(6, 2),)


def equilibrium_matching():
    field = TimeConditionedMLP(in_dim=2, hidden_dim=8, depth=2)
    return EquilibriumMatchingLoss(model=field, interpolant="linear", energy_type="dot"), _moons()


def energy_matching():
    coupling = SinkhornCoupling(reg=0.01)
    loss = EnergyMatchingLoss(model=_Energy(), coupling=coupling, lambda_cd=0.0, epsilon_max=0.15, tau_star=0.8)
    return loss, _moons()


def score_matching():
    return DenoisingScoreMatching(model=_Energy(), noise_scale=0.1), _moons()


class _Flow(torch.nn.Module):
    """Flow matching of images between noise and what is known."""

    def __init__(self):
        super().__init__()
        sizes = {"input_size": 8, "patch_size": 4, "embed_dim": 8, "depth": 1, "num_heads": 2, "cond_dim": 5}
        self.model = ConditionalTransformer2D(in_channels=1, out_channels=1, **sizes)
        self.interpolant = LinearInterpolant()

    def forward(self, noise, images, times, conditions):
        between, velocity = self.interpolant.interpolate(noise, images, times)
        return (self.model(between, cond=conditions) - velocity).pow(2).mean()


def flow_matching():
    images = 2 * torch.rand(2, 1, 8, 8) - 1
    return _Flow(), (torch.randn(2, 1, 8, 8), images, torch.tensor([0.2, 0.7]), torch.randn(2, 5))
