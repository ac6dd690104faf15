"""Entry points of pytorch-widedeep: losses of tables behind a linear layer."""

import torch
from pytorch_widedeep import losses


class _Predicting(torch.nn.Module):
    def __init__(self, loss, outputs=1, activation=None):
        super().__init__()
        self.head, self.loss = torch.nn.Linear(6, outputs), loss
        self.activation = activation or torch.nn.Identity()

    def forward(self, x, wanted):
        return self.loss(self.activation(self.head(x)), wanted)


def _rows(wanted):
    return torch.randn(5, 6), wanted


def squared_logarithm():
    return _Predicting(losses.MSLELoss(), activation=torch.nn.Softplus()), _rows(torch.rand(5, 1) * 9)


def root_of_squared_logarithm():
    return _Predicting(losses.RMSLELoss(), activation=torch.nn.Softplus()), _rows(torch.rand(5, 1) * 9)


def focal():
    return _Predicting(losses.FocalLoss(), 3), _rows(torch.randint(3, (5, 1)))


def tweedie():
    return _Predicting(losses.TweedieLoss(), activation=torch.nn.Softplus()), _rows(torch.rand(5, 1))


def zero_inflated_log_normal():
    return _Predicting(losses.ZILNLoss(), 3), _rows(torch.tensor([[0.0], [1.5], [0.0], [2.5], [0.7]]))


def focal_regression():
    return _Predicting(losses.FocalR_RMSELoss()), _rows(torch.randn(5, 1))


class _Contrasting(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.head, self.loss = torch.nn.Linear(6, 4), loss

    def forward(self, x, other):
        return self.loss((self.head(x), self.head(other)))


def noise_contrastive():
    return _Contrasting(losses.InfoNCELoss()), (torch.randn(5, 6), torch.randn(5, 6))
