import numpy as np
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 32, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(32, 64, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(1),
        )
        self.head = nn.Linear(64, 5)

    def forward(self, x):
        x = self.features(x)
        return self.head(x.flatten(1))


def load(count):
    """Images as a camera gives them: height, width, channels."""
    return np.zeros((count, 224, 224, 3), dtype=np.float32)


model = Encoder()
images = torch.from_numpy(load(8))
images = images.permute(0, 3, 1, 2)
print(model(images).argmax(1))
