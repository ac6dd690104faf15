import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, random_split

from . import settings
from .data import Bitext, collate
from .model import Seq2Seq


def epoch(model, loader, criterion, optimizer=None):
    model.train(optimizer is not None)
    total = 0.0
    with torch.set_grad_enabled(optimizer is not None):
        for source, target in loader:
            scores = model(source, target)
            loss = criterion(scores[1:].reshape(-1, scores.shape[-1]), target[1:].reshape(-1))
            if optimizer is not None:
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
            total += loss.item()
    return total / max(1, len(loader))


def main(argv=None):
    parser = argparse.ArgumentParser(prog="translate")
    parser.add_argument("--bitext", default="data/eng-fra.txt")
    parser.add_argument("--epochs", type=int, default=10)
    args = parser.parse_args(argv)
    data = Bitext(args.bitext)
    train, held = random_split(data, [0.9, 0.1])
    model = Seq2Seq(len(data.source), len(data.target))
    criterion = nn.CrossEntropyLoss(ignore_index=settings.PAD)
    optimizer = torch.optim.Adam(model.parameters())
    for i in range(args.epochs):
        a = epoch(model, DataLoader(train, settings.BATCH, shuffle=True, collate_fn=collate), criterion, optimizer)
        b = epoch(model, DataLoader(held, settings.BATCH, collate_fn=collate), criterion)
        print(f"{i}: {a:.3f} {b:.3f}")
        torch.save(model.state_dict(), "translate.pt")


if __name__ == "__main__":
    main()
