"""Entry points of simple-transformer: its translator of padded texts, small, and its encoder, with their losses."""

import torch
from simple_transformer import Encoder, Transformer

SIZES = {"embed_size": 16, "num_layers": 2, "forward_expansion": 2, "heads": 2, "max_length": 12}


def _texts():
    source = torch.tensor([[1, 5, 6, 4, 3, 9, 5, 2, 0], [1, 8, 7, 3, 4, 5, 6, 7, 2]])
    return source, torch.tensor([[1, 7, 4, 3, 5, 9, 2, 0], [1, 5, 6, 2, 4, 7, 6, 2]])


class _Translated(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = Transformer(10, 10, src_pad_idx=0, trg_pad_idx=0, dropout=0.1, **SIZES)

    def forward(self, source, target):
        logits = self.model(source, target[:, :-1])
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=0)


def translated():
    source, target = _texts()
    return Transformer(10, 10, src_pad_idx=0, trg_pad_idx=0, **SIZES), (source, target[:, :-1])


def translated_and_trained():
    return _Translated(), _texts()


class _Classified(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.head = Encoder(10, device="cpu", dropout=0.1, **SIZES), torch.nn.Linear(16, 3)

    def forward(self, words, labels):
        hidden = self.encoder(words, (words != 0)[:, None, None])
        return torch.nn.functional.cross_entropy(self.head(hidden[:, 0]), labels)


def classified():
    return _Classified(), (_texts()[0], torch.tensor([2, 0]))
