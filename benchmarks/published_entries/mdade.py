"""Entry points of mdade: its densities of rows, each feature from those before it, trained by their likelihood."""

import torch
from mdade import MADE

SCALES = {"scale": "lambda x: torch.nn.functional.softplus(x) + 0.01"}


class _Trained(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.model = MADE(in_features=4, layers=[16, 16], **options)

    def forward(self, rows):
        return -self.model.log_prob(rows, reduce=True).mean()


def normal():
    return _Trained(num_masks=1, distribution_params_transforms=SCALES), (torch.randn(6, 4),)


def mixed():
    model = _Trained(num_masks=1, num_mixtures=3, residual=True, distribution_params_transforms=SCALES)
    return model, (torch.randn(6, 4),)


def laplace():
    model = _Trained(
        num_masks=1,
        batch_norm=False,
        distribution="torch.distributions.Laplace",
        distribution_params_transforms=SCALES,
    )
    return model, (torch.randn(6, 4),)
