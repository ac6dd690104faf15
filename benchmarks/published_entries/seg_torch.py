"""Entry points of seg-torch: pyramids of pooled features and a small U of its layers, with losses of masks."""

import sys
from unittest.mock import MagicMock

import torch

sys.modules["torchvision.models.utils"] = MagicMock()  # downloads of weights

from segmentation.models.pspnet import PSPModule, PSPUpsampling  # noqa: E402
from segmentation.models.unet import Unet  # noqa: E402


class _Pooled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution, self.pyramid = torch.nn.Conv2d(3, 4, 3, 2, 1), PSPModule(4, 8, (1, 2))
        self.upsampling, self.head = PSPUpsampling(8, 4), torch.nn.Conv2d(4, 3, 1)

    def forward(self, images, masks):
        hidden = self.upsampling(self.pyramid(self.convolution(images)))
        return torch.nn.functional.cross_entropy(self.head(hidden), masks)


def pooled():
    return _Pooled(), (torch.rand(2, 3, 16, 16), torch.randint(3, (2, 16, 16)))


class _Layers(torch.nn.Module):
    """The layers of its U, whose classifier ends in probabilities."""

    def __init__(self):
        super().__init__()
        self.model = Unet(2, [4, "M", 8])

    def forward(self, images, masks):
        given = self.model.classifier(self.model.features(images))
        return torch.nn.functional.binary_cross_entropy(given, masks)


def layers():
    return _Layers(), (torch.rand(2, 3, 16, 16), torch.randint(2, (2, 2, 8, 8)).float())
