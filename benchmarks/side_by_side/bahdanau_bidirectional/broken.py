"""Translation with a bidirectional GRU and additive attention."""

import random

import torch
import torch.nn as nn
import torch.nn.functional as F

PAD, START = 0, 1


class Encoder(nn.Module):
    def __init__(self, words, embed, hidden, decoder_hidden):
        super().__init__()
        self.embedding = nn.Embedding(words, embed, padding_idx=PAD)
        self.rnn = nn.GRU(embed, hidden, bidirectional=True, batch_first=True)
        self.bridge = nn.Linear(hidden * 2, decoder_hidden)

    def forward(self, source):
        outputs, hidden = self.rnn(self.embedding(source))
        last = torch.cat((hidden[-2], hidden[-1]), dim=1)
        return outputs, torch.tanh(self.bridge(last))


class Attention(nn.Module):
    def __init__(self, encoder_hidden, decoder_hidden):
        super().__init__()
        self.attn = nn.Linear(encoder_hidden + decoder_hidden, decoder_hidden)
        self.v = nn.Linear(decoder_hidden, 1, bias=False)

    def forward(self, hidden, outputs, mask):
        length = outputs.shape[1]
        repeated = hidden.unsqueeze(1).repeat(1, length, 1)
        energy = torch.tanh(self.attn(torch.cat((repeated, outputs), dim=2)))  # <- expected
        scores = self.v(energy).squeeze(2)
        return F.softmax(scores.masked_fill(~mask, -1e9), dim=1)


class Decoder(nn.Module):
    def __init__(self, words, embed, encoder_hidden, hidden):
        super().__init__()
        self.words = words
        self.embedding = nn.Embedding(words, embed)
        self.attention = Attention(encoder_hidden, hidden)
        self.rnn = nn.GRUCell(encoder_hidden * 2 + embed, hidden)
        self.out = nn.Linear(encoder_hidden * 2 + hidden + embed, words)

    def forward(self, token, hidden, outputs, mask):
        embedded = self.embedding(token)
        weights = self.attention(hidden, outputs, mask).unsqueeze(1)
        context = torch.bmm(weights, outputs).squeeze(1)
        hidden = self.rnn(torch.cat((embedded, context), dim=1), hidden)
        return self.out(torch.cat((hidden, context, embedded), dim=1)), hidden


class Seq2Seq(nn.Module):
    def __init__(self, encoder, decoder, forcing=0.5):
        super().__init__()
        self.encoder, self.decoder, self.forcing = encoder, decoder, forcing

    def forward(self, source, target):
        batch, length = target.shape
        scores = torch.zeros(batch, length, self.decoder.words)
        outputs, hidden = self.encoder(source)
        mask = source != PAD
        token = target[:, 0]
        for t in range(1, length):
            scores[:, t], hidden = self.decoder(token, hidden, outputs, mask)
            teacher = random.random() < self.forcing
            token = target[:, t] if teacher else scores[:, t].argmax(1)
        return scores


def main():
    encoder = Encoder(words=500, embed=32, hidden=40, decoder_hidden=48)
    decoder = Decoder(words=600, embed=32, encoder_hidden=40, hidden=48)
    model = Seq2Seq(encoder, decoder)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(3):
        source, target = torch.randint(2, 500, (10, 14)), torch.randint(2, 600, (10, 11))
        target[:, 0] = START
        scores = model(source, target)
        loss = F.cross_entropy(scores[:, 1:].reshape(-1, 600), target[:, 1:].reshape(-1), ignore_index=PAD)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


if __name__ == "__main__":
    main()
