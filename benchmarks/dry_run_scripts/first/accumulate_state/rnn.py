import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
BATCH, STEPS, FEATURES, HIDDEN = 64, 30, 12, 48
ACCUMULATE = 4


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRU(FEATURES, HIDDEN, num_layers=2, batch_first=True)
        self.head = nn.Sequential(nn.Linear(HIDDEN, 24), nn.ReLU(), nn.Linear(24, 2))

    def initial(self, size):
        return torch.zeros(2, size, HIDDEN)

    def forward(self, x, state):
        out, state = self.cell(x, state)
        return self.head(out[:, -1]), state


x = torch.randn(1000, STEPS, FEATURES)
y = (x.sum(dim=(1, 2)) > 0).long()
train = DataLoader(TensorDataset(x[:900], y[:900]), batch_size=BATCH, shuffle=True)
test = DataLoader(TensorDataset(x[900:], y[900:]), batch_size=BATCH)

model = Recurrent()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
criterion = nn.CrossEntropyLoss()
for epoch in range(20):
    model.train()
    optimizer.zero_grad()
    for i, (inputs, labels) in enumerate(train):
        logits, _ = model(inputs, model.initial(len(inputs)))
        loss = criterion(logits, labels) / ACCUMULATE
        loss.backward()
        if (i + 1) % ACCUMULATE == 0 or i + 1 == len(train):
            optimizer.step()
            optimizer.zero_grad()
    model.eval()
    hits = 0
    with torch.no_grad():
        for inputs, labels in test:
            hits += (model(inputs, model.initial(inputs.size(0)))[0].argmax(1) == labels).sum().item()
    print(f"Epoch {epoch + 1}: {loss.item() * ACCUMULATE:.3f} {hits / 100:.2%}")
