"""Entry points of cka-pytorch: how alike the features of two layers are, measured and trained."""

import torch
from cka_pytorch.hsic import hsic1
from cka_pytorch.utils import gram


class _Alike(torch.nn.Module):
    """The alignment of kernels as its comparison of models ends with it, of a student's layers and a teacher's."""

    def __init__(self, epsilon=1e-4):
        super().__init__()
        self.student = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.ReLU())
        self.teacher = torch.nn.Sequential(torch.nn.Linear(6, 12), torch.nn.ReLU())
        self.epsilon = epsilon

    def forward(self, samples):
        first = torch.stack([gram(self.student(samples)), gram(samples)])
        second = gram(self.teacher(samples)).expand_as(first)
        across = hsic1(first, second)
        return across / torch.sqrt(hsic1(first, first) * hsic1(second, second) + self.epsilon)


def measured():
    return _Alike(), (torch.randn(8, 6),)


class _Trained(_Alike):
    def forward(self, samples):
        return (1 - super().forward(samples)).mean()


def trained():
    return _Trained(), (torch.randn(8, 6),)


class _Independent(torch.nn.Module):
    """A penalty of features that depend on a protected attribute."""

    def __init__(self):
        super().__init__()
        self.layer, self.head = torch.nn.Linear(5, 4), torch.nn.Linear(4, 2)

    def forward(self, samples, protected, labels):
        features = torch.tanh(self.layer(samples))
        dependence = hsic1(gram(features)[None], gram(protected)[None]).sum()
        return torch.nn.functional.cross_entropy(self.head(features), labels) + 0.1 * dependence


def independent():
    return _Independent(), (torch.randn(6, 5), torch.randn(6, 1), torch.tensor([0, 1, 1, 0, 1, 0]))
