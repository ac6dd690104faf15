"""Entry points of bloom-embedding: a classifier and a language model of words that share rows of a small table."""

import torch
from bloom_embedding import BloomEmbed


class _Classified(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.head = BloomEmbed(256, 256, 16, digests=2), torch.nn.Linear(16, 3)

    def forward(self, words, labels):
        return torch.nn.functional.cross_entropy(self.head(self.words(words).mean(1)), labels)


def classified():
    return _Classified(), (torch.tensor([[3, 70, 2, 19, 114], [205, 12, 11, 0, 1]]), torch.tensor([2, 0]))


class _Language(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words = BloomEmbed(lut_size=128, vocab_size=256, embed_dim=16, digests=4)
        self.recurrent, self.head = torch.nn.GRU(16, 16, batch_first=True), torch.nn.Linear(16, 256)

    def forward(self, words):
        logits = self.head(self.recurrent(self.words(words[:, :-1]))[0])
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), words[:, 1:].flatten())


def language():
    return _Language(), (torch.tensor([[3, 70, 2, 19, 114], [205, 12, 11, 0, 1]]),)
