import json
from dataclasses import dataclass
from pathlib import Path

import torch

from model import LM

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Config:
    n_layer: int
    n_head: int
    n_embd: int
    block_size: int
    batch_size: int
    steps: int
    lr: float


def batch(ids, c):
    starts = torch.randint(len(ids) - c.block_size, (c.batch_size,)).tolist()
    x = torch.stack([ids[s : s + c.block_size] for s in starts])
    y = torch.stack([ids[s + 1 : s + 1 + c.block_size] for s in starts])
    return x, y


def main():
    c = Config(**json.loads((HERE / "config.json").read_text()))
    text = (HERE / "input.txt").read_text(encoding="utf-8")
    letters = sorted(set(text))
    code = {ch: i for i, ch in enumerate(letters)}
    ids = torch.tensor([code[ch] for ch in text])
    model = LM(c, len(letters))
    optimizer = torch.optim.AdamW(model.parameters(), lr=c.lr)
    for step in range(c.steps):
        loss = model(*batch(ids, c))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 50 == 0:
            print(step, loss.item())


if __name__ == "__main__":
    main()
