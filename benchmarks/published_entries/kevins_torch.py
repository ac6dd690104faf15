"""Entry points of kevins-torch: its classifiers of images with its focal loss."""

import torch
from kevins_torch.loss_functions.focal_loss import FocalLoss
from kevins_torch.models.cnn import CNNModel
from kevins_torch.models.lenet import LeNetModel


class _Classified(torch.nn.Module):
    def __init__(self, network, loss):
        super().__init__()
        self.network, self.loss = network, loss

    def forward(self, images, labels):
        return self.loss(self.network(images), labels)


def _small(**options):
    sizes = {"input_size": 16, "num_classes": 3, "hidden_layers": [16, 8], "conv_layers": [8, 8, 16]}
    return CNNModel(**sizes, **options)


def lenet():
    return _Classified(LeNetModel(3), FocalLoss()), (torch.randn(2, 3, 32, 32), torch.tensor([0, 2]))


def convolutional():
    loss = FocalLoss(alpha=0.25, num_classes=3)
    return _Classified(_small(), loss), (torch.randn(4, 3, 16, 16), torch.tensor([0, 2, 1, 1]))


def weighted_classes():
    network = _small(activation_function="ReLU", using_batch_norm=False)
    loss = FocalLoss(alpha=[0.2, 0.3, 0.5], gamma=3, size_average=False)
    return _Classified(network, loss), (torch.randn(4, 3, 16, 16), torch.tensor([0, 2, 1, 1]))


def several_labels():
    labels = torch.tensor([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]])
    return _Classified(_small(dropout_rate=0.0), FocalLoss(alpha=0.5)), (torch.randn(4, 3, 16, 16), labels)
