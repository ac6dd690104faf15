"""Patches of images and back; sizes follow from each other."""

import torch
import torch.nn as nn
from jaxtyping import Float
from torch import Tensor


class Patchify(nn.Module):
    def __init__(self, patch: int):
        super().__init__()
        self.patch = patch

    def forward(self, x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b (h//8)*(w//8) c*64"]:
        b, c, h, w = x.shape
        p = self.patch
        x = x.reshape(b, c, h // p, p, w // p, p)
        return x.permute(0, 2, 4, 1, 3, 5).reshape(b, (h // p) * (w // p), c * p * p)


class Autoencoder(nn.Module):
    def __init__(self, patch: int = 8, dim: int = 32):
        super().__init__()
        self.patchify = Patchify(patch)
        self.encode = nn.Linear(3 * patch * patch, dim)
        self.decode = nn.Linear(dim, 3 * patch * patch)

    def forward(self, x: Float[Tensor, "b 3 h w"]) -> Float[Tensor, "b tokens 192"]:
        return self.decode(self.encode(self.patchify(x)))


def masked_loss(
    guess: Float[Tensor, "b n d"], target: Float[Tensor, "b n d"], mask: Float[Tensor, "b n"]
) -> Float[Tensor, ""]:
    each: Float[Tensor, "b n"] = (guess - target).square().mean(dim=-1)
    return (each * mask).sum() / mask.sum()


def main() -> None:
    model = Autoencoder(patch=8)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(2):
        images = torch.rand(6, 3, 32, 32)
        patches = model.patchify(images)
        mask = (torch.rand(patches.shape[:2]) > 0.4).float()
        loss = masked_loss(model(images), patches, mask)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
