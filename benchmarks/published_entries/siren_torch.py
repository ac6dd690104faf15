"""Entry points of siren-torch: its sinusoidal networks of images, of signals and of fields with their derivatives."""

import torch
from siren import SIREN


class _Image(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = SIREN([16, 16], 2, 3, w0=1.0, w0_initial=30.0)

    def forward(self, places, colours):
        return torch.nn.functional.mse_loss(self.net(places), colours)


def image():
    return _Image(), (2 * torch.rand(8, 2) - 1, torch.rand(8, 3))


class _Waves(torch.nn.Module):
    """What a field leaves of the wave equation, from its second derivatives."""

    def __init__(self):
        super().__init__()
        self.net = SIREN([16, 16, 16], 2, 1, w0_initial=6.0)

    def forward(self, points):
        points = points.detach().requires_grad_()
        values = self.net(points)
        first = torch.autograd.grad(values.sum(), points, create_graph=True)[0]
        second = [torch.autograd.grad(first[:, i].sum(), points, create_graph=True)[0][:, i] for i in range(2)]
        return (second[1] - 4 * second[0]).square().mean()


def waves():
    return _Waves(), (torch.rand(6, 2),)


def signal():
    return SIREN([12, 12], 1, 1, w0_initial=100.0, bias=False, initializer=None), (torch.linspace(-1, 1, 9)[:, None],)
