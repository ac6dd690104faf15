import torch
import torch.nn.functional as F
from torch import nn


class Captioner(nn.Module):
    def __init__(self, vocabulary=1000, width=32):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.lstm = nn.LSTM(width, 64, batch_first=True)
        self.out = nn.Linear(64, vocabulary)

    def forward(self, words):
        states, _ = self.lstm(self.embedding(words))
        flat = states.reshape(states.size(0), -1, 64)
        return self.out(flat)


model = Captioner()
words = torch.randint(0, 1000, (12, 20))
logits = model(words)
last = logits[:, -1]
targets = torch.randint(0, 1000, (12,))
loss = F.cross_entropy(last, targets)
print(loss.item())
