"""Entry points of infonce: its contrastive losses of two views and of labels, on small encoders."""

import torch
from infonce import InfoNCE, SupervisedInfoNCE


def _encoder():
    convolutions = torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.BatchNorm2d(8), torch.nn.ReLU()
    return torch.nn.Sequential(*convolutions, torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(8, 6))


class _Views(torch.nn.Module):
    """The second half of the batch holds the other views of the first."""

    def __init__(self, temperature=0.5):
        super().__init__()
        self.encoder, self.loss = _encoder(), InfoNCE(temperature)

    def forward(self, first, second):
        return self.loss(self.encoder(torch.cat([first, second])))


def views():
    return _Views(), (torch.rand(4, 3, 8, 8), torch.rand(4, 3, 8, 8))


def views_at_low_temperature():
    return _Views(0.07), (torch.rand(4, 3, 8, 8), torch.rand(4, 3, 8, 8))


class _Labels(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.loss = _encoder(), SupervisedInfoNCE()

    def forward(self, images, labels):
        return self.loss(self.encoder(images), labels)


def labels():
    return _Labels(), (torch.rand(6, 3, 8, 8), torch.tensor([0, 1, 0, 2, 1, 2]))
