"""Entry points of nonlocalpooling: its pooling over whole images and volumes, in small networks."""

import torch
from nonlocalpooling.pool import NonLocalPool2d, NonLocalPool3d


class _Classified(torch.nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers, self.head = torch.nn.Sequential(*layers), torch.nn.LazyLinear(4)

    def forward(self, images, classes):
        scores = self.head(self.layers(images).flatten(1))
        return torch.nn.functional.cross_entropy(scores, classes)


def _made(model, *inputs):
    model(*inputs)
    return model, inputs


def images():
    layers = torch.nn.Conv2d(3, 6, 3, padding=1), torch.nn.ReLU(), NonLocalPool2d(8, 6)
    return _made(_Classified(*layers), torch.rand(2, 3, 8, 8), torch.tensor([1, 3]))


def squeezed_images():
    layers = torch.nn.Conv2d(3, 6, 3, padding=1), torch.nn.ReLU(), NonLocalPool2d([8, 8], 6, 8, squeeze=True)
    return _made(_Classified(*layers), torch.rand(2, 3, 8, 8), torch.tensor([1, 3]))


def volumes():
    layers = torch.nn.Conv3d(1, 4, 3, padding=1), torch.nn.ReLU(), NonLocalPool3d(8, 4)
    return _made(_Classified(*layers), torch.rand(2, 1, 8, 8, 8), torch.tensor([1, 3]))
