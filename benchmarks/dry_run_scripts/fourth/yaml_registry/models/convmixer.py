from torch import nn


class Residual(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x) + x


class ConvMixer(nn.Module):
    def __init__(self, dim, depth, kernel, patch, classes=100):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, dim, patch, stride=patch), nn.GELU(), nn.BatchNorm2d(dim))
        self.mix = nn.Sequential(
            *[
                nn.Sequential(
                    Residual(nn.Sequential(
                        nn.Conv2d(dim, dim, kernel, groups=dim, padding="same"), nn.GELU(), nn.BatchNorm2d(dim)
                    )),
                    nn.Conv2d(dim, dim, 1), nn.GELU(), nn.BatchNorm2d(dim),
                )
                for _ in range(depth)
            ]
        )
        self.head = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(dim, classes))

    def forward(self, x):
        return self.head(self.mix(self.stem(x)))
