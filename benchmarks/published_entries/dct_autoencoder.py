"""Entry points of dct-autoencoder: pictures in its frequencies and back, and networks over them, with losses."""

import torch
from dct_autoencoder.core import DCTAutoencoder


class _Restored(torch.nn.Module):
    """Through the frequencies that its compression keeps."""

    def __init__(self):
        super().__init__()
        self.model = DCTAutoencoder(block_size=4)

    def forward(self, pictures):
        kept = self.model.compress(self.model.encode(pictures))
        return self.model.decode(self.model.decompress(kept))


def restored():
    return _Restored(), torch.rand(2, 3, 8, 8)


class _Classified(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.frequencies = DCTAutoencoder(block_size=4)
        channels = self.frequencies.get_num_compressed_channels()
        layers = torch.nn.Conv2d(channels, 8, 1), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten()
        self.model = torch.nn.Sequential(*layers, torch.nn.Linear(8, 4))

    def forward(self, pictures, labels):
        encoded = self.frequencies.compress(self.frequencies.encode(pictures))
        return torch.nn.functional.cross_entropy(self.model(encoded), labels)


def classified():
    return _Classified(), (torch.rand(2, 3, 16, 16), torch.tensor([3, 0]))


class _Cleaned(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.frequencies, self.layer = DCTAutoencoder(block_size=4), torch.nn.Conv2d(48, 48, 1)

    def forward(self, noisy, clean):
        encoded = self.frequencies.encode(noisy)
        restored = self.frequencies.decode(encoded + self.layer(encoded))
        return torch.nn.functional.l1_loss(restored, clean)


def cleaned():
    return _Cleaned(), (torch.rand(2, 3, 8, 8), torch.rand(2, 3, 8, 8))
