"""Entry points of fastqml: classifiers of small quantum circuits made of its gates, with losses of labels."""

import torch
from fastqml.torch_sim_real import (
    apply_block_encoding_real,
    apply_cnot,
    apply_ry,
    apply_rz,
    hadamard_test_overlap,
)


def _state(rows, qubits):
    """Features as angles of rotations."""
    real = torch.zeros(len(rows), 2**qubits)
    real[:, 0] = 1.0
    real, imaginary = real.reshape(-1, *[2] * qubits), torch.zeros(len(rows), *[2] * qubits)
    for qubit in range(qubits):
        real, imaginary = apply_ry(real, imaginary, rows[:, qubit], qubit, qubits)
    return real, imaginary


class _Circuit(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.angles, self.head = torch.nn.Parameter(torch.randn(2, 3, 2)), torch.nn.Linear(8, 3)

    def evolved(self, rows):
        real, imaginary = _state(rows, 3)
        for layer in self.angles:
            for qubit in range(3):
                real, imaginary = apply_ry(real, imaginary, layer[qubit, 0], qubit, 3)
                real, imaginary = apply_rz(real, imaginary, layer[qubit, 1], qubit, 3)
            for qubit in range(2):
                real, imaginary = apply_cnot(real, imaginary, qubit, qubit + 1, 3)
        return real, imaginary

    def forward(self, rows, labels):
        real, imaginary = self.evolved(rows)
        return torch.nn.functional.cross_entropy(self.head((real**2 + imaginary**2).flatten(1)), labels)


def circuit():
    return _Circuit(), (torch.rand(4, 3), torch.tensor([2, 0, 1, 1]))


class _Alike(_Circuit):
    """Whether two rows belong together, by the overlap of their states."""

    def forward(self, first, second, alike):
        overlap = hadamard_test_overlap(*self.evolved(first), *self.evolved(second), 3)
        return torch.nn.functional.mse_loss(overlap, alike)


def overlap():
    return _Alike(), (torch.rand(4, 3), torch.rand(4, 3), torch.tensor([1.0, 0.0, 0.0, 1.0]))


class _Encoded(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers, self.last = torch.nn.Parameter(torch.randn(2, 3)), torch.nn.Parameter(torch.randn(3))
        self.anchors, self.links = torch.nn.Parameter(torch.randn(2, 2)), torch.nn.Parameter(torch.randn(2, 1))
        self.head = torch.nn.Linear(4, 3)

    def forward(self, rows, labels):
        encoded = apply_block_encoding_real(rows, self.layers, self.anchors, self.links, self.last, 2)
        return torch.nn.functional.cross_entropy(self.head(encoded), labels)


def block_encoding():
    return _Encoded(), (torch.randn(4, 4), torch.tensor([2, 0, 1, 1]))
