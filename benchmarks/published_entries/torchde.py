"""Entry points of torchde: its estimators of densities with the terms that train them."""

from types import SimpleNamespace

import torch
from torchde.models.cnn import DummyCNN
from torchde.models.made import MADE
from torchde.models.mlp import MLP
from torchde.training.made.terms import MADENLLTerm
from torchde.training.sgld.terms import SGLDContrastiveDivergenceTerm, SGLDScoreRegularizationTerm


class _Likelihood(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.model = MADE(in_features=4, num_masks=1, layers=[8, 8], **options)
        self.term = MADENLLTerm()

    def forward(self, samples):
        return self.term(samples, training_module=SimpleNamespace(model=self.model))


def gaussian():
    transforms = {"scale": "lambda scale: torch.nn.functional.softplus(scale) + 1e-3"}
    return _Likelihood(distribution_params_transforms=transforms), (torch.randn(6, 4),)


def gaussian_by_exponent():
    return _Likelihood(distribution_params_transforms={"scale": "torch.exp"}, residual=True), (torch.randn(6, 4),)


def mixture():
    options = {"num_mixtures": 3, "distribution_params_transforms": {"scale": "torch.exp"}}
    return _Likelihood(**options), (torch.randn(6, 4),)


def bernoulli():
    return _Likelihood(distribution="torch.distributions.Bernoulli"), (torch.randint(0, 2, (6, 4)).float(),)


class _Energy(torch.nn.Module):
    """Contrastive divergence with its regularization of scores."""

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.divergence, self.regularization = SGLDContrastiveDivergenceTerm(), SGLDScoreRegularizationTerm()

    def forward(self, samples, drawn):
        module = SimpleNamespace(model=self.model)
        divergence = self.divergence(samples, drawn, training_module=module)
        return divergence + 0.1 * self.regularization(samples, drawn, training_module=module)


def energy():
    return _Energy(MLP(in_features=4, out_features=1, layers=[8, 8])), (torch.randn(6, 4), torch.randn(6, 4))


def energy_of_images():
    model = DummyCNN((1, 8, 8), latent_size=1, num_layers=2)
    return _Energy(model), (torch.rand(4, 1, 8, 8), torch.rand(4, 1, 8, 8))
