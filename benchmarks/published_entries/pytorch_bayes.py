"""Entry points of pytorch-bayes: small networks whose weights are drawn, with their divergence from the prior."""

import torch
from pytorch_bayes.nn.bayes_by_backprop import BayesianMLP
from pytorch_bayes.nn.utils import variational_approximator


class _Drawn(torch.nn.Module):
    def __init__(self, out, loss, **prior):
        super().__init__()
        self.model, self.loss = variational_approximator(BayesianMLP)(4, (5,), out, **prior), loss

    def forward(self, features, wanted):
        return self.model.mc_elbo(self.loss, features, wanted, 0.1, num_mc_samples=2)


def mixture():
    return _Drawn(3, torch.nn.functional.cross_entropy), (torch.randn(4, 4), torch.randint(3, (4,)))


def gaussian():
    model = _Drawn(1, torch.nn.functional.mse_loss, scale_mixture=False)
    return model, (torch.randn(4, 4), torch.randn(4, 1))
