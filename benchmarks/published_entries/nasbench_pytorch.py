"""Entry points of nasbench-pytorch: networks of cells that it searches through, on small images."""

import torch
from nasbench_pytorch.model.model import Network

CONVOLUTIONS = ["input", "conv3x3-bn-relu", "conv1x1-bn-relu", "output"]
POOLED = ["input", "conv1x1-bn-relu", "maxpool3x3", "conv3x3-bn-relu", "output"]


class _Classified(torch.nn.Module):
    def __init__(self, cell, **options):
        super().__init__()
        sizes = {"num_labels": 4, "stem_out_channels": 8, "num_stacks": 2, "num_modules_per_stack": 1}
        self.network = Network(cell, **sizes, **options)

    def forward(self, images, labels):
        return torch.nn.functional.cross_entropy(self.network(images), labels)


def _images():
    return torch.rand(2, 3, 8, 8), torch.tensor([0, 3])


def chain():
    matrix = [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    return _Classified((matrix, CONVOLUTIONS)), _images()


def branches():
    matrix = [[0, 1, 1, 0, 1], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]]
    return _Classified((matrix, POOLED)), _images()


def as_of_tensorflow():
    matrix = [[0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1], [0, 0, 0, 0]]
    return _Classified((matrix, CONVOLUTIONS), tf_like=True), _images()
