"""Entry points of hippotorch: losses of its agents, and its encoder of episodes."""

import torch
from hippotorch.agents.sac import SACAgent, SACConfig
from hippotorch.encoders.dual import DualEncoder


class _Agent(torch.nn.Module):
    """The networks of an agent of four observations and two actions."""

    def __init__(self):
        super().__init__()
        agent = SACAgent(SACConfig(state_dim=4, action_dim=2, hidden_dim=16))
        self.actor, self.first, self.second = agent.actor, agent.q1, agent.q2

    def value(self, states, actions):
        return torch.min(self.first(states, actions), self.second(states, actions))


class _Actor(_Agent):
    def forward(self, states):
        actions, log_probability = self.actor.sample(states)
        return (0.2 * log_probability - self.value(states, actions.clamp(-1.0, 1.0))).mean()


class _Critic(_Agent):
    def forward(self, states, actions, rewards, following, dones):
        with torch.no_grad():
            chosen, log_probability = self.actor.sample(following)
            target = rewards + 0.99 * (1 - dones) * (self.value(following, chosen) - 0.2 * log_probability)
        return torch.nn.functional.mse_loss(self.first(states, actions), target)


class _Contrasting(torch.nn.Module):
    """Windows of an episode, each with the one that goes with it."""

    def __init__(self):
        super().__init__()
        self.encoder = DualEncoder(6, embed_dim=16)

    def forward(self, windows, others):
        similarity = self.encoder.encode_query(windows) @ self.encoder.encode_query(others).T / 0.1
        return torch.nn.functional.cross_entropy(similarity, torch.arange(len(windows)))


def actor():
    return _Actor(), (torch.randn(6, 4),)


def critic():
    dones = torch.tensor([[0.0], [0], [1], [0], [0], [1]])
    steps = torch.randn(6, 4), 2 * torch.rand(6, 2) - 1, torch.randn(6, 1), torch.randn(6, 4), dones
    return _Critic(), steps


def contrasting():
    return _Contrasting(), (torch.randn(4, 8, 6), torch.randn(4, 8, 6))
