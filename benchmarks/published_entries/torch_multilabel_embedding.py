"""Entry points of torch-multilabel-embedding: sums of the labels' embeddings, trained with a classifier and pairs."""

import torch
from torch_multilabel_embedding import MultiLabelEmbedding


class _Classified(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.head = MultiLabelEmbedding(12, 6, random_state=42), torch.nn.Linear(6, 3)

    def forward(self, shingles, labels):
        return torch.nn.functional.cross_entropy(self.head(self.embedding(shingles)), labels)


def classified():
    return _Classified(), (torch.randint(12, (4, 3)), torch.tensor([0, 2, 1, 1]))


class _Similar(torch.nn.Module):
    """Pairs of texts whose embeddings are to be alike or not."""

    def __init__(self):
        super().__init__()
        self.embedding = MultiLabelEmbedding(12, 6)

    def forward(self, first, second, alike):
        return torch.nn.functional.cosine_embedding_loss(self.embedding(first), self.embedding(second), alike)


def similar():
    return _Similar(), (torch.randint(12, (4, 3)), torch.randint(12, (4, 3)), torch.tensor([1, -1, 1, -1]))
