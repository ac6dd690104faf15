"""Entry points of medim: its network that segments volumes, small, as its README builds it, and its block."""

import sys
from unittest.mock import MagicMock

import torch

WANTING = {"appdirs"} - set(sys.modules)
for _name in WANTING:
    sys.modules[_name] = MagicMock(user_cache_dir=lambda *names: "cache")  # where downloads lie, which nothing needs

from medim.models.stu_net import BasicResBlock, STUNet  # noqa: E402

for _name in WANTING:
    del sys.modules[_name]  # others look for what is installed


class _Segmented(torch.nn.Module):
    def __init__(self, **settings):
        super().__init__()
        sizes = {"depth": [1] * 3, "dims": [4, 8, 8], "pool_op_kernel_sizes": [[2, 2, 2], [1, 1, 2]]}
        self.model = STUNet(num_classes=3, conv_kernel_sizes=[[3, 3, 3]] * 3, **sizes, **settings)

    def forward(self, volumes, labels):
        given = self.model(volumes)
        found = given[0] if isinstance(given, tuple) else given
        return torch.nn.functional.cross_entropy(found, labels)


def _volumes():
    return torch.randn(1, 1, 8, 8, 8), torch.randint(3, (1, 8, 8, 8))


def segmented():
    return _Segmented(), _volumes()


def segmented_with_all_depths():
    return _Segmented(enable_deep_supervision=True), _volumes()


def block():
    return BasicResBlock(2, 4, stride=2, use_1x1conv=True), torch.randn(1, 2, 6, 6, 6)
