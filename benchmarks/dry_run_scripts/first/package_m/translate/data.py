from collections import Counter

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset

from .settings import EOS, PAD, SOS, UNK


class Vocabulary:
    def __init__(self, lines, smallest=1):
        counts = Counter(w for line in lines for w in line.split())
        self.words = ["<pad>", "<sos>", "<eos>", "<unk>"] + sorted(w for w, n in counts.items() if n >= smallest)
        self.index = {w: i for i, w in enumerate(self.words)}

    def __len__(self):
        return len(self.words)

    def encode(self, line):
        return torch.tensor([SOS] + [self.index.get(w, UNK) for w in line.split()] + [EOS])


class Bitext(Dataset):
    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            pairs = [line.rstrip("\n").split("\t")[:2] for line in f if "\t" in line]
        self.source = Vocabulary([a for a, _ in pairs])
        self.target = Vocabulary([b for _, b in pairs])
        self.pairs = [(self.source.encode(a), self.target.encode(b)) for a, b in pairs]

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, i):
        return self.pairs[i]


def collate(batch):
    a, b = zip(*batch)
    return pad_sequence(a, padding_value=PAD), pad_sequence(b, padding_value=PAD)
