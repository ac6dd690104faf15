"""Entry points of alr-transformer: its block and its language model, small, as in its README."""

import torch
from alr_transformer import ALRBlock, ALRTransformer


class _Language(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = ALRTransformer(dim=16, depth=2, num_tokens=20, dim_head=2, heads=2, ff_mult=4)

    def forward(self, words):
        scores = self.model(words[:, :-1])
        return torch.nn.functional.cross_entropy(scores.flatten(0, 1), words[:, 1:].flatten())


def language():
    return _Language(), torch.randint(20, (2, 9))


def predicted():
    return ALRTransformer(dim=16, depth=2, num_tokens=20, dim_head=2, heads=2).eval(), torch.randint(20, (1, 6))


def block():
    return ALRBlock(8, 16, 0.1), torch.randn(2, 5, 8)
