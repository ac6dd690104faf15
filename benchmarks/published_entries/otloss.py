"""Entry points of otloss: networks of clouds of points under its transport losses, and critics with its penalty."""

import torch
from otloss.losses import SlicedWassersteinLoss, WassersteinGANLoss, WassersteinLoss
from torch import nn


class _Generator(nn.Module):
    """Points made of noise, with weights of their own, against given points."""

    def __init__(self, loss, weighed=False):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 3))
        self.loss, self.weighed = loss, weighed

    def forward(self, noise, points):
        made = self.net(noise)
        if self.weighed:
            return self.loss(made[..., :2], points, pred_weights=made[..., 2].softmax(-1))
        return self.loss(made, points)


def sinkhorn():
    loss = WassersteinLoss(p=2, blur=0.5, max_iter=10)
    return _Generator(loss), (torch.randn(2, 6, 4), torch.randn(2, 6, 3))


def weighed_clouds():
    loss = WassersteinLoss(p=2, blur=0.7, max_iter=8, debias=False, reduction="sum")
    return _Generator(loss, weighed=True), (torch.randn(2, 6, 4), torch.randn(2, 5, 2))


def sliced():
    return _Generator(SlicedWassersteinLoss(n_projections=12)), (torch.randn(2, 6, 4), torch.randn(2, 8, 3))


class _Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.critic, self.loss = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1)), WassersteinGANLoss(5.0)

    def forward(self, real, fake):
        loss = self.loss(self.critic(real), self.critic(fake))
        return loss + self.loss.gradient_penalty(self.critic, real, fake)


def critic():
    return _Critic(), (torch.randn(6, 3), torch.randn(6, 3))
