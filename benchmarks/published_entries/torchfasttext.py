"""Entry points of torchfasttext: bags of words with categories beside them, classified, and its loss."""

import sys
import types
from unittest.mock import MagicMock

import torch

for _name in ("torchFastText", "torchFastText.model", "torchFastText.utilities"):
    _package = sys.modules[_name] = types.ModuleType(_name)
    _package.__path__ = [_name.replace(".", "/")]
WANTING = {"unidecode", "nltk", "nltk.corpus", "nltk.stem", "nltk.stem.snowball", "seaborn"}
WANTING |= {"matplotlib", "matplotlib.pyplot"}
WANTING -= set(sys.modules)
for _name in WANTING:
    sys.modules[_name] = MagicMock()  # texts and drawings, which nothing here needs

from torchFastText.model.losses import OneVsAllLoss  # noqa: E402
from torchFastText.model.pytorch_model import FastTextModel  # noqa: E402

for _name in WANTING:
    del sys.modules[_name]  # others look for what is installed


class _Classified(torch.nn.Module):
    def __init__(self, loss=None, **settings):
        super().__init__()
        self.model = FastTextModel(8, 4, num_rows=20, padding_idx=19, sparse=False, **settings)
        self.loss = loss or torch.nn.CrossEntropyLoss()

    def forward(self, words, categories, classes):
        return self.loss(self.model(words, categories), classes)


def _texts():
    words = torch.tensor([[3, 7, 2, 9, 19], [5, 8, 19, 19, 19], [1, 4, 6, 11, 12]])
    return words, torch.tensor([[0, 3], [1, 2], [1, 0]]), torch.tensor([2, 0, 3])


def words():
    return _Classified(), _texts()


def words_and_categories():
    model = _Classified(categorical_vocabulary_sizes=[2, 4], categorical_embedding_dims=[3, 5])
    return model, _texts()


def words_and_averaged_categories():
    return _Classified(categorical_vocabulary_sizes=[2, 4], categorical_embedding_dims=4), _texts()


def one_against_all():
    return _Classified(OneVsAllLoss(), direct_bagging=True, categorical_vocabulary_sizes=[2, 4]), _texts()
