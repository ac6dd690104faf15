"""Search spaces written after their published descriptions: Optuna's PyTorch examples and a cell of NAS-Bench-201."""

import torch
from torch import nn


def mlp(trial):
    """Optuna's `pytorch_simple`: one to three hidden layers of 4 to 128 units."""
    layers = []
    features = 28 * 28
    for i in range(trial.suggest_int("n_layers", 1, 3)):
        units = trial.suggest_int(f"n_units_l{i}", 4, 128)
        layers += [nn.Linear(features, units), nn.ReLU(), nn.Dropout(trial.suggest_float(f"dropout_l{i}", 0.2, 0.5))]
        features = units
    return nn.Sequential(*layers, nn.Linear(features, 10), nn.LogSoftmax(dim=1)), (torch.zeros(2, 28 * 28),)


class Convolutions(nn.Module):
    def __init__(self, trial):
        super().__init__()
        channels, side, layers = 1, 28, []
        for i in range(trial.suggest_int("n_conv_layers", 1, 3)):
            filters = trial.suggest_int(f"filters_{i}", 8, 64, step=8)
            kernel = trial.suggest_categorical(f"kernel_{i}", [3, 5, 7])
            layers += [nn.Conv2d(channels, filters, kernel), nn.ReLU()]
            side = side - kernel + 1
            if trial.suggest_categorical(f"pool_{i}", [True, False]):
                layers.append(nn.MaxPool2d(2))
                side //= 2
            channels = filters
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Linear(channels * side * side, 10)

    def forward(self, x):
        return self.classifier(torch.flatten(self.features(x), 1))


def cnn(trial):
    """A convolutional network as Optuna's tutorials search it: depth, filters, kernels and pools."""
    return Convolutions(trial), (torch.zeros(2, 1, 28, 28),)


class Zero(nn.Module):
    def forward(self, x):
        return x * 0.0


def operation(name, c):
    if name == "none":
        return Zero()
    if name == "skip_connect":
        return nn.Identity()
    if name == "avg_pool_3x3":
        return nn.AvgPool2d(3, stride=1, padding=1)
    kernel = 1 if name == "nor_conv_1x1" else 3
    return nn.Sequential(nn.ReLU(), nn.Conv2d(c, c, kernel, padding=kernel // 2, bias=False), nn.BatchNorm2d(c))


class Cell(nn.Module):
    def __init__(self, c, edges):
        super().__init__()
        self.edges = nn.ModuleDict({f"{j}{i}": operation(name, c) for (j, i), name in edges.items()})

    def forward(self, x):
        nodes = [x]
        for i in (1, 2):
            nodes.append(sum(self.edges[f"{j}{i}"](nodes[j]) for j in range(i)))
        return nodes[-1]


class Cells(nn.Module):
    def __init__(self, c, stages, edges, image):
        super().__init__()
        layers = [nn.Conv2d(3, c, 3, padding=1, bias=False), nn.BatchNorm2d(c)]
        for stage in range(stages):
            layers.append(Cell(c, edges))
            if stage < stages - 1:
                layers.append(nn.Conv2d(c, 2 * c, 3, stride=2, padding=1))
                c *= 2
        self.features = nn.Sequential(*layers)
        side = image // 2 ** (stages - 1)
        self.classifier = nn.Linear(c * side * side, 10)

    def forward(self, x):
        return self.classifier(self.features(x).flatten(1))


def cell(c, stages, e01, e02, e12, image):
    """NAS-Bench-201's five operations on the edges of a cell of three nodes; the size of the image is searched too."""
    return Cells(c, stages, {(0, 1): e01, (0, 2): e02, (1, 2): e12}, image)
