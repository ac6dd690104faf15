"""Entry points of blitz-bayesian-pytorch: networks of weights that are distributions, under their sampled bound."""

import torch
from blitz.losses import kl_divergence_from_nn
from blitz.modules import BayesianConv2d, BayesianEmbedding, BayesianGRU, BayesianLinear, BayesianLSTM
from blitz.utils import variational_estimator


@variational_estimator
class _Regressor(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = BayesianLinear(5, 8), BayesianLinear(8, 1, prior_sigma_1=1.0, prior_pi=0.5)

    def forward(self, rows):
        return self.last(torch.relu(self.first(rows)))


@variational_estimator
class _Images(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = BayesianConv2d(3, 4, (3, 3)), BayesianLinear(4, 3)

    def forward(self, images):
        return self.last(torch.relu(self.first(images)).mean((2, 3)))


@variational_estimator
class _Steps(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.recurrent, self.last = BayesianLSTM(3, 6), torch.nn.Linear(6, 1)

    def forward(self, series):
        return self.last(self.recurrent(series)[0][:, -1])


class _Bounded(torch.nn.Module):
    """The error of samples of the weights and how far they lie from what was believed."""

    def __init__(self, model, criterion):
        super().__init__()
        self.model, self.criterion = model, criterion

    def forward(self, features, wanted):
        return self.model.sample_elbo(features, wanted, self.criterion, sample_nbr=2, complexity_cost_weight=0.01)


def regression():
    return _Bounded(_Regressor(), torch.nn.MSELoss()), (torch.randn(6, 5), torch.randn(6, 1))


def images():
    return _Bounded(_Images(), torch.nn.CrossEntropyLoss()), (torch.rand(2, 3, 6, 6), torch.tensor([2, 0]))


def steps():
    return _Bounded(_Steps(), torch.nn.MSELoss()), (torch.randn(4, 5, 3), torch.randn(4, 1))


class _Words(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.recurrent = BayesianEmbedding(20, 6, padding_idx=0), BayesianGRU(6, 6)
        self.last = torch.nn.Linear(6, 2)

    def forward(self, words, lengths, labels):
        given = self.recurrent(self.words(words))[0]
        last = given[torch.arange(len(words)), lengths - 1]
        return torch.nn.functional.cross_entropy(self.last(last), labels) + 0.01 * kl_divergence_from_nn(self)


def words():
    words = torch.tensor([[3, 7, 2, 19, 4, 8], [5, 6, 1, 0, 0, 0]])
    return _Words(), (words, torch.tensor([6, 3]), torch.tensor([1, 0]))
