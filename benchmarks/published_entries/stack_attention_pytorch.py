"""Entry points of stack-attention-pytorch: its layers of stacks and of other data structures in small models."""

import torch
from stack_attention import DataStructureTransLayer, StackTransLayer, data_structure


class _Next(torch.nn.Module):
    """The token after each of them."""

    def __init__(self, layer):
        super().__init__()
        self.embedding, self.layer, self.head = torch.nn.Embedding(20, 16), layer, torch.nn.Linear(16, 20)

    def forward(self, tokens):
        given, _ = self.layer(self.embedding(tokens[:, :-1]))
        return torch.nn.functional.cross_entropy(self.head(given).transpose(1, 2), tokens[:, 1:])


def _tokens():
    return (torch.randint(0, 20, (2, 6)),)


def stack():
    return _Next(StackTransLayer(16, num_stacks=2, dim_stack=4, stack_size=5)), _tokens()


def normalised_stack():
    return _Next(StackTransLayer(16, num_stacks=2, dim_stack=4, stack_size=5, prenorm=True)), _tokens()


def counter():
    actions = {"inc": lambda s: s + 1.0, "dec": lambda s: s - 1.0, "noop": lambda s: s}
    counted = data_structure(init=lambda: torch.zeros(1), actions=actions, readout=lambda s: s)
    return _Next(DataStructureTransLayer(dim=16, data_structure=counted, num_heads=2)), _tokens()
