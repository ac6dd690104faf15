import argparse
import json

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Tagged(Dataset):
    """One sentence a line: {"tokens": [...], "tags": [...]}."""

    def __init__(self, path, words=None, tags=None, limit=None):
        with open(path) as f:
            self.rows = [json.loads(line) for line in f]
        if limit is not None:
            self.rows = self.rows[:limit]
        self.words = words or {w: i + 2 for i, w in enumerate(sorted({t for r in self.rows for t in r["tokens"]}))}
        self.tags = tags or {t: i for i, t in enumerate(sorted({t for r in self.rows for t in r["tags"]}))}

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = self.rows[i]
        return [self.words.get(t, 1) for t in row["tokens"]], [self.tags[t] for t in row["tags"]]


def pad(batch, length):
    ids = torch.zeros(len(batch), length, dtype=torch.long)
    tags = torch.full((len(batch), length), -100)
    for i, (a, b) in enumerate(batch):
        n = min(length, len(a))
        ids[i, :n] = torch.tensor(a[:n])
        tags[i, :n] = torch.tensor(b[:n])
    return ids, tags


class Tagger(nn.Module):
    def __init__(self, words, tags, embed=100, hidden=128, pretrained=None):
        super().__init__()
        self.embed = nn.Embedding(words, embed, padding_idx=0)
        if pretrained is not None:
            self.embed.weight.data.copy_(pretrained)
        self.lstm = nn.LSTM(embed, hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, tags)

    def forward(self, ids):
        return self.out(self.lstm(self.embed(ids))[0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--train-file", type=str, default=None, help="jsonl to train on", required=False)
    parser.add_argument("--valid-file", type=str, default=None)
    parser.add_argument("--embeddings", type=str, default=None)
    parser.add_argument("--limit", type=int, default=None)
    parser.add_argument("--length", type=int, default=64)
    args = parser.parse_args()
    if args.train_file is None:
        parser.error("--train-file is needed")
    train = Tagged(args.train_file, limit=args.limit)
    loader = DataLoader(train, batch_size=32, shuffle=True, collate_fn=lambda b: pad(b, args.length))
    valid = None
    if args.valid_file is not None:
        valid = DataLoader(
            Tagged(args.valid_file, train.words, train.tags), batch_size=32, collate_fn=lambda b: pad(b, args.length)
        )
    pretrained = torch.load(args.embeddings) if args.embeddings else None
    model = Tagger(len(train.words) + 2, len(train.tags), pretrained=pretrained)
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(10):
        for ids, tags in loader:
            scores = model(ids)
            loss = nn.functional.cross_entropy(scores.transpose(1, 2), tags, ignore_index=-100)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())
        if valid is not None:
            with torch.no_grad():
                print("valid", sum((model(i).argmax(-1) == t).sum().item() for i, t in valid))


if __name__ == "__main__":
    main()
