"""Entry points of perceiver-pytorch."""

import torch
from perceiver_pytorch import Perceiver, PerceiverIO

SMALL = {"depth": 1, "num_latents": 4, "latent_dim": 16, "cross_heads": 1, "latent_heads": 2}


def images():
    inner = Perceiver(
        input_channels=3, input_axis=2, num_freq_bands=2, max_freq=4.0, num_classes=3, latent_dim_head=8,
        cross_dim_head=8, **SMALL,
    )  # fmt: skip
    return inner, (torch.randn(1, 6, 6, 3),)


def sequences():
    inner = PerceiverIO(dim=8, queries_dim=8, logits_dim=5, cross_dim_head=8, latent_dim_head=8, **SMALL)

    class Decoding(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = inner

        def forward(self, x, queries):
            return self.inner(x, queries=queries)

    return Decoding(), (torch.randn(1, 6, 8), torch.randn(4, 8))
