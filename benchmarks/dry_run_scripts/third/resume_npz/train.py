import argparse
import os

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from torch.utils.data import DataLoader, TensorDataset, random_split


class DigitNet(nn.Module):
    def __init__(self, num_classes=10, dropout=0.25):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(1, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(inplace=True), nn.MaxPool2d(2),
            nn.Conv2d(32, 64, 3), nn.BatchNorm2d(64), nn.ReLU(inplace=True), nn.MaxPool2d(2),
        )
        self.drop = nn.Dropout(dropout)
        self.head = nn.Linear(64 * 6 * 6, num_classes)

    def forward(self, x):
        return self.head(self.drop(torch.flatten(self.conv(x), 1)))


def save_checkpoint(path, epoch, model, optimizer, scheduler, best):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    torch.save(
        {"epoch": epoch, "model": model.state_dict(), "optimizer": optimizer.state_dict(),
         "scheduler": scheduler.state_dict(), "best": best},
        path,
    )


def load_checkpoint(path, model, optimizer, scheduler, device):
    ckpt = torch.load(path, map_location=device)
    model.load_state_dict(ckpt["model"])
    optimizer.load_state_dict(ckpt["optimizer"])
    scheduler.load_state_dict(ckpt["scheduler"])
    print(f"=> resumed from epoch {ckpt['epoch']}")
    return ckpt["epoch"] + 1, ckpt["best"]


def evaluate(model, loader, device):
    model.eval()
    hits = total = 0
    with torch.inference_mode():
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            hits += (model(x).argmax(1) == y).sum().item()
            total += len(y)
    return hits / total


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", default="data/digits.npz")
    p.add_argument("--ckpt", default="checkpoints/last.pt")
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("-b", "--batch-size", type=int, default=64)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--fresh", action="store_true")
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    blob = np.load(args.data)
    images = torch.from_numpy(blob["images"].astype(np.float32) / 255.0).reshape(-1, 1, 28, 28)
    labels = torch.from_numpy(blob["labels"].astype(np.int64))
    dataset = TensorDataset(images, labels)
    n_val = len(dataset) // 10
    train_set, val_set = random_split(dataset, [len(dataset) - n_val, n_val])
    train_loader = DataLoader(train_set, args.batch_size, shuffle=True, num_workers=2)
    val_loader = DataLoader(val_set, args.batch_size)

    model = DigitNet().to(device)
    optimizer = optim.AdamW(model.parameters(), lr=args.lr)
    scheduler = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.epochs)
    start, best = 0, 0.0
    if os.path.isfile(args.ckpt) and not args.fresh:
        start, best = load_checkpoint(args.ckpt, model, optimizer, scheduler, device)

    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    for epoch in range(start, args.epochs):
        model.train()
        for x, y in train_loader:
            x, y = x.to(device), y.to(device)
            optimizer.zero_grad(set_to_none=True)
            loss = criterion(model(x), y)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        scheduler.step()
        acc = evaluate(model, val_loader, device)
        best = max(best, acc)
        save_checkpoint(args.ckpt, epoch, model, optimizer, scheduler, best)
        print(f"epoch {epoch}: loss {loss.item():.4f} val {acc:.3f}")


if __name__ == "__main__":
    main()
