"""Entry points of torch-text-classifier: its three encoders of sentences, with the loss that it trains."""

import sys
import types

import torch

_package = sys.modules["torch_text_classifier"] = types.ModuleType("torch_text_classifier")
_package.__path__ = ["torch_text_classifier"]

from torch_text_classifier.encoder_cnn import EncoderCNN  # noqa: E402
from torch_text_classifier.encoder_rnn_attention import attention  # noqa: E402
from torch_text_classifier.text_classifier_model import TextClassifierModel  # noqa: E402


class _Trained(torch.nn.Module):
    def __init__(self, encoder, bidirectional=True, weight=None):
        super().__init__()
        self.model = TextClassifierModel(20, bidirectional, 8, 8, 3, encoder, 0.1, 0.1, weight)

    def forward(self, sentences, labels, lengths):
        return self.model.compute_loss(sentences, labels, lengths)


def _sentences():
    """Words of three sentences, the longest first, padded by 0."""
    words = torch.randint(1, 20, (3, 7))
    words[1, 5:] = words[2, 3:] = 0
    return words, torch.tensor([2, 0, 1]), torch.tensor([7, 5, 3])


def convolutional():
    return _Trained("cnn"), _sentences()


def recurrent():
    return _Trained("rnn"), _sentences()


def recurrent_weighed():
    return _Trained("rnn", bidirectional=False, weight=torch.tensor([1.0, 2.0, 0.5])), _sentences()


def attentive():
    return _Trained("rnn_attention"), _sentences()


def encoder():
    words, _, lengths = _sentences()
    return EncoderCNN(20, 8, 8), (words, lengths)


class _Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(5, 6)

    def forward(self, x):
        hidden = self.layer(x)
        return attention(hidden, hidden)


def attention_alone():
    return _Attention(), (torch.randn(2, 7, 5),)
