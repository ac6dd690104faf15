"""Entry points of egnn-pytorch: layers that move with the coordinates of a graph."""

import torch
from egnn_pytorch import EGNN, EGNN_Network


class _First(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, features, places):
        return self.inner(features, places)


def layer():
    return _First(EGNN(dim=8)), (torch.randn(1, 5, 8), torch.randn(1, 5, 3))


def normalized():
    return _First(EGNN(dim=8, norm_coors=True, soft_edges=True)), (torch.randn(1, 5, 8), torch.randn(1, 5, 3))


def network():
    inner = EGNN_Network(num_tokens=7, num_positions=5, dim=8, depth=1, num_nearest_neighbors=3, norm_coors=True)
    return _First(inner), (torch.randint(7, (1, 5)), torch.randn(1, 5, 3))
