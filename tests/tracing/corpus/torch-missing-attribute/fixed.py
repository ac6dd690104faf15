import torch
from torch import nn


class Discriminator(nn.Module):
    def __init__(self, channels=3, width=64):
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv2d(channels, width, 4, 2, 1, bias=False),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(width, width * 2, 4, 2, 1, bias=False),
            nn.BatchNorm2d(width * 2),
            nn.LeakyReLU(0.2, inplace=True),
        )
        self.classifier = nn.Linear(width * 2 * 8 * 8, 1)

    def forward(self, x):
        x = self.main(x)
        return self.classifier(x.flatten(1))


discriminator = Discriminator()
scores = discriminator(torch.randn(4, 3, 32, 32))
loss = nn.functional.binary_cross_entropy_with_logits(scores, torch.ones(4, 1))
print(loss.item())
