"""Entry points of torch-geometric: graph networks, pooling and losses on one small graph of two components."""

import torch
from torch_geometric.nn import aggr, dense, models, norm
from torch_geometric.nn import conv as convolutions
from torch_geometric.nn import pool as pooling

EDGES = torch.tensor([[0, 1, 2, 3, 1, 2, 3, 0, 4, 5], [1, 0, 3, 2, 2, 1, 0, 3, 5, 4]])
BATCH = torch.tensor([0, 0, 0, 0, 1, 1])


def _nodes(width=8):
    return torch.randn(6, width)


class _OnGraph(torch.nn.Module):
    """A layer and the graph that it works on."""

    def __init__(self, inner, *rest, **named):
        super().__init__()
        self.inner, self.rest, self.named = inner, rest, named

    def forward(self, x):
        return self.inner(x, *self.rest, **self.named)


def gcn():
    return _OnGraph(models.GCN(8, 16, 2, 4), EDGES), (_nodes(),)


def gat():
    return _OnGraph(models.GAT(8, 16, 2, 4, heads=2), EDGES), (_nodes(),)


def gat_v2():
    return _OnGraph(models.GAT(8, 16, 2, 4, v2=True), EDGES), (_nodes(),)


def pna():
    degrees = torch.tensor([0, 2, 4])
    inner = models.PNA(
        8, 16, 2, 4, aggregators=["mean", "min", "max", "std"], scalers=["identity", "attenuation"], deg=degrees
    )
    return _OnGraph(inner, EDGES), (_nodes(),)


def transformer():
    return _OnGraph(convolutions.TransformerConv(8, 4, heads=2, beta=True), EDGES), (_nodes(),)


def gen():
    return _OnGraph(convolutions.GENConv(8, 8, aggr="softmax", learn_t=True, msg_norm=True), EDGES), (_nodes(),)


def gen_power():
    return _OnGraph(convolutions.GENConv(8, 8, aggr="powermean", learn_p=True), EDGES), (_nodes(),)


def agnn():
    return _OnGraph(convolutions.AGNNConv(), EDGES), (_nodes(),)


def arma():
    return _OnGraph(convolutions.ARMAConv(8, 4, num_stacks=2, num_layers=2), EDGES), (_nodes(),)


def cluster_gcn():
    return _OnGraph(convolutions.ClusterGCNConv(8, 4), EDGES), (_nodes(),)


def attentive_fp():
    inner = models.AttentiveFP(8, 16, 1, edge_dim=3, num_layers=2, num_timesteps=2)
    return _OnGraph(inner, EDGES, torch.randn(10, 3), BATCH), (_nodes(),)


def global_attention():
    return _OnGraph(aggr.AttentionalAggregation(torch.nn.Linear(8, 1)), BATCH, dim_size=2), (_nodes(),)


def softmax_aggregation():
    return _OnGraph(aggr.SoftmaxAggregation(learn=True), BATCH, dim_size=2), (_nodes(),)


def set2set():
    return _OnGraph(aggr.Set2Set(8, 3), BATCH, dim_size=2), (_nodes(),)


def variance_and_std():
    return _OnGraph(aggr.StdAggregation(), BATCH, dim_size=2), (_nodes(),)


def graph_norm():
    return _OnGraph(norm.GraphNorm(8), BATCH, 2), (_nodes(),)


def pair_norm():
    return _OnGraph(norm.PairNorm(), BATCH, 2), (_nodes(),)


def msg_norm():
    inner = norm.MessageNorm(learn_scale=True)
    return inner, (_nodes(), _nodes())


class _DiffPool(torch.nn.Module):
    def forward(self, x, adjacency, scores):
        _, _, link, entropy = dense.dense_diff_pool(x, adjacency, scores)
        return link + entropy


class _MinCut(torch.nn.Module):
    def forward(self, x, adjacency, scores):
        _, _, cut, orthogonality = dense.dense_mincut_pool(x, adjacency, scores)
        return cut + orthogonality


def _dense():
    adjacency = (torch.rand(2, 6, 6) > 0.5).float()
    return torch.randn(2, 6, 8), torch.maximum(adjacency, adjacency.transpose(1, 2)), torch.randn(2, 6, 3)


def diff_pool():
    return _DiffPool(), _dense()


def mincut_pool():
    return _MinCut(), _dense()


def deep_graph_infomax():
    class Encoder(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = convolutions.GCNConv(8, 16)

        def forward(self, x, edges):
            return self.conv(x, edges).relu()

    class Training(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = models.DeepGraphInfomax(
                16, Encoder(), lambda z, *_, **__: torch.sigmoid(z.mean(0)), lambda x, e: (x.flip(0), e)
            )

        def forward(self, x):
            return self.inner.loss(*self.inner(x, EDGES))

    return Training(), (_nodes(),)


def variational_autoencoder():
    class Encoder(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.mu, self.logstd = convolutions.GCNConv(8, 4), convolutions.GCNConv(8, 4)

        def forward(self, x, edges):
            return self.mu(x, edges), self.logstd(x, edges)

    class Training(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = models.VGAE(Encoder())

        def forward(self, x):
            z = self.inner.encode(x, EDGES)
            return self.inner.recon_loss(z, EDGES, EDGES.flip(1)) + self.inner.kl_loss() / 6

    return Training(), (_nodes(),)


def light_gcn_loss():
    class Training(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = models.LightGCN(6, 8, 2)

        def forward(self, edges):
            ranks = self.inner(EDGES, edges)
            return self.inner.recommendation_loss(ranks[:2], ranks[2:], node_id=edges.reshape(-1))

    return Training(), (torch.tensor([[0, 1, 2, 3], [4, 5, 4, 5]]),)


def sag_pool():
    return _OnGraph(pooling.MemPooling(8, 4, 2, 3), BATCH), (_nodes(),)
