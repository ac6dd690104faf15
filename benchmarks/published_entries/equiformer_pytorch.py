"""Entry points of equiformer-pytorch: its equivariant transformer of points in space, in the sizes of its README."""

import torch
from equiformer_pytorch import Equiformer


def _model(**options):
    sizes = {"num_tokens": 8, "dim": (4, 4), "dim_head": (4, 4), "heads": (2, 2), "num_degrees": 2, "depth": 1}
    return Equiformer(**sizes, attend_self=True, reduce_dim_out=True, **options)


class _Moved(torch.nn.Module):
    """How points move, and a number of each of them."""

    def __init__(self, **options):
        super().__init__()
        self.model = _model(**options)

    def forward(self, tokens, places, mask, moved, numbers):
        given = self.model(tokens, places, mask)
        moves = places + given.type1
        wrong = (moves - moved).square().sum(dim=-1) + (given.type0 - numbers).square()
        return (wrong * mask).sum() / mask.sum()


def _points():
    mask = torch.tensor([[True] * 5 + [False]])
    return torch.randint(0, 8, (1, 6)), torch.randn(1, 6, 3), mask, torch.randn(1, 6, 3), torch.randn(1, 6)


def distances():
    return _Moved(l2_dist_attention=True), _points()


def perceptron():
    return _Moved(l2_dist_attention=False), _points()
