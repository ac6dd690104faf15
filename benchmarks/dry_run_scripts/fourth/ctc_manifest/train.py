import json

import soundfile as sf
import torch
import torchaudio
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

LETTERS = "_ abcdefghijklmnopqrstuvwxyz'"
mel = torchaudio.transforms.MelSpectrogram(sample_rate=16000, n_fft=400, hop_length=160, n_mels=80)


class Manifest(Dataset):
    def __init__(self, path):
        self.rows = [json.loads(line) for line in open(path)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = self.rows[i]
        wave, rate = sf.read(row["audio_filepath"], dtype="float32")
        feature = mel(torch.from_numpy(wave)).clamp(min=1e-5).log().T
        return feature, torch.tensor([LETTERS.index(c) for c in row["text"].lower() if c in LETTERS])


def collate(batch):
    x, y = zip(*batch)
    return (
        pad_sequence(x, batch_first=True), torch.tensor([len(v) for v in x]),
        pad_sequence(y, batch_first=True), torch.tensor([len(v) for v in y]),
    )


class Recognizer(nn.Module):
    def __init__(self, mels=80, hidden=128):
        super().__init__()
        self.conv = nn.Conv1d(mels, hidden, 5, stride=2, padding=2)
        self.rnn = nn.LSTM(hidden, hidden, 2, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, len(LETTERS))

    def forward(self, x):
        h = torch.relu(self.conv(x.transpose(1, 2))).transpose(1, 2)
        return self.out(self.rnn(h)[0]).log_softmax(-1)


model, ctc = Recognizer(), nn.CTCLoss(zero_infinity=True)
optimizer = torch.optim.Adam(model.parameters(), 3e-4)
for epoch in range(5):
    for x, nx, y, ny in DataLoader(Manifest("train_manifest.jsonl"), 8, shuffle=True, collate_fn=collate):
        scores = model(x)
        loss = ctc(scores.transpose(0, 1), y, (nx - 1) // 2 + 1, ny)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
