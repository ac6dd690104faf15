"""Entry points of stam-pytorch: its classifier of films, and its transformer as the only layer of a forecast."""

import torch
from stam_pytorch import STAM
from stam_pytorch.stam import Transformer


class _Films(torch.nn.Module):
    def __init__(self):
        super().__init__()
        sizes = {"space_heads": 2, "space_mlp_dim": 16, "time_heads": 2, "time_mlp_dim": 16, "num_classes": 3}
        sizes |= {"space_depth": 1, "time_depth": 1, "space_dim_head": 4, "time_dim_head": 4}
        self.model = STAM(dim=8, image_size=8, patch_size=4, num_frames=3, **sizes)

    def forward(self, video, labels):
        return torch.nn.functional.cross_entropy(self.model(video), labels)


class _Forecast(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = torch.nn.Linear(3, 8), torch.nn.Linear(8, 1)
        self.part = Transformer(8, depth=1, heads=2, dim_head=4, mlp_dim=16)

    def forward(self, series, wanted):
        return torch.nn.functional.mse_loss(self.last(self.part(self.first(series))).squeeze(-1), wanted)


def films():
    return _Films(), (torch.rand(2, 3, 3, 8, 8), torch.randint(3, (2,)))


def forecast():
    return _Forecast(), (torch.randn(2, 5, 3), torch.randn(2, 5))
