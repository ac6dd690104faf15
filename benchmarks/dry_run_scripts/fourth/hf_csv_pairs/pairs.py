import argparse

import torch
import torch.nn.functional as F
from datasets import load_dataset
from torch import nn
from torch.utils.data import DataLoader

BUCKETS = 4096


def hashed(text, length=20):
    ids = [sum(map(ord, w)) % BUCKETS for w in text.split()][:length]
    return ids + [0] * (length - len(ids))


class Tower(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.embed = nn.Embedding(BUCKETS, 48, padding_idx=0)
        self.rnn = nn.GRU(48, dim, batch_first=True)
        self.project = nn.Linear(dim, dim)

    def forward(self, ids):
        _, last = self.rnn(self.embed(ids))
        return F.normalize(self.project(last[0]), dim=-1)


def collate(rows):
    return (
        torch.tensor([hashed(r["query"]) for r in rows]),
        torch.tensor([hashed(r["passage"]) for r in rows]),
    )


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--train-csv", default="pairs/train.csv")
    p.add_argument("--dim", type=int, default=96)
    p.add_argument("--batch", type=int, default=24)
    args = p.parse_args()
    data = load_dataset("csv", data_files={"train": args.train_csv})["train"]
    loader = DataLoader(data, batch_size=args.batch, shuffle=True, collate_fn=collate)
    queries, passages = Tower(args.dim), Tower(args.dim)
    optimizer = torch.optim.Adam([*queries.parameters(), *passages.parameters()])
    for q, d in loader:
        scores = queries(q) @ passages(d).T * 20.0
        loss = F.cross_entropy(scores, torch.arange(len(q)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())


if __name__ == "__main__":
    main()
