"""Entry points of torchrl: densities of actions, advantages and returns of what networks say, distances of values."""

import torch
from torchrl.modules.distributions import (
    IndependentNormal,
    MaskedCategorical,
    OneHotCategorical,
    TanhNormal,
    TruncatedNormal,
)
from torchrl.objectives.utils import distance_loss
from torchrl.objectives.value import functional


class _Policy(torch.nn.Module):
    def __init__(self, distribution, entropy=False):
        super().__init__()
        self.head, self.distribution, self.entropy = torch.nn.Linear(6, 4), distribution, entropy

    def forward(self, observation, action, advantage):
        loc, raw = self.head(observation).chunk(2, -1)
        density = self.distribution(loc, torch.nn.functional.softplus(raw) + 1e-4)
        gain = (density.log_prob(action) * advantage).mean()
        return -gain - 0.01 * density.entropy().mean() if self.entropy else -gain


def _steps(least=-1.0):
    return torch.randn(5, 6), torch.rand(5, 2) * (0.9 - least) + least, torch.randn(5)


def tanh_normal():
    return _Policy(TanhNormal), _steps(-0.9)


def normal():
    return _Policy(IndependentNormal, entropy=True), _steps()


def truncated_normal():
    return _Policy(lambda loc, scale: TruncatedNormal(loc, scale, low=-1.0, high=1.0)), _steps(-0.9)


class _Choices(torch.nn.Module):
    def __init__(self, masked):
        super().__init__()
        self.head, self.masked = torch.nn.Linear(6, 4), masked

    def forward(self, observation, action, mask):
        scores = self.head(observation)
        if self.masked:
            return -MaskedCategorical(logits=scores, mask=mask).log_prob(action).mean()
        return -OneHotCategorical(logits=scores).log_prob(torch.nn.functional.one_hot(action, 4)).mean()


def _choices():
    return torch.randn(5, 6), torch.randint(0, 2, (5,)), torch.tensor([[True, True, False, True]]).repeat(5, 1)


def masked_choices():
    return _Choices(True), _choices()


def choices():
    return _Choices(False), _choices()


class _Values(torch.nn.Module):
    def __init__(self, estimate, traced=False):
        super().__init__()
        self.value, self.policy, self.estimate, self.traced = (
            torch.nn.Linear(6, 1),
            torch.nn.Linear(6, 1),
            estimate,
            traced,
        )

    def forward(self, observation, following, reward, done):
        now, then = self.value(observation), self.value(following)
        if self.traced:
            chosen = self.policy(observation)
            return self.estimate(0.9, chosen, chosen.detach() - 0.1, now, then, reward, done)[0].pow(2).mean()
        return self.estimate(0.9, 0.95, now, then, reward, done)[0].pow(2).mean()


def _track():
    return torch.randn(2, 5, 6), torch.randn(2, 5, 6), torch.randn(2, 5, 1), torch.zeros(2, 5, 1, dtype=torch.bool)


def generalized_advantage():
    return _Values(functional.generalized_advantage_estimate), _track()


def vectorized_advantage():
    return _Values(functional.vec_generalized_advantage_estimate), _track()


def trace_of_values():
    return _Values(functional.vtrace_advantage_estimate, traced=True), _track()


class _Distance(torch.nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.value, self.kind = torch.nn.Linear(6, 1), kind

    def forward(self, observation, target):
        return distance_loss(self.value(observation), target, self.kind).mean()


def smooth_distance():
    return _Distance("smooth_l1"), (torch.randn(5, 6), torch.randn(5, 1))


def square_distance():
    return _Distance("l2"), (torch.randn(5, 6), torch.randn(5, 1))
