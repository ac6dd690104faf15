"""Entry points of entmax: sparse alternatives to softmax and their losses."""

import entmax
import torch


class _Attending(torch.nn.Module):
    def __init__(self, share):
        super().__init__()
        self.head, self.share = torch.nn.Linear(6, 4), share

    def forward(self, x):
        return self.share(self.head(x))


def bisected():
    return _Attending(lambda scores: entmax.entmax_bisect(scores, alpha=1.5, n_iter=10)), (torch.randn(5, 6),)


def bisected_sparse():
    return _Attending(lambda scores: entmax.sparsemax_bisect(scores, n_iter=10)), (torch.randn(5, 6),)


def sorted_sparse():
    return _Attending(entmax.sparsemax), (torch.randn(5, 6),)
