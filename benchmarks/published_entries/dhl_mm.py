"""Entry points of dhl-mm: brackets of an exceptional algebra, and networks over graphs that keep its symmetries."""

import torch
from equivariant import ExceptionalEGNN, SparseLieBracket


class _Brackets(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.bracket = torch.nn.Linear(14, 14), SparseLieBracket.from_algebra("G2")

    def forward(self, first, second):
        return self.bracket(self.layer(first), second)


def brackets():
    return _Brackets(), (torch.randn(3, 14), torch.randn(3, 14))


def _graph():
    return torch.randn(5, 14), torch.tensor([[0, 1, 2, 3], [1, 2, 3, 0]])


def equivariant():
    model = ExceptionalEGNN(in_dim=14, hidden_dim=8, out_dim=1, n_layers=2, algebra_name="G2", equivariant=True)
    return model, _graph()


class _Trained(torch.nn.Module):
    def __init__(self):
        super().__init__()
        sizes = {"in_dim": 14, "hidden_dim": 8, "out_dim": 2, "n_layers": 1}
        self.model = ExceptionalEGNN(**sizes, algebra_name="G2", bracket_pooling=True)

    def forward(self, nodes, edges, wanted):
        return torch.nn.functional.mse_loss(self.model(nodes, edges), wanted)


def pooled_brackets():
    return _Trained(), (*_graph(), torch.randn(1, 2))
