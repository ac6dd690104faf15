"""Entry points of pytorch-text-crf: taggers whose scores are of one layer, with the constraints of an encoding."""

import torch
from crf.crf import ConditionalRandomField

TAGS = {0: "O", 1: "B-LOC", 2: "I-LOC", 3: "B-PER", 4: "I-PER"}


class _Tagger(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.layer, self.crf = torch.nn.Linear(6, 5), ConditionalRandomField(5, "BIO", TAGS, **options)

    def forward(self, features, tags, mask):
        return -self.crf(self.layer(features), tags, mask)


def _texts():
    tags = torch.tensor([[0, 1, 2, 0, 3, 4], [3, 4, 0, 1, 0, 0]])
    return torch.randn(2, 6, 6), tags, torch.tensor([[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0]])


def tagger():
    return _Tagger(), _texts()


def without_ends():
    return _Tagger(include_start_end_transitions=False), _texts()
