"""Entry points of plato-torch: its networks of values, actions and agents, and the distillation of its student."""

import torch
from plato_torch.instinct_net import InstinctNet, PolicyNet, StrategyMeshNet


def values():
    return InstinctNet(state_dim=8, hidden_dim=8), (torch.randn(4, 8),)


def actions():
    return PolicyNet(state_dim=8, num_actions=3, hidden_dim=8), (torch.randn(4, 8),)


def agents():
    return StrategyMeshNet(agent_dim=8, num_agents=3, hidden_dim=8), (torch.randn(2, 3, 8),)
