"""Entry points of rssmlite: its world model with its loss, its imagination, and its actor and critic."""

import torch
from rssmlite.actor_critic import Actor, Critic, lambda_return
from rssmlite.rssm import RSSM

SIZES = {"deter_dim": 8, "embed_dim": 8, "num_categoricals": 3, "num_classes": 4, "hidden_dim": 8}


class _World(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = RSSM(obs_dim=4, action_dim=2, **SIZES)

    def forward(self, observations, actions, rewards, going_on):
        return self.model.loss(observations, actions, rewards, going_on)["total"]


def _actions(length):
    return torch.nn.functional.one_hot(torch.randint(2, (2, length)), 2).float()


def world():
    going_on = torch.tensor([[1.0, 1, 1, 1], [1, 1, 1, 0]])
    return _World(), (torch.randn(2, 4, 4), _actions(4), torch.ones(2, 4), going_on)


class _Observed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = RSSM(obs_dim=3, action_dim=2, **SIZES)

    def forward(self, observations, actions):
        return self.model.observe(observations, actions)


def observed():
    return _Observed(), (torch.randn(2, 3, 3), _actions(3))


class _Agent(torch.nn.Module):
    """An actor that learns from returns of imagined steps."""

    def __init__(self):
        super().__init__()
        self.actor, self.critic = Actor(20, 2, discrete=False, hidden_dim=8), Critic(20, hidden_dim=8)

    def forward(self, features, rewards, continues):
        actions, entropy = self.actor(features)
        returns = lambda_return(rewards, continues, self.critic(features))
        return actions, -(returns.mean() + 3e-4 * entropy.mean())


def actor_and_critic():
    return _Agent(), (torch.randn(2, 5, 20), torch.randn(2, 5), torch.rand(2, 5))


def discrete_actor():
    return Actor(20, 3, discrete=True, hidden_dim=8), (torch.randn(4, 20),)
