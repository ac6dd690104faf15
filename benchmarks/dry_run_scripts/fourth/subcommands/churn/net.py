from torch import nn


class ChurnNet(nn.Module):
    def __init__(self, features, hidden=(64, 32)):
        super().__init__()
        layers, last = [], features
        for width in hidden:
            layers += [nn.Linear(last, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Dropout(0.2)]
            last = width
        self.body = nn.Sequential(*layers)
        self.gate = nn.Linear(last, last)
        self.out = nn.Linear(last, 1)

    def forward(self, x):
        h = self.body(x)
        return self.out(h * self.gate(h).sigmoid()).squeeze(-1)
