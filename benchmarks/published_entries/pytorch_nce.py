"""Entry points of pytorch-nce: losses of a vocabulary by few words of noise, on layers over words."""

import torch
from nce import IndexLinear


class _Language(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.embedding, self.gru = torch.nn.Embedding(12, 6), torch.nn.GRU(6, 6, batch_first=True)
        noise = torch.tensor([40.0, 20, 12, 9, 7, 5, 4, 3, 2, 2, 1, 1])
        self.loss = IndexLinear(6, 12, noise=noise, noise_ratio=5, **options)

    def forward(self, words, following):
        return self.loss(following, self.gru(self.embedding(words))[0])


def _words():
    return torch.randint(12, (2, 5)), torch.randint(12, (2, 5))


def contrastive():
    return _Language(norm_term="auto"), _words()


def contrastive_by_word():
    return _Language(per_word=True, norm_term=9.0), _words()


def sampled_softmax():
    return _Language(loss_type="sampled"), _words()


def whole_vocabulary():
    return _Language(loss_type="full"), _words()
