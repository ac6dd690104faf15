"""Entry points of transformers-from-scratch: its transformers of one side, of the other and of both, with losses."""

import torch
from transformer_variants.model import DecoderOnlyTransformer, EncoderDecoderTransformer, EncoderTransformer


def _words():
    return torch.tensor([[3, 7, 2, 19, 4, 8], [5, 6, 1, 0, 0, 0]])


class _Language(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = DecoderOnlyTransformer(20, 12, 16, 32, 2, 2)

    def forward(self, words):
        given = words[:, :-1]
        logits = self.model(given, (given == 0)[:, None])
        return torch.nn.functional.cross_entropy(logits.transpose(1, 2), words[:, 1:], ignore_index=0)


def language():
    return _Language(), (_words(),)


class _Classified(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model, self.head = EncoderTransformer(20, 12, 16, 32, 4, 1), torch.nn.Linear(16, 3)

    def forward(self, words, labels):
        padding = words == 0
        given = self.model(words, padding[:, None])
        mean = given.masked_fill(padding[..., None], 0.0).sum(1) / (~padding).sum(1, keepdim=True)
        return torch.nn.functional.cross_entropy(self.head(mean), labels)


def classified():
    return _Classified(), (_words(), torch.tensor([2, 0]))


class _Translation(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = EncoderDecoderTransformer(20, 12, 16, 32, 2, 1, 1)

    def forward(self, source, target):
        given, wanted = target[:, :-1], target[:, 1:]
        ahead = torch.ones(given.shape[1], given.shape[1], dtype=torch.bool).triu(1)
        logits = self.model(source, given, (source == 0)[:, None], ahead[None] | (given == 0)[:, None])
        return torch.nn.functional.cross_entropy(logits.transpose(1, 2), wanted, ignore_index=0)


def translation():
    return _Translation(), (_words(), torch.tensor([[1, 9, 17, 5, 2], [1, 4, 2, 0, 0]]))
