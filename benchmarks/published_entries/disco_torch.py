"""Entry points of disco-torch: values, advantages and losses of its agents, on one layer."""

import torch
from disco_torch import grpo_advantages, utils, value_utils


class _Agent(torch.nn.Module):
    """Scores of three actions and values of `bins` bins, from observations of a few steps."""

    def __init__(self, bins=21):
        super().__init__()
        self.policy, self.values = torch.nn.Linear(5, 3), torch.nn.Linear(5, bins)

    def value(self, observations):
        return value_utils.get_values_from_net_outs(self.values(observations), True, 30.0, True)


class _Actor(_Agent):
    """One trajectory corrected for the policy that acted."""

    def forward(self, observations, behaviour, actions, rewards, discounts):
        logits, values = self.policy(observations), self.value(observations)
        rho = value_utils.importance_weight(logits[:-1], behaviour, actions)
        errors, advantages = value_utils.vtrace_td_error_and_advantage(
            values[:-1].detach(), values[1:].detach(), rewards, discounts, rho
        )
        taken = utils.batch_lookup(torch.log_softmax(logits[:-1], -1), actions)
        target = (errors + values[:-1]).detach()
        return (values[:-1] - target).square().mean() - (taken * advantages.detach()).mean()


class _Bins(_Agent):
    """Bins trained on returns, squeezed and split over two of them."""

    def forward(self, observations, returns):
        squeezed = utils.signed_hyperbolic_tx(returns)
        wanted = utils.transform_to_2hot(squeezed, -30.0, 30.0, 21)
        return -(wanted * torch.log_softmax(self.values(observations), -1)).sum(-1).mean()


class _Distilled(_Agent):
    def forward(self, observations, teacher):
        return utils.categorical_kl_divergence(teacher, self.policy(observations)).mean()


class _Grouped(_Agent):
    """Answers of a group, each by how much better it is than the others."""

    def forward(self, observations, actions, rewards):
        taken = torch.log_softmax(self.policy(observations), -1).gather(-1, actions[:, None])[:, 0]
        return -(taken * grpo_advantages(rewards)).mean()


class _Normalized(_Agent):
    """Advantages normalized by their running mean and variance."""

    def forward(self, observations, returns):
        average = utils.MovingAverage(decay=0.99)
        advantages = returns - self.value(observations)
        state = average.update_state(returns, average.init_state())
        state = average.update_state(advantages.detach(), state)
        return average.normalize(advantages, state).square().mean()


def actor():
    behaviour, actions = torch.randn(6, 3), torch.randint(0, 3, (6,))
    discounts = 0.99 * torch.tensor([1.0, 1, 1, 0, 1, 1])
    return _Actor(), (torch.randn(7, 5), behaviour, actions, torch.randn(6), discounts)


def bins():
    return _Bins(), (torch.randn(6, 5), 5 * torch.randn(6))


def distilled():
    return _Distilled(), (torch.randn(6, 5), torch.randn(6, 3))


def grouped():
    return _Grouped(), (torch.randn(6, 5), torch.randint(0, 3, (6,)), torch.rand(6))


def normalized():
    return _Normalized(), (torch.randn(6, 5), 5 * torch.randn(6))
