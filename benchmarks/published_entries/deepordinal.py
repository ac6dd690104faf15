"""Entry points of deepordinal: networks of ordered classes by its output, its thresholds and its means of classes."""

import torch
from deepordinal.torch import OrdinalOutput, ordinal_loss, ordistic_loss


def _body():
    return torch.nn.Sequential(torch.nn.Linear(5, 8), torch.nn.Tanh())


def _rows():
    return torch.randn(6, 5), torch.tensor([0, 3, 1, 2, 3, 1])


class _Likely(torch.nn.Module):
    """The likelihood of the classes by the probabilities of the output."""

    def __init__(self):
        super().__init__()
        self.model = torch.nn.Sequential(_body(), OrdinalOutput(8, 4))
        self.loss = torch.nn.NLLLoss()

    def forward(self, features, labels):
        return self.loss(torch.log(self.model(features).clamp(min=1e-7)), labels)


def likelihood():
    return _Likely(), _rows()


class _Thresholds(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.body, self.output, self.options = _body(), OrdinalOutput(8, 4), options

    def forward(self, features, labels):
        logits = self.output.linear(self.body(features))
        return ordinal_loss(logits, labels, self.output.interior_thresholds, **self.options)


def all_thresholds():
    return _Thresholds(), _rows()


def nearest_thresholds():
    return _Thresholds(construction="immediate", penalty="hinge"), _rows()


class _Means(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.last = _body(), torch.nn.Linear(8, 1)
        self.inner, self.priors = torch.nn.Parameter(torch.tensor([-0.3, 0.3])), torch.nn.Parameter(torch.zeros(4))
        self.register_buffer("ends", torch.tensor([-1.0, 1.0]))

    def forward(self, features, labels):
        means = torch.cat([self.ends[:1], self.inner, self.ends[1:]])
        return ordistic_loss(self.last(self.body(features)), labels, means, self.priors)


def means():
    return _Means(), _rows()
