import torch
from torch import nn

from .settings import EMBED, HIDDEN, PAD


class Encoder(nn.Module):
    def __init__(self, vocab):
        super().__init__()
        self.embedding = nn.Embedding(vocab, EMBED, padding_idx=PAD)
        self.rnn = nn.GRU(EMBED, HIDDEN, bidirectional=True)
        self.fc = nn.Linear(2 * HIDDEN, HIDDEN)

    def forward(self, source):
        outputs, hidden = self.rnn(self.embedding(source))
        hidden = torch.tanh(self.fc(torch.cat((hidden[-2], hidden[-1]), dim=1)))
        return outputs, hidden


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attn = nn.Linear(3 * HIDDEN, HIDDEN)
        self.v = nn.Linear(HIDDEN, 1, bias=False)

    def forward(self, hidden, outputs):
        hidden = hidden.unsqueeze(1).repeat(1, outputs.shape[0], 1)
        outputs = outputs.permute(1, 0, 2)
        energy = torch.tanh(self.attn(torch.cat((hidden, outputs), dim=2)))
        return self.v(energy).squeeze(2).softmax(dim=1)


class Decoder(nn.Module):
    def __init__(self, vocab):
        super().__init__()
        self.embedding = nn.Embedding(vocab, EMBED, padding_idx=PAD)
        self.attention = Attention()
        self.rnn = nn.GRU(EMBED + 2 * HIDDEN, HIDDEN)
        self.out = nn.Linear(EMBED + 3 * HIDDEN, vocab)

    def forward(self, word, hidden, outputs):
        embedded = self.embedding(word.unsqueeze(0))
        a = self.attention(hidden, outputs).unsqueeze(1)
        weighted = torch.bmm(a, outputs.permute(1, 0, 2)).permute(1, 0, 2)
        output, hidden = self.rnn(torch.cat((embedded, weighted), dim=2), hidden.unsqueeze(0))
        scores = self.out(torch.cat((output[0], weighted[0], embedded[0]), dim=1))
        return scores, hidden.squeeze(0)


class Seq2Seq(nn.Module):
    def __init__(self, source, target):
        super().__init__()
        self.encoder, self.decoder, self.vocab = Encoder(source), Decoder(target), target

    def forward(self, source, target):
        outputs, hidden = self.encoder(source)
        scores = torch.zeros(target.shape[0], target.shape[1], self.vocab)
        word = target[0]
        for t in range(1, target.shape[0]):
            scores[t], hidden = self.decoder(word, hidden, outputs)
            word = target[t]
        return scores
