import argparse
import glob
import os
import wave

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

try:
    import torchaudio

    HAVE_TORCHAUDIO = True
except ImportError:
    HAVE_TORCHAUDIO = False

RATE, N_FFT, HOP, MELS = 16000, 400, 160, 64


def mel_matrix(n_freqs, n_mels, rate):
    def mel(f):
        return 2595 * np.log10(1 + f / 700)

    points = 700 * (10 ** (np.linspace(mel(20.0), mel(rate / 2), n_mels + 2) / 2595) - 1)
    freqs = np.linspace(0, rate / 2, n_freqs)
    up = (freqs[:, None] - points[None, :-2]) / (points[1:-1] - points[:-2])
    down = (points[None, 2:] - freqs[:, None]) / (points[2:] - points[1:-1])
    return torch.from_numpy(np.maximum(0, np.minimum(up, down))).float()


class LogMel(nn.Module):
    def __init__(self):
        super().__init__()
        if HAVE_TORCHAUDIO:
            self.mel = torchaudio.transforms.MelSpectrogram(RATE, n_fft=N_FFT, hop_length=HOP, n_mels=MELS)
        else:
            self.mel = None
            self.register_buffer("window", torch.hann_window(N_FFT))
            self.register_buffer("matrix", mel_matrix(N_FFT // 2 + 1, MELS, RATE))

    def forward(self, x):
        if self.mel is not None:
            spec = self.mel(x)
        else:
            power = torch.stft(x, N_FFT, HOP, window=self.window, return_complex=True).abs().pow(2)
            spec = (power.transpose(1, 2) @ self.matrix).transpose(1, 2)
        return torch.log(spec + 1e-6)


class Commands(Dataset):
    def __init__(self, root):
        self.words = sorted(os.listdir(root))
        self.files = [(f, i) for i, w in enumerate(self.words) for f in glob.glob(os.path.join(root, w, "*.wav"))]

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        path, label = self.files[i]
        with wave.open(path, "rb") as w:
            data = np.frombuffer(w.readframes(w.getnframes()), dtype=np.int16).astype(np.float32) / 32768
        out = np.zeros(RATE, dtype=np.float32)
        out[: min(len(data), RATE)] = data[:RATE]
        return torch.from_numpy(out), label


class Recogniser(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.front = LogMel()
        self.conv = nn.Sequential(nn.Conv2d(1, 8, 3, stride=(2, 1), padding=1), nn.ReLU(), nn.Conv2d(8, 16, 3, (2, 2), 1), nn.ReLU())
        self.rnn = nn.GRU(16 * (MELS // 4), 64, batch_first=True)
        self.out = nn.Linear(64, classes)

    def forward(self, wave):
        f = self.conv(self.front(wave).unsqueeze(1))
        b, c, m, t = f.shape
        f = f.permute(0, 3, 1, 2).reshape(b, t, c * m)
        _, h = self.rnn(f)
        return self.out(h[-1])


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--root", default="speech_commands")
    ap.add_argument("--epochs", type=int, default=2)
    ap.add_argument("--bs", type=int, default=16)
    a = ap.parse_args()
    data = Commands(a.root)
    loader = DataLoader(data, batch_size=a.bs, shuffle=True)
    net = Recogniser(len(data.words))
    opt = torch.optim.Adam(net.parameters())
    for e in range(a.epochs):
        for x, y in loader:
            loss = nn.functional.cross_entropy(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(e, float(loss))


if __name__ == "__main__":
    main()
