"""Entry points of nervecode: networks whose layers are wrapped, with its coding loss, and its books and assignments."""

import torch
from nervecode.core.assignment import SoftAssignment
from nervecode.core.codebook import Codebook
from nervecode.layers.wrap import wrap
from nervecode.training.loss import CodingLoss


def _perceptron():
    return torch.nn.Sequential(torch.nn.Linear(6, 12), torch.nn.ReLU(), torch.nn.Linear(12, 3))


def _rows():
    return torch.randn(8, 6), torch.tensor([0, 2, 1, 1, 2, 0, 0, 1])


class _Coded(torch.nn.Module):
    """The loss of the task and what its layers could not code."""

    def __init__(self, commit_weight, **options):
        super().__init__()
        self.model = wrap(_perceptron(), K=4, **options)
        self.loss = CodingLoss(commit_weight=commit_weight)

    def forward(self, features, labels):
        given, traces = features, []
        for layer in self.model:
            if hasattr(layer, "forward_with_trace"):
                given, trace = layer.forward_with_trace(given)
                traces.append(trace)
            else:
                given = layer(given)
        return torch.nn.functional.cross_entropy(given, labels) + 0.1 * self.loss(traces)


def coded():
    return _Coded(0.0), _rows()


def reduced():
    return _Coded(0.25, coding_dim=2, temperature=0.5), _rows()


class _Assigned(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.book, self.head = torch.nn.Linear(6, 4), Codebook(5, 4), torch.nn.Linear(5, 3)
        self.assignment = SoftAssignment(temperature=0.7)

    def forward(self, features, labels):
        given, _ = self.assignment(self.encoder(features), self.book)
        return torch.nn.functional.cross_entropy(self.head(given.probs), labels)


def assigned():
    return _Assigned(), _rows()
