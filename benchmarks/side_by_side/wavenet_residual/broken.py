"""Dilated causal convolutions over audio that was quantised into 256 levels."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor


class CausalConv(nn.Module):
    def __init__(self, channels: int, out: int, kernel: int, dilation: int):
        super().__init__()
        self.left = (kernel - 1) * dilation
        self.conv = nn.Conv1d(channels, out, kernel, dilation=dilation)

    def forward(self, x: Float[Tensor, "b c t"]) -> Float[Tensor, "b out t"]:
        return self.conv(F.pad(x, (self.left - 1, 0)))


class ResidualBlock(nn.Module):
    def __init__(self, residual: int, skip: int, dilation: int):
        super().__init__()
        self.gate = CausalConv(residual, 2 * residual, 2, dilation)
        self.to_residual = nn.Conv1d(residual, residual, 1)
        self.to_skip = nn.Conv1d(residual, skip, 1)

    def forward(self, x: Float[Tensor, "b r t"]) -> tuple[Float[Tensor, "b r t"], Float[Tensor, "b s t"]]:
        signal, gate = self.gate(x).chunk(2, dim=1)
        z = torch.tanh(signal) * torch.sigmoid(gate)
        return x + self.to_residual(z), self.to_skip(z)  # <- expected


class WaveNet(nn.Module):
    def __init__(self, levels: int = 256, residual: int = 24, skip: int = 48, layers: int = 6):
        super().__init__()
        self.embed = nn.Embedding(levels, residual)
        self.blocks = nn.ModuleList([ResidualBlock(residual, skip, 2**i) for i in range(layers)])
        self.post = nn.Sequential(nn.ReLU(), nn.Conv1d(skip, skip, 1), nn.ReLU(), nn.Conv1d(skip, levels, 1))

    def forward(self, x: Int[Tensor, "b t"]) -> Float[Tensor, "b levels t"]:
        h = self.embed(x).transpose(1, 2)
        skips = 0
        for block in self.blocks:
            h, s = block(h)
            skips = skips + s
        return self.post(skips)


model = WaveNet()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for step in range(4):
    audio = torch.randint(0, 256, (4, 401))
    logits = model(audio[:, :-1])
    loss = F.cross_entropy(logits, audio[:, 1:])
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
