"""Entry points of adjacent-attention-pytorch: a network on graphs, with its loss, without and with padded nodes."""

import torch
from adjacent_attention_network import AdjacentAttentionNetwork


class _Scored(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.network = AdjacentAttentionNetwork(dim=8, depth=1, dim_head=4, heads=2, **options)

    def forward(self, nodes, neighbours, target):
        return torch.nn.functional.mse_loss(self.network(nodes, neighbours.clone()), target)


def _graph():
    neighbours = torch.tensor([[i == j or (i + j) % 3 == 0 for i in range(6)] for j in range(6)])
    return torch.randn(1, 6, 8), neighbours[None], torch.randn(1, 6, 8)


def network():
    return _Scored(), _graph()


def cut_off():
    return _Scored(num_neighbors_cutoff=2), _graph()
