"""Entry points of torch-vectorized: spectra, logarithms and exponentials of volumes of symmetric matrices."""

import torch
from torchvectorized.nn import EigVals, Expm, ExpmLogm, Logm
from torchvectorized.utils import sym
from torchvectorized.vlinalg import vDet, vTrace


class _Learned(torch.nn.Module):
    """A layer of matrices, on which a convolution is trained."""

    def __init__(self, layer, outputs):
        super().__init__()
        self.layer, self.convolution = layer, torch.nn.Conv3d(outputs, 9, 1)

    def forward(self, tensors, wanted):
        return torch.nn.functional.mse_loss(self.convolution(self.layer(tensors).float()), wanted)


def _tensors(shape=(2, 9, 3, 3, 3)):
    """Diffusion tensors: symmetric, and positive definite by their diagonals."""
    return sym(torch.rand(shape)) + 2 * torch.eye(3).reshape(1, 9, 1, 1, 1), torch.randn(shape)


def logarithms():
    return _Learned(Logm(), 9), _tensors()


def exponentials():
    return _Learned(Expm(), 9), (sym(torch.rand(2, 9, 3, 3, 3)), torch.randn(2, 9, 3, 3, 3))


def logarithms_and_back():
    return _Learned(ExpmLogm(), 9), _tensors()


class _Spectra(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.spectra, self.layer = EigVals(), torch.nn.Linear(3, 2)

    def forward(self, tensors, labels):
        return torch.nn.functional.cross_entropy(self.layer(self.spectra(tensors).float()), labels)


def spectra():
    return _Spectra(), (_tensors((2, 9, 2, 2, 2))[0], torch.randint(2, (16,)))


class _Invariants(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution = torch.nn.Conv3d(9, 9, 1)

    def forward(self, tensors, traces):
        given = sym(self.convolution(tensors))
        return torch.nn.functional.mse_loss(vTrace(given).squeeze(), traces) + 0.1 * vDet(given).abs().mean()


def invariants():
    return _Invariants(), (_tensors()[0], torch.rand(2, 3, 3, 3))
