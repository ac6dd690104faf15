"""Entry points of pytorchcrf: taggers whose scores are of one layer, with and without lengths of the texts."""

import torch
from pytorchcrf import CRF


class _Tagger(torch.nn.Module):
    def __init__(self, reduction):
        super().__init__()
        self.layer, self.crf, self.reduction = torch.nn.Linear(5, 4), CRF(4, batch_first=True), reduction

    def forward(self, features, tags, mask=None):
        return -self.crf(self.layer(features), tags, mask, reduction=self.reduction)


MASK = ((1, 1, 1, 1, 1, 1), (1, 1, 1, 1, 0, 0))


def whole():
    return _Tagger("mean"), (torch.randn(2, 6, 5), torch.randint(4, (2, 6)))


def padded():
    return _Tagger("token_mean"), (torch.randn(2, 6, 5), torch.randint(4, (2, 6)), torch.tensor(MASK).bool())
