"""Entry points of speaksee: its models that caption what was found in images, and its loss of pairs."""

import sys
import types

import torch

for _name in ("speaksee", "speaksee.models"):
    _package = sys.modules[_name] = types.ModuleType(_name)
    _package.__path__ = [_name.replace(".", "/")]

from speaksee.models.bottomup_topdown_attention import BottomupTopdownAttention  # noqa: E402
from speaksee.models.fc import FC  # noqa: E402
from speaksee.models.VisualSemanticModel import ContrastiveLoss  # noqa: E402


class _Captioned(torch.nn.Module):
    def __init__(self, model, shift):
        super().__init__()
        self.model, self.shift, self.loss = model, shift, torch.nn.NLLLoss()

    def forward(self, found, words):
        given = self.model(found, words)[:, : words.shape[1] - self.shift]
        return self.loss(given.flatten(0, 1), words[:, self.shift :].flatten())


def images():
    return _Captioned(FC(20, 6, 8, 10, 0.1), 0), (torch.randn(2, 6), torch.randint(20, (2, 5)))


def images_with_own_words():
    return _Captioned(FC(20, 6, 8, 10, 0.1, ss_prob=0.3), 0), (torch.randn(2, 6), torch.randint(20, (2, 5)))


def _regions():
    regions = torch.rand(2, 4, 6)
    regions[1, 3] = 0.0
    return regions, torch.randint(20, (2, 5))


def regions():
    model = BottomupTopdownAttention(20, 1, det_feat_size=6, input_encoding_size=8, rnn_size=10, att_size=7)
    return _Captioned(model, 1), _regions()


def regions_with_sentinel():
    sizes = {"det_feat_size": 6, "input_encoding_size": 8, "rnn_size": 10, "att_size": 7}
    return _Captioned(BottomupTopdownAttention(20, 1, True, True, **sizes), 1), _regions()


class _Paired(torch.nn.Module):
    def __init__(self, **settings):
        super().__init__()
        self.images, self.texts = torch.nn.Linear(6, 5), torch.nn.Linear(4, 5)
        self.loss = ContrastiveLoss(margin=0.2, **settings)

    def forward(self, images, texts):
        images, texts = (torch.nn.functional.normalize(m, dim=1) for m in (self.images(images), self.texts(texts)))
        return self.loss(images @ texts.T)


def pairs():
    return _Paired(), (torch.randn(4, 6), torch.randn(4, 4))


def pairs_of_all_violations():
    return _Paired(max_violation=False, reduction="mean"), (torch.randn(4, 6), torch.randn(4, 4))
