"""Entry points of pystemma: its mask of a graph's edges in messages, in lags of series and in a loss that thins it."""

import torch
from pystemma.nn.graph.masking.global_edge import GlobalEdgeMask


class _Messages(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.mask, self.own, self.others = GlobalEdgeMask(5), torch.nn.Linear(3, 6), torch.nn.Linear(3, 6)
        self.head = torch.nn.Linear(6, 2)

    def forward(self, nodes, edges, labels):
        passed = (edges * self.mask()) @ self.others(nodes)
        given = torch.relu(self.own(nodes) + passed)
        return torch.nn.functional.cross_entropy(self.head(given).flatten(0, 1), labels.flatten())


def messages():
    edges = (torch.rand(5, 5) > 0.5).float()
    return _Messages(), (torch.randn(2, 5, 3), edges, torch.tensor([[0, 1, 1, 0, 1], [1, 1, 0, 0, 0]]))


class _Lags(torch.nn.Module):
    """Series by what others were a step ago, with a price on every edge."""

    def __init__(self):
        super().__init__()
        self.mask, self.weights = GlobalEdgeMask(4, initial_value=0.05), torch.nn.Parameter(0.3 * torch.randn(4, 4))

    def forward(self, series):
        mask = self.mask()
        given = series[:, :-1] @ (self.weights * mask)
        return torch.nn.functional.mse_loss(given, series[:, 1:]) + 0.01 * mask.sum()


def lags():
    return _Lags(), (torch.randn(3, 10, 4),)
