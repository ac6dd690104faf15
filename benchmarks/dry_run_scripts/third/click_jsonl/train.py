import json
import logging
from collections import Counter
from pathlib import Path

import click
import numpy as np
import torch
from torch import nn

logging.basicConfig(level=logging.INFO)
logger = logging.getLogger("ner")
TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]


def read_jsonl(path):
    with Path(path).open() as lines:
        return [json.loads(line) for line in lines if line.strip()]


def build_vocab(examples, min_count):
    counts = Counter(w for e in examples for w in e["tokens"])
    return {"<pad>": 0, "<unk>": 1, **{w: i + 2 for i, (w, c) in enumerate(counts.items()) if c >= min_count}}


def encode(examples, vocab, max_len):
    x = np.zeros((len(examples), max_len), dtype=np.int64)
    y = np.full((len(examples), max_len), -100, dtype=np.int64)
    for i, e in enumerate(examples):
        n = min(len(e["tokens"]), max_len)
        x[i, :n] = [vocab.get(w, 1) for w in e["tokens"][:n]]
        y[i, :n] = [TAGS.index(t) for t in e["tags"][:n]]
    return torch.from_numpy(x), torch.from_numpy(y)


class ConvTagger(nn.Module):
    def __init__(self, vocab, width, tags):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.conv1 = nn.Conv1d(width, width, 5, padding=2)
        self.conv2 = nn.Conv1d(width, width, 5, padding=2)
        self.out = nn.Linear(width, tags)

    def forward(self, x):
        h = self.embed(x).transpose(1, 2)
        h = torch.relu(self.conv1(h)) + h
        h = torch.relu(self.conv2(h)) + h
        return self.out(h.transpose(1, 2))


@click.command()
@click.option("--train-file", type=click.Path(), default="corpus/train.jsonl", show_default=True)
@click.option("--dev-file", type=click.Path(), default="corpus/dev.jsonl")
@click.option("--width", type=int, default=96)
@click.option("--max-len", type=int, default=64)
@click.option("--batch-size", default=16)
@click.option("--epochs", default=2)
@click.option("--min-count", default=1)
def main(train_file, dev_file, width, max_len, batch_size, epochs, min_count):
    train, dev = read_jsonl(train_file), read_jsonl(dev_file)
    vocab = build_vocab(train, min_count)
    logger.info("vocabulary of %d", len(vocab))
    x, y = encode(train, vocab, max_len)
    xd, yd = encode(dev, vocab, max_len)
    model = ConvTagger(len(vocab), width, len(TAGS))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        for batch in torch.randperm(len(x)).split(batch_size):
            logits = model(x[batch])
            loss = nn.functional.cross_entropy(logits.transpose(1, 2), y[batch], ignore_index=-100)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            guess, real = model(xd).argmax(-1), yd != -100
            logger.info("epoch %d loss %.3f dev accuracy %.3f", epoch, loss, (guess == yd)[real].float().mean())


if __name__ == "__main__":
    main()
