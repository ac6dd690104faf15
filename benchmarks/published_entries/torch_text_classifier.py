"""Entry points of torch-text-classifier: losses of classes of padded sentences, by three encoders."""

import sys
from unittest.mock import MagicMock

import torch

sys.modules["torch_text_classifier.text_classifier"] = MagicMock()  # loops of training, which nothing here needs

from torch_text_classifier.text_classifier_model import TextClassifierModel  # noqa: E402


class _Classifying(torch.nn.Module):
    def __init__(self, encoder, bidirectional=False, weight=None):
        super().__init__()
        self.model = TextClassifierModel(40, bidirectional, 12, 16, 4, encoder, 0.1, 0.1, weight)

    def forward(self, sentences, labels, lengths):
        return self.model.compute_loss(sentences, labels, lengths)


def _sentences():
    sentences = torch.randint(1, 40, (3, 9))
    sentences[1, 7:], sentences[2, 5:] = 0, 0
    return sentences, torch.tensor([2, 0, 3]), torch.tensor([9, 7, 5])


def convolutions():
    return _Classifying("cnn"), _sentences()


def recurrent():
    return _Classifying("rnn", bidirectional=True), _sentences()


def attention():
    return _Classifying("rnn_attention", weight=torch.tensor([0.5, 1.0, 2.0, 1.0])), _sentences()
