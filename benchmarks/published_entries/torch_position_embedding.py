"""Entry points of torch-position-embedding: its places of words, added, beside and by their distance, with a loss."""

import torch
from torch_position_embedding.position_embedding import PositionEmbedding


class _Language(torch.nn.Module):
    def __init__(self, mode, size):
        super().__init__()
        self.embedding, self.head = torch.nn.Embedding(12, 8), torch.nn.Linear(size, 12)
        self.places = PositionEmbedding(10, size - 8 if mode == PositionEmbedding.MODE_CONCAT else 8, mode)

    def forward(self, words, following):
        logits = self.head(torch.tanh(self.places(self.embedding(words))))
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), following.flatten())


def _words():
    words = torch.tensor([[3, 7, 2, 9, 11], [5, 1, 10, 4, 0]])
    return words[:, :-1], words[:, 1:]


def added():
    return _Language(PositionEmbedding.MODE_ADD, 8), _words()


def beside():
    return _Language(PositionEmbedding.MODE_CONCAT, 14), _words()


class _Distances(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.distances = (
            torch.nn.Embedding(12, 8),
            PositionEmbedding(4, 8, PositionEmbedding.MODE_EXPAND),
        )
        self.head = torch.nn.Linear(8, 12)

    def forward(self, words, following):
        hidden, places = self.embedding(words), torch.arange(words.shape[1])
        keys = hidden.unsqueeze(1) + self.distances(places.unsqueeze(1) - places)
        weights = torch.einsum("bqd,bqkd->bqk", hidden, keys).div(8**0.5).softmax(dim=-1)
        logits = self.head(hidden + weights @ hidden)
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), following.flatten())


def by_distance():
    return _Distances(), _words()
