"""Entry points of opengdn: its mixers of gated delta rules in plain PyTorch, in language models with their loss."""

import torch
from opengdn import GatedDeltaMixer


def mixer():
    return GatedDeltaMixer(16, 2, backend="reference"), torch.randn(2, 6, 16)


class _Language(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.words, self.norm, self.head = torch.nn.Embedding(20, 16), torch.nn.LayerNorm(16), torch.nn.Linear(16, 20)
        self.mixers = torch.nn.ModuleList([GatedDeltaMixer(16, 2, **options) for _ in range(2)])

    def forward(self, words):
        hidden = self.words(words[:, :-1])
        for mixer in self.mixers:
            hidden = hidden + mixer(self.norm(hidden))
        return torch.nn.functional.cross_entropy(self.head(hidden).flatten(0, 1), words[:, 1:].flatten())


def _words():
    return (torch.tensor([[3, 7, 2, 9, 14, 1, 8], [5, 12, 11, 4, 19, 1, 6]]),)


def language():
    return _Language(backend="reference"), _words()


def language_in_chunks():
    return _Language(backend="chunkwise", chunk_size=4), _words()
