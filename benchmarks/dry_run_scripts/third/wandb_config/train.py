import math
import random

import numpy as np
import torch
import torch.nn.functional as F
import wandb
from torch import nn

defaults = dict(seed=0, batch_size=48, context=32, width=64, heads=4, depth=2, lr=3e-4, steps=400, horizon=8)


def make_series(n, length, rng):
    t = np.arange(length)
    freq = rng.uniform(0.02, 0.2, size=(n, 1))
    phase = rng.uniform(0, 2 * math.pi, size=(n, 1))
    return (np.sin(2 * math.pi * freq * t + phase) + 0.1 * rng.standard_normal((n, length))).astype("float32")


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.ff = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.n1, self.n2 = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (y.view(b, t, self.heads, c // self.heads).transpose(1, 2) for y in self.qkv(self.n1(x)).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(b, t, c))
        return x + self.ff(self.n2(x))


class Forecaster(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.embed = nn.Linear(1, cfg.width)
        self.pos = nn.Parameter(torch.zeros(1, cfg.context, cfg.width))
        self.blocks = nn.ModuleList([Block(cfg.width, cfg.heads) for _ in range(cfg.depth)])
        self.head = nn.Linear(cfg.width, cfg.horizon)

    def forward(self, x):
        x = self.embed(x.unsqueeze(-1)) + self.pos
        for block in self.blocks:
            x = block(x)
        return self.head(x[:, -1])


def main():
    run = wandb.init(project="forecast", config=defaults, save_code=True)
    cfg = wandb.config
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    random.seed(cfg.seed)
    series = make_series(2000, cfg.context + cfg.horizon, rng)
    net = Forecaster(cfg)
    wandb.watch(net, log="gradients", log_freq=50)
    opt = torch.optim.AdamW(net.parameters(), lr=cfg.lr)
    for step in range(cfg.steps):
        batch = torch.from_numpy(series[rng.integers(0, len(series), cfg.batch_size)])
        past, future = batch[:, : cfg.context], batch[:, cfg.context :]
        loss = F.huber_loss(net(past), future)
        opt.zero_grad()
        loss.backward()
        opt.step()
        wandb.log({"loss": loss.item(), "lr": opt.param_groups[0]["lr"]}, step=step)
        if step % 100 == 99:
            torch.save(net.state_dict(), "model.pt")
            artifact = wandb.Artifact("forecaster", type="model")
            artifact.add_file("model.pt")
            run.log_artifact(artifact)
    run.finish()


if __name__ == "__main__":
    main()
