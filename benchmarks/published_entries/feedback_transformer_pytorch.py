"""Entry points of feedback-transformer-pytorch: a language model that reads its own memory, with its loss."""

import torch
from feedback_transformer_pytorch import FeedbackTransformer


def _model(**options):
    sizes = {"num_tokens": 50, "dim": 16, "depth": 2, "mem_len": 8, "heads": 2, "dim_head": 8}
    return FeedbackTransformer(**{"seq_len": 2, **sizes, **options})


def _tokens():
    return torch.randint(0, 50, (2, 8))


class _Predicting(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.model = _model(**options)

    def forward(self, tokens):
        scores = self.model(tokens[:, :-1])
        return torch.nn.functional.cross_entropy(scores.transpose(1, 2), tokens[:, 1:])


class _Continuing(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = _model()

    def forward(self, first, second):
        _, memory = self.model(first, return_memory=True)
        return self.model(second, memory=memory)


def language_model():
    return _model(), (_tokens(),)


def next_token():
    return _Predicting(attn_dropout=0.1, ff_dropout=0.1), (_tokens(),)


def one_at_a_time():
    return _Predicting(seq_len=1, keep_last_hidden=True), (_tokens(),)


def remembered():
    return _Continuing(), (_tokens(), _tokens())
