"""Entry points of ncut-pytorch: the training of its space of few dimensions, term by term."""

import torch
from ncut_pytorch.color import mspace


class _Trained(torch.nn.Module):
    """The loss of its encoder, as one step of training adds it."""

    def __init__(self, mode="z_eigvec"):
        super().__init__()
        self.space, self.mode = mspace.MspaceAutoEncoder(6, 6, 2, n_layer=1, latent_dim=8), mode

    def forward(self, features):
        given = self.space.encoder(features)
        wanted = mspace.get_eigvec_outer_product(features, [2, 4])
        if self.mode == "z":
            flags = torch.nn.functional.mse_loss(wanted.mean(0), given @ given.T)
        else:
            flags = torch.nn.functional.mse_loss(wanted, mspace.get_eigvec_outer_product(given, [2, 4]))
        rebuilt = torch.nn.functional.mse_loss(self.space.decoder(given), features)
        return flags + 1e-3 * (rebuilt + (given**2).mean() + mspace.compute_repulsion_loss(given))


def by_eigenvectors():
    model, inputs = _Trained(), (torch.randn(8, 6),)
    model(*inputs)  # the running range of its decoder starts with the first batch
    return model, inputs


def by_products():
    model, inputs = _Trained("z"), (torch.randn(8, 6),)
    model(*inputs)
    return model, inputs


class _Repelled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = mspace.MLP(6, 2, n_layer=1, latent_dim=8)

    def forward(self, features):
        return mspace.compute_repulsion_loss(self.encoder(features))


def repelled():
    return _Repelled(), (torch.randn(8, 6),)
