"""Entry points of pytorch-mcrf: its conditional random fields over tags, on a layer and behind its recurrent model."""

from types import SimpleNamespace

import torch
from mcrf.models.lstm_crf import LSTMCRFModel
from mcrf.modules import ConstraintCRF, MaskedCRF, PlainCRF, allowed_transitions

LABELS = {0: "O", 1: "B-PER", 2: "I-PER", 3: "B-LOC", 4: "I-LOC"}


class _Tagged(torch.nn.Module):
    def __init__(self, field, **options):
        super().__init__()
        self.layer, self.field, self.options = torch.nn.Linear(8, 5), field, options

    def forward(self, features, tags, mask):
        return -self.field(self.layer(features), tags, mask, **self.options)


def _sentences():
    mask = torch.tensor([[True] * 6, [True] * 4 + [False] * 2])
    tags = torch.tensor([[0, 1, 2, 0, 3, 4], [1, 0, 3, 4, 0, 0]])
    return torch.randn(2, 6, 8), tags, mask


def plain():
    return _Tagged(PlainCRF(5), reduction="token_mean"), _sentences()


def masked():
    return _Tagged(MaskedCRF(5, allowed_transitions("BIO", LABELS))), _sentences()


def constrained():
    return _Tagged(ConstraintCRF(5, allowed_transitions("BIO", LABELS))), _sentences()


class _Recurrent(torch.nn.Module):
    """The whole model as its script trains it, on sentences that fill the batch."""

    def __init__(self):
        super().__init__()
        sizes = {"vocab_size": 20, "emb_size": 8, "hidden_size": 8, "num_lstm_layers": 1, "num_tags": 5, "dropout": 0.0}
        field = MaskedCRF(5, allowed_transitions("BIO", LABELS))
        self.model = LSTMCRFModel(SimpleNamespace(**sizes), field)

    def forward(self, words, tags, mask):
        return self.model(words, tags=tags, mask=mask)


def recurrent():
    _, tags, _ = _sentences()
    return _Recurrent(), (torch.randint(0, 20, (2, 6)), tags, torch.ones(2, 6, dtype=torch.long))
