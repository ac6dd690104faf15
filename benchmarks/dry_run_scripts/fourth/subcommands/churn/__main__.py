import argparse

import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from .features import load
from .net import ChurnNet


def train(args):
    x, y = (torch.from_numpy(a) for a in load(args.table))
    model = ChurnNet(x.shape[1])
    optimizer = torch.optim.Adam(model.parameters(), args.lr)
    for epoch in range(args.epochs):
        for rows in torch.randperm(len(x)).split(64):
            loss = binary_cross_entropy_with_logits(model(x[rows]), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} loss {loss:.4f}")
    torch.save(model.state_dict(), args.out)


def score(args):
    x, _ = load(args.table)
    model = ChurnNet(x.shape[1])
    model.load_state_dict(torch.load(args.weights))
    model.eval()
    print(model(torch.from_numpy(x)).sigmoid())


def main():
    parser = argparse.ArgumentParser(prog="churn")
    commands = parser.add_subparsers(dest="command", required=True)
    t = commands.add_parser("train")
    t.add_argument("table")
    t.add_argument("--epochs", type=int, default=5)
    t.add_argument("--lr", type=float, default=1e-3)
    t.add_argument("--out", default="churn.pt")
    t.set_defaults(run=train)
    s = commands.add_parser("score")
    s.add_argument("table")
    s.add_argument("--weights", default="churn.pt")
    s.set_defaults(run=score)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
