import torch
from torch import nn


class Actor(nn.Module):
    def __init__(self, observations, actions, high):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(observations, 128), nn.ReLU(), nn.Linear(128, actions), nn.Tanh())
        self.high = high

    def forward(self, s):
        return self.high * self.net(s)


class Critic(nn.Module):
    def __init__(self, observations, actions):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(observations + actions, 128), nn.ReLU(), nn.Linear(128, 1))

    def forward(self, s, a):
        return self.net(torch.cat([s, a], dim=1))
