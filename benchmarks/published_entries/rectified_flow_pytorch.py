"""Entry points of rectified-flow-pytorch: the loss of a flow around a small convolution."""

import torch
from rectified_flow_pytorch import RectifiedFlow


class _Velocity(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution, self.head = torch.nn.Conv2d(3, 3, 3, padding=1), torch.nn.Linear(1, 3)

    def forward(self, x, times):
        return self.convolution(x) + self.head(times[:, None])[:, :, None, None]


def _flow(**options):
    return RectifiedFlow(_Velocity(), data_shape=(3, 8, 8), **options), (torch.rand(2, 3, 8, 8),)


def flow():
    return _flow()


def noise():
    return _flow(predict="noise")
