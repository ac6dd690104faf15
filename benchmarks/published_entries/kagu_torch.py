"""Entry points of kagu-torch: features of a video predicted one step ahead, with its loss."""

import sys
from unittest.mock import MagicMock

import torch

sys.modules["torchvision"] = MagicMock()  # the backbone, which nothing here needs

from kagu.core.loss import Loss  # noqa: E402
from kagu.models.model import KaguModel, KaguModelArguments  # noqa: E402


class _Predicting(torch.nn.Module):
    def __init__(self, predictor, weighted, teacher=True):
        super().__init__()
        self.model = KaguModel(KaguModelArguments(predictor, 0.1, teacher, 2))
        self.loss, self.weighted = Loss(), weighted

    def forward(self, features, prediction, *hidden):
        given = self.model(features, hidden if len(hidden) > 1 else hidden[0], prediction)[0]
        predicted, _, weighted = self.loss(given, features)
        return (weighted if self.weighted else predicted).mean()


def _snippet(states):
    hidden = (0.1 * torch.randn(4, 2048) for _ in range(states))
    return torch.relu(torch.randn(4, 4, 2048)), torch.zeros(4, 2048), *hidden


def recurrent():
    return _Predicting("lstm", False), _snippet(2)


def gated():
    return _Predicting("gru", False), _snippet(1)


def weighted_by_motion():
    return _Predicting("gru", True, teacher=False), _snippet(1)
