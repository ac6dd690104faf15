"""Entry points of dnnnlp: its networks of texts with masked words, that classify."""

import sys
import types
from unittest.mock import MagicMock

import torch

WANTING = {"torchcrf"} - set(sys.modules)
for _name in WANTING:
    sys.modules[_name] = MagicMock()  # chains of tags, which nothing here has

from dnnnlp.model import CNNModel, RNNModel, TransformerModel  # noqa: E402

for _name in WANTING:
    del sys.modules[_name]  # others look for what is installed


class _Classified(torch.nn.Module):
    def __init__(self, kind, **settings):
        super().__init__()
        sizes = types.SimpleNamespace(emb_type="variable", emb_dim=8, n_hidden=6, n_class=3, drop_prob=0.1)
        self.model, self.loss = kind(sizes, torch.randn(20, 8).tolist(), **settings), torch.nn.NLLLoss()

    def forward(self, words, mask, classes):
        return self.loss(self.model(words, mask), classes)


def _texts():
    words = torch.tensor([[3, 7, 2, 9, 4], [5, 8, 1, 6, 0], [11, 2, 4, 0, 0]])
    return words, (words > 0).int(), torch.tensor([0, 2, 1])


def convolved():
    return _Classified(CNNModel), _texts()


def recurrent():
    return _Classified(RNNModel), _texts()


def recurrent_with_attention():
    return _Classified(RNNModel, rnn_type="GRU", use_attention=True), _texts()


def transformed():
    return _Classified(TransformerModel, n_layer=2, n_head=2, feed_dim=16), _texts()


def documents():
    words = torch.randint(1, 20, (2, 3, 4))
    model = _Classified(RNNModel, n_hierarchy=2, use_attention=True)
    return model, (words, torch.ones(2, 3, 4, dtype=torch.int), torch.tensor([0, 2]))
