"""Entry points of openelm-pytorch: a small language model, with its loss, and its parts."""

import torch
from openelm_pytorch.config import ModelConfig
from openelm_pytorch.openelm import FeedForwardNetwork, OpenELM, RMSNorm


def _config(**options):
    return ModelConfig(
        vocab_size=32,
        max_context_length=16,
        num_transformer_layers=2,
        model_dim=32,
        ffn_dim_divisor=8,
        head_dim=8,
        num_gqa_groups=2,
        rope_max_length=32,
        **options,
    )


class _Language(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = OpenELM.from_config(_config())

    def forward(self, tokens, following):
        logits = self.model(tokens)
        return torch.nn.functional.cross_entropy(logits.reshape(-1, logits.shape[-1]), following.reshape(-1))


def language():
    return _Language(), (torch.randint(32, (2, 6)), torch.randint(32, (2, 6)))


def normalization():
    return RMSNorm(8), (torch.randn(2, 5, 8),)


def feed_forward():
    return FeedForwardNetwork.from_config(_config(), layer_idx=1), (torch.randn(2, 5, 32),)
