"""Entry points of cel-nflows: its conditioner networks, alone and under a coupling of halves, with their losses."""

import torch
from nflows.nn.nets import MLP, ConvResidualNet, ResidualNet


def perceptron():
    return MLP((6,), (2, 3), hidden_sizes=[16, 16]), torch.randn(4, 6)


class _Coupling(torch.nn.Module):
    """One half of a row, with a context, says how the other is scaled and shifted."""

    def __init__(self):
        super().__init__()
        self.net = ResidualNet(3, 6, hidden_features=16, context_features=2, num_blocks=2, dropout_probability=0.1)

    def forward(self, rows, context):
        kept, moved = rows.chunk(2, dim=1)
        shift, scale = self.net(kept, context).chunk(2, dim=1)
        scale = torch.sigmoid(scale + 2) + 1e-3
        codes = torch.cat([kept, moved * scale + shift], dim=1)
        likelihood = torch.distributions.Normal(0.0, 1.0).log_prob(codes).sum(1) + torch.log(scale).sum(1)
        return -likelihood.mean()


def coupling():
    return _Coupling(), (torch.randn(5, 6), torch.randn(5, 2))


class _Restored(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = ConvResidualNet(1, 1, hidden_channels=8, num_blocks=2, use_batch_norm=True)

    def forward(self, noisy, clean):
        return torch.nn.functional.mse_loss(self.net(noisy), clean)


def convolved():
    return _Restored(), (torch.rand(2, 1, 8, 8), torch.rand(2, 1, 8, 8))
