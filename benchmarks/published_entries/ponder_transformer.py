"""Entry points of ponder-transformer: its language model that learns how long to think, small, with its loss."""

import torch
from ponder_transformer import PonderTransformer


class _Language(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.model = PonderTransformer(num_tokens=20, dim=16, max_seq_len=8, dim_head=8, heads=2, **options)

    def forward(self, words, labels):
        return self.model(words, labels=labels)


def _words():
    words = torch.tensor([[3, 7, 2, 9, 14, 1], [5, 12, 11, 4, 19, 1]])
    return words[:, :-1], words[:, 1:]


def language():
    return _Language(), _words()


def language_that_stops_sooner():
    return _Language(ponder_lambda_p=0.5, ponder_kl_div_loss_weight=0.1), _words()
