"""Entry points of word2vec-trainer-pytorch: pairs of words that stand together or do not, with its trainer's loss."""

import torch
from word2vec_trainer.word2vec_model import Word2Vec


class _Pairs(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model, self.loss = Word2Vec(20, 6), torch.nn.BCEWithLogitsLoss()

    def forward(self, context, target, labels):
        return self.loss(self.model(context, target), labels.float())


def negative_sampling():
    return _Pairs(), (torch.randint(20, (8,)), torch.randint(20, (8,)), torch.randint(2, (8,)))
