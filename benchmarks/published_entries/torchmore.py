"""Entry points of torchmore: networks of layers that find their sizes, as recognisers of texts have them."""

import torch
from torchmore import combos, flex, layers


class _Trained(torch.nn.Module):
    def __init__(self, network, samples, loss=torch.nn.functional.cross_entropy):
        super().__init__()
        self.network, self.loss = network, loss
        flex.shape_inference(network, samples)

    def forward(self, samples, wanted):
        return self.loss(self.network(samples), wanted)


def _classified(samples, *parts):
    return _Trained(torch.nn.Sequential(*parts), samples), (samples, torch.tensor([0, 2]))


def convolutions():
    parts = *combos.conv2d_block(8, mp=2), *combos.conv2d_block(8, mp=2), *combos.fc_block([16, 3])
    return _classified(torch.rand(2, 1, 12, 12), *parts)


def residual():
    parts = flex.Conv2d(8, 3, padding=1), combos.ResnetBlock(8), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten()
    return _classified(torch.rand(2, 1, 8, 8), *parts, flex.Linear(3))


def scales():
    images = torch.rand(1, 1, 16, 16)
    network = torch.nn.Sequential(*combos.conv2d_block(4), combos.make_unet([4, 8]), flex.Conv2d(3, 1))
    return _Trained(network, images), (images, torch.randint(0, 3, (1, 16, 16)))


class _Read(torch.nn.Module):
    """Lines of text read by their columns."""

    def __init__(self, images):
        super().__init__()
        columns = layers.Fun("lambda x: x.sum(2)"), layers.Reorder("BDL", "LBD")
        recurrent = flex.LSTM(6, bidirectional=True), layers.Reorder("LBD", "BDL")
        parts = *combos.conv2d_block(6, mp=2, repeat=1), *columns, *recurrent, flex.Conv1d(5, 1)
        self.network, self.loss = torch.nn.Sequential(*parts), torch.nn.CTCLoss()
        flex.shape_inference(self.network, images)

    def forward(self, images, letters):
        given = self.network(images).log_softmax(dim=1).permute(2, 0, 1)
        lengths = torch.full((images.shape[0],), given.shape[0]), torch.full((images.shape[0],), letters.shape[1])
        return self.loss(given, letters, *lengths)


def read():
    images = torch.rand(2, 1, 8, 24)
    return _Read(images), (images, torch.randint(1, 5, (2, 4)))
