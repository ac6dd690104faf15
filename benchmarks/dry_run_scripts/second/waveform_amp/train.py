import argparse
import glob
import os
import random

import numpy as np
import torch
import torch.nn as nn


def chunks(folder, seconds, rate):
    files = glob.glob(os.path.join(folder, "*.npy"))
    waves = [np.load(f) for f in files] or [np.sin(np.arange(rate * 20) * 0.05).astype(np.float32)]
    length = seconds * rate
    while True:
        wave = random.choice(waves)
        start = random.randrange(len(wave) - length)
        yield wave[start : start + length]


def batches(source, size):
    while True:
        yield torch.from_numpy(np.stack([next(source) for _ in range(size)])).unsqueeze(1)


class Autoencoder(nn.Module):
    def __init__(self, strides=(2, 4, 5)):
        super().__init__()
        self.down, self.up = nn.ModuleList(), nn.ModuleList()
        width = 16
        self.first, self.last = nn.Conv1d(1, width, 7, padding=3), nn.Conv1d(width, 1, 7, padding=3)
        for s in strides:
            self.down.append(nn.Conv1d(width, 2 * width, 2 * s, stride=s, padding=(s + 1) // 2))
            self.up.insert(0, nn.ConvTranspose1d(2 * width, width, 2 * s, stride=s, padding=(s + 1) // 2, output_padding=s % 2))
            width *= 2

    def forward(self, x):
        x = self.first(x)
        for layer in self.down:
            x = nn.functional.elu(layer(x))
        for layer in self.up:
            x = nn.functional.elu(layer(x))
        return self.last(x)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", default="waves")
    parser.add_argument("--rate", type=int, default=8000)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--resume", type=str, default=None)
    args = parser.parse_args()
    model = Autoencoder()
    step = 0
    if args.resume is not None:
        state = torch.load(args.resume)
        model.load_state_dict({k.replace("module.", ""): v for k, v in state["model"].items()})
        step = state["step"]
    use_amp = torch.cuda.is_available()
    scaler = torch.amp.GradScaler("cuda", enabled=use_amp)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-4)
    for batch in batches(chunks(args.folder, 1, args.rate), args.batch):
        with torch.autocast("cuda" if use_amp else "cpu", enabled=use_amp):
            loss = (model(batch) - batch).abs().mean()
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        step += 1
        if step % 100 == 0:
            print(step, loss.item())
        if step >= 2000:
            break


if __name__ == "__main__":
    main()
