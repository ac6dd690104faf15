"""Entry points of pymimir-rgnn: its perceptrons, whole and of a few inputs each, and sums over objects of a state."""

import sys
import types

import torch

_package = sys.modules["pymimir_rgnn"] = types.ModuleType("pymimir_rgnn")  # of which only this needs no planner
_package.__path__ = ["pymimir_rgnn"]

from pymimir_rgnn.modules import MLP, ChannelwiseAffine, SparseMLP, SumReadout  # noqa: E402


class _Values(torch.nn.Module):
    """Messages between objects, then a value of each state."""

    def __init__(self):
        super().__init__()
        self.messages, self.norm = MLP(12, 12, 16), ChannelwiseAffine(6)
        self.update, self.readout = MLP(12, 6), SumReadout(6, 1)

    def forward(self, objects, pairs, sizes, values):
        for _ in range(2):
            sent = self.messages(objects[pairs].flatten(1)).view(-1, 6)
            received = torch.zeros_like(objects).index_add(0, pairs.flatten(), sent)
            objects = objects + self.norm(self.update(torch.cat([objects, received], 1)))
        return torch.nn.functional.mse_loss(self.readout(objects, sizes), values)


def values():
    pairs = torch.tensor([[0, 1], [1, 2], [3, 4], [4, 6], [5, 6]])
    return _Values(), (torch.randn(7, 6), pairs, torch.tensor([3, 4]), torch.tensor([[2.0], [5.0]]))


class _Sparse(torch.nn.Module):
    def __init__(self, mode):
        super().__init__()
        self.first, self.last = SparseMLP(6, 8, 2, gate_mode=mode), SparseMLP(8, 1, 3, tau=0.5, gate_mode=mode)

    def forward(self, rows, wanted):
        loss = torch.nn.functional.mse_loss(self.last(torch.nn.functional.mish(self.first(rows))), wanted)
        return loss + 0.1 * (self.first.topk_margin_penalty(0.1) + self.last.topk_margin_penalty(0.1))


def sparse():
    return _Sparse("gumbel_topk"), (torch.randn(5, 6), torch.randn(5, 1))


def sparse_and_certain():
    return _Sparse("deterministic_topk"), (torch.randn(5, 6), torch.randn(5, 1))
