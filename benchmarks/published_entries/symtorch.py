"""Entry points of symtorch: formulas as networks whose constants are fitted to measurements."""

import torch
from symtorch import SymbolAssignment, symtorchify


class _Fitted(torch.nn.Module):
    def __init__(self, formula, *symbols):
        super().__init__()
        self.model = torch.nn.Sequential(SymbolAssignment(list(symbols)), symtorchify(formula))

    def forward(self, samples, wanted):
        return torch.nn.functional.mse_loss(self.model(samples), wanted)


def polynomial():
    return _Fitted("1.5*x**2 + 2.0*y - 0.3", "x", "y"), (torch.randn(6, 2), torch.randn(6, 1))


def decay():
    """How much is left of something after a time."""
    return _Fitted("2.0*exp(-0.7*t) + 0.1", "t"), (10 * torch.rand(8, 1), torch.rand(8, 1))


def arrhenius():
    """The rate of a reaction by its temperature in kelvin."""
    return _Fitted("3.2*exp(-1200.0/T)", "T"), (280 + 80 * torch.rand(8, 1), torch.rand(8, 1))


def distance():
    formula = "sqrt((x - 0.5)**2 + (y + 0.25)**2)"
    return _Fitted(formula, "x", "y"), (torch.randn(6, 2), torch.rand(6, 1))
