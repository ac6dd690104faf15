"""Entry points of texta-torch-tagger: its classifiers of texts, trained with the negative log likelihood."""

import torch
from texta_torch_tagger.models.fasttext.config import Config as FastTextConfig
from texta_torch_tagger.models.fasttext.model import fastText
from texta_torch_tagger.models.rcnn.config import Config as RCNNConfig
from texta_torch_tagger.models.rcnn.model import RCNN
from texta_torch_tagger.models.text_rnn.config import Config as TextRNNConfig
from texta_torch_tagger.models.text_rnn.model import TextRNN


class _Trained(torch.nn.Module):
    """As its tagger trains each of them."""

    def __init__(self, kind, config):
        super().__init__()
        config.embed_size, config.hidden_size = 8, 8
        self.network = kind(config, 20, torch.randn(20, 8), None)
        self.network.add_loss_op(torch.nn.NLLLoss())

    def forward(self, texts, labels):
        return self.network.loss_op(self.network(texts), labels)


def _texts(classes):
    return torch.randint(0, 20, (6, 4)), torch.randint(0, classes, (4,))


def fast_text():
    return _Trained(fastText, FastTextConfig()), _texts(2)


def recurrent_convolution():
    return _Trained(RCNN, RCNNConfig()), _texts(4)


def recurrent():
    return _Trained(TextRNN, TextRNNConfig()), _texts(4)
