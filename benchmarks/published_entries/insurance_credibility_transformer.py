"""Entry points of insurance-credibility-transformer: its transformers of policies under deviances, and in context."""

import torch
from insurance_credibility_transformer import (
    CredibilityTransformer,
    GammaDevianceLoss,
    ICLCredibilityTransformer,
    PoissonDevianceLoss,
)


class _Trained(torch.nn.Module):
    def __init__(self, model, loss):
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, categories, numbers, claims, exposure):
        expected, _ = self.model(categories, numbers, exposure)
        return self.loss(expected, claims, exposure)


class _Severity(_Trained):
    def forward(self, categories, numbers, amounts, counts):
        return self.loss(self.model(categories, numbers)[0], amounts, counts)


def _policies(count):
    categories = torch.stack([torch.randint(0, levels, (count,)) for levels in (4, 2, 6)], 1)
    return categories, torch.randn(count, 2)


def _exposure(count):
    return 0.1 + 0.9 * torch.rand(count)


def frequency():
    model = CredibilityTransformer([4, 2, 6], 2, embed_dim=4)
    claims = torch.tensor([0.0, 1.0, 0.0, 0.0, 2.0, 0.0])
    return _Trained(model, PoissonDevianceLoss()), (*_policies(6), claims, _exposure(6))


def deep_frequency():
    model = CredibilityTransformer([4, 2, 6], 2, 4, 2, 2, alpha=0.98, use_ple=True, n_ple_bins=5, use_swiglu=True)
    claims = torch.tensor([1.0, 0.0, 0.0, 3.0, 0.0, 0.0])
    return _Trained(model, PoissonDevianceLoss()), (*_policies(6), claims, _exposure(6))


def severity():
    model = CredibilityTransformer([4, 2, 6], 2, embed_dim=4, n_heads=2, link="softplus")
    return _Severity(model, GammaDevianceLoss()), (*_policies(4), 0.2 + 3 * torch.rand(4), torch.tensor([1.0, 2, 1, 3]))


def in_context():
    model = ICLCredibilityTransformer(CredibilityTransformer([4, 2, 6], 2, embed_dim=4, n_heads=2), icl_layers=2)
    claims = torch.tensor([0.0, 1.0, 0.0, 2.0, 0.0])
    return model, (*_policies(5), claims, _exposure(5), *_policies(3), _exposure(3))


def linearized_context():
    model = ICLCredibilityTransformer(CredibilityTransformer([4, 2, 6], 2, 4), icl_layers=1, linearized=True)
    claims = torch.tensor([1.0, 0.0, 0.0, 0.0, 1.0])
    return model, (*_policies(5), claims, _exposure(5), *_policies(3), _exposure(3))
