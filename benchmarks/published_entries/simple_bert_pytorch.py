"""Entry points of simple-bert-pytorch: small models of masked words, of ranked passages and of sentences."""

import torch
from simple_bert_pytorch.models.bert import Bert
from simple_bert_pytorch.models.cross_encoder import CrossEncoder

SMALL = {"vocab_size": 13, "num_layers": 1, "dim": 8, "num_heads": 2, "intermediate_size": 16, "max_length": 12}


class _Masked(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = Bert(**SMALL)

    def forward(self, input_ids, attention_mask, labels):
        scores = self.model(input_ids, attention_mask)
        return torch.nn.functional.cross_entropy(scores.flatten(0, 1), labels.flatten(), ignore_index=-100)


class _Ranking(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = CrossEncoder(**SMALL)

    def forward(self, input_ids, attention_mask, labels):
        return torch.nn.functional.binary_cross_entropy_with_logits(self.model(input_ids, attention_mask), labels)


def _text():
    return torch.randint(1, 13, (3, 7)), torch.arange(7) < torch.tensor([[7], [5], [4]])


def masked_words():
    labels = torch.where(torch.rand(3, 7) < 0.4, torch.randint(13, (3, 7)), -100)
    labels[:, 0] = 5
    return _Masked(), (*_text(), labels)


def ranking():
    return _Ranking(), (*_text(), torch.tensor([0.0, 1.0, 1.0]))
