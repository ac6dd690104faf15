import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

PAD, SOS, EOS = 0, 1, 2
VOCAB, HIDDEN, LAYERS = 30, 64, 2


class Reversal(Dataset):
    def __init__(self, n, longest=12, seed=0):
        rnd = random.Random(seed)
        self.rows = [[rnd.randrange(3, VOCAB) for _ in range(rnd.randint(3, longest))] for _ in range(n)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = self.rows[i]
        return torch.tensor(row + [EOS]), torch.tensor([SOS] + row[::-1] + [EOS])


def collate(batch):
    batch.sort(key=lambda pair: -len(pair[0]))
    src, trg = zip(*batch)
    lengths = torch.tensor([len(s) for s in src])
    return pad_sequence(src, padding_value=PAD), lengths, pad_sequence(trg, padding_value=PAD)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, HIDDEN)
        self.gru = nn.GRU(HIDDEN, HIDDEN, LAYERS, bidirectional=True, dropout=0.1)

    def forward(self, src, lengths):
        packed = pack_padded_sequence(self.embed(src), lengths.cpu())
        outputs, hidden = self.gru(packed)
        outputs, _ = pad_packed_sequence(outputs)
        outputs = outputs[:, :, :HIDDEN] + outputs[:, :, HIDDEN:]
        hidden = hidden.view(LAYERS, 2, -1, HIDDEN).sum(dim=1)
        return outputs, hidden


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(HIDDEN, HIDDEN, bias=False)

    def forward(self, query, keys, mask):
        scores = torch.einsum("bh,tbh->bt", query, self.proj(keys))
        weights = scores.masked_fill(~mask, -1e9).softmax(-1)
        return torch.einsum("bt,tbh->bh", weights, keys)


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, HIDDEN)
        self.attention = Attention()
        self.gru = nn.GRU(2 * HIDDEN, HIDDEN, LAYERS, dropout=0.1)
        self.out = nn.Linear(2 * HIDDEN, VOCAB)

    def forward(self, token, hidden, keys, mask):
        context = self.attention(hidden[-1], keys, mask)
        step = torch.cat([self.embed(token), context], dim=-1).unsqueeze(0)
        output, hidden = self.gru(step, hidden)
        return self.out(torch.cat([output.squeeze(0), context], dim=-1)), hidden


def run(encoder, decoder, src, lengths, trg, forcing):
    keys, hidden = encoder(src, lengths)
    mask = (src != PAD).t()
    token, logits = trg[0], []
    for t in range(1, trg.size(0)):
        step, hidden = decoder(token, hidden, keys, mask)
        logits.append(step)
        token = trg[t] if random.random() < forcing else step.argmax(-1)
    return torch.stack(logits)


def main():
    torch.manual_seed(1)
    loader = DataLoader(Reversal(600), batch_size=32, shuffle=True, collate_fn=collate)
    encoder, decoder = Encoder(), Decoder()
    optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-3)
    for epoch in range(2):
        for src, lengths, trg in loader:
            logits = run(encoder, decoder, src, lengths, trg, forcing=0.5)
            loss = F.cross_entropy(logits.reshape(-1, VOCAB), trg[1:].reshape(-1), ignore_index=PAD)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(encoder.parameters(), 1)
            nn.utils.clip_grad_norm_(decoder.parameters(), 1)
            optimizer.step()
        print(epoch, loss.item())


main()
