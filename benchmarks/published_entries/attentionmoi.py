"""Entry points of attentionmoi: its networks of omics data of patients with the loss of their classes."""

import torch
from AttentionMOI.src.module import DeepMOI, Net
from AttentionMOI.src.mogonet.models import init_model_dict


class _Classified(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network, self.loss = network, torch.nn.CrossEntropyLoss()

    def forward(self, *samples):
        return self.loss(self.network(*samples[:-1]), samples[-1])


def perceptron():
    return _Classified(DeepMOI(12, 3)), (torch.rand(4, 12), torch.tensor([0, 2, 1, 1]))


def attention():
    return _Classified(Net(8, 6, 3)), (torch.rand(4, 8), torch.rand(4, 6), torch.tensor([0, 2, 1, 1]))


class _Views(torch.nn.Module):
    """A graph of patients for each kind of data; how the classes of both go together says the class."""

    def __init__(self):
        super().__init__()
        self.models = torch.nn.ModuleDict(init_model_dict(2, 3, [8, 6], [16, 16, 8], 9, gcn_dopout=0.5))
        self.loss = torch.nn.CrossEntropyLoss()

    def forward(self, first, second, first_graph, second_graph, classes):
        views = [
            self.models["C1"](self.models["E1"](first, first_graph.to_sparse())),
            self.models["C2"](self.models["E2"](second, second_graph.to_sparse())),
        ]
        return self.loss(self.models["C"](views), classes)


def _graph():
    near = ((torch.rand(5, 5) > 0.5).float() + torch.eye(5)).clamp(max=1)
    near = torch.maximum(near, near.T)
    return near / near.sum(dim=1, keepdim=True)


def views():
    return _Views(), (torch.rand(5, 8), torch.rand(5, 6), _graph(), _graph(), torch.tensor([0, 2, 1, 1, 0]))
