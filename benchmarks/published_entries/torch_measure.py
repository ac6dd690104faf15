"""Entry points of torch-measure: its models of responses to items, fitted as its likelihoods do."""

import sys
import types

import torch

for _name in ("torch_measure", "torch_measure.models", "torch_measure.fitting"):
    _package = sys.modules[_name] = types.ModuleType(_name)
    _package.__path__ = [_name.replace(".", "/")]

from torch_measure.fitting._losses import bernoulli_nll, beta_nll  # noqa: E402
from torch_measure.models.amortized import AmortizedIRT  # noqa: E402
from torch_measure.models.bifactor import Bifactor  # noqa: E402
from torch_measure.models.logistic_fm import LogisticFM  # noqa: E402
from torch_measure.models.threepl import ThreePL  # noqa: E402
from torch_measure.models.twopl import TwoPL  # noqa: E402


class _Fitted(torch.nn.Module):
    """The likelihood of responses, with probabilities kept from both ends."""

    def __init__(self, model, loss=bernoulli_nll):
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, subjects, items, responses):
        given = self.model.predict({"subject_idx": subjects, "item_idx": items})
        return self.loss(given.clamp(1e-7, 1 - 1e-7), responses)


def _responses():
    subjects, items = torch.arange(5).repeat_interleave(6), torch.arange(6).repeat(5)
    return subjects, items, torch.randint(2, (30,)).float()


def guessed():
    return _Fitted(ThreePL(5, 6)), _responses()


def factors():
    return _Fitted(LogisticFM(5, 6, n_factors=2)), _responses()


def grouped():
    return _Fitted(Bifactor(5, 6, 2, torch.tensor([0, 0, 1, 1, 0, 1]))), _responses()


def amortized():
    model = AmortizedIRT(5, 6, embedding_dim=4, hidden_dim=8, pl=3)
    model.set_embeddings(torch.randn(6, 4))
    return _Fitted(model), _responses()


def shares():
    subjects, items, _ = _responses()
    return _Fitted(TwoPL(5, 6), beta_nll), (subjects, items, 0.05 + 0.9 * torch.rand(30))
