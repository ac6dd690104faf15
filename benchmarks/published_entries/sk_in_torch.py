"""Entry points of sk-in-torch: its models of tables with the losses by which it fits them."""

import torch
from sk_in_torch.linear_model import LogisticRegressionNN
from sk_in_torch.neural_network import TabularMLP


class _Fitted(torch.nn.Module):
    def __init__(self, model, loss):
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, samples, wanted):
        return self.loss(self.model(samples), wanted)


def logistic():
    return _Fitted(LogisticRegressionNN(5), torch.nn.BCELoss()), (torch.randn(6, 5), torch.rand(6, 1).round())


def regression():
    return _Fitted(TabularMLP(5, 1, [8, 8]), torch.nn.MSELoss()), (torch.randn(6, 5), torch.randn(6, 1))


def classification():
    model = TabularMLP(5, 1, [8], task_type="classification")
    return _Fitted(model, torch.nn.BCELoss()), (torch.randn(6, 5), torch.rand(6, 1).round())
