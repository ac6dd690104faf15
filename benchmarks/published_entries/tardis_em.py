"""Entry points of tardis-em: its graph transformer between points of a cloud, and losses of masks and graphs."""

import torch
from tardis_em.dist_pytorch.model.embedding import EdgeEmbedding, NodeEmbedding
from tardis_em.dist_pytorch.model.layers import DistStack
from tardis_em.utils.losses import BCEDiceLoss, BCELoss, ClDiceLoss


class _Graph(torch.nn.Module):
    """Which points of a cloud belong to one instance."""

    def __init__(self, structure):
        super().__init__()
        self.edges = EdgeEmbedding(n_out=16, sigma=[0.1, 2, 8])
        self.layers = DistStack(pairs_dim=16, num_layers=2, dropout=0.1, num_heads=2, structure=structure)
        self.head, self.loss = torch.nn.Linear(16, 1), BCELoss(diagonal=True)

    def scored(self, edges):
        return self.head(edges + edges.transpose(1, 2)).squeeze(-1)

    def forward(self, points, graph):
        _, edges = self.layers(edge_features=self.edges(points))
        return self.loss(self.scored(edges), graph)


def _points():
    graph = torch.block_diag(torch.ones(3, 3), torch.ones(4, 4))[None]
    return torch.rand(1, 7, 3), graph


def triangular():
    return _Graph("triang"), _points()


def full():
    return _Graph("full"), _points()


class _Coloured(_Graph):
    """Each point comes with its colour."""

    def __init__(self):
        super().__init__("triang")
        self.nodes = NodeEmbedding(3, 8, sigma=0)
        self.layers = DistStack(pairs_dim=16, node_dim=8, num_layers=2, num_heads=2, structure="triang")

    def forward(self, points, graph, colours):
        nodes = self.nodes(colours).transpose(0, 1)
        _, edges = self.layers(edge_features=self.edges(points), node_features=nodes)
        return self.loss(self.scored(edges), graph)


def coloured():
    return _Coloured(), (*_points(), torch.rand(1, 7, 3))


class _Segmented(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        layers = torch.nn.Conv2d(1, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(8, 1, 1)
        self.model, self.loss = torch.nn.Sequential(*layers), loss

    def forward(self, pictures, masks):
        return self.loss(self.model(pictures), masks)


def pictures():
    return _Segmented(BCEDiceLoss()), (torch.rand(2, 1, 16, 16), (torch.rand(2, 1, 16, 16) > 0.5).float())


def skeletons():
    return _Segmented(ClDiceLoss()), (torch.rand(2, 1, 16, 16), (torch.rand(2, 1, 16, 16) > 0.5).float())
