"""Entry points of torchcoder: autoencoders of graphs and of motion, with the losses that train them."""

import torch
from torchcoder.layers import GraphConvolution
from torchcoder.models.ae import AE
from torchcoder.models.gcnvae import GCNVAE


def _graph():
    edges = torch.randint(2, (6, 6)).triu(1).float()
    edges = edges + edges.T + torch.eye(6)
    scale = edges.sum(1).rsqrt()
    return torch.randn(6, 5), edges * scale[:, None] * scale, (edges > 0).float()


class _Variational(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = GCNVAE(5, 8, 4, dropout=0.1)

    def forward(self, features, adjacency, edges):
        given, mean, logarithm = self.model(features, adjacency)
        divergence = -0.5 * (1 + 2 * logarithm - mean.pow(2) - logarithm.exp().pow(2)).sum(1).mean()
        return torch.nn.functional.binary_cross_entropy_with_logits(given, edges) + divergence / len(edges)


def variational():
    return _Variational(), _graph()


class _Motion(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = AE()

    def forward(self, motion, wanted):
        return torch.nn.functional.mse_loss(self.model(motion), wanted)


def motion():
    return _Motion(), (torch.randn(2, 147), torch.tanh(torch.randn(2, 91)))


def graph_convolution():
    return GraphConvolution(5, 4, 0.0, torch.relu), _graph()[:2]
