"""Entry points of torch-geometric-signed-directed: clusters of signed and directed graphs, with their losses."""

import scipy.sparse
import torch
from torch_geometric_signed_directed.nn import (
    DiGCN_node_classification,
    MagNet_node_classification,
    SSSNET_node_clustering,
)
from torch_geometric_signed_directed.utils import (
    Link_Sign_Product_Loss,
    Prob_Balanced_Normalized_Loss,
    Prob_Balanced_Ratio_Loss,
    Sign_Structure_Loss,
)

EDGES = torch.tensor([[0, 1, 2, 3, 4, 5, 0, 2], [1, 2, 3, 4, 5, 0, 3, 5]])
AGAINST = torch.tensor([[0, 1, 3, 4, 5], [2, 4, 0, 2, 1]])


def _adjacency(edges):
    matrix = scipy.sparse.coo_matrix(([1.0] * edges.shape[1], (edges[0].numpy(), edges[1].numpy())), shape=(6, 6))
    return (matrix + matrix.T).tocsc()


class _Clustered(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.model = SSSNET_node_clustering(nfeat=4, hidden=6, nclass=3, dropout=0.0, hop=2, fill_value=0.5)
        self.loss = loss(_adjacency(EDGES), _adjacency(AGAINST))

    def forward(self, features, weights, against):
        return self.loss(self.model(EDGES, weights, AGAINST, against, features)[-1])


def _signed():
    return torch.randn(6, 4), torch.ones(8), torch.ones(5)


def balanced_ratio():
    return _Clustered(Prob_Balanced_Ratio_Loss), _signed()


def balanced_normalized():
    return _Clustered(Prob_Balanced_Normalized_Loss), _signed()


class _Linked(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.layer, self.loss = torch.nn.Linear(4, 5), loss

    def forward(self, features):
        return self.loss(self.layer(features), EDGES, AGAINST)


def signs_of_links():
    return _Linked(Link_Sign_Product_Loss()), (torch.randn(6, 4),)


def structure_of_signs():
    return _Linked(Sign_Structure_Loss()), (torch.randn(6, 4),)


class _Nodes(torch.nn.Module):
    def __init__(self, model, *edges):
        super().__init__()
        self.model, self.edges = model, edges

    def forward(self, labels, *features):
        return torch.nn.functional.nll_loss(self.model(*features, *self.edges), labels)


def magnetic():
    model = MagNet_node_classification(4, hidden=4, K=1, label_dim=3, activation=True, cached=False)
    return _Nodes(model, EDGES, torch.ones(8)), (torch.tensor([0, 1, 2, 0, 1, 2]), torch.randn(6, 4), torch.randn(6, 4))


def directed_convolution():
    model = DiGCN_node_classification(4, hidden=5, label_dim=3, dropout=0.0)
    return _Nodes(model, EDGES, torch.ones(8) / 3), (torch.tensor([0, 1, 2, 0, 1, 2]), torch.randn(6, 4))
