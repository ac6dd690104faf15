"""Entry points of torch-sparse-autoencoder: its autoencoder over activations of a layer, with its training's loss."""

import torch
from torch_sparse_autoencoder.sae import SparseAutoencoder
from torch_sparse_autoencoder.utils import default_sparsity_loss


class _Sparse(torch.nn.Module):
    def __init__(self, sizes, weight=1e-3):
        super().__init__()
        self.model, self.weight = SparseAutoencoder(*sizes), weight

    def loss(self, activations):
        hidden, restored = self.model(activations)
        error = torch.nn.functional.mse_loss(activations, restored)
        return self.weight * default_sparsity_loss(hidden) + error

    def forward(self, activations):
        return self.loss(activations)


def activations():
    return _Sparse((16, 64)), (torch.randn(6, 16),)


class _OfLayer(_Sparse):
    """The activations are a layer's of a model that stays as it is."""

    def __init__(self):
        super().__init__((12, 48))
        self.body = torch.nn.Sequential(torch.nn.Linear(6, 12), torch.nn.ReLU()).requires_grad_(False)

    def forward(self, rows):
        return self.loss(self.body(rows))


def activations_of_layer():
    return _OfLayer(), (torch.randn(5, 6),)
