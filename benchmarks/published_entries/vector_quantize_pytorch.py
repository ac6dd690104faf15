"""Entry points of vector-quantize-pytorch: discrete bottlenecks behind one layer, with their losses."""

import torch
import vector_quantize_pytorch as quantizers


class _Bottleneck(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.head, self.inner = torch.nn.Linear(6, 8), inner

    def forward(self, x):
        results = self.inner(self.head(x))
        return results[0]


def vectors():
    return _Bottleneck(quantizers.VectorQuantize(8, 5)), (torch.randn(2, 4, 6),)


def cosines():
    return _Bottleneck(quantizers.VectorQuantize(8, 5, use_cosine_sim=True)), (torch.randn(2, 4, 6),)


def residual():
    return _Bottleneck(quantizers.ResidualVQ(dim=8, codebook_size=5, num_quantizers=2)), (torch.randn(2, 4, 6),)


def finite_scalars():
    return _Bottleneck(quantizers.FSQ([5, 5, 3], dim=8)), (torch.randn(2, 4, 6),)


def lookup_free():
    return _Bottleneck(quantizers.LFQ(dim=8, codebook_size=16)), (torch.randn(2, 4, 6),)
