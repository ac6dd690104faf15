import json
import re
from collections import Counter

import torch
from torch import nn
from torch.utils.data import DataLoader

NUM_CLASSES = 6
WORD = re.compile(r"\w+")


def load(path):
    with open(path) as f:
        return [json.loads(line) for line in f]


def vocabulary(rows, size=5000):
    counts = Counter(w for r in rows for w in WORD.findall(r["utterance_text"].lower()))
    return {w: i + 1 for i, (w, _) in enumerate(counts.most_common(size))}


class Collate:
    def __init__(self, vocab):
        self.vocab = vocab

    def __call__(self, rows):
        flat, offsets = [], []
        for r in rows:
            offsets.append(len(flat))
            flat += [self.vocab.get(w, 0) for w in WORD.findall(r["utterance_text"].lower())]
        return torch.tensor(flat), torch.tensor(offsets), torch.tensor([int(r["intent_id"]) for r in rows])


class Intent(nn.Module):
    def __init__(self, words, dim=64):
        super().__init__()
        self.bag = nn.EmbeddingBag(words, dim, mode="mean")
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.ReLU(), nn.Linear(2 * dim, NUM_CLASSES))

    def forward(self, flat, offsets):
        return self.mlp(self.bag(flat, offsets))


def main():
    rows = load("data/intents.jsonl")
    vocab = vocabulary(rows)
    loader = DataLoader(rows, batch_size=20, shuffle=True, collate_fn=Collate(vocab))
    model = Intent(len(vocab) + 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    for epoch in range(5):
        correct = 0
        for flat, offsets, y in loader:
            scores = model(flat, offsets)
            loss = nn.functional.cross_entropy(scores, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            correct += (scores.argmax(1) == y).sum().item()
        print(epoch, correct / len(rows))


main()
