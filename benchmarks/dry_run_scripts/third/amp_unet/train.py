import argparse
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.amp import GradScaler, autocast
from torch.utils.data import DataLoader, Dataset


class Scans(Dataset):
    """`images/NAME.npy` of (H, W) with `masks/NAME.npy`."""

    def __init__(self, root, crop=250):
        self.images = sorted((Path(root) / "images").glob("*.npy"))
        self.masks = Path(root) / "masks"
        self.crop = crop

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        image = np.load(self.images[i]).astype(np.float32)
        mask = np.load(self.masks / self.images[i].name)
        image = (image - image.mean()) / (image.std() + 1e-6)
        c = self.crop
        top, left = (image.shape[0] - c) // 2, (image.shape[1] - c) // 2
        image, mask = image[top : top + c, left : left + c], mask[top : top + c, left : left + c]
        return torch.from_numpy(image).unsqueeze(0), torch.from_numpy(mask > 0).float().unsqueeze(0)


def double_conv(cin, cout):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, padding=1), nn.BatchNorm2d(cout), nn.ReLU(True),
        nn.Conv2d(cout, cout, 3, padding=1), nn.BatchNorm2d(cout), nn.ReLU(True),
    )


class Up(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.up = nn.ConvTranspose2d(cin, cin // 2, 2, stride=2)
        self.conv = double_conv(cin, cout)

    def forward(self, x, skip):
        x = self.up(x)
        dy, dx = skip.size(2) - x.size(2), skip.size(3) - x.size(3)
        x = nn.functional.pad(x, [dx // 2, dx - dx // 2, dy // 2, dy - dy // 2])
        return self.conv(torch.cat([skip, x], dim=1))


class UNet(nn.Module):
    def __init__(self, base=16):
        super().__init__()
        self.d1, self.d2, self.d3 = double_conv(1, base), double_conv(base, 2 * base), double_conv(2 * base, 4 * base)
        self.u2, self.u1 = Up(4 * base, 2 * base), Up(2 * base, base)
        self.pool = nn.MaxPool2d(2)
        self.out = nn.Conv2d(base, 1, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(self.pool(a))
        c = self.d3(self.pool(b))
        return self.out(self.u1(self.u2(c, b), a))


def dice(logits, target):
    p = torch.sigmoid(logits)
    return 1 - (2 * (p * target).sum() + 1) / (p.sum() + target.sum() + 1)


def main(args):
    device = torch.device(args.device if args.device else ("cuda" if torch.cuda.is_available() else "cpu"))
    loader = DataLoader(Scans(args.root), args.batch, shuffle=True, pin_memory=device.type == "cuda")
    model = UNet().to(device)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-4, momentum=0.9)
    scaler = GradScaler(device.type, enabled=device.type == "cuda")
    bce = nn.BCEWithLogitsLoss()
    for epoch in range(args.epochs):
        for i, (image, mask) in enumerate(loader):
            image, mask = image.to(device), mask.to(device)
            with autocast(device.type, enabled=device.type == "cuda"):
                logits = model(image)
                loss = (bce(logits, mask) + dice(logits, mask)) / args.accumulate
            scaler.scale(loss).backward()
            if (i + 1) % args.accumulate == 0 or i + 1 == len(loader):
                scaler.unscale_(optimizer)
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                scaler.step(optimizer)
                scaler.update()
                optimizer.zero_grad()
        print(epoch, loss.item() * args.accumulate)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=str, default="scans/train")
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--accumulate", type=int, default=2)
    parser.add_argument("--device", type=str, default="")
    main(parser.parse_args())
