"""Entry points of torch2transformer: language models in plain layers that it wraps for its trainer."""

import torch
from torch2transformer.config import Torch2TransformerConfig
from torch2transformer.model import Torch2TransformerModel


class _Language(torch.nn.Module):
    """As its README has it: logits and a loss in a dictionary."""

    def __init__(self, vocabulary=20, width=8):
        super().__init__()
        self.embedding, self.recurrent = (
            torch.nn.Embedding(vocabulary, width),
            torch.nn.GRU(width, width, batch_first=True),
        )
        self.head = torch.nn.Linear(width, vocabulary)

    def forward(self, input_ids, labels=None):
        logits = self.head(self.recurrent(self.embedding(input_ids))[0])
        if labels is None:
            return {"logits": logits}
        return {"logits": logits, "loss": torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())}


class _Attending(_Language):
    def __init__(self, vocabulary=20, width=8):
        super().__init__(vocabulary, width)
        self.attention = torch.nn.TransformerEncoderLayer(width, 2, 16, dropout=0.0, batch_first=True)

    def forward(self, input_ids, labels=None):
        logits = self.head(self.attention(self.embedding(input_ids)))
        return {"logits": logits, "loss": torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())}


class _Loss(torch.nn.Module):
    def __init__(self, kind, **options):
        super().__init__()
        self.model = Torch2TransformerModel(Torch2TransformerConfig(torch_model_kwargs=options), kind)

    def forward(self, tokens, labels):
        return self.model(tokens, labels=labels).loss


def _tokens():
    return torch.randint(0, 20, (2, 5)), torch.randint(0, 20, (2, 5))


def recurrent():
    return _Loss(_Language, width=6), _tokens()


def attending():
    return _Loss(_Attending, width=8), _tokens()
