"""Entry points of compositional-attention-pytorch: its attention of searches and retrievals."""

import torch
from compositional_attention_pytorch import CompositionalAttention


def _attention(**options):
    return CompositionalAttention(dim=16, dim_head=8, num_searches=2, num_retrievals=2, **options)


class _Masked(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = _attention(prenorm=True)

    def forward(self, tokens, mask):
        return self.attention(tokens, mask=mask)


def masked():
    mask = torch.tensor([[True] * 6, [True] * 4 + [False] * 2])
    return _Masked(), (torch.randn(2, 6, 16), mask)


class _Generated(torch.nn.Module):
    """The next token after each of them."""

    def __init__(self):
        super().__init__()
        self.tokens, self.attention = torch.nn.Embedding(20, 16), _attention(causal=True, prenorm=True)
        self.logits = torch.nn.Linear(16, 20)

    def forward(self, tokens):
        embedded = self.tokens(tokens[:, :-1])
        logits = self.logits(embedded + self.attention(embedded))
        return torch.nn.functional.cross_entropy(logits.transpose(1, 2), tokens[:, 1:])


def generated():
    return _Generated(), (torch.randint(0, 20, (2, 7)),)
