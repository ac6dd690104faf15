"""Entry points of alphafold2-pytorch: distances, angles and scores of the coordinates that a layer gives."""

import sys
from unittest.mock import MagicMock

import torch

for _name in ("Bio", "mp_nerf", "sidechainnet", "mdtraj", "se3_transformer_pytorch", "en_transformer", "tr_rosetta"):
    sys.modules[_name] = MagicMock()  # readers of proteins and other models, which nothing here needs
for _name in ("utils.sequence", "utils.measure", "structure.build_info", "structure.StructureBuilder", "utils"):
    sys.modules[f"sidechainnet.{_name}"] = MagicMock()
sys.modules["sidechainnet.structure"] = sys.modules["sidechainnet.utils"] = MagicMock()
sys.modules["alphafold2_pytorch.alphafold2"] = MagicMock()

from alphafold2_pytorch import utils  # noqa: E402


class _Folding(torch.nn.Module):
    def __init__(self, score, width=3):
        super().__init__()
        self.layer, self.score = torch.nn.Linear(5, width), score

    def forward(self, features, wanted):
        return self.score(self.layer(features), wanted)


def _entry(score):
    return _Folding(score), (torch.randn(2, 8, 5), 5 * torch.randn(2, 8, 3))


def distances():
    return _entry(lambda x, y: utils.distmat_loss_torch(x[0], y[0]))


def deviation():
    return _entry(lambda x, y: utils.rmsd_torch(x.transpose(1, 2), y.transpose(1, 2)).mean())


def template_score():
    return _entry(lambda x, y: 1 - utils.tmscore_torch(x.transpose(1, 2), y.transpose(1, 2)).mean())


def dihedral():
    def score(x, y):
        found, wanted = (utils.get_dihedral_torch(*(t[:, i : i + 5] for i in range(4))) for t in (x, y))
        return (1 - torch.cos(found - wanted)).mean()

    return _entry(score)


class _Distogram(torch.nn.Module):
    """The centre of what a layer says of distances, weighed by how sure it is."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(5, 37)

    def forward(self, features, wanted):
        central, weights = utils.center_distogram_torch(self.layer(features).softmax(-1))
        return (weights * (central - wanted).square()).mean()


def distogram():
    return _Distogram(), (torch.randn(1, 6, 6, 5), 10 * torch.rand(1, 6, 6))
