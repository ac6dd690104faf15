"""Entry points of torchsde: paths of neural stochastic equations by its solvers, and the loss of a latent one."""

import torch
import torchsde


class _Equation(torch.nn.Module):
    """The README's equation: its drift and its diffusion are one layer each."""

    def __init__(self, noise_type="general", sde_type="ito", state=3, brownian=2):
        super().__init__()
        self.noise_type, self.sde_type = noise_type, sde_type
        self.state, self.brownian = state, brownian
        self.mu = torch.nn.Linear(state, state)
        self.sigma = torch.nn.Linear(state, state * brownian if noise_type == "general" else state)

    def f(self, t, y):
        return self.mu(y)

    def g(self, t, y):
        made = self.sigma(y)
        return made.view(-1, self.state, self.brownian) if self.noise_type == "general" else torch.sigmoid(made)


class _Solved(torch.nn.Module):
    def __init__(self, equation, solve=torchsde.sdeint, **options):
        super().__init__()
        self.equation, self.solve, self.options = equation, solve, options

    def forward(self, start, times, wanted):
        paths = self.solve(self.equation, start, times, **self.options)
        return torch.nn.functional.mse_loss(paths, wanted)


def _paths():
    return torch.full((4, 3), 0.1), torch.linspace(0, 1, 5), torch.randn(5, 4, 3)


def general_noise():
    return _Solved(_Equation(), dt=0.1), _paths()


def diagonal_noise():
    return _Solved(_Equation("diagonal"), method="milstein", dt=0.1), _paths()


def stochastic_runge_kutta():
    return _Solved(_Equation("diagonal"), method="srk", dt=0.1), _paths()


def stratonovich():
    return _Solved(_Equation(sde_type="stratonovich"), method="midpoint", dt=0.1), _paths()


def adjoint():
    return _Solved(_Equation("diagonal", "stratonovich"), torchsde.sdeint_adjoint, dt=0.1), _paths()


class _Latent(torch.nn.Module):
    """The latent equation of examples/latent_sde.py: a learned drift, a prior of Ornstein and Uhlenbeck."""

    noise_type, sde_type = "diagonal", "ito"

    def __init__(self, theta=1.0, mu=0.0, sigma=0.5):
        super().__init__()
        self.theta, self.mu, self.sigma = theta, mu, sigma
        self.net = torch.nn.Sequential(
            torch.nn.Linear(3, 16), torch.nn.Tanh(), torch.nn.Linear(16, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1)
        )
        self.start = torch.nn.Parameter(torch.zeros(1, 1))

    def f(self, t, y):
        t = torch.full_like(y, fill_value=t)
        return self.net(torch.cat((torch.sin(t), torch.cos(t), y), -1))

    def g(self, t, y):
        return self.sigma * torch.ones_like(y)

    def h(self, t, y):
        return self.theta * (self.mu - y)

    def forward(self, times, wanted):
        start = self.start.expand(wanted.shape[1], 1)
        names = {"drift": "f", "prior_drift": "h"}
        paths, divergence = torchsde.sdeint(self, start, times, logqp=True, dt=0.1, names=names)
        likelihood = torch.distributions.Laplace(paths, 0.05).log_prob(wanted).sum((0, 2)).mean()
        return divergence.sum(0).mean() - likelihood


def latent():
    return _Latent(), (torch.linspace(0, 1, 5), torch.randn(5, 4, 1) * 0.3)
