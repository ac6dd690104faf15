"""Entry points of cassava-classifier: its losses of leaves that may be labelled wrongly, on a small network."""

import torch
from cassava.loss import BiTemperedLogisticLoss, FocalCosineLoss, bi_tempered_binary_logistic_loss


class _Leaves(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        layers = torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten()
        self.model, self.loss = torch.nn.Sequential(*layers, torch.nn.Linear(8, 5)), loss

    def forward(self, pictures, labels):
        return self.loss(self.model(pictures), labels)


def _pictures():
    return torch.rand(4, 3, 8, 8), torch.tensor([3, 0, 4, 3])


def tempered():
    return _Leaves(BiTemperedLogisticLoss(t1=0.8, t2=1.4)), _pictures()


def tempered_and_smoothed():
    return _Leaves(BiTemperedLogisticLoss(t1=0.3, t2=1.0, smoothing=0.06)), _pictures()


def focal_and_cosine():
    return _Leaves(FocalCosineLoss()), _pictures()


class _Ill(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))

    def forward(self, features, ill):
        return bi_tempered_binary_logistic_loss(self.model(features).squeeze(1), ill, t1=0.8, t2=1.2)


def ill_or_not():
    return _Ill(), (torch.rand(4, 6), torch.tensor([1.0, 0.0, 0.0, 1.0]))
