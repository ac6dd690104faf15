"""Entry points of ngpt-pytorch: a small normalized transformer of states, with a loss, and its parts."""

import torch
from nGPT_pytorch import nTransformer
from nGPT_pytorch.nTransformer import Attention, FeedForward, NormLinear


class _Encoded(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.model, self.head = nTransformer(dim=8, depth=1, dim_head=4, heads=2, **options), torch.nn.Linear(8, 3)

    def forward(self, tokens, labels):
        return torch.nn.functional.cross_entropy(self.head(self.model(tokens).mean(1)), labels)


def encoder():
    return _Encoded(causal=False), (torch.randn(2, 5, 8), torch.tensor([0, 2]))


def several_spheres():
    return _Encoded(causal=True, num_hyperspheres=2), (torch.randn(2, 5, 8), torch.tensor([0, 2]))


def attention():
    return Attention(8, dim_head=4, heads=2), (torch.nn.functional.normalize(torch.randn(2, 5, 8), dim=-1),)


def feed_forward():
    return FeedForward(8), (torch.nn.functional.normalize(torch.randn(2, 5, 8), dim=-1),)


def linear():
    return NormLinear(6, 4), (torch.randn(3, 6),)
