"""Entry points of semiring-torch: chains of hidden states and mixtures in the semiring of logarithms."""

import sys
from unittest.mock import MagicMock

import torch

sys.modules["autoray"] = MagicMock()  # a choice of backends, which nothing here needs

from semiring_torch.torch_semiring_einsum import (  # noqa: E402
    AUTOMATIC_BLOCK_SIZE,
    compile_equation,
    einsum,
    log_einsum,
    log_viterbi_einsum_forward,
)


class _Chain(torch.nn.Module):
    """The log-likelihood of sequences in a hidden Markov model, by the forward algorithm."""

    def __init__(self, states=3, symbols=5):
        super().__init__()
        self.start = torch.nn.Parameter(torch.randn(states))
        self.transition = torch.nn.Parameter(torch.randn(states, states))
        self.emission = torch.nn.Parameter(torch.randn(states, symbols))
        self.step, self.total = compile_equation("bi,ij->bj"), compile_equation("bi->b")

    def forward(self, symbols):
        transition, emission = self.transition.log_softmax(1), self.emission.log_softmax(1).T[symbols]
        state = self.start.log_softmax(0) + emission[:, 0]
        for place in range(1, symbols.shape[1]):
            state = log_einsum(self.step, state, transition) + emission[:, place]
        return -log_einsum(self.total, state).mean()


class _Best(torch.nn.Module):
    """The scores of the best middle states between two, and these states."""

    def __init__(self):
        super().__init__()
        self.scores, self.equation = torch.nn.Linear(4, 3), compile_equation("bi,ij,bj->b")
        self.transition = torch.nn.Parameter(torch.randn(3, 3))

    def forward(self, first, second):
        scores = self.scores(first), self.transition, self.scores(second)
        return log_viterbi_einsum_forward(self.equation, *scores, block_size=AUTOMATIC_BLOCK_SIZE)


class _Einsum(torch.nn.Module):
    def __init__(self, equation, function):
        super().__init__()
        self.equation, self.function = compile_equation(equation), function
        self.weight = torch.nn.Parameter(torch.randn(4, 5, 3))

    def forward(self, x, y):
        return self.function(self.equation, x, y, self.weight, block_size=AUTOMATIC_BLOCK_SIZE)


def chain():
    return _Chain(), (torch.randint(0, 5, (2, 6)),)


def best():
    return _Best(), (torch.randn(2, 4), torch.randn(2, 4))


def bilinear():
    return _Einsum("bi,bj,ijk->bk", einsum), (torch.randn(2, 4), torch.randn(2, 5))


def logarithmic():
    return _Einsum("bi,bj,ijk->bk", log_einsum), (torch.randn(2, 4), torch.randn(2, 5))
