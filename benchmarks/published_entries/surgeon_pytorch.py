"""Entry points of surgeon-pytorch: layers taken out of a network, and looked at while it runs."""

import torch
from surgeon_pytorch import Extract, Inspect


class _Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer1, self.layer2, self.layer3 = torch.nn.Linear(5, 3), torch.nn.Linear(3, 2), torch.nn.Linear(2, 1)

    def forward(self, rows):
        first = self.layer1(rows)
        second = self.layer2(torch.relu(first))
        return torch.sigmoid(self.layer3(second)).squeeze(-1)


class _Inspected(torch.nn.Module):
    """A loss of the result, with a penalty on what is seen of a layer."""

    def __init__(self):
        super().__init__()
        self.model = Inspect(_Network(), layer="layer2")

    def forward(self, rows, wanted):
        given, seen = self.model(rows)
        return torch.nn.functional.binary_cross_entropy(given, wanted) + 0.1 * seen.norm(dim=-1).mean()


def inspected():
    return _Inspected(), (torch.randn(4, 5), torch.tensor([0.0, 1.0, 1.0, 0.0]))


def extracted():
    return Extract(_Network(), node_in="layer1", node_out="sigmoid"), (torch.randn(4, 3),)
