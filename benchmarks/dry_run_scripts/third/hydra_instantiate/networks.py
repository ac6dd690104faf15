import torch.nn as nn


class Residual(nn.Module):
    def __init__(self, cin, cout, kernel, dilation):
        super().__init__()
        pad = (kernel - 1) * dilation // 2
        self.body = nn.Sequential(
            nn.Conv1d(cin, cout, kernel, padding=pad, dilation=dilation), nn.BatchNorm1d(cout), nn.ReLU(),
            nn.Conv1d(cout, cout, kernel, padding=pad, dilation=dilation), nn.BatchNorm1d(cout),
        )
        self.skip = nn.Conv1d(cin, cout, 1) if cin != cout else nn.Identity()

    def forward(self, x):
        return nn.functional.relu(self.body(x) + self.skip(x))


class TCN(nn.Module):
    def __init__(self, inputs, widths, kernel, classifier):
        super().__init__()
        sizes = [inputs, *widths]
        self.blocks = nn.Sequential(*(Residual(a, b, kernel, 2**i) for i, (a, b) in enumerate(zip(sizes, sizes[1:]))))
        self.classifier = classifier

    def forward(self, x):
        return self.classifier(self.blocks(x).mean(-1))
