from pathlib import Path

import torch
import yaml
from torch import nn

from .network import NeuMF


def ratings(c, rows=5000):
    g = torch.Generator().manual_seed(0)
    return (torch.randint(c["users"], (rows,), generator=g), torch.randint(c["items"], (rows,), generator=g),
            torch.rand(rows, generator=g).round())


def run():
    c = yaml.safe_load((Path(__file__).parent / "config.yml").read_text())
    model = NeuMF(c["users"], c["items"], c["factors"], c["layers"])
    optimizer = torch.optim.Adam(model.parameters())
    users, items, clicked = ratings(c)
    for epoch in range(3):
        for s in range(0, len(users), c["batch"]):
            e = s + c["batch"]
            loss = nn.functional.binary_cross_entropy_with_logits(model(users[s:e], items[s:e]), clicked[s:e])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, float(loss))


if __name__ == "__main__":
    run()
