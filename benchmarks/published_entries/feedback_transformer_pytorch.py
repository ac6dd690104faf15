"""Entry points of feedback-transformer-pytorch: words read with a memory of all layers, and the loss of training."""

import torch
from feedback_transformer_pytorch import FeedbackTransformer
from feedback_transformer_pytorch.feedback_transformer_pytorch import RelativePositionBias


def _model(**options):
    chosen = {"num_tokens": 20, "dim": 8, "depth": 2, "mem_len": 6, "seq_len": 2, "heads": 2, "dim_head": 4, **options}
    return FeedbackTransformer(**chosen)


class _Next(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, words):
        logits = self.model(words[:, :-1])
        return torch.nn.functional.cross_entropy(logits.transpose(1, 2), words[:, 1:])


def positions():
    return RelativePositionBias(causal=True, num_buckets=8, max_distance=16, heads=2), (torch.randn(1, 2, 5, 9),)


def words():
    return _model(), (torch.randint(0, 20, (2, 8)),)


def one_by_one():
    return _model(seq_len=1), (torch.randint(0, 20, (2, 5)),)


def last_hidden():
    return _model(keep_last_hidden=True), (torch.randint(0, 20, (2, 6)),)


class _Continued(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = _model()

    def forward(self, words, keys, values):
        return self.model(words, memory=(keys, values), return_memory=True)


def remembered():
    return _Continued(), (torch.randint(0, 20, (2, 4)), torch.randn(2, 6, 8), torch.randn(2, 6, 8))


def trained():
    return _Next(_model(attn_dropout=0.1, ff_dropout=0.1)), (torch.randint(0, 20, (2, 7)),)
