"""Entry points of pinnfactory: networks of equations, with the losses made of equations that are written out."""

import torch
from pinnfactory import PINN, NeuralNetwork, PINNFactory


class _Solved(torch.nn.Module):
    def __init__(self, model, factory, known):
        super().__init__()
        self.model, self.loss, self.known = model, factory.generate_loss_function(), known

    def forward(self, *points):
        return self.loss(self.model, {"collocation": points, **self.known})[0]


def oscillation():
    factory = PINNFactory(
        pde_residuals=["Derivative(u(x), (x,2)) + u(x)"],
        conditions=[{"equation": "u(x)"}],
        independent_vars=["x"],
        dependent_vars=["u"],
    )
    model = PINN(NeuralNetwork(num_inputs=1, num_outputs=1, num_layers=3, num_neurons=8))
    return _Solved(model, factory, {"conditions": [(torch.zeros(1, 1),)]}), (torch.linspace(0, 3.14, 6).view(-1, 1),)


def heat_with_unknown_rate():
    factory = PINNFactory(
        pde_residuals=["Derivative(u(x, t), t) - a*Derivative(u(x, t), (x, 2))"],
        conditions=[],
        independent_vars=["x", "t"],
        dependent_vars=["u"],
        inverse_params=["a"],
    )
    model = PINN(NeuralNetwork(2, 1, 2, 8), ["a"], {"a": 0.5})
    known = {"data": ((torch.rand(4, 1), torch.rand(4, 1)), torch.rand(4, 1))}
    return _Solved(model, factory, known), (torch.rand(6, 1), torch.rand(6, 1))


def network():
    return PINN(NeuralNetwork(2, 1, 2, 8)), (torch.rand(4, 1), torch.rand(4, 1))
