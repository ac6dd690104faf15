"""Entry points of torchensemble: perceptrons that vote, and that are boosted, as they are once fitted."""

import torch
from torchensemble import GradientBoostingClassifier, GradientBoostingRegressor, VotingClassifier, VotingRegressor


class _Perceptron(torch.nn.Module):
    def __init__(self, outputs):
        super().__init__()
        self.model = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.ReLU(), torch.nn.Linear(8, outputs))

    def forward(self, rows):
        return self.model(rows)


def _fitted(kind, outputs, **options):
    model = kind(estimator=_Perceptron, estimator_args={"outputs": outputs}, n_estimators=3, cuda=False, **options)
    model.n_outputs = outputs
    for _ in range(3):
        model.estimators_.append(_Perceptron(outputs))
    return model


class _Likelihood(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, rows, labels):
        return torch.nn.functional.nll_loss(torch.log(self.model(rows)), labels)


def _rows():
    return torch.randn(4, 6), torch.tensor([0, 2, 1, 1])


def voting():
    return _Likelihood(_fitted(VotingClassifier, 3)), _rows()


def boosting():
    return _Likelihood(_fitted(GradientBoostingClassifier, 3, shrinkage_rate=0.5)), _rows()


def hard_voting():
    return _fitted(VotingClassifier, 3, voting_strategy="hard"), _rows()[:1]


def regression():
    return _fitted(VotingRegressor, 1), _rows()[:1]


class _Residual(torch.nn.Module):
    """What the next regressor of the boosting is to learn."""

    def __init__(self):
        super().__init__()
        self.model = _fitted(GradientBoostingRegressor, 1, shrinkage_rate=0.5)

    def forward(self, rows, wanted):
        return torch.nn.functional.mse_loss(self.model(rows), self.model._pseudo_residual(2, wanted, rows))


def boosted_regression():
    return _Residual(), (torch.randn(4, 6), torch.randn(4, 1))
