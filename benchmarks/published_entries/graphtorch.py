"""Entry points of graphtorch: networks that a matrix of connections describes, with the losses that train them."""

import numpy as np
import torch
from graphtorch.matrix import SparseMatrix
from graphtorch.model import SparseModel

ACTIVATIONS = [None, None, torch.relu, torch.sigmoid, torch.tanh]


class _Training(torch.nn.Module):
    def __init__(self, matrix, output, loss):
        super().__init__()
        described = SparseMatrix(np.array(matrix), 3, 2)
        self.model, self.loss = SparseModel(described, ACTIVATIONS, 1, output), loss

    def forward(self, features, labels):
        given, _ = self.model(features)
        return self.loss(given, labels)


def connected():
    loss = torch.nn.CrossEntropyLoss()
    return _Training([[1, 2, 0], [0, 4, 1]], torch.nn.Identity(), loss), (torch.randn(4, 3), torch.randint(2, (4,)))


def hidden():
    matrix = [[1, 2, 0, 0, 0], [0, 3, 4, 0, 0], [1, 0, 0, 2, 1], [0, 0, 0, 4, 3]]
    return _Training(matrix, torch.nn.Sigmoid(), torch.nn.BCELoss()), (torch.randn(4, 3), torch.rand(4, 2).round())
