"""Entry points of torchplasma: its edits of pictures as a layer chooses them, and a distance of colours."""

import sys
from unittest.mock import MagicMock

import torch

WANTING = {"imageio", "torchvision", "torchvision.transforms"} - set(sys.modules)
for _name in WANTING:
    sys.modules[_name] = MagicMock()  # tables of colours from files, which nothing here needs

from torchplasma.conversion import rgb_to_xyz, srgb_to_linear, xyz_to_lab  # noqa: E402
from torchplasma.curves import tonal_exposure  # noqa: E402
from torchplasma.filters import bilateral_filter, guided_filter  # noqa: E402
from torchplasma.linear import chromatic_adaptation, contrast, exposure, saturation, selective_color  # noqa: E402

for _name in WANTING:
    del sys.modules[_name]  # others look for what is installed


def _images():
    return 2 * torch.rand(2, 3, 16, 16) - 1


class _Edited(torch.nn.Module):
    """A network that looks at a small picture and chooses how to edit it, trained on edited ones."""

    def __init__(self, edit, strengths):
        super().__init__()
        self.look = torch.nn.Sequential(
            torch.nn.AdaptiveAvgPool2d(4), torch.nn.Flatten(), torch.nn.Linear(48, strengths), torch.nn.Tanh()
        )
        self.edit = edit

    def forward(self, image, wanted):
        return torch.nn.functional.l1_loss(self.edit(image, self.look(image)), wanted)


def _pointwise(image, strength):
    image = exposure(image, strength[:, :1])
    return saturation(contrast(image, strength[:, 1:2]), strength[:, 2:])


def pointwise():
    return _Edited(_pointwise, 3), (_images(), _images())


def white_balance():
    return _Edited(chromatic_adaptation, 2), (_images(), _images())


def tones():
    return _Edited(tonal_exposure, 4), (_images(), _images())


def _selected(image, strength):
    return selective_color(image, torch.tensor([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]), strength.view(-1, 2, 3))


def selected_colours():
    return _Edited(_selected, 6), (_images(), _images())


class _Lab(torch.nn.Module):
    """The distance of colours as eyes see it."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Conv2d(3, 3, 3, padding=1)

    def forward(self, image, wanted):
        made, wanted = (xyz_to_lab(rgb_to_xyz(srgb_to_linear(one))) for one in (self.layer(image).tanh(), wanted))
        return torch.nn.functional.l1_loss(made, wanted)


def colour_distance():
    return _Lab(), (_images(), _images())


class _Guided(torch.nn.Module):
    def __init__(self, smooth):
        super().__init__()
        self.layer, self.smooth = torch.nn.Conv2d(3, 1, 1), smooth

    def forward(self, image):
        return self.smooth(image, self.layer(image).tanh())


def guided():
    return _Guided(lambda image, guide: guided_filter(image, guide, 2, 1e-3)), (_images(),)


def bilateral():
    return _Guided(lambda image, guide: bilateral_filter(image, guide, (3, 3), (4, 8, 8))), (_images(),)
