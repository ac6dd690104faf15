"""Entry points of rnn-classifiers: its classifier of series over each kind of recurrence."""

import torch
from rnn_classifier import RNNClassifier

SIZES = {"input_size": 4, "hidden_units": 8, "num_classes": 3, "rnn_hidden_size": 6}


class _Trained(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.model = RNNClassifier(**SIZES, **options)

    def forward(self, series, labels):
        return torch.nn.functional.cross_entropy(self.model(series), labels)


def memory():
    return RNNClassifier(**SIZES), (torch.randn(3, 5, 4),)


def gated():
    return _Trained(rnn_type="gru", bidirectional=True), (torch.randn(3, 5, 4), torch.tensor([0, 2, 1]))


def simple():
    return _Trained(rnn_type="simple", num_rnn_layers=2), (torch.randn(3, 5, 4), torch.tensor([0, 2, 1]))
