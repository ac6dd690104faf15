"""Entry points of point-transformer-pytorch: its layers over clouds of points, with a loss of labels."""

import torch
from point_transformer_pytorch.multihead_point_transformer_pytorch import MultiheadPointTransformerLayer
from point_transformer_pytorch.point_transformer_pytorch import PointTransformerLayer


def _features():
    return torch.randn(1, 8, 16), torch.randn(1, 8, 3), torch.ones(1, 8).bool()


def layer():
    return PointTransformerLayer(dim=16, pos_mlp_hidden_dim=16, attn_mlp_hidden_mult=4, num_neighbors=4), _features()


def several_heads():
    return MultiheadPointTransformerLayer(dim=16, heads=2, dim_head=8, pos_mlp_hidden_dim=16), _features()


class _Classified(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.head = torch.nn.Linear(3, 16), torch.nn.Linear(16, 4)
        self.layers = torch.nn.ModuleList([PointTransformerLayer(dim=16, num_neighbors=4) for _ in range(2)])

    def forward(self, points, labels):
        hidden = self.first(points)
        for layer in self.layers:
            hidden = hidden + layer(hidden, points)
        return torch.nn.functional.cross_entropy(self.head(hidden.max(1).values), labels)


def classified():
    return _Classified(), (torch.randn(2, 8, 3), torch.tensor([3, 0]))


class _Segmented(torch.nn.Module):
    """A label for each point of clouds of unequal size."""

    def __init__(self):
        super().__init__()
        self.first, self.head = torch.nn.Linear(3, 16), torch.nn.Linear(16, 4)
        self.layer = MultiheadPointTransformerLayer(dim=16, heads=2, dim_head=8, num_neighbors=4)

    def forward(self, points, present, labels):
        hidden = self.first(points)
        logits = self.head(hidden + self.layer(hidden, points, present))
        return torch.nn.functional.cross_entropy(logits[present], labels[present])


def segmented():
    present = torch.tensor([[True] * 8, [True] * 6 + [False] * 2])
    return _Segmented(), (torch.randn(2, 8, 3), present, torch.randint(4, (2, 8)))
