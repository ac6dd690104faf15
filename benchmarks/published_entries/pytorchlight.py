"""Entry points of pytorchlight: its networks of digits, with their loss, and an attack on what they see."""

import torch
from pytorchlight.adversarial.fgsm import FGSM
from pytorchlight.utils.model import Mnist_CNN, Mnist_Logistic


class _Classified(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, images, labels):
        return torch.nn.functional.cross_entropy(self.model(images), labels)


def convolution():
    return _Classified(Mnist_CNN()), (torch.rand(3, 784), torch.tensor([7, 0, 4]))


def logistic():
    return _Classified(Mnist_Logistic()), (torch.rand(3, 784), torch.tensor([7, 0, 4]))


class _Attacked(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model, self.attack = Mnist_Logistic(), FGSM(epsilon=0.1)

    def forward(self, images, gradient):
        return self.model(self.attack(x=images, grad=gradient).clamp(0, 1))


def attacked():
    return _Attacked(), (torch.rand(3, 784), torch.randn(3, 784))
