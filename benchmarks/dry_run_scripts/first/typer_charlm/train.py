from pathlib import Path
from typing import Optional

import torch
import torch.nn as nn
import torch.nn.functional as F
import typer

app = typer.Typer(add_completion=False)


class Block(nn.Module):
    def __init__(self, width: int, heads: int, length: int):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.register_buffer("mask", torch.tril(torch.ones(length, length)).view(1, 1, length, length))

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(self.norm1(x)).split(c, dim=2)
        q, k, v = (z.view(b, t, self.heads, c // self.heads).transpose(1, 2) for z in (q, k, v))
        scores = q @ k.transpose(-2, -1) / (c // self.heads) ** 0.5
        scores = scores.masked_fill(self.mask[:, :, :t, :t] == 0, float("-inf"))
        y = (F.softmax(scores, -1) @ v).transpose(1, 2).reshape(b, t, c)
        x = x + self.out(y)
        return x + self.mlp(self.norm2(x))


class CharLM(nn.Module):
    def __init__(self, vocab: int, width: int, heads: int, depth: int, length: int):
        super().__init__()
        self.tokens = nn.Embedding(vocab, width)
        self.places = nn.Parameter(torch.zeros(1, length, width))
        self.blocks = nn.ModuleList(Block(width, heads, length) for _ in range(depth))
        self.head = nn.Linear(width, vocab)

    def forward(self, ids, targets=None):
        x = self.tokens(ids) + self.places[:, : ids.size(1)]
        for block in self.blocks:
            x = block(x)
        logits = self.head(x)
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))


@app.command()
def train(
    text: Path = Path("input.txt"),
    width: int = 192,
    heads: int = 6,
    depth: int = typer.Option(4, help="number of blocks"),
    length: int = 128,
    batch: int = 32,
    steps: int = 2000,
    resume: Optional[Path] = None,
):
    corpus = text.read_text(encoding="utf-8")
    letters = sorted(set(corpus))
    index = {c: i for i, c in enumerate(letters)}
    data = torch.tensor([index[c] for c in corpus], dtype=torch.long)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = CharLM(len(letters), width, heads, depth, length).to(device)
    if resume is not None:
        model.load_state_dict(torch.load(resume, map_location=device))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    for step in range(steps):
        starts = torch.randint(len(data) - length - 1, (batch,))
        x = torch.stack([data[s : s + length] for s in starts]).to(device)
        y = torch.stack([data[s + 1 : s + length + 1] for s in starts]).to(device)
        _, loss = model(x, y)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            typer.echo(f"{step} {loss.item():.3f}")


if __name__ == "__main__":
    app()
