"""Entry points of mega-pytorch: moving averages with one attention, of few dimensions, with the loss of text."""

import torch
from mega_pytorch import Mega, MegaLayer
from mega_pytorch.mega_pytorch import LaplacianAttnFn, MultiHeadedEMA


class _Language(torch.nn.Module):
    def __init__(self, laplacian):
        super().__init__()
        self.model = Mega(
            num_tokens=16,
            dim=8,
            depth=1,
            ema_heads=4,
            attn_dim_qk=4,
            attn_dim_value=8,
            laplacian_attn_fn=laplacian,
        )

    def forward(self, tokens):
        logits = self.model(tokens[:, :-1])
        return torch.nn.functional.cross_entropy(logits.transpose(1, 2), tokens[:, 1:])


def language():
    return _Language(False), (torch.randint(16, (2, 9)),)


def laplacian_language():
    return _Language(True), (torch.randint(16, (2, 9)),)


def layer():
    return MegaLayer(dim=8, ema_heads=4, attn_dim_qk=4, attn_dim_value=8, laplacian_attn_fn=False), (
        torch.randn(2, 6, 8),
    )


def moving_averages():
    return MultiHeadedEMA(dim=8, heads=4, bidirectional=True), (torch.randn(2, 6, 8),)


def laplacian():
    return LaplacianAttnFn(), (torch.randn(2, 5, 5),)
