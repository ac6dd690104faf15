"""Entry points of spdlayers: stiffness tensors that its layers make positive definite, with losses."""

import spdlayers
import torch


class _Stiffness(torch.nn.Module):
    def __init__(self, layer, inputs, loss):
        super().__init__()
        self.model = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.ReLU(), torch.nn.Linear(16, inputs), layer)
        self.loss = loss

    def forward(self, features, stiffness):
        return self.loss(self.model(features), stiffness)


def _samples(size):
    factor = torch.randn(4, size, size)
    return torch.rand(4, 2), factor @ factor.transpose(1, 2)


def cholesky():
    layer = spdlayers.Cholesky(output_shape=6)
    return _Stiffness(layer, spdlayers.in_shape_from(6), torch.nn.MSELoss()), _samples(6)


def cholesky_of_symmetry():
    layer = spdlayers.Cholesky(output_shape=6, symmetry="orthotropic", positive="Softplus")
    return _Stiffness(layer, 9, torch.nn.L1Loss()), _samples(6)


def eigenvalues():
    layer = spdlayers.Eigen(output_shape=4)
    return _Stiffness(layer, spdlayers.in_shape_from(4), torch.nn.MSELoss()), _samples(4)


def eigenvalues_some_zero():
    layer = spdlayers.Eigen(output_shape=4, positive="Abs", n_zero_eigvals=1)
    return _Stiffness(layer, spdlayers.in_shape_from(4), torch.nn.MSELoss()), _samples(4)


class _Likelihood(torch.nn.Module):
    """A mean and a covariance for each sample, whose likelihood is trained."""

    def __init__(self):
        super().__init__()
        self.hidden, self.mean = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.Tanh()), torch.nn.Linear(16, 3)
        self.covariance = torch.nn.Sequential(
            torch.nn.Linear(16, 6), spdlayers.Cholesky(output_shape=3, positive="Exp")
        )

    def forward(self, features, measured):
        hidden = self.hidden(features)
        covariance, error = self.covariance(hidden), (measured - self.mean(hidden)).unsqueeze(2)
        distance = (error * torch.linalg.solve(covariance, error)).sum(dim=(1, 2))
        return 0.5 * (distance + torch.logdet(covariance)).mean()


def covariances():
    return _Likelihood(), (torch.rand(4, 2), torch.randn(4, 3))
