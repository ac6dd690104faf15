"""Entry points of polystep: its attention and its memory that may be batched, in models and over many candidates."""

import torch
from polystep.layers import VmapSafeLSTM, VmapSafeMultiHeadAttention
from torch import nn


class _Words(nn.Module):
    """Words read with padding, each looking only at what came before it."""

    def __init__(self):
        super().__init__()
        self.words, self.attention = nn.Embedding(20, 8, padding_idx=0), VmapSafeMultiHeadAttention(8, 2)
        self.norm, self.head = nn.LayerNorm(8), nn.Linear(8, 20)

    def forward(self, words):
        given = self.words(words[:, :-1])
        length = given.shape[1]
        ahead = torch.ones(length, length, dtype=torch.bool, device=words.device).triu(1)
        found = self.attention(given, given, given, attn_mask=ahead, key_padding_mask=words[:, :-1] == 0)
        logits = self.head(self.norm(given + found))
        return nn.functional.cross_entropy(logits.mT, words[:, 1:], ignore_index=0)


def causal_words():
    return _Words(), (torch.tensor([[3, 7, 5, 9, 14, 2], [5, 12, 11, 2, 0, 0]]),)


class _Series(nn.Module):
    def __init__(self):
        super().__init__()
        self.memory, self.head = VmapSafeLSTM(3, 6, num_layers=2, dropout=0.1), nn.Linear(6, 1)

    def forward(self, values, hidden, cell, targets):
        found, _ = self.memory(values, (hidden, cell))
        return nn.functional.mse_loss(self.head(found[:, -1]), targets)


def series():
    states = torch.zeros(2, 4, 6), torch.zeros(2, 4, 6)
    return _Series(), (torch.randn(4, 7, 3), *states, torch.randn(4, 1))


class _Candidates(nn.Module):
    """What many candidates for the parameters of a model cost, all at once."""

    def __init__(self):
        super().__init__()
        self.model = nn.ModuleList([VmapSafeLSTM(3, 4), nn.Linear(4, 2)])
        self.moves = nn.ParameterDict()
        for name, parameter in self.model.named_parameters():
            self.moves[name.replace(".", "/")] = nn.Parameter(0.1 * torch.randn(5, *parameter.shape))

    def _cost(self, moves, values, labels):
        moved = {name: parameter + moves[name.replace(".", "/")] for name, parameter in self.model.named_parameters()}
        memory = {name[2:]: value for name, value in moved.items() if name.startswith("0.")}
        found, _ = torch.func.functional_call(self.model[0], memory, (values,))
        logits = nn.functional.linear(found[:, -1], moved["1.weight"], moved["1.bias"])
        return nn.functional.cross_entropy(logits, labels)

    def forward(self, values, labels):
        return torch.vmap(self._cost, in_dims=(0, None, None))(dict(self.moves.items()), values, labels)


def costs_of_candidates():
    return _Candidates(), (torch.randn(3, 5, 3), torch.tensor([0, 1, 1]))
