"""Entry points of enflows: its invertible dense networks, conditional in several ways, and its residual networks."""

import torch
from enflows.nn import nets


class _Step(torch.nn.Module):
    """A residual step by a network of which the constant is bounded, and an estimate of how it changes volumes."""

    def __init__(self, net, terms=4):
        super().__init__()
        self.net, self.terms = net, terms

    def forward(self, x, noise, context=None):
        x = x.detach().requires_grad_()
        change, total, vector = self.net(x, context), 0.0, noise
        for power in range(1, self.terms + 1):
            vector = torch.autograd.grad(change, x, vector, create_graph=True)[0]
            total = total + (-1) ** (power + 1) / power * (vector * noise).sum(-1)
        moved = x + change
        return (0.5 * moved.square().sum(-1) - total).mean()


def _points():
    return torch.randn(6, 3), torch.randn(6, 3)


def dense():
    return _Step(nets.DenseNet(3, densenet_depth=2, densenet_growth=4)), _points()


def context_mixed():
    options = {"last_layer_hidden_sizes": (8, 8), "c_embed_hidden_sizes": (8, 4), "activation_function": nets.Sin()}
    return _Step(nets.MixedConditionalDenseNet(3, 2, 2, 4, **options)), (*_points(), torch.randn(6, 2))


def context_multiplied():
    options = {"c_embed_hidden_sizes": (8, 4), "m_embed_hidden_sizes": (8,), "activation_function": "LeakyLSwish"}
    net = nets.MultiplicativeAndInputConditionalDenseNet(3, 2, 2, 4, **options)
    return _Step(net), (*_points(), torch.randn(6, 2))


def coupling_images():
    net = nets.ConvResidualNet(2, 4, 4, context_channels=1, num_blocks=2, dropout_probability=0.1, use_batch_norm=True)
    return net, (torch.rand(2, 2, 6, 6), torch.rand(2, 1, 6, 6))


def field():
    return nets.FCBlock((2,), (3,), (16, 16), activation="sine"), (2 * torch.rand(8, 2) - 1,)
