import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser(description="Autoencoder")
parser.add_argument("--batch-size", type=int, default=128)
parser.add_argument("--image-size", type=int, default=28)
parser.add_argument("--hidden", type=int, default=64)


class Autoencoder(nn.Module):
    def __init__(self, image_size, hidden):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(image_size * image_size, hidden), nn.ReLU())
        self.decoder = nn.Linear(hidden, image_size * image_size)

    def forward(self, x):
        return self.decoder(self.encoder(x))


def main():
    args = parser.parse_args()
    model = Autoencoder(args.image_size, args.hidden)
    images = torch.zeros(args.batch_size, args.image_size * args.image_size)
    decoded = model(images)
    print(nn.functional.mse_loss(decoded, images).item())


if __name__ == "__main__":
    main()
