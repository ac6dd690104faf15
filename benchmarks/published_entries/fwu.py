"""Entry points of fwu: small networks of its units, which weigh what is positive and negative apart, with losses."""

import torch
from FWU import FWLU, FWLU1DT, FWLU2D, FWMU, FWMU1D


class _Trained(torch.nn.Module):
    def __init__(self, loss, *layers):
        super().__init__()
        self.model, self.loss = torch.nn.Sequential(*layers), loss

    def forward(self, samples, wanted):
        return self.loss(self.model(samples), wanted)


def linear():
    model = _Trained(torch.nn.CrossEntropyLoss(), FWLU(6, 16), FWLU(16, 8), torch.nn.Linear(8, 3))
    return model, (torch.randn(4, 6), torch.tensor([2, 0, 1, 1]))


def products():
    model = _Trained(torch.nn.MSELoss(), FWMU(6, 16), FWMU(16, 8), FWMU(8, 1, bias=False))
    return model, (torch.randn(4, 6), torch.randn(4, 1))


def images():
    layers = FWLU2D(3, 8, 3, padding=1), FWLU2D(8, 8, 3, stride=2, padding=1, kernel_size_N=1, padding_N=0)
    model = _Trained(torch.nn.CrossEntropyLoss(), *layers, torch.nn.Flatten(), torch.nn.Linear(8 * 16, 4))
    return model, (torch.rand(2, 3, 8, 8), torch.tensor([3, 1]))


def signals():
    layers = FWMU1D(2, 8, 4, stride=2, padding=1), FWLU1DT(8, 2, 4, stride=2, padding=1)
    return _Trained(torch.nn.L1Loss(), *layers), (torch.randn(3, 2, 16), torch.randn(3, 2, 16))
