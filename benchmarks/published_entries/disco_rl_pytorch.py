"""Entry points of disco-rl-pytorch: traces of values, and what its meta network asks of a policy."""

import torch
from disco_rl_pytorch.disco_rl import MetaNetwork, MetaValue, PolicyOutput, RLTrace, forward_kl, value_to_two_hot

ACTIONS, BINS = 4, 21


class _Policy(torch.nn.Module):
    """What its networks of a policy give, from one layer each."""

    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.SiLU())
        self.heads = torch.nn.ModuleList([torch.nn.Linear(16, size) for size in (ACTIONS, 16, 16)])

    def forward(self, states):
        logits, observations, actions = (head(self.embed(states)) for head in self.heads)
        return PolicyOutput(action_logits=logits, encoded_observations=observations, encoded_actions=actions)


class _Behaviour(torch.nn.Module):
    """The policy drawn to what a teacher does."""

    def __init__(self):
        super().__init__()
        self.policy = _Policy()

    def forward(self, states, wanted, valid):
        return forward_kl(self.policy(states).action_logits, wanted, mask=valid)


def behaviour():
    valid = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    return _Behaviour(), (torch.randn(2, 5, 6), torch.randn(2, 5, ACTIONS), valid)


class _Values(torch.nn.Module):
    """Values trained on returns that stand between two bins."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(6, BINS)

    def forward(self, states, returns):
        wanted = value_to_two_hot(returns, BINS, 10.0)
        return -(wanted * self.layer(states).log_softmax(dim=-1)).sum(dim=-1).mean()


def values():
    return _Values(), (torch.randn(2, 5, 6), torch.randn(2, 5))


class _Traced(torch.nn.Module):
    """A policy and a value trained by the corrected returns of older actions."""

    def __init__(self):
        super().__init__()
        self.policy, self.value = _Policy(), MetaValue(8, 6, 2)
        self.trace = RLTrace(gamma=0.99, lam=0.95)

    def forward(self, states, actions, rewards, old_log_probs, terminated):
        log_probs = self.policy(states).action_logits.log_softmax(dim=-1).gather(2, actions[..., None]).squeeze(2)
        values = self.value(states)
        returns = self.trace(values, rewards, log_probs.detach(), old_log_probs, terminated).detach()
        return (values - returns).square().mean() - (log_probs * (returns - values).detach()).mean()


def traced():
    terminated = torch.tensor([[False] * 5, [False] * 4 + [True]])
    actions, old = torch.randint(0, ACTIONS, (2, 5)), -1 - torch.rand(2, 5)
    return _Traced(), (torch.randn(2, 5, 6), actions, torch.randn(2, 5), old, terminated)


class _Asked(torch.nn.Module):
    """What the meta network asks of a policy, the terms of its loss weighed by itself."""

    def __init__(self, **options):
        super().__init__()
        self.policy, self.network = _Policy(), MetaNetwork(16, ACTIONS, 16, 16, **options)

    def forward(self, states, embedded, conditions):
        return self.network.loss(self.policy(states), self.network(embedded, action_cond_emb=conditions))


def _embedded():
    return torch.randn(2, 5, 6), torch.randn(2, 5, 16), torch.randn(2, 5, ACTIONS, 2)


def asked():
    return _Asked(), _embedded()


def asked_in_weights():
    return _Asked(adaptive_loss_weight=True), _embedded()
