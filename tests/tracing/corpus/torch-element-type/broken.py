import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, vocabulary=8000, width=64, tags=17):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.position = nn.Linear(1, width)
        self.out = nn.Linear(width, tags)

    def forward(self, words):
        steps = torch.arange(words.size(1)).unsqueeze(1)
        x = self.embedding(words) + self.position(steps)  # <- expected: tracing/incompatible-element-type
        return self.out(x)


model = Tagger()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
words = torch.randint(0, 8000, (16, 30))
tags = torch.randint(0, 17, (16, 30))

for step in range(100):
    optimizer.zero_grad()
    logits = model(words)
    loss = criterion(logits.view(-1, 17), tags.view(-1))
    loss.backward()
    optimizer.step()
    print(step, loss.item())
