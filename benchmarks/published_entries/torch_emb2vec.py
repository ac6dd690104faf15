"""Entry points of torch-emb2vec: embeddings of words made one vector, as in its README, and classified."""

import torch
from torch_emb2vec import AverageToVec, ConcatToVec, ConvToVec


class _Classifier(torch.nn.Module):
    def __init__(self, pooling, width):
        super().__init__()
        self.words, self.pooling, self.head = torch.nn.Embedding(20, 8), pooling, torch.nn.Linear(width, 3)

    def forward(self, words):
        return self.head(self.pooling(self.words(words)))


def _words():
    return (torch.randint(20, (3, 6)),)


def average():
    return _Classifier(AverageToVec(), 6), _words()


def concatenated():
    return _Classifier(ConcatToVec(), 48), _words()


def projected():
    return _Classifier(ConvToVec(seq_len=6, emb_dim=8, num_output=12, trainable=True), 12), _words()
