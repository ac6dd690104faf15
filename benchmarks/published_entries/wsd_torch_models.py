"""Entry points of wsd-torch-models: its learned mixture of the layers of an encoder."""

import torch
from wsd_torch_models.scalar_mix import ScalarMix


class _Mixed(torch.nn.Module):
    """Which sense each word has, from what all layers give."""

    def __init__(self, **options):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(4, 4) for _ in range(3))
        self.mix, self.senses = ScalarMix(3, **options), torch.nn.Linear(4, 5)

    def forward(self, words, mask, senses):
        given = [words]
        for layer in self.layers:
            given.append(torch.tanh(layer(given[-1])))
        scores = self.senses(self.mix(given[1:], mask))
        return torch.nn.functional.cross_entropy(scores.transpose(1, 2), senses, ignore_index=-1)


def _words():
    mask = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    return torch.randn(2, 5, 4), mask, torch.tensor([[0, 4, 1, 2, 3], [1, 1, 0, -1, -1]])


def mixed():
    return _Mixed(), _words()


def normalized():
    return _Mixed(do_layer_norm=True, initial_scalar_parameters=[0.0, 0.5, 1.0]), _words()
