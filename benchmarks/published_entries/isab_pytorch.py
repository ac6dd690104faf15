"""Entry points of isab-pytorch: attention of sets over latents, its own and given, and inverted, as in its README."""

import torch
from isab_pytorch import ISAB


def own_latents():
    model = ISAB(dim=16, heads=2, num_latents=4, latent_self_attend=True)
    mask = torch.tensor([[True] * 6, [True] * 4 + [False] * 2])
    return model, (torch.randn(2, 6, 16), None, mask)


class _Given(torch.nn.Module):
    """Latents that pass through two blocks."""

    def __init__(self):
        super().__init__()
        self.latents = torch.nn.Parameter(torch.randn(4, 16))
        self.first, self.second = ISAB(dim=16, heads=2), ISAB(dim=16, heads=2)

    def forward(self, sets):
        sets, latents = self.first(sets, self.latents)
        return self.second(sets, latents)


def given_latents():
    return _Given(), (torch.randn(2, 6, 16),)


def inverted():
    model = ISAB(dim=16, heads=2, num_latents=4, inverted_attention=True)
    mask = torch.tensor([[True] * 6, [True] * 4 + [False] * 2])
    return model, (torch.randn(2, 6, 16), None, mask)
