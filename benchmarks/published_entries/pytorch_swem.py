"""Entry points of pytorch-swem: texts as pooled embeddings of their words, that classify."""

import torch
from swem.models import AttentionPooling, HierarchicalPooling, MaxPooling, MeanPooling, Swem


class _Classified(torch.nn.Module):
    def __init__(self, pooling, **settings):
        super().__init__()
        embedding = torch.nn.Embedding(20, 8)
        self.model = Swem(embedding, pooling, post_pooling_dims=(12, 3), **settings)

    def forward(self, words, classes):
        return torch.nn.functional.cross_entropy(self.model(words), classes)


def _texts():
    return torch.randint(20, (4, 7)), torch.tensor([0, 2, 1, 1])


def means():
    return _Classified(MeanPooling()), _texts()


def greatest():
    return _Classified(MaxPooling(), pre_pooling_dims=(8,)), _texts()


def windows():
    return _Classified(HierarchicalPooling(window_size=3)), _texts()


def attention():
    return _Classified(AttentionPooling(input_dim=8), dropout=0.1), _texts()


class _Masked(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.pooling = torch.nn.Embedding(20, 8), AttentionPooling(input_dim=8)

    def forward(self, words, mask):
        return self.pooling(self.embedding(words), mask)


def masked_attention():
    return _Masked(), (torch.randint(20, (2, 5)), torch.tensor([[1.0, 1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 0.0, 0.0]]))
