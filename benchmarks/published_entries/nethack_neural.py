"""Entry points of nethack-neural: its actor and critic of maps and statistics, with the losses of its agent."""

import torch
from nethack_neural.networks.input_heads import CartPoleHead, GlyphBlstatHead, GlyphHeadFlat
from torch.distributions import Categorical


class _Actor(torch.nn.Module):
    """The clipped loss of what an old policy did, by how much better than expected it went."""

    def __init__(self):
        super().__init__()
        self.network = GlyphBlstatHead((21, 79), (27,), 8, hidden_layer=16, actor=True)

    def forward(self, glyphs, statistics, actions, old_log_probabilities, advantages):
        probabilities = self.network({"glyphs": glyphs, "blstats": statistics})
        distribution = Categorical(probabilities)
        log_probabilities = distribution.log_prob(torch.squeeze(actions, -1)).unsqueeze(-1)
        ratios = torch.exp(log_probabilities - old_log_probabilities)
        clipped = torch.clamp(ratios, 1 - 0.2, 1 + 0.2) * advantages
        return -torch.min(ratios * advantages, clipped).mean()


def _maps():
    """Numbers of the things on the map and of the statistics, which its agents do not scale."""
    return torch.randint(0, 5976, (4, 21, 79)).float(), torch.randint(0, 100, (4, 27)).float()


def actor():
    actions = torch.randint(0, 8, (4, 1))
    return _Actor(), (*_maps(), actions, torch.log(0.05 + 0.2 * torch.rand(4, 1)), torch.randn(4, 1))


class _Critic(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network, self.loss = network, torch.nn.MSELoss()

    def forward(self, states, returns):
        return self.loss(self.network(states), returns)


def critic():
    return _Critic(GlyphHeadFlat((21, 79), 1, hidden_size=16)), (_maps()[0], torch.randn(4, 1))


def cart_pole():
    return _Critic(CartPoleHead((4,), 1, hidden_size=16)), (torch.randn(4, 4), 20 * torch.rand(4, 1))
