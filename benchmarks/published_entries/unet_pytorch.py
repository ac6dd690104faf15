"""Entry points of unet-pytorch: its network with one step down and up, with the losses of a segmentation."""

import torch
from unet_pytorch.model import DoubleConv, DownBlock, OutConv, UpBlock


class _Small(torch.nn.Module):
    """The package's network with one step down and up."""

    def __init__(self):
        super().__init__()
        self.first, self.down, self.up = DoubleConv(1, 4), DownBlock(4, 8), UpBlock(8, 4)
        self.last, self.softmax = OutConv(4, 3), torch.nn.Softmax(dim=1)

    def forward(self, image):
        wide = self.first(image)
        return self.softmax(self.last(self.up(self.down(wide), wide)))


class _Segmenting(torch.nn.Module):
    def __init__(self, model, loss):
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, image, labels):
        return self.loss(self.model(image), labels)


def _dice(probabilities, labels):
    wanted = torch.nn.functional.one_hot(labels, 3).permute(0, 3, 1, 2)
    return 1 - 2 * (probabilities * wanted).sum() / (probabilities.sum() + wanted.sum())


def _data():
    return torch.randn(2, 1, 8, 8), torch.randint(3, (2, 8, 8))


def cross_entropy():
    return _Segmenting(_Small(), torch.nn.CrossEntropyLoss()), _data()


def dice():
    return _Segmenting(_Small(), _dice), _data()
