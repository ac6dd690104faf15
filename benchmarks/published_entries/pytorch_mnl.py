"""Entry points of pytorch-mnl: its choice model, some of whose alternatives are not available, with its loss."""

import torch
from pytorch_mnl.core import LinearMNL


class _Chosen(torch.nn.Module):
    """Its learner sums the loss over the people of a batch."""

    def __init__(self, **options):
        super().__init__()
        self.model, self.loss = LinearMNL(in_dim=4, out_dim=3, **options), torch.nn.CrossEntropyLoss(reduction="sum")

    def forward(self, people, chosen, available):
        return self.loss(self.model(people, available), chosen)


def _people():
    available = torch.tensor([[1.0, 1.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]])
    return torch.randn(5, 4), torch.tensor([0, 2, 1, 1, 2]), available


def training():
    return _Chosen(), _people()


def with_bias():
    return _Chosen(bias=True), _people()


class _Probabilities(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = LinearMNL(in_dim=4, out_dim=3)

    def forward(self, people, available):
        return torch.softmax(self.model(people, available), dim=1)


def probabilities():
    people, _, available = _people()
    return _Probabilities(), (people, available)
