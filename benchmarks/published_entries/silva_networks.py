"""Entry points of silva-networks: layers that seek an equilibrium, by several solvers, as in its README."""

import torch
from silva_networks import SILVAGraphLayer, SILVAGraphNetwork, SILVAImageLayer, SolverConfig
from silva_networks.implicit import SILVAEulerFlowBlock, SILVAFixedPointClassifier


class _Classified(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, features, classes, edges=None):
        scores = self.model(features) if edges is None else self.model(features, edge_index=edges)
        return torch.nn.functional.cross_entropy(scores, classes)


def _graph(nodes=8, width=5):
    edges = torch.stack([torch.arange(nodes), torch.arange(1, nodes + 1) % nodes])
    return torch.randn(nodes, width), torch.randint(4, (nodes,)), edges


class _Layer(torch.nn.Module):
    def __init__(self, **settings):
        super().__init__()
        config = SolverConfig(max_iter=6, alpha=0.5, tol=1e-5, **settings)
        self.layer = SILVAGraphLayer(in_dim=5, hidden_dim=8, config=config)

    def forward(self, nodes, edges):
        return self.layer(nodes, edge_index=edges)


def layer():
    nodes, _, edges = _graph()
    return _Layer(), (nodes, edges)


def layer_by_implicit_gradients():
    nodes, _, edges = _graph()
    return _Layer(backward_mode="implicit", backward_solver="gmres"), (nodes, edges)


def stacked():
    model = SILVAGraphNetwork(
        in_dim=5,
        hidden_dims=[8, 8, 6],
        out_dim=4,
        task="node",
        config=[
            SolverConfig(solver="picard", max_iter=4, alpha=0.5),
            SolverConfig(solver="anderson", max_iter=4, alpha=0.5, history=3),
            SolverConfig(solver="broyden", max_iter=4, alpha=0.4),
        ],
        local=["graph", "topk", "graph"],
        global_term="mean",
    )
    return _Classified(model), _graph()


def rows():
    model = SILVAFixedPointClassifier(6, 8, 4, config=SolverConfig(max_iter=6, alpha=0.5), dropout=0.1)
    return _Classified(model), (torch.randn(3, 6), torch.tensor([1, 0, 3]))


def flow():
    layers = torch.nn.Linear(6, 8), SILVAEulerFlowBlock(8, steps=4), torch.nn.Linear(8, 4)
    return _Classified(torch.nn.Sequential(*layers)), (torch.randn(3, 6), torch.tensor([1, 0, 3]))


def images():
    layer = SILVAImageLayer(3, 6, SolverConfig(alpha=0.5, max_iter=5))
    layers = layer, torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(6, 4)
    return _Classified(torch.nn.Sequential(*layers)), (torch.rand(2, 3, 8, 8), torch.tensor([1, 3]))
