"""Entry points of torchxrayvision: its networks of radiographs without their weights, with the loss of its training."""

import torch
from torchxrayvision.models import DenseNet


def _network(**options):
    sizes = {"growth_rate": 4, "block_config": (1, 1), "num_init_features": 8, "bn_size": 2}
    return DenseNet(**sizes, num_classes=5, in_channels=1, **options)


def _images():
    return 2048 * torch.rand(2, 1, 224, 224) - 1024


class _Labelled(torch.nn.Module):
    """Several diseases of an image, of which only some are labelled."""

    def __init__(self):
        super().__init__()
        self.network = _network()

    def forward(self, images, labels, known):
        logits = self.network(images)
        return torch.nn.functional.binary_cross_entropy_with_logits(logits[known], labels[known])


def labelled():
    known = torch.tensor([[True, True, False, True, False], [False, True, True, True, True]])
    return _Labelled(), (_images(), torch.rand(2, 5).round(), known)


def calibrated():
    """Its probabilities, moved so that each disease is told at one half."""
    return _network(apply_sigmoid=True, op_threshs=torch.tensor([0.1, 0.3, 0.2, 0.45, 0.07])), (_images(),)
