"""Entry points of torch-dad: networks of its layers that are trained by targets of their own."""

import torch
from torch_dad import DADAutogradLinear, DADLinear, DADModel


class _Network(DADModel):
    """As its documentation has it: layers that give values before and after the activation, and a classifier."""

    def __init__(self):
        super().__init__()
        self.first, self.second = DADLinear(6, 8, num_classes=3), DADLinear(8, 8, num_classes=3)
        self.classifier = torch.nn.Linear(8, 3)

    def forward(self, images):
        return self.forward_inference(images)


def inference():
    return _Network(), (torch.rand(4, 6),)


class _Trained(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = DADAutogradLinear(6, 8, num_classes=3)
        self.second = DADAutogradLinear(8, 8, num_classes=3)
        self.classifier = torch.nn.Linear(8, 3)

    def forward(self, images, labels):
        for layer in (self.first, self.second):
            layer.set_y_context(labels)
        given = self.classifier(self.second(self.first(images)))
        return torch.nn.functional.cross_entropy(given, labels)


def trained():
    return _Trained(), (torch.rand(4, 6), torch.tensor([0, 2, 1, 1]))
