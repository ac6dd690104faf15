"""Entry points of cds-interpret: sparse codes of what a layer holds, of one network and of several."""

import torch
from cds_interpret.crosscoder import Crosscoder
from cds_interpret.sae import TopKSAE


class _Explained(torch.nn.Module):
    """The share of the variance that a code leaves unexplained."""

    def __init__(self, code):
        super().__init__()
        self.code = code

    def forward(self, activations):
        error = (activations - self.code(activations)).pow(2).sum(-1).mean()
        return error / (activations - activations.mean(0)).pow(2).sum(-1).mean().clamp_min(1e-8)


def features():
    activations = torch.randn(6, 8)
    return TopKSAE(d=8, m=16, k=3).init_from(activations), (activations,)


def explained():
    activations = torch.randn(6, 8)
    return _Explained(TopKSAE(d=8, m=16, k=3).init_from(activations)), (activations,)


def snapshots():
    activations = torch.randn(6, 3, 8)
    return Crosscoder(n_models=3, d=8, m=16, k=4).init_from(activations), (activations,)


def explained_snapshots():
    activations = torch.randn(6, 2, 8)
    return _Explained(Crosscoder(n_models=2, d=8, m=16, k=4).init_from(activations)), (activations,)
