"""Entry points of gpytorch: marginal likelihoods of exact processes, and likelihoods of other observations."""

import gpytorch
import torch


class _Exact(gpytorch.models.ExactGP):
    def __init__(self, x, y, likelihood, kernel):
        super().__init__(x, y, likelihood)
        self.mean_module, self.covar_module = gpytorch.means.ConstantMean(), kernel

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


class _Training(torch.nn.Module):
    def __init__(self, kernel):
        super().__init__()
        self.x, self.y = torch.linspace(0, 1, 5).unsqueeze(-1), torch.randn(5)
        self.likelihood = gpytorch.likelihoods.GaussianLikelihood()
        self.model = _Exact(self.x, self.y, self.likelihood, kernel)
        self.train()

    def forward(self, wanted):
        marginal = gpytorch.mlls.ExactMarginalLogLikelihood(self.likelihood, self.model)
        return -marginal(self.model(self.x), wanted)


def radial():
    return _Training(gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())), (torch.randn(5),)


def matern():
    return _Training(gpytorch.kernels.ScaleKernel(gpytorch.kernels.MaternKernel(nu=1.5))), (torch.randn(5),)


class _Covariance(torch.nn.Module):
    """The covariance of features, as a head of a deep kernel has it."""

    def __init__(self, kernel):
        super().__init__()
        self.net, self.kernel = (
            torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.ReLU(), torch.nn.Linear(6, 2)),
            kernel,
        )

    def forward(self, x):
        return self.kernel(self.net(x)).to_dense().mean()


def rational_quadratic():
    return _Covariance(gpytorch.kernels.RQKernel()), (torch.randn(5, 4),)


def periodic():
    return _Covariance(gpytorch.kernels.PeriodicKernel()), (torch.randn(5, 4),)


class _Observing(torch.nn.Module):
    def __init__(self, likelihood):
        super().__init__()
        self.head, self.likelihood = torch.nn.Linear(4, 1), likelihood

    def forward(self, x, wanted):
        return -self.likelihood(self.head(x)[:, 0]).log_prob(wanted).mean()


def bernoulli():
    return _Observing(gpytorch.likelihoods.BernoulliLikelihood()), (torch.randn(5, 4), torch.tensor([0.0, 1, 1, 0, 1]))


def beta():
    return _Observing(gpytorch.likelihoods.BetaLikelihood()), (torch.randn(5, 4), torch.rand(5) * 0.8 + 0.1)


def student():
    return _Observing(gpytorch.likelihoods.StudentTLikelihood()), (torch.randn(5, 4), torch.randn(5))


def laplace():
    return _Observing(gpytorch.likelihoods.LaplaceLikelihood()), (torch.randn(5, 4), torch.randn(5))
