"""Entry points of pypolymix: its stochastic surrogates, as trained in its README, with what keeps their spread."""

import torch
from pypolymix import StochasticModel
from pypolymix.parameter_groups import DeterministicGroup, IIDGaussianGroup
from pypolymix.surrogate_models import MixtureOfExperts, NeuralNetwork, PolynomialChaosExpansion
from pypolymix.surrogate_models.mixture import GatingNetwork


class _Fitted(torch.nn.Module):
    def __init__(self, surrogate, stochastic=2):
        super().__init__()
        groups = [IIDGaussianGroup("stochastic", stochastic)]
        if surrogate.num_params() > stochastic:
            groups.append(DeterministicGroup("deterministic", surrogate.num_params() - stochastic))
        self.model = StochasticModel(surrogate_model=surrogate, parameter_groups=groups)

    def forward(self, inputs, measured):
        predictions = self.model(inputs, num_samples=4).mean(dim=0)
        return torch.mean((predictions - measured) ** 2) + 1e-3 * self.model.distribution_loss()


def _curve(inputs=1):
    places = torch.linspace(-1, 1, 8).unsqueeze(-1).repeat(1, inputs)
    return places, torch.sin(3 * places[:, :1]) + 0.1 * torch.randn(8, 1)


def polynomials():
    return _Fitted(PolynomialChaosExpansion(num_inputs=1, num_outputs=1, degree=5)), _curve()


def polynomials_of_two():
    return _Fitted(PolynomialChaosExpansion(num_inputs=2, num_outputs=1, degree=2)), _curve(2)


def network():
    surrogate = NeuralNetwork(num_inputs=1, num_outputs=1, width=4, depth=2, activation=torch.tanh)
    return _Fitted(surrogate, surrogate.num_params()), _curve()


def experts():
    parts = [NeuralNetwork(num_inputs=1, width=4), PolynomialChaosExpansion(num_inputs=1, degree=2)]
    return _Fitted(MixtureOfExperts(parts, GatingNetwork(num_inputs=1, num_experts=2, width=4))), _curve()
