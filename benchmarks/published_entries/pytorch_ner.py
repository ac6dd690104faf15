"""Entry points of pytorch-ner: its taggers of names in texts, with padded words left out of the loss."""

import sys
from unittest.mock import MagicMock

import torch

WANTING = {"gensim", "gensim.models", "sklearn", "sklearn.metrics"} - set(sys.modules)
for _name in WANTING:
    sys.modules[_name] = MagicMock()  # scores, and vectors of words that are downloaded

from pytorch_ner.nn_modules.architecture import BiLSTM, BiLSTMAttn  # noqa: E402
from pytorch_ner.nn_modules.attention import (  # noqa: E402
    AttentionWithSkipConnectionLayerNorm,
    MultiheadSelfAttention,
)
from pytorch_ner.nn_modules.dropout import SpatialDropout1d  # noqa: E402
from pytorch_ner.nn_modules.embedding import Embedding, EmbeddingWithDropout  # noqa: E402
from pytorch_ner.nn_modules.linear import LinearHead  # noqa: E402
from pytorch_ner.nn_modules.normalization import LayerNorm  # noqa: E402
from pytorch_ner.nn_modules.rnn import DynamicRNN  # noqa: E402

for _name in WANTING:
    del sys.modules[_name]  # others look for what is installed


class _Tagged(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model, self.loss = model, torch.nn.CrossEntropyLoss(reduction="none", ignore_index=-1)

    def forward(self, words, lengths, tags):
        losses = self.loss(self.model(words, lengths).transpose(1, 2), tags)
        return losses.sum() / lengths.sum()


def _texts():
    words = torch.tensor([[3, 7, 2, 9, 4], [5, 8, 1, 0, 0]])
    return words, torch.tensor([5, 3]), torch.tensor([[0, 1, 3, 2, 0], [2, 1, 1, -1, -1]])


def _parts(unit, layers=1, dropout=0.0):
    recurrent = DynamicRNN(unit, 8, 6, num_layers=layers, dropout=dropout, bidirectional=True)
    return recurrent, LinearHead(torch.nn.Linear(12, 4))


def tagged():
    recurrent, head = _parts(torch.nn.LSTM)
    return _Tagged(BiLSTM(Embedding(12, 8), recurrent, head)), _texts()


def tagged_by_gates():
    recurrent, head = _parts(torch.nn.GRU, 2, 0.1)
    embedding = EmbeddingWithDropout(Embedding(12, 8), SpatialDropout1d(0.2))
    return _Tagged(BiLSTM(embedding, recurrent, head)), _texts()


def tagged_by_attention():
    recurrent, head = _parts(torch.nn.LSTM)
    attention = AttentionWithSkipConnectionLayerNorm(MultiheadSelfAttention(12, 2, 0.1), LayerNorm(12))
    return _Tagged(BiLSTMAttn(Embedding(12, 8), recurrent, attention, head)), _texts()
