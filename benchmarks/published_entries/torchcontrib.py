"""Entry points of torchcontrib: features scaled and shifted by what a layer makes of a condition."""

import torch
from torchcontrib.nn import FiLM


class _Conditioned(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution, self.condition, self.film = torch.nn.Conv2d(3, 4, 3), torch.nn.Linear(5, 8), FiLM()
        self.head = torch.nn.Linear(4, 3)

    def forward(self, images, words, labels):
        gamma, beta = self.condition(words).chunk(2, -1)
        hidden = torch.relu(self.film(self.convolution(images), gamma, beta))
        return torch.nn.functional.cross_entropy(self.head(hidden.mean((2, 3))), labels)


def conditioned_images():
    return _Conditioned(), (torch.rand(3, 3, 8, 8), torch.randn(3, 5), torch.tensor([0, 2, 1]))


class _Steps(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.condition, self.film = torch.nn.Linear(4, 6), torch.nn.Linear(5, 12), FiLM()

    def forward(self, steps, speaker):
        gamma, beta = self.condition(speaker).chunk(2, -1)
        return self.film(torch.tanh(self.layer(steps)).transpose(1, 2), gamma, beta)


def conditioned_steps():
    return _Steps(), (torch.randn(2, 7, 4), torch.randn(2, 5))
