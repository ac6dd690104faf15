"""Entry points of trainite: its causal language models, small, with the loss that its collation of texts is for."""

import torch
from trainite.models.basic_transformer import BasicTransformerModel
from trainite.models.rope_transformer import RoPETransformerModel

SIZES = {"vocab_size": 20, "hidden_size": 16, "num_layers": 2, "num_heads": 2, "feedforward_dim": 32}


class _Language(torch.nn.Module):
    """Texts are padded from the left, and what the padding has for labels is ignored."""

    def __init__(self, model):
        super().__init__()
        self.model, self.loss = model, torch.nn.CrossEntropyLoss(ignore_index=-100)

    def forward(self, input_ids, labels):
        logits = self.model(input_ids)
        return self.loss(logits.reshape(-1, logits.size(-1)), labels.reshape(-1))


class _Masked(_Language):
    def forward(self, input_ids, attention_mask, labels):
        logits = self.model(input_ids, attention_mask)
        return self.loss(logits.reshape(-1, logits.size(-1)), labels.reshape(-1))


def _full():
    return torch.tensor([[3, 7, 2, 9, 14], [5, 12, 11, 4, 19]]), torch.tensor([[7, 2, 9, 14, 1], [12, 11, 4, 19, 1]])


def _padded():
    words = torch.tensor([[3, 7, 2, 9, 14], [0, 0, 11, 4, 19]])
    return words, (words != 0).long(), torch.tensor([[7, 2, 9, 14, 1], [-100, -100, 4, 19, 1]])


def sinusoidal():
    return _Language(BasicTransformerModel(**SIZES)), _full()


def sinusoidal_of_padded_texts():
    return _Masked(BasicTransformerModel(**SIZES)), _padded()


def rotary():
    return _Language(RoPETransformerModel(**SIZES)), _full()


def rotary_of_padded_texts():
    return _Masked(RoPETransformerModel(**SIZES)), _padded()
