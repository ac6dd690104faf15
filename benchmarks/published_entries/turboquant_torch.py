"""Entry points of turboquant-torch: vectors rotated and quantized, and the inner products that they keep."""

import torch
from turboquant.core import TurboQuant
from turboquant.hadamard import RandomizedHadamardTransform
from turboquant.mse_quantizer import TurboQuantMSE
from turboquant.qjl import QJL
from turboquant.rope import apply_rope, compute_rope_frequencies


class _Quantized(torch.nn.Module):
    """Vectors after they were stored."""

    def __init__(self, quantizer):
        super().__init__()
        self.quantizer = quantizer

    def forward(self, vectors):
        return self.quantizer.dequantize(self.quantizer.quantize(vectors))


def quantized():
    return _Quantized(TurboQuant(dim=16, bit_width=3)), (torch.randn(4, 16),)


def least_error():
    return _Quantized(TurboQuantMSE(dim=16, bit_width=2)), (torch.randn(4, 16),)


class _Products(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.quantizer = QJL(input_dim=16)

    def forward(self, queries, keys):
        return self.quantizer.estimate_inner_product(queries, self.quantizer.quantize(keys))


def products():
    return _Products(), (torch.randn(4, 16), torch.randn(4, 16))


class _Attention(torch.nn.Module):
    """Attention to keys that stand quantized, at rotary positions."""

    def __init__(self):
        super().__init__()
        self.query, self.quantizer = torch.nn.Linear(16, 16), TurboQuant(dim=16, bit_width=4, unbiased=False)
        self.register_buffer("frequencies", compute_rope_frequencies(16, max_seq_len=8))

    def forward(self, tokens, keys, values):
        keys = self.quantizer.dequantize(self.quantizer.quantize(keys))
        queries, keys = (apply_rope(x, self.frequencies) for x in (self.query(tokens), keys))
        return (queries @ keys.transpose(-2, -1) / 4).softmax(dim=-1) @ values


def attention():
    return _Attention(), (torch.randn(2, 1, 5, 16), torch.randn(2, 1, 5, 16), torch.randn(2, 1, 5, 16))


class _Rotated(torch.nn.Module):
    """A layer on rotated features, and the features back."""

    def __init__(self):
        super().__init__()
        self.rotation, self.layer = RandomizedHadamardTransform(16), torch.nn.Linear(16, 16)

    def forward(self, samples, wanted):
        given = self.rotation.inverse(self.layer(self.rotation(samples)))
        return torch.nn.functional.mse_loss(given, wanted)


def rotated():
    return _Rotated(), (torch.randn(4, 16), torch.randn(4, 16))
