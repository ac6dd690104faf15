"""Entry points of pytorch-dice-loss: taggers of words that its loss trains, of several classes, of two and masked."""

import torch
from pytorch_dice_loss import DiceLoss


class _Tagged(torch.nn.Module):
    def __init__(self, classes, **options):
        super().__init__()
        self.words, self.encoder = torch.nn.Embedding(20, 8), torch.nn.LSTM(8, 8, batch_first=True, bidirectional=True)
        self.head, self.loss = torch.nn.Linear(16, classes), DiceLoss(**options)

    def logits(self, words):
        return self.head(self.encoder(self.words(words))[0])

    def forward(self, words, tags):
        return self.loss(self.logits(words), tags)


class _Masked(_Tagged):
    def forward(self, words, tags, mask):
        return self.loss(self.logits(words), tags, mask=mask)


def _words():
    return torch.tensor([[3, 7, 2, 9, 14], [5, 12, 11, 0, 0]])


def _tags():
    return torch.tensor([[0, 2, 1, 0, 3], [1, 0, 0, 0, 0]])


def tags():
    return _Tagged(4), (_words(), _tags())


def masked_tags():
    return _Masked(4, square_denominator=True, alpha=0.01), (_words(), _tags(), _words() != 0)


def marks():
    """Whether each word is one of the sought."""
    return _Tagged(1), (_words(), torch.tensor([[0, 1, 1, 0, 0], [1, 0, 0, 0, 0]]))


def hard_examples():
    return _Tagged(4, ohem_ratio=8.0), (_words(), _tags())
