"""Entry points of symplectic-koopman-operator: its losses of turning orbits, on a network that transforms them."""

import torch
from symplectic_koopman_operator.functional import (
    exponential_loss,
    koopman_loss_function,
    norm_parameter_loss,
    pure_rotation,
    transformed_amplitude_variance,
)


class _Orbits(torch.nn.Module):
    """Positions and momenta go to where they turn by an angle that is learned, and back."""

    def __init__(self):
        super().__init__()
        self.dim = 1
        layers = torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2)
        self.there = torch.nn.Sequential(*layers)
        self.back = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
        self.tune = torch.nn.Parameter(torch.tensor(0.21))


def _turning():
    angles = torch.arange(6) * 1.3 + torch.tensor([[0.0], [0.7]])
    orbits = torch.stack([torch.cos(angles), torch.sin(angles)], dim=-1) * torch.tensor([1.0, 0.5]).view(2, 1, 1)
    return orbits + 0.01 * torch.randn(2, 6, 2)


class _Koopman(_Orbits):
    def __init__(self, **options):
        super().__init__()
        self.options = options

    def forward(self, orbits):
        moved = self.there(orbits)
        output = self.back(pure_rotation(moved[:, :-1], self.tune))
        return koopman_loss_function(self, moved, output, orbits[:, 1:], **self.options)


def turned():
    return _Koopman(), (_turning(),)


def turned_with_small_weights():
    return _Koopman(tune_variance_loss=False, weight_decay_l2=True), (_turning(),)


class _Exponential(_Orbits):
    def forward(self, orbits):
        restored = self.back(self.there(orbits))
        return exponential_loss(restored, orbits) + 1e-3 * norm_parameter_loss(self, p=2, skip_model=["tune"])


def restored():
    return _Exponential(), (_turning()[0],)


class _Amplitudes(_Orbits):
    def forward(self, orbits):
        moved = self.there(orbits)
        error = torch.nn.functional.mse_loss(self.back(moved), orbits)
        return error + transformed_amplitude_variance(moved)


def equal_amplitudes():
    return _Amplitudes(), (_turning()[0],)
