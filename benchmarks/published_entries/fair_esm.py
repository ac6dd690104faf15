"""Entry points of fair-esm: a small protein language model with the loss of masked words."""

import esm
import torch


class _Masked(torch.nn.Module):
    def __init__(self):
        super().__init__()
        alphabet = esm.data.Alphabet.from_architecture("ESM-1b")
        self.model = esm.model.esm2.ESM2(num_layers=1, embed_dim=16, attention_heads=2, alphabet=alphabet)

    def forward(self, tokens, wanted):
        logits = self.model(tokens)["logits"]
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), wanted.flatten())


def masked_words():
    return _Masked(), (torch.randint(4, 24, (2, 9)), torch.randint(4, 24, (2, 9)))


class _Contacts(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = _Masked().model

    def forward(self, tokens):
        return self.model(tokens, return_contacts=True)["contacts"]


def contacts():
    return _Contacts(), (torch.randint(4, 24, (2, 9)),)
