"""Entry points of pytorch-ggd: its activation and its changes of variables by a generalized Gaussian."""

import torch
from pytorch_ggd.GGD import DynamicGGD, GGDToUniform, UniformToGGD


def activation():
    layers = (torch.nn.Conv2d(1, 4, 3), DynamicGGD(4), torch.nn.Conv2d(4, 1, 3))
    return torch.nn.Sequential(*layers), (torch.rand(2, 1, 8, 8),)


def activation_of_last():
    return torch.nn.Sequential(torch.nn.Linear(5, 4), DynamicGGD(4, channels_last=True)), (torch.rand(6, 5),)


def to_uniform():
    return torch.nn.Sequential(torch.nn.Linear(5, 4), GGDToUniform(scale=1.0, latent_max=8.0)), (torch.rand(6, 5),)


def to_gaussian():
    layers = (torch.nn.Linear(5, 4), torch.nn.Tanh(), UniformToGGD(scale=1.0, latent_max=1.0))
    return torch.nn.Sequential(*layers), (torch.rand(6, 5),)
