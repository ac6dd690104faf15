"""Entry points of trl: losses of preferences and of distillation behind a small language model."""

import sys
import types
from importlib.machinery import ModuleSpec
from unittest.mock import MagicMock

import torch

for _name in ("datasets", "pyarrow", "pyarrow.compute", "pyarrow.types", "psutil"):  # tables of texts, not needed here
    sys.modules[_name] = MagicMock(__spec__=ModuleSpec(_name, None), __version__="0.0.0")

from trl.experimental.cpo.cpo_trainer import CPOTrainer  # noqa: E402
from trl.experimental.gkd.gkd_trainer import GKDTrainer  # noqa: E402
from trl.experimental.orpo.orpo_trainer import ORPOTrainer  # noqa: E402
from trl.experimental.sdft.loss_utils import compute_topk_self_distillation_loss  # noqa: E402
from trl.trainer.utils import selective_log_softmax_and_entropy  # noqa: E402


class _Language(torch.nn.Module):
    def __init__(self, hidden=8, vocabulary=20):
        super().__init__()
        self.embedding = torch.nn.Embedding(vocabulary, hidden)
        self.recurrent = torch.nn.GRU(hidden, hidden, batch_first=True)
        self.head = torch.nn.Linear(hidden, vocabulary)

    def forward(self, ids):
        return self.head(self.recurrent(self.embedding(ids))[0])


class _Preference(torch.nn.Module):
    """Answers that are preferred to others, where labels of -100 are those of the question and of padding."""

    def __init__(self, trainer, loss, average=False, **options):
        super().__init__()
        self.model, self.trainer, self.loss, self.average = _Language(), trainer, loss, average
        accelerator = types.SimpleNamespace(device=torch.device("cpu"))
        self.options = types.SimpleNamespace(accelerator=accelerator, beta=0.1, **options)

    def _likelihood(self, ids, labels):
        return self.trainer.get_batch_logps(self.model(ids), labels, average_log_prob=self.average)

    def forward(self, chosen, chosen_labels, rejected, rejected_labels):
        likelihoods = self._likelihood(chosen, chosen_labels), self._likelihood(rejected, rejected_labels)
        return self.loss(self.options, *likelihoods)[0].mean()


class _Distilled(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.student, self.teacher, self.loss = _Language(), _Language(16), loss

    def forward(self, ids, labels):
        with torch.no_grad():
            taught = self.teacher(ids)
        return self.loss(self.student(ids), taught, labels)


class _Policy(torch.nn.Module):
    """The surrogate of an answer's tokens with a bonus for entropy."""

    def __init__(self):
        super().__init__()
        self.model = _Language()

    def forward(self, ids, mask, advantages):
        logits = self.model(ids)[:, :-1]
        likelihood, entropy = selective_log_softmax_and_entropy(logits, ids[:, 1:], row_mask=mask[:, 1:])
        return -(likelihood * advantages[:, None] + 0.01 * entropy).sum() / mask[:, 1:].sum()


def _answer(start=3, end=8):
    ids = torch.randint(1, 20, (2, 8))
    labels = ids.clone()
    labels[:, :start] = -100
    labels[1, end - 2 :] = -100
    return ids, labels


def contrastive_preference():
    options = {"loss_type": "sigmoid", "label_smoothing": 0.0, "simpo_gamma": 0.5, "alpha": 0.0}
    return _Preference(CPOTrainer, CPOTrainer.cpo_loss, **options), (*_answer(), *_answer())


def simple_preference():
    options = {"loss_type": "simpo", "label_smoothing": 0.0, "simpo_gamma": 0.5, "alpha": 0.0}
    return _Preference(CPOTrainer, CPOTrainer.cpo_loss, True, **options), (*_answer(), *_answer())


def odds_ratio():
    def loss(options, chosen, rejected):
        return (-chosen - ORPOTrainer.odds_ratio_loss(options, chosen, rejected)[0],)

    return _Preference(ORPOTrainer, loss, True), (*_answer(), *_answer())


def generalized_distillation():
    return _Distilled(GKDTrainer.generalized_jsd_loss), _answer()


def self_distillation():
    def loss(student, teacher, labels):
        options = {"distillation_topk": 5, "distillation_alpha": 0.5, "distillation_add_tail": True}
        losses = compute_topk_self_distillation_loss(student, teacher, **options)
        mask = labels != -100
        return (losses * mask).sum() / mask.sum()

    return _Distilled(loss), _answer()


def policy():
    ids, labels = _answer()
    return _Policy(), (ids, (labels != -100).long(), torch.randn(2))
