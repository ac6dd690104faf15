"""Entry points of balanced-loss: its losses of classes that are rare, on small classifiers."""

import torch
from balanced_loss import Loss


class _Classifier(torch.nn.Module):
    """The samples of each class of a training set that holds few of the last."""

    def __init__(self, loss_type, **options):
        super().__init__()
        layers = torch.nn.Linear(6, 16), torch.nn.BatchNorm1d(16), torch.nn.ReLU(), torch.nn.Linear(16, 4)
        self.model = torch.nn.Sequential(*layers)
        counts = [300, 120, 40, 5]
        self.loss = Loss(loss_type, samples_per_class=counts, class_balanced=True, **options)

    def forward(self, samples, labels):
        return self.loss(self.model(samples), labels)


def _samples():
    return torch.randn(5, 6), torch.tensor([0, 0, 1, 3, 2])


def focal():
    return _Classifier("focal_loss"), _samples()


def cross_entropy():
    return _Classifier("cross_entropy", beta=0.99), _samples()


def binary_cross_entropy():
    return _Classifier("binary_cross_entropy"), _samples()


def softmax_binary_cross_entropy():
    return _Classifier("softmax_binary_cross_entropy"), _samples()


def safe_focal():
    model = _Classifier("focal_loss", safe=True, fl_gamma=0.5)
    model.loss.samples_per_class = [300, 120, 40, 0]
    return model, (torch.randn(5, 6), torch.tensor([0, 0, 1, 2, 2]))
