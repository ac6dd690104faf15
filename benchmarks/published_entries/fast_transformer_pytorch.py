"""Entry points of fast-transformer-pytorch: its transformer of additive attention."""

import torch
from fast_transformer_pytorch.fast_transformer_pytorch import FastAttention, FastTransformer


class _Masked(torch.nn.Module):
    """Filling in tokens, with a mask of what each sequence has."""

    def __init__(self, depth):
        super().__init__()
        sizes = {"num_tokens": 20, "dim": 16, "max_seq_len": 8, "heads": 2, "dim_head": 8}
        self.network = FastTransformer(**sizes, depth=depth, absolute_pos_emb=True)

    def forward(self, tokens, mask, wanted):
        logits = self.network(tokens, mask=mask)
        return torch.nn.functional.cross_entropy(logits.transpose(1, 2), wanted)


def _tokens():
    mask = torch.tensor([[True] * 8, [True] * 5 + [False] * 3])
    return torch.randint(0, 20, (2, 8)), mask, torch.randint(0, 20, (2, 8))


def one_layer():
    return _Masked(depth=1), _tokens()


def two_layers():
    return _Masked(depth=2), _tokens()


def attention():
    return FastAttention(16, heads=2, dim_head=8), (torch.randn(2, 8, 16), torch.ones(2, 8, dtype=torch.bool))
