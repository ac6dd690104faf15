"""Entry points of autorch: regression of data of two origins, whose features an adversary tells apart."""

import sys
import types

import pandas
import torch

# The package installs a library on import; its transfer learning does without.
for _name in ("autorch", "autorch.transferlearning"):
    sys.modules[_name] = types.ModuleType(_name)
    sys.modules[_name].__path__ = [_name.replace(".", "/")]

from autorch.transferlearning.wadda import WADDA  # noqa: E402


def _table(columns):
    return pandas.DataFrame(torch.randn(8, columns).numpy(), columns=[f"column_{i}" for i in range(columns)])


class _Adapted(torch.nn.Module):
    """The losses of the regression and of the critic, as its training takes them."""

    def __init__(self, **options):
        super().__init__()
        self.model = WADDA(_table(4), _table(2), _table(4), _table(2), **options)

    def forward(self, rows, wanted, others):
        given, domain, _, other_domain = self.model(rows, others)
        return self.model.reg_loss(given, wanted).mean() - domain.mean() + other_domain.mean()


def adapted():
    return _Adapted(), (torch.randn(5, 4), torch.randn(5, 2), torch.randn(5, 4))


def limited():
    return _Adapted(limit_y_range=True), (torch.randn(5, 4), torch.rand(5, 2), torch.randn(5, 4))
