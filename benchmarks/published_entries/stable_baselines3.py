"""Entry points of stable-baselines3: losses of policies as its algorithms compute them."""

import gymnasium
import numpy
import torch
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.dqn.policies import DQNPolicy
from stable_baselines3.sac.policies import SACPolicy


def _space(size):
    return gymnasium.spaces.Box(-numpy.ones(size, numpy.float32), numpy.ones(size, numpy.float32))


def _rate(_):
    return 1e-3


class _Proximal(torch.nn.Module):
    def __init__(self, actions, **options):
        super().__init__()
        self.policy = ActorCriticPolicy(_space(4), actions, _rate, net_arch=[8], **options)

    def forward(self, seen, actions, advantages, returns, before):
        values, likelihood, entropy = self.policy.evaluate_actions(seen, actions)
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        ratio = torch.exp(likelihood - before)
        gain = torch.min(advantages * ratio, advantages * torch.clamp(ratio, 0.8, 1.2)).mean()
        spread = -likelihood if entropy is None else entropy
        return torch.nn.functional.mse_loss(returns, values.flatten()) - gain - 0.01 * spread.mean()


def _rollout(actions):
    return torch.randn(5, 4), actions, torch.randn(5), torch.randn(5), -torch.rand(5)


def gaussian_policy():
    return _Proximal(_space(2)), _rollout(torch.rand(5, 2) * 1.6 - 0.8)


def categorical_policy():
    return _Proximal(gymnasium.spaces.Discrete(3)), _rollout(torch.randint(3, (5,)))


def binary_policy():
    return _Proximal(gymnasium.spaces.MultiBinary(2)), _rollout(torch.randint(2, (5, 2)).float())


def state_dependent_noise():
    return _Proximal(_space(2), use_sde=True), _rollout(torch.rand(5, 2) * 1.6 - 0.8)


class _Soft(torch.nn.Module):
    """The actor's loss of a soft actor and critic."""

    def __init__(self):
        super().__init__()
        self.policy = SACPolicy(_space(4), _space(2), _rate, net_arch=[8])

    def forward(self, seen):
        actions, likelihood = self.policy.actor.action_log_prob(seen)
        values = torch.cat(self.policy.critic(seen, actions), dim=1).min(dim=1, keepdim=True)[0]
        return (0.2 * likelihood.reshape(-1, 1) - values).mean()


def soft_actor():
    return _Soft(), (torch.randn(5, 4),)


class _Values(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.policy = DQNPolicy(_space(4), gymnasium.spaces.Discrete(3), _rate, net_arch=[8])

    def forward(self, seen, actions, wanted):
        values = torch.gather(self.policy.q_net(seen), 1, actions)
        return torch.nn.functional.smooth_l1_loss(values, wanted)


def action_values():
    return _Values(), (torch.randn(5, 4), torch.randint(3, (5, 1)), torch.randn(5, 1))
