"""Entry points of pytopk: smoothed hinge losses of the top k, balanced and imbalanced, and its smooth k-th value."""

import torch
from pytopk import BalNoisedTopK, ImbalNoisedTopK, NoisedTopK


class _Trained(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.ReLU(), torch.nn.Linear(8, 5))
        self.loss = loss

    def forward(self, x, labels):
        return self.loss(self.net(x), labels)


def _samples():
    return torch.randn(4, 6), torch.tensor([0, 4, 2, 1])


def balanced():
    return _Trained(BalNoisedTopK(k=2, epsilon=1.0)), _samples()


def imbalanced():
    return _Trained(ImbalNoisedTopK(k=2, epsilon=0.01, max_m=0.3, cls_num_list=[40, 21, 12, 7, 3])), _samples()


class _Strongest(torch.nn.Module):
    """A network whose features are weighed by what lies above their third largest value."""

    def __init__(self):
        super().__init__()
        self.features, self.topk = torch.nn.Linear(6, 8), NoisedTopK(k=3, dim=-1)
        self.head = torch.nn.Linear(8, 2)

    def forward(self, x):
        x = self.features(x)
        return self.head(x * torch.sigmoid(x - self.topk(x)[:, None]))


def strongest_features():
    return _Strongest(), (torch.randn(4, 6),)
