"""Entry points of ptgnn: its perceptron as a classifier, and with messages along the edges of a small graph."""

import torch
from ptgnn.neuralmodels.mlp import MLP


class _Classified(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.model = MLP(6, 3, **options)

    def forward(self, rows, labels):
        return torch.nn.functional.cross_entropy(self.model(rows), labels)


def rows():
    return _Classified(), (torch.randn(5, 6), torch.tensor([0, 2, 1, 1, 0]))


def rows_in_several_layers():
    model = _Classified(hidden_layers=[16, 8], use_biases=True, activation=torch.nn.Tanh(), dropout_rate=0.1)
    return model, (torch.randn(5, 6), torch.tensor([0, 2, 1, 1, 0]))


class _Graph(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.messages, self.update, self.head = MLP(12, 6), torch.nn.GRUCell(6, 6), MLP(6, 1)

    def forward(self, nodes, sources, targets, marked):
        for _ in range(2):
            sent = self.messages(torch.cat([nodes[sources], nodes[targets]], dim=-1))
            nodes = self.update(torch.zeros_like(nodes).index_add(0, targets, sent), nodes)
        return torch.nn.functional.binary_cross_entropy_with_logits(self.head(nodes).squeeze(1), marked)


def graph():
    sources, targets = torch.tensor([0, 1, 2, 3, 1]), torch.tensor([1, 2, 3, 0, 3])
    return _Graph(), (torch.randn(4, 6), sources, targets, torch.tensor([1.0, 0.0, 0.0, 1.0]))
