"""Entry points of pytorch-tdnn: its layers of sounds in time, plain and factored, with the loss of what was said."""

import torch
from pytorch_tdnn import TDNN, TDNNF


class _Sounds(torch.nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers, self.head = torch.nn.Sequential(*layers), torch.nn.Linear(8, 5)

    def forward(self, features, sounds):
        logits = self.head(self.layers(features).transpose(1, 2))
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), sounds.flatten())


def _features():
    """Logarithms of spectra (batch, features, times), and the sound at each time."""
    return torch.log(torch.rand(2, 10, 12).clamp(min=1e-4)), torch.randint(5, (2, 12))


def layers():
    first, second = TDNN(10, 8, [-1, 0, 1]), TDNN(8, 8, [-2, 0, 2])
    return _Sounds(first, torch.nn.ReLU(), torch.nn.BatchNorm1d(8), second, torch.nn.ReLU()), _features()


def one_time():
    return _Sounds(TDNN(10, 8, [0], bias=False), torch.nn.ReLU()), _features()


def factored():
    layer = TDNNF(10, 8, 4, time_stride=1)
    return _Sounds(layer, torch.nn.ReLU(), torch.nn.BatchNorm1d(8)), _features()


class _Speaker(torch.nn.Module):
    """The mean and the deviation of all times say who speaks."""

    def __init__(self):
        super().__init__()
        self.layer, self.norm, self.head = TDNN(10, 8, [-2, 0, 2]), torch.nn.BatchNorm1d(8), torch.nn.Linear(16, 3)

    def forward(self, features, speakers):
        hidden = self.norm(torch.relu(self.layer(features)))
        pooled = torch.cat([hidden.mean(dim=2), hidden.std(dim=2)], dim=1)
        return torch.nn.functional.cross_entropy(self.head(pooled), speakers)


def speaker():
    return _Speaker(), (_features()[0], torch.tensor([2, 0]))
