"""Entry points of bayes-regression: its regressor of uncertain weights with the loss that it is trained by."""

import sys
import types

import torch

for _name in ("Bayes", "Bayes.utils"):
    _package = sys.modules[_name] = types.ModuleType(_name)
    _package.__path__ = [_name.replace(".", "/")]

from Bayes.utils.variational_estimator import variational_estimator  # noqa: E402

_package.variational_estimator = variational_estimator

from Bayes.models.regression import BayesianRegressor  # noqa: E402
from Bayes.modules import BayesianLinear  # noqa: E402


class _Fitted(torch.nn.Module):
    def __init__(self, model, **settings):
        super().__init__()
        self.model, self.settings = model, settings

    def forward(self, rows, wanted):
        return self.model.sample_elbo(rows, wanted, torch.nn.functional.mse_loss, **self.settings)


def _rows():
    return torch.randn(6, 5), torch.randn(6, 1)


def regressor():
    return _Fitted(BayesianRegressor(5, hidden_dims=[12, 8]), sample_nbr=3, complexity_cost_weight=1e-3), _rows()


def regressor_with_full_cost():
    return _Fitted(BayesianRegressor(5, hidden_dims=[12])), _rows()


@variational_estimator
class _Own(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = BayesianLinear(5, 8, bias=False), BayesianLinear(8, 1, prior_pi=0.25)

    def forward(self, rows):
        return self.second(torch.tanh(self.first(rows)))


def own_network():
    return _Fitted(_Own(), sample_nbr=2, complexity_cost_weight=0.01), _rows()
