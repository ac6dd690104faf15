"""Entry points of tensor-optix: its noisy network of distributions, its losses and its graphs of single neurons."""

import torch
from tensor_optix.algorithms.torch_rainbow_dqn import RainbowQNetwork
from tensor_optix.ml.loss_registry import resolve_loss
from tensor_optix.neuroevo.graph.neuron import LSTMNeuron, TrainableGRUNeuron
from tensor_optix.neuroevo.graph.neuron_graph import NeuronGraph
from torch import nn


class _Rainbow(nn.Module):
    """The crossed entropy of returns, as distributions, of the actions that were taken."""

    def __init__(self):
        super().__init__()
        self.net = RainbowQNetwork.build(obs_dim=4, n_actions=3, hidden_size=8, n_atoms=11)

    def forward(self, observations, actions, returns):
        found = self.net(observations)[torch.arange(len(actions)), actions]
        return -(returns * found).sum(-1).mean()


def rainbow():
    return _Rainbow(), (torch.randn(5, 4), torch.tensor([0, 2, 1, 1, 0]), torch.rand(5, 11).softmax(-1))


class _Variational(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = nn.Linear(6, 4), nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 6))
        self.loss = resolve_loss("vae")

    def forward(self, x):
        mean, log_variance = self.encoder(x).chunk(2, -1)
        code = mean + torch.randn_like(mean) * (0.5 * log_variance).exp()
        return self.loss((self.decoder(code), mean, log_variance), x)


def variational():
    return _Variational(), (torch.rand(4, 6),)


class _Contrasted(nn.Module):
    def __init__(self):
        super().__init__()
        self.net, self.loss = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4)), resolve_loss("contrastive")

    def forward(self, first, second):
        return self.loss((self.net(first), self.net(second)))


def contrasted():
    x = torch.randn(4, 6)
    return _Contrasted(), (x, x + 0.1 * torch.randn(4, 6))


def _graph(hidden, **options):
    graph = NeuronGraph(**options)
    inputs = [graph.add_neuron("input", activation="linear") for _ in range(3)]
    hidden = [graph.add_neuron("hidden", **given) for given in hidden]
    outputs = [graph.add_neuron("output", activation="linear") for _ in range(2)]
    for sources, targets in (inputs, hidden), (hidden, outputs):
        for i, source in enumerate(sources):
            for j, target in enumerate(targets):
                graph.add_edge(source, target, weight=0.1 + 0.1 * ((i + 2 * j) % 4))
    graph.ensure_built()
    return graph


class _Policy(nn.Module):
    def __init__(self, graph):
        super().__init__()
        self.graph = graph

    def forward(self, observations, actions):
        self.graph.reset_state()
        logits = torch.stack([self.graph(observed) for observed in observations])
        return nn.functional.cross_entropy(logits, actions)


def graph_of_neurons():
    hidden = {"activation": "tanh", "cell_type": "excitatory"}, {"activation": "relu"}, {"activation": "sigmoid"}
    return _Policy(_graph(hidden, dale_mode="softplus")), (torch.randn(4, 3), torch.tensor([0, 1, 1, 0]))


def graph_with_memory():
    graph = _graph(({"neuron": TrainableGRUNeuron()}, {"neuron": LSTMNeuron()}, {"activation": "tanh"}))
    return _Policy(graph), (torch.randn(4, 3), torch.tensor([0, 1, 1, 0]))
