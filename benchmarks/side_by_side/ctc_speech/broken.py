"""Speech recognition with CTC on made-up spectrograms of different lengths."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader


def examples(count):
    generator = torch.Generator().manual_seed(3)
    for _ in range(count):
        frames = int(torch.randint(60, 90, (1,), generator=generator))
        letters = int(torch.randint(4, 9, (1,), generator=generator))
        yield torch.randn(frames, 40), torch.randint(1, 29, (letters,))


def collate(batch):
    spectrograms = pad_sequence([s for s, _ in batch], batch_first=True)
    labels = pad_sequence([t for _, t in batch], batch_first=True)
    frames = torch.tensor([len(s) // 2 for s, _ in batch])
    letters = torch.tensor([len(t) for _, t in batch])
    return spectrograms, labels, frames, letters


class Recogniser(nn.Module):
    def __init__(self, mels=40, hidden=64, letters=29):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, 16, 3, stride=2, padding=1), nn.GELU())
        self.project = nn.Linear(16 * (mels // 2), hidden)
        self.rnn = nn.GRU(hidden, hidden, 2, bidirectional=True, batch_first=True)
        self.out = nn.Linear(hidden * 2, letters)

    def forward(self, x):
        x = self.conv(x.unsqueeze(1))
        batch, channels, time, mels = x.shape
        x = x.transpose(1, 2).reshape(batch, time, channels * mels)
        x, _ = self.rnn(self.project(x))
        return F.log_softmax(self.out(x), dim=2)


if __name__ == "__main__":
    loader = DataLoader(list(examples(22)), batch_size=6, collate_fn=collate)
    model, criterion = Recogniser(), nn.CTCLoss(blank=0, zero_infinity=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    for spectrograms, labels, frames, letters in loader:
        scores = model(spectrograms)
        loss = criterion(scores, labels, frames, letters)  # <- expected
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
