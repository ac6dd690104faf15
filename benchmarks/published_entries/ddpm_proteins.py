"""Entry points of ddpm-proteins: diffusion of distances between residues, with and without what conditions them."""

import sys
from unittest.mock import MagicMock

import torch

WANTING = {"torchvision", "sidechainnet", "sidechainnet.utils", "sidechainnet.utils.sequence", "seaborn"}
WANTING |= {"matplotlib", "matplotlib.pyplot"}
WANTING -= set(sys.modules)
for _name in WANTING:
    sys.modules[_name] = MagicMock()  # data and drawings, which nothing here needs

from ddpm_proteins.ddpm_proteins import GaussianDiffusion, LinearAttention, Unet  # noqa: E402

for _name in WANTING:
    del sys.modules[_name]  # others look for what is installed


def diffused():
    model = Unet(dim=8, dim_mults=(1, 2), channels=1)
    return GaussianDiffusion(model, image_size=8, timesteps=1000, loss_type="l1"), torch.rand(2, 1, 8, 8)


class _Conditioned(torch.nn.Module):
    def __init__(self):
        super().__init__()
        model = Unet(dim=8, dim_mults=(1, 2), channels=1, condition_dim=3, hybrid_dim_conv=True)
        self.diffusion = GaussianDiffusion(model, image_size=8, timesteps=100, loss_type="l2")

    def forward(self, distances, attention):
        return self.diffusion(distances, condition_tensor=attention)


def conditioned():
    return _Conditioned(), (torch.rand(2, 1, 8, 8), torch.rand(2, 3, 8, 8))


def attention():
    return LinearAttention(8, heads=2, dim_head=8), torch.randn(2, 8, 4, 4)
